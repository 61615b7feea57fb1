#include "trace/spool_directory.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "trace/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PROCESS_FILE_SIZE = 512,
    LOCK_TRIES = 3000, /* of 20 ms */
};
static const char process_name[] = "process";

char *spool_directory_path(const char *trace)
{
    return alloc_format("%s.spool", trace);
}

/* ---- names ---- */

void spool_directory_segment(unsigned number, char name[SPOOL_NAME_SIZE])
{
    snprintf(name, SPOOL_NAME_SIZE, "%u%s", number, SEGMENT_SUFFIX);
}

bool spool_directory_is_segment(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits <= 10 && strcmp(name + digits, SEGMENT_SUFFIX) == 0;
}

/* ---- opening ---- */

static enum status refuse(struct error *error, const char *path, const char *what)
{
    return error_set(error, STATUS_INVALID,
                     "'%s' %s, so it is nothing that a recording of this user left: it is left "
                     "alone (move it away to see what the trace has without it)",
                     path, what);
}

enum status spool_directory_open(const char *path, int *directory, struct error *error)
{
    struct stat facts;
    const int made = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (made < 0 && errno == ENOENT)
        return error_set(error, STATUS_NOT_FOUND, "there is no '%s'", path);
    if (made < 0 && (errno == ELOOP || errno == ENOTDIR))
        return lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode)
                   ? refuse(error, path, "is a symbolic link")
                   : refuse(error, path, "is not a directory");
    if (made < 0)
        return error_set_errno(error, "cannot read '%s'", path);
    enum status status = STATUS_OK;
    if (fstat(made, &facts) != 0)
        status = error_set_errno(error, "cannot read '%s'", path);
    else if (facts.st_uid != geteuid())
        status = refuse(error, path, "belongs to another user");
    else if (facts.st_mode & (S_IWGRP | S_IWOTH))
        status = refuse(error, path, "may be written to by other users");
    if (status)
        close(made);
    else
        *directory = made;
    return status;
}

enum status spool_directory_file(int directory, const char *path, const char *name, int flags,
                                 int *descriptor, struct stat *facts, struct error *error)
{
    char said[4096];
    snprintf(said, sizeof said, "%s/%s", path, name);
    return file_open_own(directory, name, flags, said, descriptor, facts, error);
}

DIR *spool_directory_list(int directory)
{
    const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = again >= 0 ? fdopendir(again) : NULL;
    if (!listing && again >= 0)
        close(again);
    return listing;
}

/* ---- who writes ---- */

/* The start of a small file, ended with NUL; "" when it cannot be read. Without an allocation: what
 * is told here decides whether a process lives, and must not depend on memory. */
