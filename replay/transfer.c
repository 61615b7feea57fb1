/* Transfers under way, and the comparison of read-backs once they are over. A transfer is over when
 * its event is complete; until then its memory may be written by the device. */
#include "replay/memory.h"
#include "replay/state.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <string.h>

static bool event_is_over(const struct replay *replay, cl_event event)
{
    cl_int status = CL_QUEUED;
    return CL(replay->target, clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                              sizeof status, &status, NULL) != CL_SUCCESS ||
           status == CL_COMPLETE || status < 0;
}

static void transfer_release(const struct replay *replay, struct replay_transfer *transfer)
{
    if (transfer->event)
        CL(replay->target, clReleaseEvent)(transfer->event);
    alloc_free(transfer->memory);
    arena_release(&transfer->arena);
}

/* Only what memory_offset needs of the call: scalars and lists. */
static enum status copy_call(struct replay_transfer *transfer, const struct api_call *call,
                             struct error *error)
{
    transfer->call = *call;
    for (uint32_t i = 0; i < call->argument_count; ++i) {
        struct api_value *value = &transfer->call.arguments[i];
        if (value->kind == API_VALUE_SIZES && value->data) {
            value->data =
                arena_copy(&transfer->arena, value->data, value->count * sizeof(uint64_t));
            if (!value->data)
                return error_no_memory(error, value->count * sizeof(uint64_t));
        } else {
            value->data = NULL;
        }
    }
    return STATUS_OK;
}

enum status replay_transfer_add(struct replay *replay, struct replay_prepared *prepared,
                                const struct replay_map *map, struct error *error)
{
    void *grown = alloc_grow(replay->transfers, replay->transfer_count, &replay->transfer_capacity,
                             sizeof *replay->transfers);
    if (!grown)
        return error_no_memory(error, sizeof *replay->transfers);
    replay->transfers = grown;
    struct replay_transfer *transfer = &replay->transfers[replay->transfer_count];
    *transfer = (struct replay_transfer){.object_handle = prepared->object_handle};
    const enum status status = copy_call(transfer, prepared->call, error);
    if (status != STATUS_OK) {
        arena_release(&transfer->arena);
        return status;
    }
    transfer->argument = map ? API_ARGUMENT_RESULT : prepared->read_argument;
    transfer->memory = prepared->memory;
    transfer->size = prepared->memory_size;
    if (transfer->argument != API_PARAMETER_NONE)
        transfer->bytes = prepared->shared ? prepared->shared : prepared->memory;
    if (map) {
        transfer->bytes = map->pointer;
        transfer->size = replay_rows_size(&map->rows);
        transfer->map = *map;
    }
    prepared->memory = NULL;
    transfer->event = prepared->event ? *prepared->event : NULL;
    if (transfer->event && !prepared->event_is_ours)
        CL(replay->target, clRetainEvent)(transfer->event);
    ++replay->transfer_count;
    return STATUS_OK;
}

/* Of a copy from shared memory, or a map of it, the address. */
static uint64_t source_of(const struct replay_transfer *transfer)
{
    return transfer->object_handle ? transfer->object_handle
           : transfer->map.address ? transfer->map.address
                                   : transfer->call.arguments[API_clEnqueueSVMMemcpy_src_ptr].bits;
}

static void report_difference(struct replay *replay, const struct replay_transfer *transfer,
                              uint64_t size, const struct replay_bytes_difference *bytes)
{
    if (replay_is_unsure(replay, source_of(transfer))) {
        ++replay->result->unsure_results;
        return;
    }
    struct trace_names names = {.trace = replay->trace, .call_id = transfer->call.id};
    const char *name = trace_handle_name(&names, transfer->object_handle);
    const struct replay_object *object =
        replay_objects_find(replay->objects, transfer->object_handle);
    struct replay_difference difference = {
        .call = &transfer->call,
        .object = name ? name : "memory object",
        .type = object ? object->type : "",
        .offset = bytes->offset,
        .size = size,
        .bytes = *bytes,
    };
    uint64_t object_offset;
    if (replay_memory_offset(&transfer->call, difference.offset, &object_offset)) {
        difference.offset = object_offset;
        difference.offset_is_in_object = true;
    }
    replay_read_differs(replay, &difference);
}

/* What the target has where the recording has the content; NULL when memory is out. */
static const void *target_bytes(const struct replay *replay, const struct replay_transfer *transfer,
                                const struct api_content *content, struct arena *arena)
{
    const unsigned char *here = (const unsigned char *)transfer->bytes + content->offset;
    const bool is_map = transfer->map.address != 0;
    if (!is_map && !replay->shared_moved)
        return here;
    void *bytes = arena_copy(arena, is_map ? content->bytes : here, content->size);
    if (!bytes)
        return NULL;
    if (is_map)
        replay_rows_read(&transfer->map.rows, transfer->bytes, content->offset, bytes,
                         content->size);
    const uint64_t address =
        is_map ? transfer->map.address : transfer->call.arguments[transfer->argument].bits;
    replay_shared_point_back(replay, bytes, content->size, address + content->offset);
    return bytes;
}

/* What a map showed of memory that nothing but maps was ever given is what the recording's driver
 * left there. Programs may write the same by chance, which then is not a change: the target gets
 * it.
 */
