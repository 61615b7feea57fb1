#include "viewer-cli/debug/dap.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A compiler that was given a string calls it so. */
static const char compiled_string[] = "<source>";

uint64_t dap_line_to_client(const struct dap *dap, uint64_t line)
{
    return dap->lines_start_at_0 && line ? line - 1 : line;
}

uint64_t dap_line_from_client(const struct dap *dap, uint64_t line)
{
    return dap->lines_start_at_0 ? line + 1 : line;
}

/* Its place in the list; it is added if it is not there. 0 where memory is out. */
static uint64_t source_reference(struct dap *dap, const char *file)
{
    uint64_t reference = 1;
    struct dap_source **at = &dap->sources;
    for (; *at; at = &(*at)->next, ++reference)
        if (strcmp((*at)->file, file) == 0)
            return reference;
    struct dap_source *source = arena_alloc(&dap->arena, 1, sizeof *source);
    if (!source)
        return 0;
    source->file = arena_string(&dap->arena, file);
    if (!source->file)
        return 0;
    *at = source;
    return reference;
}

static const char *find_source(const struct dap *dap, uint64_t reference)
{
    const struct dap_source *at = reference ? dap->sources : NULL;
    for (; at && reference > 1; at = at->next)
        --reference;
    return at ? at->file : NULL;
}

static void put_source_object(struct dap *dap, const char *file)
{
    struct text *out = &dap->out;
    const bool is_kernels = !file || strcmp(file, compiled_string) == 0;
    const char *const path = is_kernels ? dap->path : file;
    text_append_char(out, '{');
    json_string(out, "name", path ? path_base(path) : compiled_string);
    if (path && file_exists(path) && *path == '/')
        json_string(out, "path", path);
    else
        json_known_number(out, "sourceReference", source_reference(dap, file ? file : ""));
    text_append_char(out, '}');
}

void dap_put_source(struct dap *dap, const char *key, const char *file)
{
    json_key(&dap->out, key);
    put_source_object(dap, file);
}

static bool is_kernels_path(const struct dap *dap, const char *path)
{
    if (strcmp(path, dap->path) == 0)
        return true;
    char *real = realpath(path, NULL);
    const bool is = real && strcmp(real, dap->path) == 0;
    free(real);
    return is;
}

const char *dap_source_file(struct dap *dap, const struct cJSON *source)
{
    const char *const path = json_object_text(source, "path");
    uint64_t reference = 0;
    json_object_number(source, "sourceReference", &reference);
    if (reference)
        return find_source(dap, reference);
    return path && dap->path && is_kernels_path(dap, path) ? compiled_string : path;
}

void dap_source_text(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const struct cJSON *const source = json_object_item(arguments, "source");
    const char *file = dap_source_file(dap, source ? source : arguments);
    struct text asked = TEXT_INIT;
    if (!file) {
        dap_refuse(dap, request, "there is no such source");
        return;
    }
    debug_request_begin(&asked, DEBUG_REQUEST_SOURCE);
    json_string(&asked, "file", file);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    if (answer) {
        const char *text = json_object_text(answer, "text");
        dap_respond(dap, request);
        json_string(&dap->out, "content", text ? text : "");
        dap_end(dap);
    }
    json_object_release(answer);
    text_release(&asked);
}

void dap_loaded_sources(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_SOURCES);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    if (answer) {
        const struct cJSON *at = json_array_first(json_object_item(answer, "sources"));
        dap_respond(dap, request);
        json_key(&dap->out, "sources");
        text_append_char(&dap->out, '[');
        for (; at; at = json_array_next(at)) {
            json_item(&dap->out);
            put_source_object(dap, json_object_text(at, "file"));
        }
        text_append_char(&dap->out, ']');
        dap_end(dap);
    }
    json_object_release(answer);
    text_release(&asked);
}

/* ---- targets ---- */

/* A target's number: the line, and the place of the source in the list. The client goes there by
 * running, nothing is skipped. */
enum { TARGET_SOURCES = 1 << 8, TARGET_LINES = 1 << 22 };

uint64_t dap_target_line(uint64_t target)
{
    return target / TARGET_SOURCES;
}

const char *dap_target_file(const struct dap *dap, uint64_t target)
{
    return find_source(dap, target % TARGET_SOURCES);
}

void dap_goto_targets(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const file = dap_source_file(dap, json_object_item(arguments, "source"));
    uint64_t line = 0;
    json_object_number(arguments, "line", &line);
    line = dap_line_from_client(dap, line);
    const uint64_t source = file ? source_reference(dap, file) : 0;
    dap_respond(dap, request);
    json_key(&dap->out, "targets");
    text_append_char(&dap->out, '[');
    if (source && source < TARGET_SOURCES && line && line < TARGET_LINES) {
        dap_open(&dap->out);
        json_number(&dap->out, "id", line * TARGET_SOURCES + source);
        json_key(&dap->out, "label");
        text_format(&dap->out, "\"run until line %" PRIu64 "\"", line);
        json_number(&dap->out, "line", dap_line_to_client(dap, line));
        dap_close(&dap->out);
    }
    text_append_char(&dap->out, ']');
    dap_end(dap);
}
