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

static void use(cl_mem mem, enum use_kind kind, const struct transfer *transfer,
                const struct use_bytes *rows, uint64_t offset)
{
    const bool has_rows = transfer->region[0] != 0;
    const struct use_bytes bytes = {.first = offset, .size = transfer->size};
    races_use(mem->number, kind, has_rows ? rows : &bytes);
}

struct use_bytes transfer_rows(const struct transfer *transfer)
{
    return (struct use_bytes){.first = transfer->offset,
                              .size = transfer->region[0],
                              .rows = transfer->region[1],
                              .row_pitch = transfer->mem_row_pitch,
                              .slices = transfer->region[2],
                              .slice_pitch = transfer->mem_slice_pitch};
}

/* Does the transfer read the object into its own CL_MEM_USE_HOST_PTR memory, or write it from
 * there? */
static bool is_own_memory(const struct transfer *transfer, cl_mem root)
{
    const uintptr_t host =
        (uintptr_t)(transfer->destination ? transfer->destination : transfer->source) +
        transfer->other_offset;
    return root->host_ptr && !transfer->from && host - (uintptr_t)root->host_ptr < root->size;
}

static void tell(const void *data)
{
    const struct transfer *transfer = data;
    const uint32_t objects[] = {transfer->mem->number, transfer->from ? transfer->from->number : 0};
    if (!races_watches(objects, 2))
        return;
    const struct use_bytes rows = transfer_rows(transfer);
    const struct use_bytes other_rows = {.first = transfer->other_offset,
                                         .size = transfer->region[0],
                                         .rows = transfer->region[1],
                                         .row_pitch = transfer->other_row_pitch,
                                         .slices = transfer->region[2],
                                         .slice_pitch = transfer->other_slice_pitch};
    cl_mem root = mem_root(transfer->mem);
    if (is_own_memory(transfer, root)) {
        races_use_own_memory(root->number, root->size);
        return;
    }
    if (transfer->from)
        use(transfer->from, USE_READ, transfer, &other_rows, transfer->from_offset);
    use(transfer->mem, transfer->destination ? USE_READ : USE_WRITE, transfer, &rows,
        transfer->offset);
}

cl_int transfer_enqueue(struct transfer *transfer, struct command_request *request)
{
    const bool writes = transfer->source || transfer->from || transfer->pattern_size > 0;
    if (writes && (transfer->mem->flags & CL_MEM_IMMUTABLE_EXT) != 0) {
        alloc_free(transfer);
        return CL_INVALID_OPERATION;
    }
    icd_lock();
    object_hold(transfer->mem);
    if (transfer->from)
        object_hold(transfer->from);
    icd_unlock();
    if (!request->tell)
        request->tell = tell;
    request->release = release;
    request->data = transfer;
    return command_enqueue(request);
}

cl_int transfer_check(cl_command_queue queue, cl_mem mem, bool (*is)(cl_mem mem),
                      cl_uint wait_count, const cl_event *wait_list)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!is(mem))
        return CL_INVALID_MEM_OBJECT;
    if (mem->context != queue->context)
        return CL_INVALID_CONTEXT;
    return command_check(queue, wait_count, wait_list);
}

/* ---- read and write ---- */

static cl_int run_read(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    vm_memory_read(icd_memory(), transfer->mem->number, transfer->offset, transfer->destination,
                   transfer->size);
    *cost += transfer_cost(transfer->size);
    return CL_SUCCESS;
}

static cl_int run_write(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    vm_memory_write(icd_memory(), transfer->mem->number, transfer->offset, transfer->source,
                    transfer->size);
    *cost += transfer_cost(transfer->size);
    return CL_SUCCESS;
}

static cl_int enqueue_host(struct command_request *request, const struct transfer *filled,
                           cl_mem_flags forbidden)
{
    const cl_int checked = transfer_check(request->queue, filled->mem, mem_is_buffer,
                                          request->wait_count, request->wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    if ((!filled->destination && !filled->source) ||
        !range_within(filled->offset, filled->size, filled->mem->size))
        return CL_INVALID_VALUE;
    if ((filled->mem->flags & (forbidden | CL_MEM_HOST_NO_ACCESS)) != 0)
        return CL_INVALID_OPERATION;
    struct transfer *transfer = alloc(sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    *transfer = *filled;
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_read,
                               size_t offset, size_t size, void *ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_READ_BUFFER,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .blocking = blocking_read,
                                      .event = event,
                                      .run = run_read};
    const struct transfer transfer = {
        .mem = buffer, .offset = offset, .size = size, .destination = ptr};
    return enqueue_host(&request, &transfer, CL_MEM_HOST_WRITE_ONLY);
}

cl_int icd_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_write,
                                size_t offset, size_t size, const void *ptr,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_WRITE_BUFFER,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .blocking = blocking_write,
                                      .event = event,
                                      .run = run_write};
    const struct transfer transfer = {.mem = buffer, .offset = offset, .size = size, .source = ptr};
    return enqueue_host(&request, &transfer, CL_MEM_HOST_READ_ONLY);
}

