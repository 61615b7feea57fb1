/* Digests tell of nearly all calls that their bytes are equal. Only where they differ the bytes
 * themselves are looked at. */
#include "viewer-cli/diff/cmd_diff.h"

#include "replay/memory.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "viewer-cli/rows.h"

#include <stdio.h>
#include <string.h>

/* A region that both runs mapped, and by which calls. */
struct region {
    uint64_t address; /* in the first run */
    uint64_t calls[2];
};

struct diff_bytes {
    struct trace *traces[2];
    const struct diff_pairs *pairs;
    const struct replay_tolerance *tolerance;
    struct diff_types *types[2];
    struct rows *digests[2];
    struct region *regions; /* an address has one: the last */
    size_t region_count, region_capacity;
};

enum status diff_bytes_create(struct trace *a, struct trace *b, const struct diff_pairs *pairs,
                              const struct replay_tolerance *tolerance, struct diff_bytes **bytes,
                              struct error *error)
{
    /* Of launches, which name objects by handles, what they changed, in whatever object. */
    static const char sql[] =
        "SELECT argument, offset, size, digest FROM call_content WHERE call = ?1"
        "  AND argument < 17 UNION ALL"
        " SELECT -1, offset, size, digest FROM launch_content AS left WHERE call = ?1 AND after"
        "  AND NOT EXISTS (SELECT 1 FROM launch_content AS found WHERE found.call = ?1"
        "   AND found.after = 0 AND found.handle = left.handle AND found.offset = left.offset"
        "   AND found.digest = left.digest)"
        " ORDER BY 1, 2, 3, 4";
    struct diff_bytes *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->traces[0] = a;
    made->traces[1] = b;
    made->pairs = pairs;
    made->tolerance = tolerance;
    made->types[0] = diff_types_create(a);
    made->types[1] = diff_types_create(b);
    enum status status = made->types[0] && made->types[1] ? STATUS_OK : error_no_memory(error, 1);
    if (!status)
        status = rows_open(a, sql, &made->digests[0], error);
    if (!status)
        status = rows_open(b, sql, &made->digests[1], error);
    if (status)
        diff_bytes_destroy(made);
    else
        *bytes = made;
    return status;
}

void diff_bytes_destroy(struct diff_bytes *bytes)
{
    if (!bytes)
        return;
    rows_close(bytes->digests[0]);
    rows_close(bytes->digests[1]);
    diff_types_destroy(bytes->types[0]);
    diff_types_destroy(bytes->types[1]);
    alloc_free(bytes->regions);
    alloc_free(bytes);
}

/* ---- by digests ---- */

static bool rows_agree(struct rows *a, struct rows *b)
{
    for (int column = 0; column < 3; ++column)
        if (rows_number(a, column) != rows_number(b, column))
            return false;
    size_t sizes[2];
    const void *x = rows_blob(a, 3, &sizes[0]);
    const void *y = rows_blob(b, 3, &sizes[1]);
    return sizes[0] == sizes[1] && x && y && memcmp(x, y, sizes[0]) == 0;
}

static bool digests_agree(struct diff_bytes *bytes, const struct api_call *const calls[2])
{
    bool more[2] = {true, true};
    bool agree = true;
    for (int side = 0; side < 2; ++side)
        rows_bind_number(bytes->digests[side], 1, (int64_t)calls[side]->id);
    while (agree && more[0]) {
        for (int side = 0; side < 2; ++side) {
            enum status status = STATUS_OK;
            more[side] = rows_next(bytes->digests[side], &status, NULL);
        }
        agree =
            more[0] == more[1] && (!more[0] || rows_agree(bytes->digests[0], bytes->digests[1]));
    }
    rows_reset(bytes->digests[0]);
    rows_reset(bytes->digests[1]);
    return agree;
}

/* ---- by bytes ---- */

/* Bytes of both runs, from a place in an object or in host memory on. What launches found is NULL
 * where it is not known. */
struct stretch {
    const unsigned char *a, *b, *found_a, *found_b;
    uint64_t size, offset;
    uint64_t phase; /* as replay_compare_bytes has it */
};

/* One comparison: the calls, and what became of it. */
struct comparison {
    struct diff_bytes *bytes;
    const struct api_call *const *calls;
    uint64_t objects[2]; /* that the bytes are of; 0 = not known */
    struct arena *arena;
    struct diff_values *values;
};

static bool word_agrees(const struct diff_bytes *bytes, const struct stretch *stretch, uint64_t at)
{
    uint64_t x, y;
    memcpy(&x, stretch->a + at, sizeof x);
    memcpy(&y, stretch->b + at, sizeof y);
    return diff_addresses_agree(bytes->pairs, x, y);
}

/* The bytes of the second run, where those that count as equal are the first one's; NULL when
 * memory is out. */