static bool shows_garbage(const struct replay *replay, const struct replay_transfer *transfer)
{
    const struct replay_object *object =
        replay_objects_find(replay->objects, transfer->object_handle);
    const struct replay_shared *shared = replay_shared_find(replay, transfer->map.address);
    return transfer->map.flags & CL_MAP_WRITE &&
           (object ? !object->is_touched : shared && !shared->is_touched);
}

static enum status give_garbage(const struct replay *replay, struct replay_transfer *transfer,
                                struct error *error)
{
    struct arena arena = {0};
    struct api_content *contents = NULL;
    size_t count = 0;
    const enum status status =
        trace_contents(replay->trace, transfer->call.id, &arena, &contents, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; ++i)
        if (range_within(contents[i].offset, contents[i].size,
                         replay_rows_size(&transfer->map.rows)))
            replay_rows_write(&transfer->map.rows, transfer->map.pointer, contents[i].offset,
                              contents[i].bytes, contents[i].size);
    arena_release(&arena);
    return status;
}

static enum status compare_transfer(struct replay *replay, struct replay_transfer *transfer,
                                    struct error *error)
{
    struct arena arena = {0};
    struct api_content *contents = NULL;
    size_t count = 0;
    enum status status = trace_contents(replay_reference(replay), transfer->call.id, &arena,
                                        &contents, &count, error);
    const struct replay_object *object =
        replay_objects_find(replay->objects, transfer->object_handle);
    const char *type = object ? object->type : "";
    struct replay_bytes_difference all = {0};
    uint64_t compared = 0;
    for (size_t i = 0; status == STATUS_OK && i < count; ++i) {
        const struct api_content *content = &contents[i];
        if (content->argument != transfer->argument ||
            !range_within(content->offset, content->size, transfer->size))
            continue;
        struct replay_bytes_difference difference;
        const uint64_t phase = replay_memory_phase(&transfer->call, content->offset, content->size);
        compared += content->size;
        const void *bytes = target_bytes(replay, transfer, content, &arena);
        if (!bytes)
            status = error_no_memory(error, content->size);
        else if (replay_compare_bytes(content->bytes, bytes, content->size, phase, type,
                                      &replay->options->tolerance, &difference))
            replay_join_difference(&all, &difference, content->offset);
        struct api_content given = *content;
        given.bytes = bytes;
        if (status == STATUS_OK)
            status = replay_keep(replay, transfer->call.id, &given, error);
    }
    if (all.byte_count)
        report_difference(replay, transfer, compared, &all);
    if (compared) {
        ++replay->result->compared_reads;
        replay->result->compared_bytes += compared;
    } else if (status == STATUS_OK && transfer->size && !transfer->map.address) {
        ++replay->result->uncompared_reads;
    }
    arena_release(&arena);
    return status;
}

/* Ends a transfer that is over; its place in the list is then free. */
static enum status end_transfer(struct replay *replay, struct replay_transfer *transfer,
                                struct error *error)
{
    enum status status = STATUS_OK;
    if (shows_garbage(replay, transfer))
        status = give_garbage(replay, transfer, error);
    else if (transfer->bytes && (!transfer->map.address || transfer->map.flags & CL_MAP_READ))
        status = compare_transfer(replay, transfer, error);
    transfer_release(replay, transfer);
    return status;
}

enum status replay_transfers_settle(struct replay *replay, struct error *error)
{
    enum status status = STATUS_OK;
    size_t kept = 0;
    for (size_t i = 0; i < replay->transfer_count; ++i) {
        struct replay_transfer *transfer = &replay->transfers[i];
        const bool over = !transfer->event || event_is_over(replay, transfer->event);
        if (status == STATUS_OK && over)
            status = end_transfer(replay, transfer, error);
        else
            replay->transfers[kept++] = *transfer;
    }
    replay->transfer_count = kept;
    return status;
}

static struct replay_transfer *find_map(const struct replay *replay, uint64_t address)
{
    for (size_t i = 0; i < replay->transfer_count; ++i)
        if (replay->transfers[i].map.address == address)
            return &replay->transfers[i];
    return NULL;
}

/* The application used the region, so the map was over. A user event that is still open may hold it
 * back here only if the application was wrong. */
static enum status await_map(struct replay *replay, const struct replay_transfer *transfer,
                             struct error *error)
{
    cl_event event = transfer->event;
    if (event_is_over(replay, event))
        return STATUS_OK;
    if (replay->open_user_events && !replay->threads)
        return replay_fail(&transfer->call, STATUS_UNSUPPORTED, error,
                           "the region is used before the map is over");
    replay_await(replay, event);
    return STATUS_OK;
}

enum status replay_map_settle(struct replay *replay, uint64_t address, struct error *error)
{
    struct replay_transfer *transfer = find_map(replay, address);
    if (!transfer)
        return STATUS_OK;
    enum status status = await_map(replay, transfer, error);
    transfer = find_map(replay, address);
    if (status != STATUS_OK || !transfer)
        return status;
    status = end_transfer(replay, transfer, error);
    const size_t index = (size_t)(transfer - replay->transfers);
    memmove(transfer, transfer + 1, (replay->transfer_count - index - 1) * sizeof *transfer);
    --replay->transfer_count;
    return status;
}

void replay_transfers_release(struct replay *replay)
{
    for (size_t i = 0; i < replay->transfer_count; ++i)
        transfer_release(replay, &replay->transfers[i]);
    alloc_free(replay->transfers);
    alloc_free(replay->maps);
}
