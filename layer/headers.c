#include "layer/headers.h"

#include "layer/targets.h"
#include "trace/api/compile_options.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 1024, FILE_SIZE_MAX = 4 << 20 };

struct headers {
    struct spool *spool;
    uint64_t call_id;
    char *directory;               /* the working directory */
    struct include_directories in; /* of the options */
    char *paths[FILES_MAX];        /* of what was found */
    size_t count, scanned;
};

static bool is_known(const struct headers *headers, const char *path)
{
    for (size_t i = 0; i < headers->count; i++)
        if (strcmp(headers->paths[i], path) == 0)
            return true;
    return false;
}

/* True: it is there. */
static bool take(struct headers *headers, const char *directory, const char *name)
{
    char *joined = path_join(directory, name);
    char *path = joined ? path_normalise(headers->directory, joined) : NULL;
    const bool found = path && file_exists(path) && !file_is_directory(path);
    alloc_free(joined);
    if (found && !is_known(headers, path) && headers->count < FILES_MAX) {
        headers->paths[headers->count++] = path;
        path = NULL;
    }
    alloc_free(path);
    return found;
}

static void look_for(struct headers *headers, const char *name, const char *includer)
{
    bool found = includer && take(headers, includer, name);
    for (size_t i = 0; i < headers->in.count && !found; i++)
        found = take(headers, headers->in.items[i], name);
    if (!found)
        take(headers, headers->directory, name);
}

/* A line `#include "name"`, or <name>; `includer` is the directory of the file that it is in. */
static void scan_line(struct headers *headers, const char *line, const char *includer)
{
    static const char word[] = "include";
    char name[1024];
    line += strspn(line, " \t");
    if (*line != '#')
        return;
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, word, sizeof word - 1) != 0)
        return;
    line += sizeof word - 1;
    line += strspn(line, " \t");
    const size_t length = *line == '"'   ? strcspn(line + 1, "\"\n")
                          : *line == '<' ? strcspn(line + 1, ">\n")
                                         : 0;
    if (length == 0 || length >= sizeof name || line[1 + length] == '\n' || !line[1 + length])
        return;
    memcpy(name, line + 1, length);
    name[length] = '\0';
    look_for(headers, name, includer);
}

static void scan(struct headers *headers, const char *text, const char *includer)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        scan_line(headers, line, includer);
    }
}

static void record_file(struct headers *headers, const char *path)
{
    void *bytes = NULL;
    size_t size = 0;
    struct text content = TEXT_INIT;
    char *directory = path_directory(path);
    if (directory && file_read(path, FILE_SIZE_MAX, &bytes, &size, NULL) == STATUS_OK) {
        text_append_n(&content, path, strlen(path) + 1);
        text_append_n(&content, bytes, size);
        if (!content.failed)
            spool_content(headers->spool, headers->call_id,
                          &(struct api_content){.argument = API_ARGUMENT_HEADER,
                                                .offset = headers->scanned * API_HEADER_STRIDE,
                                                .size = content.size,
                                                .bytes = content.bytes});
        scan(headers, bytes, directory);
    }
    alloc_free(bytes);
    alloc_free(directory);
    text_release(&content);
}

/* NULL: it has none, or is not a program. */
static char *source_of(cl_program program)
{
    size_t size = 0;
    if (!program || !LAYER_TARGET(clGetProgramInfo) ||
        LAYER_TARGET(clGetProgramInfo)(program, CL_PROGRAM_SOURCE, 0, NULL, &size) != CL_SUCCESS ||
        !size)
        return NULL;
    char *source = alloc_zero(size + 1, 1);
    if (source && LAYER_TARGET(clGetProgramInfo)(program, CL_PROGRAM_SOURCE, size, source, NULL) ==
                      CL_SUCCESS)
        return source;
    alloc_free(source);
    return NULL;
}

static void record_all(struct headers *headers, const struct api_call *call)
{
    const struct api_value *options =
        &call->arguments[api_entry_find_parameter(api_entry_get(call->entry), "options")];
    char *source = source_of((cl_program)call->arguments[0].bits);
    if (source && strstr(source, "include")) {
        if (options->kind == API_VALUE_STRING)
            include_directories_parse(options->data, options->size, &headers->in);
        scan(headers, source, NULL);
        for (; headers->scanned < headers->count; headers->scanned++)
            record_file(headers, headers->paths[headers->scanned]);
    }
    alloc_free(source);
}

void headers_record(struct spool *spool, const struct api_call *call)
{
    char directory[4096];
    if ((call->entry != API_ENTRY_clBuildProgram && call->entry != API_ENTRY_clCompileProgram) ||
        call->arguments[0].kind != API_VALUE_HANDLE)
        return;
    const int saved = errno;
    struct headers *headers = alloc_zero(1, sizeof *headers);
    if (headers && getcwd(directory, sizeof directory)) {
        headers->spool = spool;
        headers->call_id = call->id;
        headers->directory = directory;
        record_all(headers, call);
        for (size_t i = 0; i < headers->count; i++)
            alloc_free(headers->paths[i]);
        include_directories_release(&headers->in);
    }
    alloc_free(headers);
    errno = saved;
}
