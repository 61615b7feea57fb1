#include "checkers/finding.h"

#include "checkers/frame.h"
#include "trace/base/file.h"

#include <string.h>

/* ---- copies ---- */

/* Copies *string in place; false when memory is out. */
static bool copy_string(struct arena *arena, const char **string)
{
    if (!*string)
        return true;
    *string = arena_string(arena, *string);
    return *string != NULL;
}

static bool copy_compiled(struct arena *arena, const struct finding_compiled **compiled)
{
    struct finding_compiled *copy =
        *compiled ? arena_copy(arena, *compiled, sizeof **compiled) : NULL;
    if (*compiled &&
        (!copy || !copy_string(arena, &copy->file) || !copy_string(arena, &copy->source)))
        return false;
    *compiled = copy;
    return true;
}

static bool copy_place(struct arena *arena, struct finding_place *place)
{
    const char *const *from = place->frames;
    if (!copy_string(arena, &place->label) || !copy_string(arena, &place->function) ||
        !copy_string(arena, &place->argument) || !copy_string(arena, &place->file) ||
        !copy_string(arena, &place->source) || !copy_compiled(arena, &place->compiled))
        return false;
    place->frames = NULL;
    if (place->frame_count == 0)
        return true;
    const char **frames = arena_alloc(arena, place->frame_count, sizeof *frames);
    if (!frames)
        return false;
    for (size_t i = 0; i < place->frame_count; ++i) {
        frames[i] = from[i];
        if (!copy_string(arena, &frames[i]))
            return false;
    }
    place->frames = frames;
    return true;
}

struct finding *finding_copy(struct arena *arena, const struct finding *finding)
{
    struct finding *copy = arena_copy(arena, finding, sizeof *finding);
    if (!copy || !copy_string(arena, &copy->message) || !copy_string(arena, &copy->reason) ||
        !copy_string(arena, &copy->advice) || !copy_string(arena, &copy->subject) ||
        !copy_string(arena, &copy->context) || !copy_string(arena, &copy->kernel) ||
        !copy_string(arena, &copy->seen_on) || !copy_string(arena, &copy->schedule) ||
        !copy_string(arena, &copy->repeat))
        return NULL;
    for (size_t i = 0; i < FINDING_CHANGES_MAX; ++i) {
        struct finding_change *change = &copy->changes[i];
        if (!copy_string(arena, &change->source) || !copy_string(arena, &change->from) ||
            !copy_string(arena, &change->to))
            return NULL;
    }
    copy->processes = NULL;
    copy->process_count = 0;
    if (!finding_add_processes(copy, finding, arena))
        return NULL;
    copy->places = NULL;
    if (finding->place_count == 0)
        return copy;
    struct finding_place *places = arena_alloc(arena, finding->place_count, sizeof *places);
    if (!places)
        return NULL;
    for (size_t i = 0; i < finding->place_count; ++i) {
        places[i] = finding->places[i];
        if (!copy_place(arena, &places[i]))
            return NULL;
    }
    copy->places = places;
    return copy;
}

bool finding_add_place(struct finding *finding, const struct finding_place *place,
                       struct arena *arena)
{
    struct finding_place *places = arena_alloc(arena, finding->place_count + 1, sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < finding->place_count; ++i)
        places[i] = finding->places[i];
    places[finding->place_count++] = *place;
    finding->places = places;
    return true;
}

uint64_t finding_heat_part_size(const struct finding_heat *heat)
{
    return heat->size ? (heat->size - 1) / FINDING_HEAT_PARTS + 1 : 0;
}

struct finding_place finding_place_compiled(const struct finding_place *place)
{
    struct finding_place compiled = *place;
    if (place->compiled) {
        compiled.file = place->compiled->file;
        compiled.line = place->compiled->line;
        compiled.column = place->compiled->column;
        compiled.source = place->compiled->source;
        compiled.compiled = NULL;
    }
    return compiled;
}

/* ---- launches ---- */

bool finding_add_launch(struct finding *finding, const struct finding_launch *launch,
                        struct arena *arena)
{
    const char *label = arena_format(arena, "enqueued by %s", launch->function);
    const struct finding_place place = {
        .kind = FINDING_PLACE_CALL,
        .label = label,
        .function = launch->function,
        .call_id = launch->call_id,
        .frames = launch->frames,
        .frame_count = launch->frame_count,
    };
    if (!label || !finding_add_place(finding, &place, arena))
        return false;
    finding->call_id = launch->call_id;
    return true;
}

bool finding_place_is_launch(const struct finding_place *place)
{
    static const char begin[] = "enqueued by ";
    return place->kind == FINDING_PLACE_CALL && place->label &&
           strncmp(place->label, begin, sizeof begin - 1) == 0;
}

/* ---- the key ---- */

/* FNV-1a of 64 bits, with a final mix so that sums of hashes do not collide by structure. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return hash_bytes(hash, &number, sizeof number);
}

/* NULL and "" differ, and "ab" "c" from "a" "bc": the terminating NUL counts. */
static uint64_t hash_string(uint64_t hash, const char *string)
{
    return string ? hash_bytes(hash, string, strlen(string) + 1) : hash_number(hash, 0xff);
}