static void read_start(int descriptor, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got;
    while (used < size - 1 && (got = read(descriptor, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    close(descriptor);
    text[used] = 0;
}

static void boot_id(char id[64])
{
    const int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    id[0] = 0;
    if (descriptor >= 0)
        read_start(descriptor, id, 64);
    id[strcspn(id, "\n")] = 0;
}

bool spool_directory_writer(int directory, struct spool_writer *writer)
{
    char text[PROCESS_FILE_SIZE], boot[64], our_boot[64];
    int version, descriptor;
    uint64_t start;
    *writer = (struct spool_writer){0};
    if (spool_directory_file(directory, "", process_name, O_RDONLY, &descriptor, NULL, NULL))
        return false;
    read_start(descriptor, text, sizeof text);
    boot_id(our_boot);
    if (sscanf(text, "clerk-spool %d process %" SCNd64 " start %" SCNu64 " boot %63s", &version,
               &writer->process, &start, boot) != 4)
        return false;
    writer->is_running = strcmp(boot, our_boot) == 0 && process_is_running(writer->process, start);
    const char *end = strstr(text, "\nend ");
    if (end)
        sscanf(end, " end %15s", writer->end);
    return true;
}

/* Appended without another block: the disk may be full. */
void spool_directory_note_end(int directory, const char *state)
{
    char line[32];
    int descriptor;
    const int size = snprintf(line, sizeof line, "end %s\n", state);
    if (spool_directory_file(directory, "", process_name, O_WRONLY | O_APPEND, &descriptor, NULL,
                             NULL))
        return;
    /* A note that cannot be made leaves a spool like that of a killed process. */
    descriptor_write(descriptor, line, (size_t)size, process_name, NULL);
    close(descriptor);
}

/* ---- making ---- */

static enum status write_process_file(int directory, const char *path, struct error *error)
{
    char text[PROCESS_FILE_SIZE], boot[64];
    int descriptor;
    boot_id(boot);
    const int size =
        snprintf(text, sizeof text, "clerk-spool %d\nprocess %ld\nstart %" PRIu64 "\nboot %s\n",
                 SEGMENT_VERSION, (long)getpid(), process_start_time(getpid()), boot);
    enum status status = spool_directory_file(
        directory, path, process_name, O_WRONLY | O_CREAT | O_EXCL, &descriptor, NULL, error);
    if (status)
        return status;
    status = descriptor_write(descriptor, text, (size_t)size, path, error);
    close(descriptor);
    return status;
}

/* A directory that is not empty is replaced by no other: rename is what claims the name, and so
 * nobody ever sees a spool without its writer. */
static enum status claim(int directory, const char *made, const char *path, struct error *error)
{
    enum status status = write_process_file(directory, path, error);
    if (status || rename(made, path) == 0)
        return status;
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR)
        return error_set(error, STATUS_NOT_FOUND, "'%s' is taken", path);
    return error_set_errno(error, "cannot create '%s'", path);
}

enum status spool_directory_make(const char *path, struct error *error)
{
    static atomic_uint counter;
    char *made = alloc_format("%s.%ld-%u.tmp", path, (long)getpid(),
                              atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed));
    enum status status = STATUS_OK;
    int directory = -1;
    if (!made)
        return error_no_memory(error, strlen(path) + 32);
    if (mkdir(made, 0700) != 0) {
        status = error_set_errno(error, "cannot create '%s'", path);
        goto out;
    }
    status = spool_directory_open(made, &directory, error);
    if (status == STATUS_INVALID)
        error_set(error, STATUS_INVALID,
                  "'%s' cannot be kept from other users on this file system; record elsewhere",
                  path);
    if (!status)
        status = claim(directory, made, path, error);
    if (status && directory >= 0)
        unlinkat(directory, process_name, 0);
    if (status)
        rmdir(made);
out:
    if (directory >= 0)
        close(directory);
    alloc_free(made);
    return status;
}

/* ---- removing ---- */

enum status spool_directory_lock(int directory, const char *path, bool *is_ours,
                                 struct error *error)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    int tries = 0;
    while (flock(directory, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK && ++tries < LOCK_TRIES)
            nanosleep(&nap, NULL);
        else if (errno == EWOULDBLOCK)
            return error_set(error, STATUS_IO,
                             "another clerk has been storing what is in '%s' for a minute", path);
        else if (errno != EINTR)
            return error_set_errno(error, "cannot lock '%s'", path);
    }
    *is_ours = file_is_at(directory, path);
    return STATUS_OK;
}

static void remove_file(int directory, const char *name)
{
    struct stat facts;
    if (fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode) &&
        file_is_own(&facts))
        unlinkat(directory, name, 0);
}

void spool_directory_remove(int directory, const char *path)
{
    DIR *listing = spool_directory_list(directory);
    const struct dirent *entry;
    if (!listing)
        return;
    while ((entry = readdir(listing)))
        if (spool_directory_is_segment(entry->d_name))
            remove_file(directory, entry->d_name);
    closedir(listing);
    remove_file(directory, process_name);
    if (file_is_at(directory, path))
        rmdir(path);
}

void spool_directory_discard(const char *path)
{
    int directory;
    if (spool_directory_open(path, &directory, NULL))
        return;
    spool_directory_remove(directory, path);
    close(directory);
}
