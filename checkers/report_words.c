#include "checkers/frame.h"
#include "checkers/report_forms.h"

#include <inttypes.h>
#include <string.h>

#include "trace/base/hash.h"

/* `path` without the directory in front of it; NULL when it is not below. */
static const char *below(const char *directory, const char *path)
{
    const size_t length = strlen(directory);
    if (strncmp(path, directory, length) != 0 || path[length] != '/')
        return NULL;
    return path + length + 1;
}

static const char *name_file(const struct report_style *style, const char *file,
                             struct arena *arena)
{
    const char *path = file;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    file = path;
    if (!style->root)
        return file;
    if (path[0] != '/' && style->directory)
        path = arena_format(arena, "%s/%s", style->directory, path);
    const char *relative = path ? below(style->root, path) : NULL;
    return relative ? relative : file;
}

const char *report_file(const struct report_style *style, const struct finding_place *place,
                        struct arena *arena)
{
    return place->file && place->file[0] != '<' ? name_file(style, place->file, arena) : NULL;
}

/* ---- spots ---- */

/* That of the innermost frame with a line, which is the program's own if it has to be. */
static bool frames_spot(const struct report_style *style, const struct finding_place *place,
                        bool has_to_be_own, struct arena *arena, struct report_spot *spot)
{
    for (size_t i = 0; i < place->frame_count; ++i) {
        const struct frame frame = frame_parse(place->frames[i], arena);
        if (!frame.file || (has_to_be_own && !frame_is_own(place->frames[i])))
            continue;
        *spot = (struct report_spot){.file = name_file(style, frame.file, arena),
                                     .line = frame.line,
                                     .column = frame.column};
        return true;
    }
    return false;
}

bool report_place_spot(const struct report_style *style, const struct finding_place *place,
                       struct arena *arena, struct report_spot *spot)
{
    const bool is_kernel = place->kind == FINDING_PLACE_KERNEL;
    const char *file = report_file(style, place, arena);
    if (!is_kernel && !(file && frame_file_is_own(place->file)) &&
        frames_spot(style, place, true, arena, spot))
        return true;
    if (file)
        *spot = (struct report_spot){
            .file = file, .line = place->line, .column = place->column, .source = place->source};
    return file || (!is_kernel && frames_spot(style, place, false, arena, spot));
}

bool report_finding_spot(const struct report_style *style, const struct finding *finding,
                         struct arena *arena, struct report_spot *spot)
{
    for (size_t i = 0; i < finding->place_count; ++i)
        if (report_place_spot(style, &finding->places[i], arena, spot))
            return true;
    if (style->program)
        *spot = (struct report_spot){.file = name_file(style, style->program, arena), .line = 1};
    return style->program != NULL;
}

/* ---- repeats ---- */

struct report_repeats {
    const char *string;
    uint64_t count;
    UT_hash_handle hh;
};

uint64_t report_repeat(struct report_repeats **repeats, const char *string, struct arena *arena)
{
    struct report_repeats *repeat = NULL;
    if (!string)
        return 0;
    HASH_FIND_STR(*repeats, string, repeat);
    if (repeat)
        return repeat->count++;
    repeat = arena_alloc(arena, 1, sizeof *repeat);
    const char *copy = arena_string(arena, string);
    if (!repeat || !copy)
        return 0;
    *repeat = (struct report_repeats){.string = copy, .count = 1};
    HASH_ADD_KEYPTR(hh, *repeats, repeat->string, strlen(copy), repeat);
    return 0;
}

void report_repeats_release(struct report_repeats **repeats)
{
    HASH_CLEAR(hh, *repeats);
}

/* ---- sentences ---- */

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
    if (finding->process_count) {
        text_append(text, "\nseen in: ");
        finding_append_processes(finding, text);
    }
}
