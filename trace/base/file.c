#include "trace/base/file.h"

#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/limit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Of a pipe or a device, which may never end: when it has to. 0 = a regular file, which ends. */
static uint64_t find_deadline(const struct stat *facts)
{
    const uint64_t seconds = limit_get(LIMIT_READ_SECONDS);
    if (S_ISREG(facts->st_mode))
        return 0;
    return seconds < UINT64_MAX / 1000000000 ? clock_monotonic_ns() + seconds * 1000000000
                                             : UINT64_MAX;
}

/* Until there is something to read, or the end. False: not before the deadline. */
static bool wait_for(int descriptor, uint64_t deadline)
{
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        const uint64_t now = clock_monotonic_ns();
        if (deadline != UINT64_MAX && now >= deadline)
            return false;
        const uint64_t left = deadline == UINT64_MAX ? UINT64_MAX : (deadline - now) / 1000000 + 1;
        if (poll(&ready, 1, left > INT_MAX ? INT_MAX : (int)left) > 0)
            return true;
    }
}

/* A pipe by name whose other end nobody has opened yet is not at its end. */
static bool is_named_pipe(int descriptor, const struct stat *facts)
{
    struct statfs of;
    return S_ISFIFO(facts->st_mode) &&
           !(fstatfs(descriptor, &of) == 0 && of.f_type == PIPEFS_MAGIC);
}

/* What is read next; 0 at the end. */
static enum status read_some(int descriptor, const char *path, uint64_t deadline, void *bytes,
                             size_t size, size_t *got, struct error *error)
{
    for (;;) {
        if (deadline && clock_monotonic_ns() >= deadline)
            break;
        const ssize_t now = read(descriptor, bytes, size);
        if (now >= 0) {
            *got = (size_t)now;
            return STATUS_OK;
        }
        if (errno != EINTR && errno != EAGAIN)
            return error_set_errno(error, "cannot read '%s'", path);
        if (errno == EAGAIN && !wait_for(descriptor, deadline))
            break;
    }
    return error_set(error, STATUS_UNSUPPORTED,
                     "'%s' is not a regular file, and did not end within %llu seconds (%s)", path,
                     (unsigned long long)limit_get(LIMIT_READ_SECONDS),
                     limit_variable(LIMIT_READ_SECONDS));
}

static enum status refuse_size(const char *path, size_t max_size, struct error *error)
{
    return error_set(error, STATUS_UNSUPPORTED, "'%s' is larger than %zu bytes", path, max_size);
}

/* To its end; closes it. */
static enum status read_all(int descriptor, const char *path, size_t max_size, void **bytes,
                            size_t *size, struct error *error)
{
    enum status status = STATUS_OK;
    unsigned char *buffer = NULL;
    size_t capacity = 4096;
    size_t used = 0;
    size_t got = 1;
    struct stat facts;
    uint64_t deadline = 0;
    if (fstat(descriptor, &facts) != 0)
        status = error_set_errno(error, "cannot read '%s'", path);
    else if (S_ISREG(facts.st_mode) && (uint64_t)facts.st_size > max_size)
        status = refuse_size(path, max_size, error);
    else if (S_ISREG(facts.st_mode) && facts.st_size > 0)
        capacity = (size_t)facts.st_size + 1;
    else if (S_ISBLK(facts.st_mode))
        status = error_set(error, STATUS_INVALID, "'%s' is a disk", path);
    if (!status)
        deadline = find_deadline(&facts);
    if (!status && is_named_pipe(descriptor, &facts) && !wait_for(descriptor, deadline))
        deadline = 1; /* is over */
    while (!status && got) {
        unsigned char *moved = alloc_resize(buffer, capacity + 1);
        if (!moved) {
            status = error_no_memory(error, capacity + 1);
            break;
        }
        buffer = moved;
        status = read_some(descriptor, path, deadline, buffer + used, capacity - used, &got, error);
        used += status ? 0 : got;
        if (!status && used > max_size)
            status = refuse_size(path, max_size, error);
        if (used == capacity)
            capacity *= 2;
    }
    if (!status) {
        buffer[used] = 0;
        *bytes = buffer;
        *size = used;
        buffer = NULL;
    }
    close(descriptor);
    alloc_free(buffer);
    return status;
}

enum status file_read(const char *path, size_t max_size, void **bytes, size_t *size,
                      struct error *error)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set_errno(error, "cannot read '%s'", path);
    return read_all(descriptor, path, max_size, bytes, size, error);
}

enum status file_read_text(const char *path, size_t max_size, char **text, size_t *size,
                           struct error *error)
{
    void *bytes = NULL;
    const enum status status = file_read(path, max_size, &bytes, size, error);
    if (status)
        return status;
    if (memchr(bytes, 0, *size)) {
        alloc_free(bytes);
        return error_set(error, STATUS_MALFORMED, "'%s' is not a text file: it contains a NUL byte",
                         path);
    }
    *text = bytes;
    return STATUS_OK;
}

