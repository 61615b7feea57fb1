/* Digests tell of nearly all calls that their bytes are equal. Only where they differ the bytes
 * themselves are looked at. */
#include "viewer-cli/diff_bytes.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/store.h"

#include <sqlite3.h>
#include <string.h>

struct diff_bytes {
    struct trace *traces[2];
    const struct diff_pairs *pairs;
    sqlite3_stmt *digests[2];
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
    for (int side = 0; side < 2; ++side) {
        struct sqlite3 *database = trace_database(made->traces[side]);
        const enum status status = store_prepare(database, sqlite3_db_filename(database, "main"),
                                                 sql, &made->digests[side], error);
        if (status) {
            diff_bytes_destroy(made);
            return status;
        }
    }
    *bytes = made;
    return STATUS_OK;
}

void diff_bytes_destroy(struct diff_bytes *bytes)
{
    if (!bytes)
        return;
    sqlite3_finalize(bytes->digests[0]);
    sqlite3_finalize(bytes->digests[1]);
    alloc_free(bytes);
}

/* ---- by digests ---- */

static bool rows_agree(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (int column = 0; column < 3; ++column)
        if (sqlite3_column_int64(a, column) != sqlite3_column_int64(b, column))
            return false;
    const void *x = sqlite3_column_blob(a, 3);
    const void *y = sqlite3_column_blob(b, 3);
    const int size = sqlite3_column_bytes(a, 3);
    return size == sqlite3_column_bytes(b, 3) && x && y && memcmp(x, y, (size_t)size) == 0;
}

static bool digests_agree(struct diff_bytes *bytes, const struct api_call *const calls[2])
{
    bool more[2] = {true, true};
    bool agree = true;
    for (int side = 0; side < 2; ++side)
        sqlite3_bind_int64(bytes->digests[side], 1, (sqlite3_int64)calls[side]->id);
    while (agree && more[0]) {
        for (int side = 0; side < 2; ++side)
            more[side] = sqlite3_step(bytes->digests[side]) == SQLITE_ROW;
        agree =
            more[0] == more[1] && (!more[0] || rows_agree(bytes->digests[0], bytes->digests[1]));
    }
    sqlite3_reset(bytes->digests[0]);
    sqlite3_reset(bytes->digests[1]);
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

static bool is_map_unread(const struct api_call *call)
{
    switch (call->entry) {
    case API_ENTRY_clEnqueueMapBuffer:
    case API_ENTRY_clEnqueueMapImage:
        return !(call->arguments[API_clEnqueueMapBuffer_map_flags].bits & CL_MAP_READ);
    case API_ENTRY_clEnqueueSVMMap:
        return !(call->arguments[API_clEnqueueSVMMap_flags].bits & CL_MAP_READ);
    default:
        return false;
    }
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
    *whose = NULL;
    if (!digests_agree(bytes, calls)) {
        if (!is_map_unread(a))
            status = compare_calls(bytes, calls, &arena, whose, error);
        if (!status && !*whose)
            status = compare_launches(bytes, calls, &arena, whose, error);
    }
    arena_release(&arena);
    return status;
}
