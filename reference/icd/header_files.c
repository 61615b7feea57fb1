/* Temporary files of a compilation. */
#include "reference/icd/header_files.h"

#include "reference/icd/pragmas.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && directory[0] != '\0' ? directory : "/tmp";
}

char *header_files_temporary(void)
{
    char *path = alloc_format("%s/clerk-XXXXXX", temporary_directory());
    const int descriptor = path ? mkstemp(path) : -1;
    if (descriptor < 0) {
        alloc_free(path);
        return NULL;
    }
    close(descriptor);
    return path;
}

/* Is it a relative path that stays below where it starts? */
static bool name_is_tame(const char *name)
{
    if (name[0] == '/' || name[0] == '\0')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");
        if (length == 0 || (length == 2 && strncmp(part, "..", 2) == 0))
            return false;
    }
    return true;
}

static enum status write_text(const char *path, const struct compile_header *header,
                              struct error *error)
{
    char *text = alloc(header->size + 1);
    if (!text)
        return error_no_memory(error, header->size + 1);
    memcpy(text, header->text, header->size);
    pragmas_blank(text, header->size);
    const enum status status = file_write_private(path, text, header->size, error);
    alloc_free(text);
    return status;
}

static enum status write_one(const char *directory, const struct compile_header *header,
                             struct error *error)
{
    if (!name_is_tame(header->name))
        return error_set(error, STATUS_UNSUPPORTED, "the header name '%s' is not a relative path",
                         header->name);
    char *path = alloc_format("%s%s", directory, header->name);
    char *parent = path ? path_directory(path) : NULL;
    enum status status =
        parent ? directory_create_private(parent, error) : error_no_memory(error, 1);
    if (status == STATUS_OK)
        status = write_text(path, header, error);
    alloc_free(parent);
    alloc_free(path);
    return status;
}

enum status header_files_write(const struct compile_header *headers, size_t count, char **directory,
                               struct error *error)
{
    char *made = alloc_format("%s/clerk-XXXXXX/", temporary_directory());
    if (!made)
        return error_no_memory(error, 1);
    made[strlen(made) - 1] = '\0';
    if (!mkdtemp(made)) {
        const enum status status =
            error_set_errno(error, "cannot make a directory in %s", temporary_directory());
        alloc_free(made);
        return status;
    }
    made[strlen(made)] = '/';
    for (size_t i = 0; i < count; i++) {
        const enum status status = write_one(made, &headers[i], error);
        if (status != STATUS_OK) {
            header_files_remove(made, headers, i);
            return status;
        }
    }
    *directory = made;
    return STATUS_OK;
}

void header_files_remove(char *directory, const struct compile_header *headers, size_t count)
{
    if (!directory)
        return;
    for (size_t i = 0; i < count; i++) {
        char *path =
            name_is_tame(headers[i].name) ? alloc_format("%s%s", directory, headers[i].name) : NULL;
        if (!path)
            continue;
        unlink(path);
        /* And the directories between, as far as they are empty. */
        for (char *slash = strrchr(path, '/'); slash && slash > path + strlen(directory) - 1;
             slash = strrchr(path, '/')) {
            *slash = '\0';
            if (rmdir(path) != 0)
                break;
        }
        alloc_free(path);
    }
    rmdir(directory);
    alloc_free(directory);
}