/* ---- copy ---- */

static cl_int run_copy(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    vm_memory_copy(icd_memory(), transfer->from->number, transfer->from_offset,
                   transfer->mem->number, transfer->offset, transfer->size);
    *cost += transfer_cost(transfer->size);
    return CL_SUCCESS;
}

uint64_t transfer_root_offset(cl_mem mem, uint64_t offset)
{
    return vm_memory_find(icd_memory(), mem->number)->root_offset + offset;
}

bool transfer_same_root(cl_mem a, cl_mem b)
{
    return vm_memory_find(icd_memory(), a->number)->root ==
           vm_memory_find(icd_memory(), b->number)->root;
}

static bool ranges_overlap(uint64_t a, uint64_t b, uint64_t size)
{
    return a < b ? b - a < size : a - b < size;
}

cl_int transfer_copy_buffer(struct command_request *request, cl_mem src_buffer, cl_mem dst_buffer,
                            size_t src_offset, size_t dst_offset, size_t size)
{
    cl_int checked = transfer_check(request->queue, src_buffer, mem_is_buffer, request->wait_count,
                                    request->wait_list);
    if (checked == CL_SUCCESS)
        checked = transfer_check(request->queue, dst_buffer, mem_is_buffer, request->wait_count,
                                 request->wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    if (!range_within(src_offset, size, src_buffer->size) ||
        !range_within(dst_offset, size, dst_buffer->size))
        return CL_INVALID_VALUE;
    if (transfer_same_root(src_buffer, dst_buffer) &&
        ranges_overlap(transfer_root_offset(src_buffer, src_offset),
                       transfer_root_offset(dst_buffer, dst_offset), size))
        return CL_MEM_COPY_OVERLAP;
    struct transfer *transfer = alloc(sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    *transfer = (struct transfer){.mem = dst_buffer,
                                  .offset = dst_offset,
                                  .size = size,
                                  .from = src_buffer,
                                  .from_offset = src_offset};
    request->run = run_copy;
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                               size_t src_offset, size_t dst_offset, size_t size,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_COPY_BUFFER,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    return transfer_copy_buffer(&request, src_buffer, dst_buffer, src_offset, dst_offset, size);
}

/* ---- fill ---- */

void transfer_fill(const struct transfer *transfer, uint64_t offset, uint64_t size)
{
    /* The pattern as often as it fits into a block, then block by block: one call for each would be
     * slow, and one for all would need as much memory as the range. */
    uint8_t block[64 * TRANSFER_PATTERN_MAX];
    uint64_t block_size = sizeof(block) / transfer->pattern_size * transfer->pattern_size;
    if (size < block_size)
        block_size = size;
    for (uint64_t i = 0; i < block_size; i += transfer->pattern_size)
        memcpy(block + i, transfer->pattern, transfer->pattern_size);
    for (uint64_t done = 0; done < size; done += block_size) {
        const uint64_t left = size - done;
        vm_memory_write(icd_memory(), transfer->mem->number, offset + done, block,
                        left < block_size ? left : block_size);
    }
}

static cl_int run_fill(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    transfer_fill(transfer, transfer->offset, transfer->size);
    *cost += transfer_cost(transfer->size);
    return CL_SUCCESS;
}

cl_int transfer_fill_buffer(struct command_request *request, cl_mem buffer, const void *pattern,
                            size_t pattern_size, size_t offset, size_t size)
{
    const cl_int checked = transfer_check(request->queue, buffer, mem_is_buffer,
                                          request->wait_count, request->wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    const bool power = pattern_size != 0 && (pattern_size & (pattern_size - 1)) == 0;
    if (!pattern || !power || pattern_size > TRANSFER_PATTERN_MAX || offset % pattern_size != 0 ||
        size % pattern_size != 0 || !range_within(offset, size, buffer->size))
        return CL_INVALID_VALUE;
    struct transfer *transfer = alloc(sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    *transfer = (struct transfer){
        .mem = buffer, .offset = offset, .size = size, .pattern_size = pattern_size};
    memcpy(transfer->pattern, pattern, pattern_size);
    request->run = run_fill;
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                               size_t pattern_size, size_t offset, size_t size,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_FILL_BUFFER,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    return transfer_fill_buffer(&request, buffer, pattern, pattern_size, offset, size);
}

/* ---- migrate: there is one memory, so the command only takes its place in the order ---- */

struct migration {
    enum use_kind kind;
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
    const cl_int checked = command_check(queue, num_events_in_wait_list, event_wait_list);
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
    return command_enqueue(&(struct command_request){.queue = queue,
                                                     .type = CL_COMMAND_MIGRATE_MEM_OBJECTS,
                                                     .wait_count = num_events_in_wait_list,
                                                     .wait_list = event_wait_list,
                                                     .event = event,
                                                     .tell = tell_migration,
                                                     .release = release_migration,
                                                     .data = migration});
}
