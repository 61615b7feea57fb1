/* OpenCL API 3.0, chapter 5.2.2: reading, writing, filling, copying and migrating buffers. The
 * rectangular forms are in rect.c, maps in map.c. */
#include "reference/icd/memory/transfer.h"

#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/kernels/races.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <string.h>

/* Bytes that the virtual clock counts as one operation. */
enum { BYTES_PER_OPERATION = 8 };

uint64_t transfer_cost(uint64_t size)
{
    return size / BYTES_PER_OPERATION + 1;
}

static void release(void *data)
{
    struct transfer *transfer = data;
    object_drop(transfer->mem);
    if (transfer->from)
        object_drop(transfer->from);
    alloc_free(transfer);
}

struct use_bytes transfer_rows(const struct transfer *transfer, const struct rectangle *box)
{
    return (struct use_bytes){.first = box->offset,
                              .size = transfer->region[0],
                              .rows = transfer->region[1],
                              .row_pitch = box->row_pitch,
                              .slices = transfer->region[2],
                              .slice_pitch = box->slice_pitch};
}

/* Does the transfer read the object into its own CL_MEM_USE_HOST_PTR memory, or write it from
 * there? */
static bool is_own_memory(const struct transfer *transfer, cl_mem root)
{
    const uintptr_t host =
        (uintptr_t)(transfer->destination ? transfer->destination : transfer->source) +
        transfer->other.offset;
    return root->host_ptr && !transfer->from && host - (uintptr_t)root->host_ptr < root->size;
}

static void tell(const void *data)
{
    const struct transfer *transfer = data;
    const uint32_t objects[] = {transfer->mem->number, transfer->from ? transfer->from->number : 0};
    if (!races_watches(objects, 2))
        return;
    const struct use_bytes rows = transfer_rows(transfer, &transfer->place);
    const struct use_bytes other_rows = transfer_rows(transfer, &transfer->other);
    cl_mem root = mem_root(transfer->mem);
    if (is_own_memory(transfer, root)) {
        races_use_own_memory(root->number, root->size);
        return;
    }
    if (transfer->from)
        races_use(transfer->from->number, USE_READ, &other_rows);
    races_use(transfer->mem->number, transfer->destination ? USE_READ : USE_WRITE, &rows);
}

/* ---- rows ---- */

void transfer_each_row(const struct transfer *transfer, uint64_t *cost, row_function *row)
{
    const struct rectangle *place = &transfer->place, *other = &transfer->other;
    for (uint64_t z = 0; z < transfer->region[2]; z++) {
        for (uint64_t y = 0; y < transfer->region[1]; y++) {
            row(transfer, place->offset + z * place->slice_pitch + y * place->row_pitch,
                other->offset + z * other->slice_pitch + y * other->row_pitch);
            *cost += transfer_cost(transfer->region[0]);
        }
    }
}

static void read_row(const struct transfer *transfer, uint64_t place, uint64_t other)
{
    vm_memory_read(icd_memory(), transfer->mem->number, place,
                   (uint8_t *)transfer->destination + other, transfer->region[0]);
}

static void write_row(const struct transfer *transfer, uint64_t place, uint64_t other)
{
    vm_memory_write(icd_memory(), transfer->mem->number, place,
                    (const uint8_t *)transfer->source + other, transfer->region[0]);
}

static void copy_row(const struct transfer *transfer, uint64_t place, uint64_t other)
{
    vm_memory_copy(icd_memory(), transfer->from->number, other, transfer->mem->number, place,
                   transfer->region[0]);
}

/* The pattern as often as it fits into a block, then block by block: one call for each would be
 * slow, and one for all would need as much memory as the range. */
static void fill_row(const struct transfer *transfer, uint64_t place, uint64_t other)
{
    (void)other;
    const uint64_t size = transfer->region[0];
    uint8_t block[64 * TRANSFER_PATTERN_MAX];
    uint64_t block_size = sizeof(block) / transfer->pattern_size * transfer->pattern_size;
    if (size < block_size)
        block_size = size;
    for (uint64_t i = 0; i < block_size; i += transfer->pattern_size)
        memcpy(block + i, transfer->pattern, transfer->pattern_size);
    for (uint64_t done = 0; done < size; done += block_size) {
        const uint64_t left = size - done;
        vm_memory_write(icd_memory(), transfer->mem->number, place + done, block,
                        left < block_size ? left : block_size);
    }
}

