#include "viewer-cli/memory_use.h"

#include "trace/api/entry.h"
#include "trace/api/image.h"
#include "trace/base/size.h"
#include "trace/call_order.h"
#include "trace/effect/shape.h"
#include "trace/store.h"
#include "viewer-cli/rows.h"

#include <inttypes.h>
#include <stdio.h>

/* While the tables are filled. `root` is the memory that an object is made of: its own name, or
 * that of the buffer. */
static const char tables[] =
    "CREATE TEMP TABLE memory_part (name TEXT PRIMARY KEY, root TEXT, bytes INTEGER,"
    " address INTEGER, made INTEGER, released INTEGER);"
    "CREATE INDEX temp.memory_part_root ON memory_part (root);"
    "CREATE INDEX temp.memory_part_address ON memory_part (address)";

static const char finish[] =
    "CREATE TEMP TABLE memory_use (number INTEGER PRIMARY KEY, call INTEGER, ns INTEGER,"
    " name TEXT, taken INTEGER, given_back INTEGER, in_use INTEGER);"
    "INSERT INTO temp.memory_use WITH whole AS (SELECT name, bytes, made, (SELECT iif(count(*) = "
    "count(released),"
    "   max(released), NULL) FROM temp.memory_part AS own WHERE own.root = part.name) AS released"
    "  FROM temp.memory_part AS part WHERE root = name),"
    " moment AS (SELECT made AS call, begin_ns + ifnull(duration_ns, 0) AS ns, name,"
    "   bytes AS taken, NULL AS given_back FROM whole JOIN call_row ON call_row.id = made"
    "  UNION ALL SELECT released, begin_ns, name, NULL, bytes FROM whole"
    "   JOIN call_row ON call_row.id = released)"
    " SELECT row_number() OVER moments AS number, call, ns, name, taken, given_back,"
    "  sum(ifnull(taken, -given_back)) OVER (moments ROWS UNBOUNDED PRECEDING) AS in_use"
    " FROM moment WINDOW moments AS (ORDER BY ns, given_back IS NULL, call, name);"
    "CREATE INDEX temp.memory_use_name ON memory_use (name);"
    "CREATE TEMP TABLE memory_held AS SELECT name, taken AS bytes, number AS first,"
    " (SELECT number FROM temp.memory_use AS back WHERE back.name = own.name"
    "  AND given_back NOT NULL) AS last FROM temp.memory_use AS own WHERE taken NOT NULL";

struct filler {
    struct trace *trace;
    struct trace_names names;
    struct rows *put, *put_view, *give_back;
    uint64_t allocations;
};

/* ---- what a call makes ---- */

static const struct api_value *find_value(const struct api_call *call, const char *name)
{
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), name);
    return index < call->argument_count ? &call->arguments[index] : NULL;
}

/* Of an image with one level, whatever a driver rounds up. */
static bool image_bytes(const struct image_create *create, uint64_t *bytes)
{
    const struct image_shape shape = image_shape_of(create->format, &create->desc);
    const uint64_t samples = create->desc.num_samples > 1 ? create->desc.num_samples : 1;
    *bytes = shape.pixel_size;
    return shape.type != 0 && size_mul(*bytes, shape.width, bytes) &&
           size_mul(*bytes, shape.height, bytes) && size_mul(*bytes, shape.depth, bytes) &&
           size_mul(*bytes, shape.layers, bytes) && size_mul(*bytes, samples, bytes);
}

/* False: that is not known. *root is the handle of the buffer or image that it is made of, or 0. */
static bool find_memory(const struct api_call *made, uint64_t *bytes, uint64_t *root)
{
    struct image_create create;
    const struct api_value *size = find_value(made, "size");
    *bytes = 0;
    *root = 0;
    if (made->entry == API_ENTRY_clCreateSubBuffer) {
        *root = made->arguments[0].bits;
    } else if (made->entry == API_ENTRY_clCreatePipe) {
        return size_mul(made->arguments[API_clCreatePipe_pipe_packet_size].bits,
                        made->arguments[API_clCreatePipe_pipe_max_packets].bits, bytes);
    } else if (size && size->kind == API_VALUE_SCALAR) {
        *bytes = size->bits;
    } else if (image_create_parse(made, &create)) {
        *root = (uint64_t)create.desc.mem_object;
        return *root || image_bytes(&create, bytes);
    } else {
        return false;
    }
    return true;
}

static enum status put_memory(struct filler *filler, const char *name, const struct api_call *made,
                              int64_t released, struct error *error)
{
    uint64_t bytes;
    uint64_t root;
    if (!find_memory(made, &bytes, &root))
        return STATUS_OK;
    filler->names.call_id = made->id;
    const char *of = root ? trace_handle_name(&filler->names, root) : NULL;
    struct rows *put = root ? filler->put_view : filler->put;
    if (root && !of)
        return STATUS_OK;
    rows_bind_text(put, 1, name);
    if (root)
        rows_bind_text(put, 2, of);
    else
        rows_bind_number(put, 2, (int64_t)bytes);
    rows_bind_number(put, 3, (int64_t)made->id);
    if (released)
        rows_bind_number(put, 4, released);
    return rows_run(put, error);
}