static uint64_t hash_mix(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static uint64_t place_key(const struct finding_place *place)
{
    uint64_t hash = hash_number(hash_start, place->kind);
    hash = hash_string(hash, place->function);
    hash = hash_string(hash, place->argument);
    hash = hash_string(hash, place->file);
    hash = hash_number(hash, place->line);
    hash = hash_number(hash, place->column);
    if (place->kind != FINDING_PLACE_KERNEL)
        for (size_t i = 0; i < place->frame_count; ++i)
            hash = hash_string(hash, place->frames[i]);
    return hash_mix(hash);
}

/* Without the space at both ends: a line that was only indented is the same. */
static uint64_t hash_line(uint64_t hash, const char *line, uint32_t column)
{
    static const char space[] = " \t\r\n";
    size_t size = 0;
    const size_t indent = strspn(line, space);
    line += indent;
    for (size_t at = 0; line[at]; ++at)
        if (!strchr(space, line[at]))
            size = at + 1;
    return hash_number(hash_bytes(hash, line, size), column > indent ? column - indent : 0);
}

/* The function of the program's own that made the call. As its lines may be unknown in one run and
 * known in the next, only the name counts, if there is one. */
static uint64_t hash_caller(uint64_t hash, const struct finding_place *place)
{
    struct arena arena = {0};
    const size_t i = frame_find_own(place->frames, place->frame_count);
    if (i < place->frame_count) {
        const struct frame frame = frame_parse(place->frames[i], &arena);
        if (*frame.name != '?' && strncmp(frame.name, "0x", 2) != 0)
            hash = hash_bytes(hash, frame.name, frame.name_length);
    }
    arena_release(&arena);
    return hash;
}

static uint64_t place_fingerprint(const struct finding_place *place)
{
    uint64_t hash = hash_number(hash_start, place->kind);
    hash = hash_string(hash, place->function);
    hash = hash_string(hash, place->argument);
    if (place->kind != FINDING_PLACE_KERNEL)
        return hash_mix(hash_caller(hash, place));
    const struct finding_place compiled = finding_place_compiled(place);
    hash = hash_string(hash, compiled.file ? path_base(compiled.file) : NULL);
    hash = compiled.source ? hash_line(hash, compiled.source, compiled.column)
                           : hash_number(hash, compiled.line);
    return hash_mix(hash);
}

const char *finding_object(const struct finding *finding, size_t *length)
{
    const char *quote = finding->subject ? strchr(finding->subject, '\'') : NULL;
    const char *end = quote ? strchr(quote + 1, '\'') : NULL;
    *length = end ? (size_t)(end - quote - 1) : 0;
    return end ? quote + 1 : NULL;
}

static bool has_kernel_line(const struct finding *finding)
{
    for (size_t i = 0; i < finding->place_count; ++i)
        if (finding->places[i].kind == FINDING_PLACE_KERNEL && finding->places[i].line != 0)
            return true;
    return false;
}

uint64_t finding_fingerprint(const struct finding *finding)
{
    uint64_t sum = 0;
    bool has_launch = has_kernel_line(finding); /* as for the key, none counts then */
    for (size_t i = 0; i < finding->place_count; ++i) {
        const bool is_launch = finding_place_is_launch(&finding->places[i]);
        if (!is_launch || !has_launch)
            sum += place_fingerprint(&finding->places[i]);
        has_launch |= is_launch;
    }
    uint64_t hash = hash_string(hash_start, rule_get(finding->rule)->id);
    size_t length;
    const char *object = finding_object(finding, &length);
    hash = hash_string(hash, finding->kernel);
    if (object)
        hash = hash_bytes(hash, object, length);
    return hash_mix(hash_number(hash, sum));
}

uint64_t finding_key(const struct finding *finding)
{
    const bool has_line = has_kernel_line(finding);
    uint64_t sum = 0; /* the order of the places does not count */
    for (size_t i = 0; i < finding->place_count; ++i)
        if (!has_line || !finding_place_is_launch(&finding->places[i]))
            sum += place_key(&finding->places[i]);
    return hash_mix(hash_number(hash_number(hash_start, finding->rule), sum));
}

static bool has_launch(const struct finding *finding, uint64_t key)
{
    for (size_t i = 0; i < finding->place_count; ++i)
        if (finding_place_is_launch(&finding->places[i]) && place_key(&finding->places[i]) == key)
            return true;
    return false;
}

bool finding_add_launches(struct finding *finding, const struct finding *other, struct arena *arena)
{
    for (size_t i = 0; i < other->place_count; ++i) {
        const struct finding_place *place = &other->places[i];
        struct finding_place copy = *place;
        if (finding_place_is_launch(place) && !has_launch(finding, place_key(place)) &&
            !(copy_place(arena, &copy) && finding_add_place(finding, &copy, arena)))
            return false;
    }
    return true;
}
