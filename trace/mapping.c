#include "trace/spool_private.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/segment.h"
#include "trace/spool_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE_SIZE_MIN = 4096 };

/* No link is followed to the directory, nor in it. No descriptor of it is kept: the program may
 * close what it does not know. */
static int open_directory(const char *directory)
{
    return open(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A limit on the sizes of files must not show as SIGXFSZ, which would end the program. */
static enum status check_limit(const char *path, uint64_t size, struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size)
        return STATUS_OK;
    return error_set(error, STATUS_IO,
                     "'%s' needs %llu bytes, and files may have %llu here (ulimit -f)", path,
                     (unsigned long long)size, (unsigned long long)limit.rlim_cur);
}

/* The first store into a page of a shared file costs a fault, whatever was read of it before. */
static void touch_pages(struct mapping *mapping)
{
    for (uint64_t offset = 0; offset < mapping->size; offset += PAGE_SIZE_MIN)
        *(volatile unsigned char *)(mapping->bytes + offset) = 0;
}

static void write_header(struct mapping *mapping)
{
    const struct segment_header header = {.version = SEGMENT_VERSION, .size = mapping->size};
    uint64_t magic;
    memcpy(mapping->bytes, &header, sizeof header);
    memcpy(&magic, SEGMENT_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)mapping->bytes, magic, __ATOMIC_RELEASE); /* last */
}

/* The file's blocks are reserved: a full disk shows here, not as SIGBUS at a store into the map. */
static enum status map_file(int descriptor, const char *path, struct mapping *mapping,
                            struct error *error)
{
    const int refused = posix_fallocate(descriptor, 0, (off_t)mapping->size);
    if (refused) {
        errno = refused;
        return error_set_errno(error, "cannot reserve %llu bytes for '%s'",
                               (unsigned long long)mapping->size, path);
    }
    mapping->bytes =
        mmap(NULL, mapping->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    return mapping->bytes != MAP_FAILED ? STATUS_OK
                                        : error_set_errno(error, "cannot map '%s'", path);
}

static enum status make_file(const char *directory, struct mapping *mapping, struct error *error)
{
    char name[SPOOL_NAME_SIZE], path[4096];
    spool_directory_segment(mapping->number, name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    enum status status = check_limit(path, mapping->size, error);
    if (status)
        return status;
    const int holder = open_directory(directory);
    const int descriptor =
        holder < 0 ? -1 : openat(holder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        status = error_set_errno(error, "cannot create '%s'", path);
    } else {
        status = map_file(descriptor, path, mapping, error);
        close(descriptor);
        if (status)
            unlinkat(holder, name, 0);
    }
    if (holder >= 0)
        close(holder);
    return status;
}

enum status mapping_create(const char *directory, unsigned number, uint64_t size,
                           struct mapping **mapping, struct error *error)
{
    struct mapping *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    ASSERT(number > 0 && size % 8 == 0 && size > sizeof(struct segment_header));
    made->number = number;
    made->size = size;
    const enum status status = make_file(directory, made, error);
    if (status) {
        alloc_free(made);
        return status;
    }
    touch_pages(made);
    write_header(made);
    *mapping = made;
    return STATUS_OK;
}

void mapping_empty(struct mapping *mapping)
{
    struct segment_header *header = (struct segment_header *)(void *)mapping->bytes;
    /* Before anything else, so that nobody takes what is left half emptied for records. */
    __atomic_exchange_n(&header->stream, 0, __ATOMIC_SEQ_CST);
    memset(mapping->bytes + sizeof *header, 0, mapping->size - sizeof *header);
    write_header(mapping);
    atomic_store(&mapping->next, NULL);
}

void mapping_destroy(const char *directory, struct mapping *mapping)
{
    char name[SPOOL_NAME_SIZE];
    const int holder = open_directory(directory);
    spool_directory_segment(mapping->number, name);
    if (holder >= 0) {
        unlinkat(holder, name, 0);
        close(holder);
    }
    munmap(mapping->bytes, mapping->size);
    alloc_free(mapping);
}
