#include "reference/compiler/translate.h"

#include "reference/compiler/pragmas.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <string.h>

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
    char *path = path_join(directory, header->name);
    char *parent = path ? path_directory(path) : NULL;
    enum status status =
        parent ? directory_create_private(parent, error) : error_no_memory(error, 1);
    if (status == STATUS_OK)
        status = write_text(path, header, error);
    alloc_free(parent);
    alloc_free(path);
    return status;
}

enum status header_files_write(const struct compile_header *headers, size_t count,
                               struct scratch *directory, struct error *error)
{
    enum status status = scratch_make_directory(directory, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = write_one(directory->path, &headers[i], error);
    return status;
}
