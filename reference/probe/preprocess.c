#include "reference/probe/preprocess.h"

#include "checkers/probe/macros.h"
#include "reference/compiler/compile.h"
#include "reference/compiler/sources.h"
#include "reference/compiler/tool.h"
#include "reference/compiler/translate.h"
#include "reference/probe/elsewhere.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/scratch.h"

#include <string.h>

enum { FILE_SIZE_MAX = 64 << 20 };

static enum status write_headers(const struct clang *clang, const struct request_part *part,
                                 struct scratch *directory, struct error *error)
{
    struct compile_header *headers =
        arena_alloc(clang->arena, part->header_count + 1, sizeof *headers);
    if (!headers)
        return error_no_memory(error, part->header_count * sizeof *headers);
    for (size_t i = 0; i < part->header_count; i++)
        headers[i] = (struct compile_header){.name = part->headers[i].name,
                                             .text = part->headers[i].text,
                                             .size = part->headers[i].size};
    return header_files_write(headers, part->header_count, directory, error);
}

static enum status run(const struct clang *clang, const char *directory, const struct text *source,
                       struct preprocessed *preprocessed, struct error *error)
{
    const char *more[] = {"-E", "-dD", "-cl-no-stdinc", NULL, NULL};
    struct process_result result;
    if (directory[0] != '\0')
        more[3] = arena_format(clang->arena, "-I%s", directory);
    const char *const *arguments = clang_arguments(clang, true, more);
    if (!arguments || (directory[0] != '\0' && !more[3]))
        return error_no_memory(error, 1);
    enum status status =
        tool_run(arguments, source->bytes, source->size, clang->arena, &result, error);
    if (status != STATUS_OK)
        return status;
    if (!tool_succeeded(&result))
        status = clang_tell(&result, "clang refuses its text", error);
    else if (!preprocess_tidy(&result.standard_output, directory, preprocessed))
        status = error_no_memory(error, result.standard_output.size);
    process_result_release(&result);
    return status;
}

/* The text of all files that are not among the request's, for their conditions count as well. */
static bool append_files(const struct preprocessed *preprocessed, const struct request_part *part,
                         struct text *text)
{
    for (size_t i = 0; i < preprocessed->marker_count; i++) {
        const char *file = preprocessed->markers[i].file;
        bool is_known = file[0] == '<';
        for (size_t j = 0; j < i && !is_known; j++)
            is_known = preprocessed->markers[j].file == file;
        for (size_t j = 0; j < part->header_count && !is_known; j++)
            is_known = strcmp(part->headers[j].name, file) == 0;
        void *bytes = NULL;
        size_t size = 0;
        if (is_known || file_read(file, FILE_SIZE_MAX, &bytes, &size, NULL) != STATUS_OK)
            continue;
        text_append_n(text, bytes, size);
        text_append_char(text, '\n');
        alloc_free(bytes);
    }
    return !text->failed;
}

static enum status check_macros(const struct clang *clang, const struct request_part *part,
                                const struct preprocessed *preprocessed, struct error *error)
{
    struct text all = TEXT_INIT;
    const struct request_device device = {.extensions = clang->target.extensions,
                                          .version = clang->target.version,
                                          .macros = clang->target.macros};
    enum status status = STATUS_OK;
    if (!elsewhere_may_be(part))
        return STATUS_OK;
    text_append_n(&all, part->bytes, part->size);
    text_append_char(&all, '\n');
    for (size_t i = 0; i < part->header_count; i++) {
        text_append_n(&all, part->headers[i].text, part->headers[i].size);
        text_append_char(&all, '\n');
    }
    if (append_files(preprocessed, part, &all))
        status = elsewhere_check(&device, part, &all, clang->arena, error);
    else
        status = error_no_memory(error, all.size);
    text_release(&all);
    return status;
}

enum status preprocess(const struct clang *clang, const struct request_part *part,
                       struct preprocessed *preprocessed, struct error *error)
{
    struct text source = TEXT_INIT;
    struct scratch headers = {0};
    const char *directory = "";
    *preprocessed = (struct preprocessed){.text = TEXT_INIT};
    enum status status = preprocess_append_macros(clang, &source, error);
    if (status == STATUS_OK && part->header_count > 0) {
        status = write_headers(clang, part, &headers, error);
        if (status == STATUS_OK)
            directory = arena_format(clang->arena, "%s/", headers.path);
    }
    text_append(&source, "#line 1 \"" SOURCES_PROGRAM "\"\n");
    text_append_n(&source, part->bytes, part->size);
    text_append(&source, "\n");
    if (status == STATUS_OK && (source.failed || !directory))
        status = error_no_memory(error, source.size);
    if (status == STATUS_OK)
        status = run(clang, directory, &source, preprocessed, error);
    if (status == STATUS_OK)
        status = check_macros(clang, part, preprocessed, error);
    scratch_release(&headers);
    text_release(&source);
    return status;
}

void preprocessed_release(struct preprocessed *preprocessed)
{
    text_release(&preprocessed->text);
    alloc_free(preprocessed->markers);
    arena_release(&preprocessed->arena);
    *preprocessed = (struct preprocessed){.text = TEXT_INIT};
}

void preprocessed_place(const struct preprocessed *preprocessed, size_t offset, const char **file,
                        uint32_t *line)
{
    size_t low = 0, high = preprocessed->marker_count;
    *file = SOURCES_PROGRAM;
    *line = 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (preprocessed->markers[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return;
    const struct line_marker *marker = &preprocessed->markers[low - 1];
    *file = marker->file;
    *line = marker->line;
    for (size_t i = marker->offset; i < offset; i++)
        *line += preprocessed->text.bytes[i] == '\n';
}
