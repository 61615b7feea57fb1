#include "trace/base/file.h"

#include "trace/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status file_read(const char *path, size_t max_size, void **bytes, size_t *size,
                      struct error *error)
{
    enum status status = STATUS_OK;
    unsigned char *buffer = NULL;
    size_t capacity = 0;
    size_t used = 0;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set_errno(error, "cannot read '%s'", path);
    struct stat facts;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
        (uint64_t)facts.st_size <= max_size)
        capacity = (size_t)facts.st_size + 1;
    else
        capacity = 4096;
    for (;;) {
        unsigned char *moved = alloc_resize(buffer, capacity + 1);
        if (!moved) {
            status = error_no_memory(error, capacity + 1);
            goto out;
        }
        buffer = moved;
        const ssize_t got = read(descriptor, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = error_set_errno(error, "cannot read '%s'", path);
            goto out;
        }
        if (got == 0)
            break;
        used += (size_t)got;
        if (used > max_size) {
            status = error_set(error, STATUS_UNSUPPORTED, "'%s' is larger than %zu bytes", path,
                               max_size);
            goto out;
        }
        if (used == capacity)
            capacity *= 2;
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size = used;
    buffer = NULL;
out:
    close(descriptor);
    alloc_free(buffer);
    return status;
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

enum status file_write(const char *path, const void *bytes, size_t size, struct error *error)
{
    static atomic_uint counter;
    enum status status = STATUS_OK;
    char *temporary = alloc_format("%s.%ld-%u.tmp", path, (long)getpid(),
                                   atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed));
    if (!temporary)
        return error_no_memory(error, strlen(path) + 32);
    const int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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

enum status directory_create(const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    char *partial = alloc_string(path);
    if (!partial)
        return error_no_memory(error, strlen(path) + 1);
    for (char *slash = partial + strspn(partial, "/");; ++slash) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = 0;
        if (*partial && mkdir(partial, 0777) != 0 && errno != EEXIST) {
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

enum status directory_remove(const char *path, struct error *error)
{
    DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT ? STATUS_OK : error_set_errno(error, "cannot open '%s'", path);
    const struct dirent *entry;
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    if (rmdir(path) != 0 && errno != ENOENT)
        return error_set_errno(error, "cannot remove '%s'", path);
    return STATUS_OK;
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