static const unsigned char *excuse(const struct diff_bytes *bytes, const struct stretch *stretch,
                                   struct arena *arena)
{
    unsigned char *excused = arena_copy(arena, stretch->b, stretch->size);
    for (uint64_t i = 0; excused && i < stretch->size; ++i) {
        const bool is_kept = stretch->found_a && stretch->found_a[i] == stretch->a[i] &&
                             stretch->found_b && stretch->found_b[i] == stretch->b[i];
        const uint64_t word = i & ~UINT64_C(7);
        if (stretch->a[i] == stretch->b[i] || is_kept) {
            excused[i] = stretch->a[i];
        } else if (stretch->size - word >= 8 && word_agrees(bytes, stretch, word)) {
            memcpy(excused + word, stretch->a + word, 8);
            i = word + 7;
        }
    }
    return excused;
}

/* ---- what is told of them ---- */

static const char left_in_memory[] = "what it left in memory";
static const char written_in_map[] = "what it wrote through the map";

/* As the first run knows the object, or else the second. */
static enum status find_type(const struct comparison *comparison, char type[DIFF_TYPE_SIZE],
                             struct error *error)
{
    enum status status = STATUS_OK;
    *type = 0;
    for (int side = 0; side < 2 && !status && !*type; ++side)
        if (comparison->objects[side])
            status = diff_types_find(comparison->bytes->types[side], comparison->calls[side]->id,
                                     comparison->objects[side], type, error);
    return status;
}

static void name_object(const struct comparison *comparison)
{
    struct trace_names names = {.trace = comparison->bytes->traces[0],
                                .call_id = comparison->calls[0]->id};
    const char *name =
        comparison->objects[0] ? trace_handle_name(&names, comparison->objects[0]) : NULL;
    snprintf(comparison->values->object, sizeof comparison->values->object, "%s", name ? name : "");
}

/* They differ, in size or otherwise; what of them is not known where there are no values. */
static void note(const struct comparison *comparison, const char *whose)
{
    if (!comparison->values->whose) {
        name_object(comparison);
        comparison->values->whose = whose;
        comparison->values->are_of_argument = whose != left_in_memory && whose != written_in_map;
    }
}

static void note_bytes(const struct comparison *comparison, const char *whose, const char *type,
                       const struct replay_bytes_difference *found, uint64_t offset)
{
    struct diff_values *values = comparison->values;
    struct replay_bytes_difference *bytes = &values->bytes;
    if (!bytes->value_size) {
        note(comparison, whose);
        snprintf(values->type, sizeof values->type, "%s", type);
        *bytes = *found;
        bytes->offset += offset;
        return;
    }
    bytes->byte_count += found->byte_count;
    bytes->element_count += found->element_count;
    bytes->ulp = found->ulp > bytes->ulp ? found->ulp : bytes->ulp;
    bytes->relative = found->relative > bytes->relative ? found->relative : bytes->relative;
}

static enum status compare_stretch(const struct comparison *comparison, const char *whose,
                                   const struct stretch *stretch, struct error *error)
{
    struct replay_bytes_difference found;
    char type[DIFF_TYPE_SIZE];
    comparison->values->sizes[0] += stretch->size;
    comparison->values->sizes[1] += stretch->size;
    if (memcmp(stretch->a, stretch->b, stretch->size) == 0)
        return STATUS_OK;
    const unsigned char *excused = excuse(comparison->bytes, stretch, comparison->arena);
    if (!excused)
        return error_no_memory(error, stretch->size);
    if (memcmp(stretch->a, excused, stretch->size) == 0)
        return STATUS_OK;
    const enum status status = find_type(comparison, type, error);
    if (status || !replay_compare_bytes(stretch->a, excused, stretch->size, stretch->phase, type,
                                        comparison->bytes->tolerance, &found))
        return status;
    if (found.is_close)
        comparison->values->are_close = true;
    else
        note_bytes(comparison, whose, type, &found, stretch->offset);
    return STATUS_OK;
}

/* The flags of a map; NULL of other calls. */
static const struct api_value *map_flags(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i)
        if (info->parameters[i].family == API_FAMILY_MAP_FLAGS)
            return &call->arguments[i];
    return NULL;
}

/* ---- what is written through maps ---- */

static enum status note_map(struct diff_bytes *bytes, const struct api_call *const calls[2],
                            struct error *error)
{
    const struct api_call *a = calls[0];
    const uint64_t address = a->entry == API_ENTRY_clEnqueueSVMMap
                                 ? a->arguments[API_clEnqueueSVMMap_svm_ptr].bits
                                 : a->result.bits;
    size_t i = 0;
    while (i < bytes->region_count && bytes->regions[i].address != address)
        ++i;
    if (i == bytes->region_count) {
        void *grown = alloc_grow(bytes->regions, bytes->region_count, &bytes->region_capacity,
                                 sizeof *bytes->regions);
        if (!grown)
            return error_no_memory(error, sizeof *bytes->regions);
        bytes->regions = grown;
        ++bytes->region_count;
    }
    bytes->regions[i] = (struct region){.address = address, .calls = {a->id, calls[1]->id}};
    return STATUS_OK;
}

