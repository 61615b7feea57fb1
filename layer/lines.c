#include "layer/session_parts.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

struct lines {
    pthread_mutex_t mutex; /* of `descriptor` */
    int descriptor;
    struct file_identity file;
    char *path;
};

static bool is_ours(const struct lines *lines)
{
    return file_is(lines->descriptor, &lines->file);
}

static enum status open_file(struct lines *lines, struct stat *facts, struct error *error)
{
    return file_open_private(AT_FDCWD, lines->path, O_WRONLY | O_CREAT | O_APPEND, lines->path,
                             &lines->descriptor, facts, error);
}

enum status lines_open(const char *path, struct lines **lines, struct error *error)
{
    struct lines *made = alloc_zero(1, sizeof *made);
    struct stat facts;
    if (!made || !(made->path = alloc_string(path))) {
        alloc_free(made);
        return error_no_memory(error, sizeof *made);
    }
    pthread_mutex_init(&made->mutex, NULL);
    const enum status status = open_file(made, &facts, error);
    if (status) {
        alloc_free(made->path);
        alloc_free(made);
        return status;
    }
    made->file = file_identity_of(&facts);
    *lines = made;
    return STATUS_OK;
}

void lines_close(struct lines *lines)
{
    if (!lines)
        return;
    if (is_ours(lines))
        close(lines->descriptor);
    alloc_free(lines->path);
    alloc_free(lines);
}

/* A number that is not ours any more is left to whoever has it. */
static enum status reopen(struct lines *lines, struct error *error)
{
    const enum status status = open_file(lines, NULL, error);
    if (status || is_ours(lines))
        return status;
    close(lines->descriptor);
    lines->descriptor = -1;
    return error_set(error, STATUS_IO, "'%s' is another file by now", lines->path);
}

enum status lines_append(struct lines *lines, struct text *line, struct error *error)
{
    const int saved = errno;
    enum status status = STATUS_OK;
    text_append_char(line, '\n');
    if (line->failed)
        return error_no_memory(error, line->size);
    pthread_mutex_lock(&lines->mutex);
    if (!is_ours(lines))
        status = reopen(lines, error);
    if (!status)
        status = descriptor_write(lines->descriptor, line->bytes, line->size, lines->path, error);
    pthread_mutex_unlock(&lines->mutex);
    errno = saved;
    return status;
}
