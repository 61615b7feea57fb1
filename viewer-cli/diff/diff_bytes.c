/* Digests tell of nearly all calls that their bytes are equal. Only where they differ the bytes
 * themselves are looked at. */
#include "viewer-cli/diff/cmd_diff.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "viewer-cli/rows.h"

#include <string.h>

/* A region that both runs mapped, and by which calls. */
struct region {
    uint64_t address; /* in the first run */
    uint64_t calls[2];
};

struct diff_bytes {
    struct trace *traces[2];
    const struct diff_pairs *pairs;
    struct rows *digests[2];
    struct region *regions; /* an address has one: the last */
    size_t region_count, region_capacity;
};

enum status diff_bytes_create(struct trace *a, struct trace *b, const struct diff_pairs *pairs,
                              struct diff_bytes **bytes, struct error *error)
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
    enum status status = rows_open(a, sql, &made->digests[0], error);
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

/* Bytes of both runs. What launches found is NULL where it is not known. */
struct stretch {
    const unsigned char *a, *b, *found_a, *found_b;
    uint64_t size;
};

static bool word_agrees(const struct diff_bytes *bytes, const struct stretch *stretch, uint64_t at)
{
    uint64_t x, y;
    memcpy(&x, stretch->a + at, sizeof x);
    memcpy(&y, stretch->b + at, sizeof y);
    return diff_addresses_agree(bytes->pairs, x, y);
}

static bool stretches_agree(const struct diff_bytes *bytes, const struct stretch *stretch)
{
    for (uint64_t i = 0; i < stretch->size; ++i) {
        const bool is_kept = stretch->found_a && stretch->found_a[i] == stretch->a[i] &&
                             stretch->found_b && stretch->found_b[i] == stretch->b[i];
        const uint64_t word = i & ~UINT64_C(7);
        if (stretch->a[i] == stretch->b[i] || is_kept)
            continue;
        if (stretch->size - word < 8 || !word_agrees(bytes, stretch, word))
            return false;
        i = word + 7;
    }
    return true;
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
static enum status compare_written(struct diff_bytes *bytes, const struct api_call *const calls[2],
                                   const uint64_t maps[2], struct arena *arena, bool *known,
                                   bool *agree, struct error *error)
{
    struct contents shown[2] = {0};
    struct contents written[2] = {0};
    for (int side = 0; side < 2; ++side) {
        enum status status = trace_contents(bytes->traces[side], maps[side], arena,
                                            &shown[side].list, &shown[side].count, error);
        if (!status)
            status = trace_contents(bytes->traces[side], calls[side]->id, arena,
                                    &written[side].list, &written[side].count, error);
        if (status)
            return status;
    }
    *known = shown[0].count && shown[0].count == shown[1].count;
    for (size_t i = 0; *known && i < shown[0].count; ++i)
        *known = shown[0].list[i].offset == shown[1].list[i].offset &&
                 shown[0].list[i].size == shown[1].list[i].size;
    *agree = true;
    for (size_t i = 0; *known && *agree && i < shown[0].count; ++i) {
        const struct stretch stretch = {.a = overlay(&shown[0].list[i], &written[0], arena),
                                        .b = overlay(&shown[1].list[i], &written[1], arena),
                                        .found_a = shown[0].list[i].bytes,
                                        .found_b = shown[1].list[i].bytes,
                                        .size = shown[0].list[i].size};
        if (!stretch.a || !stretch.b)
            return error_no_memory(error, stretch.size);
        *agree = stretches_agree(bytes, &stretch);
    }
    return STATUS_OK;
}

static const char *argument_name(const struct api_call *call, uint32_t argument)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    return argument < info->parameter_count ? info->parameters[argument].name : "the mapped memory";
}

