#include "checkers/report_forms.h"

#include <inttypes.h>
#include <string.h>

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

/* A place in source that is not a file, such as a string: nothing but the sentences can name it. */
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
