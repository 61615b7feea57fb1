#include "viewer-cli/report_page.h"

#include "checkers/frame.h"
#include "trace/base/json.h"
#include "viewer-cli/export/page.h"

void page_append_json(struct text *text, const char *json, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (json[i] == '<')
            text_append(text, "\\u003c");
        else
            text_append_char(text, json[i]);
}

/* As the text of a finding has them: those that are not the program's own are counted. */
static bool fold_frames(struct finding_place *place, struct arena *arena)
{
    const size_t count = frames_telling(place->frames, place->frame_count);
    const char **frames = arena_alloc(arena, count + 1, sizeof *frames);
    size_t own = 0;
    for (size_t i = 0; frames && i < count; ++i)
        if (frame_is_own(place->frames[i]))
            frames[own++] = place->frames[i];
    if (!frames)
        return false;
    if (own == 0) {
        place->frame_count = count;
        return true;
    }
    if (own < count)
        frames[own] = arena_format(arena, "(%zu of bindings and the system folded)", count - own);
    place->frame_count = own + (frames[own] != NULL);
    place->frames = frames;
    return true;
}

void page_append_finding(struct text *json, const struct finding *finding)
{
    struct arena arena = {0};
    struct finding told = *finding;
    struct finding_place *places =
        arena_copy(&arena, finding->places, finding->place_count * sizeof *places);
    for (size_t i = 0; places && i < finding->place_count; ++i)
        if (places[i].kind != FINDING_PLACE_KERNEL && places[i].frame_count &&
            !fold_frames(&places[i], &arena))
            json->failed = true;
    if (places)
        told.places = places;
    finding_print_json(&told, json);
    arena_release(&arena);
}

static bool print_finding(void *user, const struct finding *finding)
{
    struct text *json = user;
    json_item(json);
    text_append(json, "{\"finding\":");
    page_append_finding(json, finding);
    text_append_char(json, '}');
    return true;
}

static void print_gap(void *user, const struct report_gap *gap)
{
    struct text *unchecked = user;
    if (gap->not_shown)
        return;
    if (unchecked->size > 0)
        json_item(unchecked);
    text_append_json(unchecked, gap->sentence);
}

void report_page_print(struct report *report, const char *title, struct text *text)
{
    struct text json = TEXT_INIT;
    struct text unchecked = TEXT_INIT;
    text_append(&json, "{\"run\":{");
    json_string(&json, "program", title);
    json_number(&json, "errors", report_count(report, SEVERITY_ERROR));
    json_number(&json, "warnings", report_count(report, SEVERITY_WARNING));
    json_number(&json, "notes", report_count(report, SEVERITY_NOTE));
    report_each_gap(report, print_gap, &unchecked);
    if (unchecked.size > 0)
        text_format(&json, ",\"unchecked\":[%s]", unchecked.bytes);
    text_append(&json, "},\"findings\":[");
    report_each(report, print_finding, &json);
    text_append(&json,
                "],\"queues\":[],\"commands\":[],\"programs\":[],\"calls\":[],\"forms\":[]}");
    text_append(text, page_before_data);
    page_append_json(text, json.bytes, json.size);
    text_append(text, page_behind_data);
    text->failed |= json.failed || unchecked.failed;
    text_release(&unchecked);
    text_release(&json);
}