static enum status compare_calls(struct diff_bytes *bytes, const struct api_call *const calls[2],
                                 struct arena *arena, const char **whose, struct error *error)
{
    struct api_content *contents[2] = {0};
    size_t counts[2] = {0};
    for (int side = 0; side < 2; ++side) {
        const enum status status = trace_contents(bytes->traces[side], calls[side]->id, arena,
                                                  &contents[side], &counts[side], error);
        if (status)
            return status;
        while (counts[side] && contents[side][counts[side] - 1].argument > API_ARGUMENT_RESULT)
            --counts[side];
    }
    for (size_t i = 0; i < counts[0] || i < counts[1]; ++i) {
        const struct api_content *a = &contents[0][i];
        const struct api_content *b = &contents[1][i];
        const bool both = i < counts[0] && i < counts[1];
        if (!both || a->argument != b->argument || a->offset != b->offset || a->size != b->size ||
            !stretches_agree(bytes,
                             &(struct stretch){.a = a->bytes, .b = b->bytes, .size = a->size})) {
            *whose = argument_name(calls[0], i < counts[0] ? a->argument : b->argument);
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* What a launch found and left in one object, in both runs. */
static enum status compare_object(struct diff_bytes *bytes, const struct api_call *const calls[2],
                                  uint64_t object, struct arena *arena, bool *agree,
                                  struct error *error)
{
    const uint64_t objects[2] = {object, diff_pairs_find(bytes->pairs, object)};
    struct trace_memory left[2], found[2];
    *agree = false;
    for (int side = 0; side < 2; ++side) {
        enum status status = trace_launch_memory(bytes->traces[side], calls[side]->id, true,
                                                 objects[side], arena, &left[side], error);
        if (!status)
            status = trace_launch_memory(bytes->traces[side], calls[side]->id, false, objects[side],
                                         arena, &found[side], error);
        if (status)
            return status;
    }
    const bool has_found = found[0].bytes && found[1].bytes && found[0].size == left[0].size &&
                           found[1].size == left[1].size;
    if (left[0].bytes && left[1].bytes && left[0].size == left[1].size)
        *agree =
            stretches_agree(bytes, &(struct stretch){.a = left[0].bytes,
                                                     .b = left[1].bytes,
                                                     .found_a = has_found ? found[0].bytes : NULL,
                                                     .found_b = has_found ? found[1].bytes : NULL,
                                                     .size = left[0].size});
    return STATUS_OK;
}

static enum status compare_launches(struct diff_bytes *bytes, const struct api_call *const calls[2],
                                    struct arena *arena, const char **whose, struct error *error)
{
    uint64_t *objects[2];
    size_t counts[2];
    bool agree = true;
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && !status; ++side)
        status = trace_launch_objects(bytes->traces[side], calls[side]->id, true, arena,
                                      &objects[side], &counts[side], error);
    /* While another thread has a user event open a launch cannot be captured. */
    if (status || !counts[0] || !counts[1])
        return status;
    agree = counts[0] == counts[1];
    for (size_t i = 0; agree && !status && i < counts[0]; ++i) {
        struct arena of_object = {0};
        status = compare_object(bytes, calls, objects[0][i], &of_object, &agree, error);
        arena_release(&of_object);
    }
    if (!agree)
        *whose = "what it left in memory";
    return status;
}

enum status diff_bytes_compare(struct diff_bytes *bytes, const struct api_call *a,
                               const struct api_call *b, const char **whose, struct error *error)
{
    const struct api_call *const calls[2] = {a, b};
    struct arena arena = {0};
    enum status status = STATUS_OK;
    const uint64_t *maps = find_map(bytes, a);
    const struct api_value *flags = map_flags(a);
    bool known = false;
    bool agree = true;
    *whose = NULL;
    if (flags)
        status = note_map(bytes, calls, error);
    if (!status && !digests_agree(bytes, calls)) {
        if (maps)
            status = compare_written(bytes, calls, maps, &arena, &known, &agree, error);
        if (!agree)
            *whose = "what it wrote through the map";
        if (!status && !known && (!flags || flags->bits & CL_MAP_READ))
            status = compare_calls(bytes, calls, &arena, whose, error);
        if (!status && !*whose)
            status = compare_launches(bytes, calls, &arena, whose, error);
    }
    arena_release(&arena);
    return status;
}
