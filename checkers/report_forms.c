#include "checkers/report_forms.h"

#include "trace/base/file.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    const char *extensions[2];
} forms[REPORT_FORMAT_COUNT] = {
    [REPORT_TEXT] = {"text", {".txt"}},     [REPORT_JSON] = {"json", {".json", ".jsonl"}},
    [REPORT_SARIF] = {"sarif", {".sarif"}}, [REPORT_JUNIT] = {"junit", {".xml"}},
    [REPORT_GITHUB] = {"github", {NULL}},
};

enum report_format report_format_named(const char *name)
{
    unsigned format = 0;
    while (format < REPORT_FORMAT_COUNT && strcmp(forms[format].name, name) != 0)
        ++format;
    return (enum report_format)format;
}

enum report_format report_format_of_path(const char *path)
{
    for (unsigned format = 0; format < REPORT_FORMAT_COUNT; ++format)
        for (size_t i = 0; i < 2 && forms[format].extensions[i]; ++i)
            if (path_has_extension(path, forms[format].extensions[i]))
                return (enum report_format)format;
    return REPORT_TEXT;
}

/* ---- what they share ---- */

/* `path` without the directory in front of it; NULL when it is not below. */
static const char *below(const char *directory, const char *path)
{
    const size_t length = strlen(directory);
    if (strncmp(path, directory, length) != 0 || path[length] != '/')
        return NULL;
    return path + length + 1;
}

const char *report_file(const struct report_style *style, const struct finding_place *place,
                        struct arena *arena)
{
    if (!place->file || place->file[0] == '<')
        return NULL;
    if (!style->root)
        return place->file;
    const char *path = place->file;
    if (path[0] != '/' && style->directory)
        path = arena_format(arena, "%s/%s", style->directory, path);
    const char *relative = path ? below(style->root, path) : NULL;
    return relative ? relative : place->file;
}

/* A place in source that is no file, such as a string: nothing but the sentences can name it. */
static void append_place(const struct finding_place *place, struct text *text)
{
    if (!place->file || place->file[0] != '<')
        return;
    text_format(text, "\nat %s:%" PRIu32 ":%" PRIu32, place->file, place->line, place->column);
    if (place->function)
        text_format(text, ", in %s", place->function);
    if (place->label)
        text_format(text, ": %s", place->label);
}

void report_append_sentences(const struct finding *finding, struct text *text)
{
    const char *advice = finding->advice ? finding->advice : rule_get(finding->rule)->advice;
    text_append(text, finding->message);
    for (size_t i = 0; i < finding->place_count; ++i)
        append_place(&finding->places[i], text);
    if (finding->reason)
        text_format(text, "\nreason: %s", finding->reason);
    text_format(text, "\nfix: %s", advice);
}

void report_print(struct report *report, const struct report_style *style, struct text *text)
{
    switch (style->format) {
    case REPORT_JSON:
        report_print_json(report, text);
        break;
    case REPORT_SARIF:
        report_print_sarif(report, style, text);
        break;
    case REPORT_JUNIT:
        report_print_junit(report, style, text);
        break;
    case REPORT_GITHUB:
        report_print_github(report, style, text);
        break;
    default:
        report_print_text(report, style->color, style->width, text);
    }
}
