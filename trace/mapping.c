#include "trace/mapping.h"

#include "trace/base/alloc.h"
#include "trace/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE_SIZE_MIN = 4096 };

static char *mapping_path(const char *directory, unsigned number)
{
    return alloc_format("%s/%u%s", directory, number, SEGMENT_SUFFIX);
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
    memcpy(mapping->bytes, &header, sizeof header);
    memcpy(mapping->bytes, SEGMENT_MAGIC, sizeof header.magic);
}

/* The file's blocks are reserved: a full disk shows here, not as SIGBUS at a store into the map. */
enum status mapping_create(const char *directory, unsigned number, uint64_t size,
                           struct mapping **mapping, struct error *error)
{
    enum status status = STATUS_OK;
    int descriptor = -1;
    struct mapping *made = alloc_zero(1, sizeof *made);
    char *path = NULL;
    if (!made) {
        status = error_no_memory(error, sizeof *made);
        goto out;
    }
    made->number = number;
    made->size = size;
    path = mapping_path(directory, made->number);
    if (!path) {
        status = error_no_memory(error, strlen(directory) + 32);
        goto out;
    }
    status = check_limit(path, size, error);
    if (status)
        goto out;
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        status = error_set_errno(error, "cannot create '%s'", path);
        goto out;
    }
    const int refused = posix_fallocate(descriptor, 0, (off_t)size);
    if (refused) {
        errno = refused;
        status = error_set_errno(error, "cannot reserve %llu bytes for '%s'",
                                 (unsigned long long)size, path);
        goto out;
    }
    made->bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (made->bytes == MAP_FAILED) {
        status = error_set_errno(error, "cannot map '%s'", path);
        goto out;
    }
    touch_pages(made);
    write_header(made);
    *mapping = made;
    made = NULL;
out:
    if (descriptor >= 0) {
        close(descriptor);
        if (status)
            unlink(path);
    }
    alloc_free(path);
    alloc_free(made);
    return status;
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
    char *path = mapping_path(directory, mapping->number);
    if (path)
        unlink(path);
    alloc_free(path);
    munmap(mapping->bytes, mapping->size);
    alloc_free(mapping);
}
