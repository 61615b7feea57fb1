#include "trace/extract.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/trim/trim.h"

#include <inttypes.h>

enum status trim_part_of(struct trace *trace, struct arena *arena, struct trim_part *part,
                         struct error *error)
{
    struct rows *rows = NULL;
    size_t count = 0;
    *part = (struct trim_part){
        .trace = trace, .begins_after = trace_begins_after(trace), .has_end = true};
    enum status status = rows_open(trace, "SELECT count(*) FROM call_row", &rows, error);
    if (rows_next(rows, &status, error))
        count = (size_t)rows_number(rows, 0);
    rows_close(rows);
    rows = NULL;
    if (!status && !(part->calls = arena_alloc(arena, count + 1, sizeof *part->calls)))
        status = error_no_memory(error, count * sizeof *part->calls);
    if (!status)
        status = rows_open(trace, "SELECT id FROM call_row ORDER BY id", &rows, error);
    while (rows_next(rows, &status, error) && part->call_count < count)
        part->calls[part->call_count++] =
            (struct needed_call){.id = (uint64_t)rows_number(rows, 0), .form = NEEDED_AS_IS};
    rows_close(rows);
    if (!status && part->begins_after)
        status = trace_launch_objects(trace, part->begins_after, false, arena, &part->objects,
                                      &part->object_count, error);
    return status;
}

static enum status write_memory(const struct trim_part *part, struct extract *extract,
                                uint64_t object, struct error *error)
{
    struct arena arena = {0};
    struct trace_memory memory;
    enum status status =
        trace_launch_memory(part->trace, part->begins_after, false, object, &arena, &memory, error);
    if (!status && memory.bytes)
        status =
            extract_memory(extract, part->begins_after, object, memory.bytes, memory.size, error);
    arena_release(&arena);
    return status;
}

enum status trim_part_write(const struct trim_part *part, const char *path, struct error *error)
{
    struct extract *extract = NULL;
    enum status status = extract_create(part->trace, path, &extract, error);
    for (size_t i = 0; i < part->call_count && !status; ++i)
        status = extract_call(extract, &part->calls[i], error);
    for (size_t i = 0; i < part->object_count && !status; ++i)
        status = write_memory(part, extract, part->objects[i], error);
    if (!status)
        status = extract_finish(extract, part->begins_after, part->has_end, error);
    extract_destroy(extract);
    return status;
}