static cl_int run(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    transfer_each_row(transfer, cost,
                      transfer->destination ? read_row
                      : transfer->source    ? write_row
                      : transfer->from      ? copy_row
                                            : fill_row);
    return CL_SUCCESS;
}

/* ---- the enqueue ---- */

cl_int transfer_enqueue(const struct transfer *filled, struct command_request *request)
{
    const bool writes = filled->source || filled->from || filled->pattern_size > 0;
    if (writes && (filled->mem->flags & CL_MEM_IMMUTABLE_EXT) != 0)
        return CL_INVALID_OPERATION;
    struct transfer *transfer = alloc(sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    *transfer = *filled;
    icd_lock();
    object_hold(transfer->mem);
    if (transfer->from)
        object_hold(transfer->from);
    icd_unlock();
    if (!request->work.run)
        request->work.run = run;
    if (!request->work.tell)
        request->work.tell = tell;
    request->work.release = release;
    request->work.data = transfer;
    return command_enqueue(request);
}

cl_int transfer_enqueue_host(const struct transfer *transfer, struct command_request *request)
{
    const cl_mem_flags forbidden =
        CL_MEM_HOST_NO_ACCESS |
        (transfer->destination ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
    if (!transfer->destination && !transfer->source)
        return CL_INVALID_VALUE;
    return (transfer->mem->flags & forbidden) != 0 ? CL_INVALID_OPERATION
                                                   : transfer_enqueue(transfer, request);
}

cl_int transfer_check(const struct command_request *request, cl_mem mem, bool (*is)(cl_mem mem))
{
    if (request->refused != CL_SUCCESS)
        return request->refused;
    if (!object_is(request->queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is(mem))
        return CL_INVALID_MEM_OBJECT;
    if (mem->context != request->queue->context)
        return CL_INVALID_CONTEXT;
    return command_check(request);
}

cl_int transfer_check_both(const struct command_request *request, cl_mem a,
                           bool (*is_a)(cl_mem mem), cl_mem b, bool (*is_b)(cl_mem mem))
{
    const cl_int checked = transfer_check(request, a, is_a);
    return checked == CL_SUCCESS ? transfer_check(request, b, is_b) : checked;
}

/* ---- read and write ---- */

static cl_int enqueue_host(struct command_request *request, const struct transfer *transfer)
{
    const cl_int checked = transfer_check(request, transfer->mem, mem_is_buffer);
    if (checked != CL_SUCCESS)
        return checked;
    return range_within(transfer->place.offset, transfer->region[0], transfer->mem->size)
               ? transfer_enqueue_host(transfer, request)
               : CL_INVALID_VALUE;
}

cl_int icd_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_read,
                               size_t offset, size_t size, void *ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_READ_BUFFER, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_read;
    return enqueue_host(&request, &(struct transfer){.mem = buffer,
                                                     .place.offset = offset,
                                                     .region = {size, 1, 1},
                                                     .destination = ptr});
}

cl_int icd_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_write,
                                size_t offset, size_t size, const void *ptr,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_WRITE_BUFFER, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_write;
    return enqueue_host(&request, &(struct transfer){.mem = buffer,
                                                     .place.offset = offset,
                                                     .region = {size, 1, 1},
                                                     .source = ptr});
}

/* ---- copy ---- */

uint64_t transfer_root_offset(cl_mem mem, uint64_t offset)
{
    return vm_memory_find(icd_memory(), mem->number)->root_offset + offset;
}

bool transfer_same_root(cl_mem a, cl_mem b)
{
    return vm_memory_find(icd_memory(), a->number)->root ==
           vm_memory_find(icd_memory(), b->number)->root;
}

cl_int transfer_copy_buffer(struct command_request *request, cl_mem src_buffer, cl_mem dst_buffer,
                            size_t src_offset, size_t dst_offset, size_t size)
{
    const cl_int checked =
        transfer_check_both(request, src_buffer, mem_is_buffer, dst_buffer, mem_is_buffer);
    if (checked != CL_SUCCESS)
        return checked;
    if (!range_within(src_offset, size, src_buffer->size) ||
        !range_within(dst_offset, size, dst_buffer->size))
        return CL_INVALID_VALUE;
    if (transfer_same_root(src_buffer, dst_buffer) &&
        transfer_ranges_overlap(transfer_root_offset(src_buffer, src_offset),
                                transfer_root_offset(dst_buffer, dst_offset), size))
        return CL_MEM_COPY_OVERLAP;
    return transfer_enqueue(&(struct transfer){.mem = dst_buffer,
                                               .place.offset = dst_offset,
                                               .region = {size, 1, 1},
                                               .from = src_buffer,
                                               .other.offset = src_offset},
                            request);
}

/* ---- fill ---- */

bool transfer_pattern_fits(const void *pattern, size_t pattern_size, uint64_t at, uint64_t size)
{
    const bool power = pattern_size != 0 && (pattern_size & (pattern_size - 1)) == 0;
    return pattern && power && pattern_size <= TRANSFER_PATTERN_MAX && at % pattern_size == 0 &&
           size % pattern_size == 0;
}

cl_int transfer_fill_buffer(struct command_request *request, cl_mem buffer, const void *pattern,
                            size_t pattern_size, size_t offset, size_t size)
{
    const cl_int checked = transfer_check(request, buffer, mem_is_buffer);
    if (checked != CL_SUCCESS)
        return checked;
    if (!transfer_pattern_fits(pattern, pattern_size, offset, size) ||
        !range_within(offset, size, buffer->size))
        return CL_INVALID_VALUE;
    struct transfer transfer = {.mem = buffer,
                                .place.offset = offset,
                                .region = {size, 1, 1},
                                .pattern_size = pattern_size};
    memcpy(transfer.pattern, pattern, pattern_size);
    return transfer_enqueue(&transfer, request);
}

/* ---- migrate: there is one memory, so the command takes its place in the order, and contents that
 * need not move are lost ---- */

struct migration {
    enum use_kind kind; /* USE_WRITE: contents are left undefined */
    cl_uint count;
    cl_mem mems[]; /* held */
};

static void tell_migration(const void *data)
{
    const struct migration *migration = data;
    for (cl_uint i = 0; i < migration->count; i++) {
        const cl_mem mem = migration->mems[i];
        if (races_watches(&mem->number, 1))
            races_use(mem->number, migration->kind, &(struct use_bytes){.size = mem->size});
    }
}

static cl_int run_migration(void *data, uint64_t *cost)
{
    const struct migration *migration = data;
    for (cl_uint i = 0; i < migration->count && migration->kind == USE_WRITE; i++)
        vm_memory_empty(icd_memory(), migration->mems[i]->number, 0, migration->mems[i]->size);
    (void)cost;
    return CL_SUCCESS;
}

static void release_migration(void *data)
{
    struct migration *migration = data;
    for (cl_uint i = 0; i < migration->count; i++)
        object_drop(migration->mems[i]);
    alloc_free(migration);
}

cl_int icd_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint num_mem_objects,
                                      const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                      cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, num_events_in_wait_list, event_wait_list, event);
    const cl_int checked = command_check(&request);
    if (checked != CL_SUCCESS)
        return checked;
    if (num_mem_objects == 0 || !mem_objects || (flags & ~known) != 0)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        if (!object_is(mem_objects[i], OBJECT_MEM))
            return CL_INVALID_MEM_OBJECT;
        if (mem_objects[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    struct migration *migration = alloc(sizeof(*migration) + num_mem_objects * sizeof(cl_mem));
    if (!migration)
        return CL_OUT_OF_HOST_MEMORY;
    migration->kind = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? USE_WRITE : USE_READ;
    migration->count = num_mem_objects;
    icd_lock();
    for (cl_uint i = 0; i < num_mem_objects; i++)
        object_hold(migration->mems[i] = mem_objects[i]);
    icd_unlock();
    request.work.run = run_migration;
    request.work.tell = tell_migration;
    request.work.release = release_migration;
    request.work.data = migration;
    return command_enqueue(&request);
}
