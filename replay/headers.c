/* Files that the recorded program included: made again below a directory of replay's own, for the
 * time of the replay. */
#include "replay/state.h"
#include "trace/api/compile_options.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

/* The path comes from a file: it must not lead out of the directory. */
static bool is_harmless(const char *path, size_t size)
{
    char *plain = memchr(path, '\0', size) ? path_normalise("/", path) : NULL;
    const bool harmless = plain && path[0] == '/' && strcmp(plain, path) == 0;
    alloc_free(plain);
    return harmless;
}

static enum status write_header(const struct replay *replay, const struct api_call *call,
                                const struct api_content *content, struct error *error)
{
    const char *path = content->bytes;
    if (!is_harmless(path, content->size))
        return replay_fail(call, STATUS_MALFORMED, error, "a file that it includes has no path");
    const size_t skipped = strlen(path) + 1;
    char *here = alloc_format("%s%s", replay->headers.path, path);
    char *directory = here ? path_directory(here) : NULL;
    enum status status =
        directory ? directory_create_private(directory, error) : error_no_memory(error, skipped);
    if (status == STATUS_OK)
        status = file_write_private(here, path + skipped, content->size - skipped, error);
    alloc_free(directory);
    alloc_free(here);
    return status;
}

/* A compiler that is asked to look into a directory that is not there may refuse. */
static void make_directories(const struct replay *replay, const struct api_value *options,
                             const char *base)
{
    struct include_directories in = {0};
    include_directories_parse(options->data, options->size, &in);
    for (size_t i = 0; i < in.count; ++i) {
        char *path = path_normalise(base, in.items[i]);
        char *here = path ? alloc_format("%s%s", replay->headers.path, path) : NULL;
        if (here)
            directory_create_private(here, NULL);
        alloc_free(here);
        alloc_free(path);
    }
    include_directories_release(&in);
}

static enum status move_options(const struct replay *replay, struct replay_prepared *prepared,
                                const struct api_value *options, uint64_t *word,
                                struct error *error)
{
    struct text moved = TEXT_INIT;
    const char *fact = trace_fact(replay->trace, "directory");
    const char *base = fact && fact[0] == '/' ? arena_string(prepared->arena, fact) : "/";
    if (base && options->kind == API_VALUE_STRING) {
        make_directories(replay, options, base);
        include_directories_move(options->data, options->size, replay->headers.path, base, &moved);
    }
    if (base)
        include_directory_print(replay->headers.path, base, &moved);
    *word = base && !moved.failed ? (uintptr_t)arena_string(prepared->arena, moved.bytes) : 0;
    text_release(&moved);
    return *word ? STATUS_OK : error_no_memory(error, options->size);
}

enum status replay_headers(struct replay *replay, struct replay_prepared *prepared,
                           const struct api_value *options, uint64_t *word, struct error *error)
{
    struct api_content *contents = NULL;
    size_t count = 0;
    size_t headers = 0;
    enum status status = trace_contents(replay->trace, prepared->call->id, prepared->arena,
                                        &contents, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; ++i) {
        if (contents[i].argument != API_ARGUMENT_HEADER)
            continue;
        if (!replay->headers.path)
            status = scratch_make_directory(&replay->headers, error);
        if (status == STATUS_OK)
            status = write_header(replay, prepared->call, &contents[i], error);
        ++headers;
    }
    return status == STATUS_OK && headers ? move_options(replay, prepared, options, word, error)
                                          : status;
}