/* The calls that mapped what this one unmaps; NULL = it does not unmap, or they are not known. */
static const uint64_t *find_map(const struct diff_bytes *bytes, const struct api_call *call)
{
    uint64_t address = 0;
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        address = call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits;
    else if (call->entry == API_ENTRY_clEnqueueSVMUnmap)
        address = call->arguments[API_clEnqueueSVMUnmap_svm_ptr].bits;
    for (size_t i = 0; address && i < bytes->region_count; ++i)
        if (bytes->regions[i].address == address)
            return bytes->regions[i].calls;
    return NULL;
}

struct contents {
    struct api_content *list;
    size_t count;
};

/* What the region showed with what was written since, in the arena; NULL when memory is out. What
 * it did not show lies between the rows of an image. */
static unsigned char *overlay(const struct api_content *shown, const struct contents *written,
                              struct arena *arena)
{
    unsigned char *bytes = arena_copy(arena, shown->bytes, shown->size);
    for (size_t i = 0; bytes && i < written->count; ++i) {
        const struct api_content *piece = &written->list[i];
        const uint64_t end = piece->offset + piece->size;
        const uint64_t from = piece->offset > shown->offset ? piece->offset : shown->offset;
        const uint64_t to = end < shown->offset + shown->size ? end : shown->offset + shown->size;
        if (piece->argument < API_ARGUMENT_RESULT && from < to)
            memcpy(bytes + (from - shown->offset),
                   (const unsigned char *)piece->bytes + (from - piece->offset), to - from);
    }
    return bytes;
}

/* Recorded are the blocks that changed, which may be others where the memory showed what was
 * written by chance. *known: what it showed is recorded. */
static enum status compare_written(const struct comparison *comparison, const uint64_t maps[2],
                                   bool *known, struct error *error)
{
    struct contents shown[2] = {0};
    struct contents written[2] = {0};
    struct arena *arena = comparison->arena;
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && !status; ++side) {
        struct trace *trace = comparison->bytes->traces[side];
        status =
            trace_contents(trace, maps[side], arena, &shown[side].list, &shown[side].count, error);
        if (!status)
            status = trace_contents(trace, comparison->calls[side]->id, arena, &written[side].list,
                                    &written[side].count, error);
    }
    *known = !status && shown[0].count && shown[0].count == shown[1].count;
    for (size_t i = 0; *known && i < shown[0].count; ++i)
        *known = shown[0].list[i].offset == shown[1].list[i].offset &&
                 shown[0].list[i].size == shown[1].list[i].size;
    for (size_t i = 0; *known && !status && i < shown[0].count; ++i) {
        const struct stretch stretch = {.a = overlay(&shown[0].list[i], &written[0], arena),
                                        .b = overlay(&shown[1].list[i], &written[1], arena),
                                        .found_a = shown[0].list[i].bytes,
                                        .found_b = shown[1].list[i].bytes,
                                        .size = shown[0].list[i].size,
                                        .offset = shown[0].list[i].offset,
                                        .phase = REPLAY_PHASE_UNKNOWN};
        status = stretch.a && stretch.b
                     ? compare_stretch(comparison, written_in_map, &stretch, error)
                     : error_no_memory(error, stretch.size);
    }
    return status;
}

static const char *argument_name(const struct api_call *call, uint32_t argument)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    return argument < info->parameter_count ? info->parameters[argument].name : "the mapped memory";
}

static enum status compare_calls(const struct comparison *comparison, struct error *error)
{
    struct api_content *contents[2] = {0};
    size_t counts[2] = {0};
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && !status; ++side) {
        status = trace_contents(comparison->bytes->traces[side], comparison->calls[side]->id,
                                comparison->arena, &contents[side], &counts[side], error);
        while (!status && counts[side] &&
               contents[side][counts[side] - 1].argument > API_ARGUMENT_RESULT)
            --counts[side];
    }
    for (size_t i = 0; !status && (i < counts[0] || i < counts[1]); ++i) {
        const struct api_content *a = &contents[0][i];
        const struct api_content *b = &contents[1][i];
        const bool both = i < counts[0] && i < counts[1];
        const char *whose =
            argument_name(comparison->calls[0], i < counts[0] ? a->argument : b->argument);
        if (!both || a->argument != b->argument || a->offset != b->offset || a->size != b->size) {
            note(comparison, whose);
            comparison->values->sizes[0] += i < counts[0] ? a->size : 0;
            comparison->values->sizes[1] += i < counts[1] ? b->size : 0;
        } else {
            status =
                compare_stretch(comparison, whose,
                                &(struct stretch){.a = a->bytes,
                                                  .b = b->bytes,
                                                  .size = a->size,
                                                  .offset = a->offset,
                                                  .phase = replay_memory_phase(comparison->calls[0],
                                                                               a->offset, a->size)},
                                error);
        }
    }
    return status;
}

