#include "viewer-cli/replay/cmd_replay.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "viewer-cli/rows.h"

#include <inttypes.h>
#include <stdio.h>

/* Launches that are equal are shown up to this many rows, the others always. */
enum { EQUAL_ROWS_SHOWN = 20, NAME_SIZE = 256 };

struct replay_launches {
    struct rows *find_kernel; /* NULL: the trace has no table of launches */
    char kernel[NAME_SIZE];   /* the last answer */
    struct table *table;
    uint64_t hidden_count;
};

struct replay_launches *replay_launches_create(struct trace *trace)
{
    static const struct table_column columns[] = {{"call", TABLE_RIGHT},
                                                  {"kernel", TABLE_LEFT},
                                                  {"objects", TABLE_RIGHT},
                                                  {"compared", TABLE_RIGHT},
                                                  {"left in memory", TABLE_LEFT}};
    struct replay_launches *made = alloc_zero(1, sizeof *made);
    if (!made)
        return NULL;
    made->table = table_create(columns, sizeof columns / sizeof *columns);
    if (trace)
        rows_open(trace,
                  "SELECT kernel_name FROM launch WHERE call = ?1 UNION ALL SELECT 'command-buffer'"
                  " FROM call WHERE id = ?1 AND name = 'clEnqueueCommandBufferKHR'",
                  &made->find_kernel, NULL);
    if (made->table)
        return made;
    replay_launches_destroy(made);
    return NULL;
}

void replay_launches_destroy(struct replay_launches *launches)
{
    if (!launches)
        return;
    rows_close(launches->find_kernel);
    table_destroy(launches->table);
    alloc_free(launches);
}

const char *replay_launches_kernel(struct replay_launches *launches, uint64_t call_id)
{
    struct rows *rows = launches->find_kernel;
    enum status status = rows ? STATUS_OK : STATUS_NOT_FOUND;
    if (rows)
        rows_bind_number(rows, 1, (int64_t)call_id);
    const bool is_known = rows_next(rows, &status, NULL) && !rows_is_null(rows, 0);
    snprintf(launches->kernel, sizeof launches->kernel, "%s", is_known ? rows_text(rows, 0) : "?");
    if (rows)
        rows_reset(rows);
    return launches->kernel;
}

void replay_launches_add(struct replay_launches *launches, uint64_t call_id, const char *kernel,
                         const struct replay_launch *launch)
{
    struct table *table = launches->table;
    const bool is_equal = !launch->differing_objects && !launch->is_close;
    if (is_equal && table_row_count(table) >= EQUAL_ROWS_SHOWN) {
        ++launches->hidden_count;
        return;
    }
    struct text size = TEXT_INIT;
    print_size(launch->bytes, &size);
    table_cell_format(table, "%" PRIu64, call_id);
    table_cell(table, kernel);
    table_cell_format(table, "%" PRIu32, launch->objects);
    table_cell(table, size.bytes);
    if (is_equal)
        table_cell(table, "equal");
    else if (!launch->differing_objects)
        table_cell(table, "close");
    else
        table_cell_format(table, "differs: %" PRIu64 " byte%s of %" PRIu32 " object%s",
                          launch->differing_bytes, launch->differing_bytes == 1 ? "" : "s",
                          launch->differing_objects, launch->differing_objects == 1 ? "" : "s");
    text_release(&size);
}

void replay_launches_print(struct replay_launches *launches, struct text *text)
{
    if (!table_row_count(launches->table))
        return;
    table_print(launches->table, true, text);
    if (launches->hidden_count) {
        text_append(text, "... and ");
        print_count(launches->hidden_count, text);
        text_append(text, launches->hidden_count == 1 ? " more that is equal\n"
                                                      : " more that are equal\n");
    }
    text_append_char(text, '\n');
}

void replay_launches_print_json(uint64_t call_id, const char *kernel,
                                const struct replay_launch *launch, struct text *text)
{
    text_append_char(text, '{');
    json_string(text, "kind", "launch");
    json_number(text, "call", call_id);
    json_string(text, "kernel", kernel);
    json_number(text, "objects", launch->objects);
    json_number(text, "bytes", launch->bytes);
    json_number(text, "differing_objects", launch->differing_objects);
    json_number(text, "differing_bytes", launch->differing_bytes);
    json_string(text, "verdict",
                launch->differing_objects ? "different"
                : launch->is_close        ? "close"
                                          : "equal");
    text_append(text, "}\n");
}