enum status file_open_private(int directory, const char *name, int flags, const char *path,
                              int *descriptor, struct stat *facts, struct error *error)
{
    struct stat found;
    const int made =
        openat(directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (made < 0 && errno == ENOENT)
        return error_set(error, STATUS_NOT_FOUND, "there is no '%s'", path);
    if (made < 0 && errno == ELOOP)
        return error_set(error, STATUS_INVALID,
                         "'%s' is a symbolic link, and clerk follows none there", path);
    /* ENXIO: a pipe that nobody reads, or a socket. */
    if (made < 0 && errno != ENXIO && errno != EISDIR)
        return error_set_errno(error, "cannot open '%s'", path);
    if (made < 0 || fstat(made, &found) != 0 || !S_ISREG(found.st_mode)) {
        if (made >= 0)
            close(made);
        return error_set(error, STATUS_INVALID, "'%s' is not a regular file", path);
    }
    if (facts)
        *facts = found;
    *descriptor = made;
    return STATUS_OK;
}

bool file_is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() && (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           facts->st_nlink == 1;
}

enum status file_open_own(int directory, const char *name, int flags, const char *path,
                          int *descriptor, struct stat *facts, struct error *error)
{
    struct stat found;
    int made;
    const enum status status =
        file_open_private(directory, name, flags, path, &made, &found, error);
    if (status)
        return status;
    if (!file_is_own(&found)) {
        close(made);
        return error_set(error, STATUS_INVALID,
                         "'%s' has another owner, another name, or may be written to by others",
                         path);
    }
    if (facts)
        *facts = found;
    *descriptor = made;
    return STATUS_OK;
}

struct file_identity file_identity_of(const struct stat *facts)
{
    return (struct file_identity){.device = facts->st_dev, .number = facts->st_ino};
}

bool file_is(int descriptor, const struct file_identity *identity)
{
    struct stat facts;
    return fstat(descriptor, &facts) == 0 && facts.st_dev == identity->device &&
           facts.st_ino == identity->number;
}

bool file_is_at(int descriptor, const char *path)
{
    struct stat named;
    if (lstat(path, &named) != 0)
        return false;
    const struct file_identity identity = file_identity_of(&named);
    return file_is(descriptor, &identity);
}

enum status file_read_private(const char *path, size_t max_size, void **bytes, size_t *size,
                              struct error *error)
{
    int descriptor = -1;
    const enum status status =
        file_open_own(AT_FDCWD, path, O_RDONLY, path, &descriptor, NULL, error);
    return status ? status : read_all(descriptor, path, max_size, bytes, size, error);
}

enum status descriptor_write(int descriptor, const void *bytes, size_t size, const char *name,
                             struct error *error)
{
    const unsigned char *next = bytes;
    while (size) {
        const ssize_t put = write(descriptor, next, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_set_errno(error, "cannot write '%s'", name);
        next += put;
        size -= (size_t)put;
    }
    return STATUS_OK;
}

/* Under another name in the same directory, then renamed. */
static enum status replace(const char *path, mode_t mode, const void *bytes, size_t size,
                           struct error *error)
{
    static atomic_uint counter;
    enum status status = STATUS_OK;
    char *temporary = alloc_format("%s.%ld-%u.tmp", path, (long)getpid(),
                                   atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed));
    if (!temporary)
        return error_no_memory(error, strlen(path) + 32);
    const int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) {
        status = error_set_errno(error, "cannot create '%s'", path);
        goto out;
    }
    status = descriptor_write(descriptor, bytes, size, path, error);
    if (close(descriptor) != 0 && !status)
        status = error_set_errno(error, "cannot write '%s'", path);
    if (!status && rename(temporary, path) != 0)
        status = error_set_errno(error, "cannot write '%s'", path);
    if (status)
        unlink(temporary);
out:
    alloc_free(temporary);
    return status;
}

/* A pipe or a terminal takes what is written; a link leads to a file that is another's to keep. */
static enum status write_into(const char *path, const void *bytes, size_t size, struct error *error)
{
    struct stat facts;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0666);
    enum status status = STATUS_OK;
    if (descriptor < 0)
        return error_set_errno(error, "cannot write '%s'", path);
    if (fstat(descriptor, &facts) == 0 && S_ISBLK(facts.st_mode))
        status = error_set(error, STATUS_INVALID, "'%s' is a disk", path);
    if (!status)
        status = descriptor_write(descriptor, bytes, size, path, error);
    if (close(descriptor) != 0 && !status)
        status = error_set_errno(error, "cannot write '%s'", path);
    return status;
}

bool file_is_replaceable(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) != 0 ? errno == ENOENT : S_ISREG(facts.st_mode);
}

enum status file_write(const char *path, const void *bytes, size_t size, struct error *error)
{
    return file_is_replaceable(path) ? replace(path, 0666, bytes, size, error)
                                     : write_into(path, bytes, size, error);
}

enum status file_write_private(const char *path, const void *bytes, size_t size,
                               struct error *error)
{
    if (!file_is_replaceable(path))
        return error_set(error, STATUS_INVALID, "'%s' is not a regular file", path);
    return replace(path, 0600, bytes, size, error);
}

bool file_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

enum status directory_create_private(const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    char *partial = alloc_string(path);
    if (!partial)
        return error_no_memory(error, strlen(path) + 1);
    for (char *slash = partial + strspn(partial, "/");; ++slash) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = 0;
        if (*partial && mkdir(partial, 0700) != 0 && errno != EEXIST) {
            status = error_set_errno(error, "cannot create the directory '%s'", partial);
            break;
        }
        if (!slash)
            break;
        *slash = '/';
    }
    if (!status && !file_is_directory(path))
        status = error_set(error, STATUS_IO, "'%s' is not a directory", path);
    alloc_free(partial);
    return status;
}

char *path_join(const char *directory, const char *name)
{
    if (name[0] == '/' || !directory[0])
        return alloc_string(name);
    const size_t length = strlen(directory);
    return alloc_format(directory[length - 1] == '/' ? "%s%s" : "%s/%s", directory, name);
}

char *path_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return alloc_string(".");
    if (slash == path)
        return alloc_string("/");
    return alloc_format("%.*s", (int)(slash - path), path);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path);
    const size_t behind = strlen(extension);
    return length > behind && strcmp(path + length - behind, extension) == 0;
}

char *path_self_directory(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || length == (ssize_t)sizeof path - 1)
        return NULL;
    path[length] = 0;
    return path_directory(path);
}