/* What a launch found and left in one object, in both runs. */
static enum status compare_object(const struct comparison *comparison, struct error *error)
{
    struct trace_memory left[2], found[2];
    for (int side = 0; side < 2; ++side) {
        struct trace *trace = comparison->bytes->traces[side];
        const uint64_t call_id = comparison->calls[side]->id;
        enum status status = trace_launch_memory(trace, call_id, true, comparison->objects[side],
                                                 comparison->arena, &left[side], error);
        if (!status)
            status = trace_launch_memory(trace, call_id, false, comparison->objects[side],
                                         comparison->arena, &found[side], error);
        if (status)
            return status;
    }
    const bool has_found = found[0].bytes && found[1].bytes && found[0].size == left[0].size &&
                           found[1].size == left[1].size;
    if (left[0].bytes && left[1].bytes && left[0].size == left[1].size)
        return compare_stretch(comparison, left_in_memory,
                               &(struct stretch){.a = left[0].bytes,
                                                 .b = left[1].bytes,
                                                 .found_a = has_found ? found[0].bytes : NULL,
                                                 .found_b = has_found ? found[1].bytes : NULL,
                                                 .size = left[0].size},
                               error);
    note(comparison, left_in_memory);
    comparison->values->sizes[0] += left[0].size;
    comparison->values->sizes[1] += left[1].size;
    return STATUS_OK;
}

/* Of several objects the values are those of the first that differs. */
static void add_object(struct diff_values *all, const struct diff_values *of_object)
{
    all->are_close |= of_object->are_close;
    all->object_count += of_object->whose != NULL;
    if (all->whose || !of_object->whose)
        return;
    const uint32_t count = all->object_count;
    const bool are_close = all->are_close;
    *all = *of_object;
    all->object_count = count;
    all->are_close = are_close;
}

static enum status compare_launches(const struct comparison *comparison, struct error *error)
{
    uint64_t *objects[2];
    size_t counts[2];
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && !status; ++side)
        status =
            trace_launch_objects(comparison->bytes->traces[side], comparison->calls[side]->id, true,
                                 comparison->arena, &objects[side], &counts[side], error);
    /* While another thread has a user event open a launch cannot be captured. */
    if (status || !counts[0] || !counts[1])
        return status;
    if (counts[0] != counts[1])
        note(comparison, left_in_memory);
    for (size_t i = 0; counts[0] == counts[1] && !status && i < counts[0]; ++i) {
        struct arena of_object = {0};
        struct diff_values values = {.whose = NULL};
        struct comparison one = *comparison;
        one.arena = &of_object;
        one.values = &values;
        one.objects[0] = objects[0][i];
        one.objects[1] = diff_pairs_find(comparison->bytes->pairs, objects[0][i]);
        status = compare_object(&one, error);
        add_object(comparison->values, &values);
        arena_release(&of_object);
    }
    return status;
}

/* The memory object that a transfer is about; 0 of other calls. */
static uint64_t object_of(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i)
        if (info->parameters[i].kind == API_OBJECT_MEM &&
            call->arguments[i].kind == API_VALUE_HANDLE)
            return call->arguments[i].bits;
    return info->return_kind == API_OBJECT_MEM ? call->result.bits : 0;
}

enum status diff_bytes_compare(struct diff_bytes *bytes, const struct api_call *a,
                               const struct api_call *b, struct diff_values *values,
                               struct error *error)
{
    const struct api_call *const calls[2] = {a, b};
    struct arena arena = {0};
    const struct comparison comparison = {.bytes = bytes,
                                          .calls = calls,
                                          .objects = {object_of(a), object_of(b)},
                                          .arena = &arena,
                                          .values = values};
    enum status status = STATUS_OK;
    const uint64_t *maps = find_map(bytes, a);
    const struct api_value *flags = map_flags(a);
    bool known = false;
    *values = (struct diff_values){.whose = NULL};
    if (flags)
        status = note_map(bytes, calls, error);
    if (!status && !digests_agree(bytes, calls)) {
        if (maps)
            status = compare_written(&comparison, maps, &known, error);
        if (!status && !known && (!flags || flags->bits & CL_MAP_READ))
            status = compare_calls(&comparison, error);
        if (!status && !values->whose)
            status = compare_launches(&comparison, error);
    }
    arena_release(&arena);
    return status;
}