/* ---- objects ---- */

static enum status put_objects(struct filler *filler, struct error *error)
{
    struct rows *rows = NULL;
    enum status status =
        rows_open(filler->trace,
                  "SELECT name, created_call, ifnull(released_call, 0) FROM object"
                  " WHERE kind = 'memory object' AND created_call NOT NULL ORDER BY id",
                  &rows, error);
    while (rows_next(rows, &status, error)) {
        struct arena arena = {0};
        struct api_call made;
        status = trace_call(filler->trace, (uint64_t)rows_number(rows, 1), &arena, &made, error);
        if (!status)
            status = put_memory(filler, rows_text(rows, 0), &made, rows_number(rows, 2), error);
        arena_release(&arena);
    }
    rows_close(rows);
    return status;
}

/* ---- memory without objects ---- */

static enum status put_allocation(struct filler *filler, const struct api_call *call,
                                  struct error *error)
{
    char name[48];
    const struct api_value *size = find_value(call, "size");
    if (!call->result.bits || !size)
        return STATUS_OK;
    snprintf(name, sizeof name, "allocation#%" PRIu64, ++filler->allocations);
    rows_bind_text(filler->put, 1, name);
    rows_bind_number(filler->put, 2, (int64_t)size->bits);
    rows_bind_number(filler->put, 3, (int64_t)call->id);
    rows_bind_number(filler->put, 5, (int64_t)call->result.bits);
    return rows_run(filler->put, error);
}

static enum status give_back(struct filler *filler, uint64_t address, uint64_t call,
                             struct error *error)
{
    rows_bind_number(filler->give_back, 1, (int64_t)address);
    rows_bind_number(filler->give_back, 2, (int64_t)call);
    return rows_run(filler->give_back, error);
}

/* Of clEnqueueSVMFree the command gives back, about which nothing is known without its event. */
static enum status give_back_all(struct filler *filler, const struct api_call *call,
                                 struct error *error)
{
    const struct api_value *list = &call->arguments[API_clEnqueueSVMFree_svm_pointers];
    const uint64_t *addresses = list->data;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; addresses && i < list->count && !status; ++i)
        status = give_back(filler, addresses[i], call->id, error);
    return status;
}

static enum status take_call(struct filler *filler, const struct api_call *call,
                             struct error *error)
{
    switch (call->entry) {
    case API_ENTRY_clSVMFree:
        return give_back(filler, call->arguments[API_clSVMFree_svm_pointer].bits, call->id, error);
    case API_ENTRY_clMemFreeINTEL:
    case API_ENTRY_clMemBlockingFreeINTEL:
        return give_back(filler, call->arguments[API_clMemFreeINTEL_ptr].bits, call->id, error);
    case API_ENTRY_clEnqueueSVMFree:
        return give_back_all(filler, call, error);
    default:
        return put_allocation(filler, call, error);
    }
}

static enum status put_allocations(struct filler *filler, struct error *error)
{
    struct rows *rows = NULL;
    struct text query = TEXT_INIT;
    text_append(&query, "SELECT id FROM call WHERE name IN ('clSVMAlloc', 'clSVMFree',"
                        " 'clEnqueueSVMFree', 'clHostMemAllocINTEL', 'clDeviceMemAllocINTEL',"
                        " 'clSharedMemAllocINTEL', 'clMemFreeINTEL', 'clMemBlockingFreeINTEL')"
                        " AND NOT failed ORDER BY ");
    call_order_print(&query);
    enum status status = query.failed ? error_no_memory(error, query.size)
                                      : rows_open(filler->trace, query.bytes, &rows, error);
    while (rows_next(rows, &status, error)) {
        struct arena arena = {0};
        struct api_call call;
        status = trace_call(filler->trace, (uint64_t)rows_number(rows, 0), &arena, &call, error);
        if (!status)
            status = take_call(filler, &call, error);
        arena_release(&arena);
    }
    rows_close(rows);
    text_release(&query);
    return status;
}

enum status memory_use_make(struct trace *trace, struct error *error)
{
    struct filler filler = {.trace = trace, .names = {.trace = trace}};
    enum status status = rows_execute(trace, tables, error);
    if (!status)
        status = rows_open(trace,
                           "INSERT INTO temp.memory_part (name, root, bytes, made, released,"
                           " address) VALUES (?1, ?1, ?2, ?3, ?4, ?5)",
                           &filler.put, error);
    if (!status)
        status = rows_open(trace,
                           "INSERT INTO temp.memory_part (name, root, made, released)"
                           " SELECT ?1, root, ?3, ?4 FROM temp.memory_part WHERE name = ?2",
                           &filler.put_view, error);
    if (!status)
        status = rows_open(trace,
                           "UPDATE temp.memory_part SET released = ?2 WHERE rowid ="
                           " (SELECT min(rowid) FROM temp.memory_part"
                           "  WHERE address = ?1 AND released IS NULL)",
                           &filler.give_back, error);
    if (!status)
        status = put_objects(&filler, error);
    if (!status)
        status = put_allocations(&filler, error);
    rows_close(filler.put);
    rows_close(filler.put_view);
    rows_close(filler.give_back);
    return status ? status : rows_execute(trace, finish, error);
}
