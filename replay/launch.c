/* Launches whose memory the trace has: what they found is given to them when they run alone, and
 * what they leave is compared. */
#include "replay/state.h"
#include "trace/api/memory_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool replay_is_launch(const struct api_call *call)
{
    return api_entry_launches(call->entry);
}

bool replay_runs_kernels(const struct api_call *call)
{
    return replay_is_launch(call) || call->entry == API_ENTRY_clEnqueueCommandBufferKHR;
}

/* What knows the memory that a launch can reach: its kernel, or the command-buffer. */
static const struct replay_object *find_launched(const struct replay *replay,
                                                 const struct api_call *call)
{
    const uint32_t index = call->entry == API_ENTRY_clEnqueueCommandBufferKHR
                               ? (uint32_t)API_clEnqueueCommandBufferKHR_command_buffer
                               : (uint32_t)API_clEnqueueNDRangeKernel_kernel;
    return replay_objects_find(replay->objects, call->arguments[index].bits);
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool replay_runs_alone(const struct replay *replay, const struct api_call *call)
{
    const struct replay_options *options = replay->options;
    return options->launches && replay_is_launch(call) &&
           bsearch(&call->id, options->launches, options->launch_count, sizeof call->id,
                   compare_ids);
}

/* Objects that say when commands run, not what they find. */
static bool is_order(enum api_object_kind kind)
{
    return kind == API_OBJECT_EVENT || kind == API_OBJECT_SEMAPHORE ||
           kind == API_OBJECT_COMMAND_BUFFER;
}

bool replay_prepares_launches(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (info->flags & API_ENTRY_ENQUEUES || is_order(info->return_kind) ||
        call->entry == API_ENTRY_clFinish || call->entry == API_ENTRY_clFlush)
        return false;
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        if (is_order((enum api_object_kind)info->parameters[i].kind))
            return false;
    return true;
}

/* False when user events keep commands back. */
static bool finish_queues(const struct replay *replay)
{
    if (replay->open_user_events)
        return false;
    replay_finish_queues(replay);
    return true;
}

enum status replay_memory_find(const struct replay *replay, const struct api_call *call,
                               uint64_t handle, struct memory_object *found, struct error *error)
{
    const struct replay_object *object = replay_objects_find(replay->objects, handle);
    const struct replay_shared *shared = object ? NULL : replay_shared_find(replay, handle);
    if (shared)
        *found = (struct memory_object){.svm = shared->pointer,
                                        .size = shared->size,
                                        .is_unified = shared->allocator != API_ENTRY_clSVMAlloc,
                                        .is_of_host = shared->is_of_host};
    else if (!object || object->kind != API_OBJECT_MEM || object->references <= 0 ||
             !memory_object_describe(replay->target->functions,
                                     (cl_mem)(uintptr_t)object->new_handle, found))
        return replay_fail(call, STATUS_NOT_FOUND, error,
                           "its contents are of 0x%" PRIx64 ", which is not a memory object here",
                           handle);
    return STATUS_OK;
}

static enum status check_size(const struct api_call *call, const struct memory_object *object,
                              const struct trace_memory *memory, struct error *error)
{
    if (object->size == memory->size)
        return STATUS_OK;
    return replay_fail(call, STATUS_MALFORMED, error,
                       "a memory object has %zu bytes here and %" PRIu64 " in the recording",
                       object->size, memory->size);
}

static const char *object_name(const struct replay *replay, const struct api_call *call,
                               uint64_t handle, struct trace_names *names)
{
    *names = (struct trace_names){.trace = replay->trace, .call_id = call->id};
    const char *name = trace_handle_name(names, handle);
    return name ? name : "shared virtual memory";
}

/* Everything that the kernel can reach must be there: a pipe, or memory that could not be read,
 * would hold something else. */
static enum status check_reached(const struct replay *replay, const struct api_call *call,
                                 const uint64_t *objects, size_t count, struct error *error)
{
    const struct replay_object *kernel = find_launched(replay, call);
    for (size_t i = 0; kernel && i < kernel->reached_count; ++i) {
        const struct replay_shared *shared = replay_shared_find(replay, kernel->reached[i]);
        const uint64_t handle = shared ? shared->address : kernel->reached[i];
        struct trace_names names;
        if (handle && !bsearch(&handle, objects, count, sizeof handle, compare_ids))
            return replay_fail(call, STATUS_UNSUPPORTED, error,
                               "the trace has not what argument %zu, %s, held", i,
                               object_name(replay, call, handle, &names));
    }
    return STATUS_OK;
}

enum status replay_memory_give(const struct replay *replay, const struct api_call *call,
                               cl_command_queue queue, uint64_t handle, struct arena *arena,
                               struct error *error)
{
    struct trace_memory memory;
    struct memory_object object;
    enum status status =
        trace_launch_memory(replay->trace, call->id, false, handle, arena, &memory, error);
    if (status == STATUS_OK)
        status = replay_memory_find(replay, call, handle, &object, error);
    if (status == STATUS_OK)
        status = check_size(call, &object, &memory, error);
    if (status != STATUS_OK)
        return status;
    if (!memory.bytes)
        return replay_fail(call, STATUS_UNSUPPORTED, error,
                           "the trace has only digests of what it found (recorded with "
                           "--contents hashes)");
    void *bytes = arena_copy(arena, memory.bytes, memory.size);
    if (!bytes)
        return error_no_memory(error, memory.size);
    replay_shared_point_here(replay, bytes, memory.size, 0);
    if (memory_object_write(replay->target->functions, queue, &object, bytes) != CL_SUCCESS)
        return replay_fail(call, STATUS_UNSUPPORTED, error,
                           "the target does not take the bytes of a memory object");
    return STATUS_OK;
}

/* Reference outputs outlive the recording's handles: there objects are named by the order in which
 * they were created. */
enum { SHARED_NUMBER = 1 << 30 };

static uint64_t number_of(const struct replay *replay, uint64_t handle)
{
    const struct replay_object *object = replay_objects_find(replay->objects, handle);
    const struct replay_shared *shared = replay_shared_find(replay, handle);
    return object && object->number ? object->number
           : shared                 ? SHARED_NUMBER + (uint64_t)(shared - replay->shared) + 1
                                    : 0;
}

static uint64_t handle_of(const struct replay *replay, uint64_t number)
{
    if (number > SHARED_NUMBER)
        return number - SHARED_NUMBER <= replay->shared_count
                   ? replay->shared[number - SHARED_NUMBER - 1].address
                   : 0;
    struct replay_object *object = NULL;
    while ((object = replay_objects_next(replay->objects, object)))
        if (object->number == number)
            return object->old_handle;
    return 0;
}

/* What the object is called where its bytes are compared with. */
static uint64_t reference_name(const struct replay *replay, uint64_t handle)
{
    return replay->options->golden ? number_of(replay, handle) : handle;
}

enum status replay_memory_read(const struct replay *replay, const struct api_call *call,
                               cl_command_queue queue, const struct memory_object *object,
                               struct arena *arena, unsigned char **bytes, struct error *error)
{
    *bytes = arena_alloc(arena, 1, object->size);
    if (!*bytes)
        return error_no_memory(error, object->size);
    if (memory_object_read(replay->target->functions, queue, object, *bytes) != CL_SUCCESS)
        return replay_fail(call, STATUS_UNSUPPORTED, error,
                           "the target does not give the bytes of a memory object");
    replay_shared_point_back(replay, *bytes, object->size, 0);
    return STATUS_OK;
}

/* Remembers what the launch finds here. An object without bytes is left out. */
static enum status note_found(struct replay *replay, const struct replay_prepared *prepared,
                              uint64_t handle, struct error *error)
{
    const struct api_call *call = prepared->call;
    struct memory_object object;
    unsigned char *bytes;
    if (replay_memory_find(replay, call, handle, &object, NULL) != STATUS_OK)
        return STATUS_OK;
    const enum status status = replay_memory_read(replay, call, replay_queue_of(replay, prepared),
                                                  &object, &replay->found_memory, &bytes, error);
    if (status != STATUS_OK)
        return status;
    replay->found[replay->found_count++] =
        (struct replay_found){.object = handle, .bytes = bytes, .size = object.size};
    return replay_keep(replay, call->id,
                       &(struct api_content){.object = number_of(replay, handle),
                                             .size = object.size,
                                             .bytes = bytes},
                       error);
}

/* What of that which the kernel can reach has bytes, as replay saw its arguments being set; *unread
 * has none that could be read. */
static enum status find_reached(const struct replay *replay, const struct replay_prepared *prepared,
                                uint64_t **objects, size_t *count, uint64_t *unread,
                                struct error *error)
{
    const struct replay_object *kernel = find_launched(replay, prepared->call);
    const size_t limit = kernel ? kernel->reached_count : 0;
    uint64_t *made = arena_alloc(prepared->arena, limit + 1, sizeof *made);
    if (!made)
        return error_no_memory(error, limit * sizeof *made);
    *count = 0;
    for (size_t i = 0; i < limit; ++i) {
        const struct replay_shared *shared = replay_shared_find(replay, kernel->reached[i]);
        const uint64_t handle = shared ? shared->address : kernel->reached[i];
        struct memory_object object;
        size_t at = 0;
        while (at < *count && made[at] != handle)
            ++at;
        if (!handle || at < *count)
            continue;
        if (replay_memory_find(replay, prepared->call, handle, &object, NULL) == STATUS_OK)
            made[(*count)++] = handle;
        else
            ++*unread;
    }
    *objects = made;
    return STATUS_OK;
}

/* The objects of which it is known what the launch found, or left; where nothing is, and all is to
 * be kept, those that it can reach. */
static enum status find_objects(const struct replay *replay, const struct replay_prepared *prepared,
                                bool after, uint64_t **objects, size_t *count, struct error *error)
{
    const enum status status = trace_launch_objects(replay_reference(replay), prepared->call->id,
                                                    after, prepared->arena, objects, count, error);
    const struct replay_options *options = replay->options;
    for (size_t i = 0; status == STATUS_OK && options->golden && i < *count; ++i)
        (*objects)[i] = handle_of(replay, (*objects)[i]);
    uint64_t unread = 0;
    if (status != STATUS_OK || *count || !options->keep || !options->keep_launches)
        return status;
    const enum status found = find_reached(replay, prepared, objects, count, &unread, error);
    replay->result->unread_objects += after ? 0 : unread;
    return found;
}

static enum status prepare_alone(struct replay *replay, const struct replay_prepared *prepared,
                                 struct error *error)
{
    const struct api_call *call = prepared->call;
    uint64_t *objects;
    size_t count;
    enum status status = trace_launch_objects(replay->trace, call->id, false, prepared->arena,
                                              &objects, &count, error);
    if (status != STATUS_OK)
        return status;
    finish_queues(replay);
    qsort(objects, count, sizeof *objects, compare_ids);
    status = check_reached(replay, call, objects, count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; ++i) {
        struct arena arena = {0};
        status = replay_memory_give(replay, call, replay_queue_of(replay, prepared), objects[i],
                                    &arena, error);
        arena_release(&arena);
    }
    return status;
}

enum status replay_launch_prepare(struct replay *replay, const struct replay_prepared *prepared,
                                  struct error *error)
{
    uint64_t *objects;
    size_t count;
    arena_release(&replay->found_memory);
    replay->found_count = 0;
    if (replay->threads)
        return STATUS_OK;
    if (replay_runs_alone(replay, prepared->call))
        return prepare_alone(replay, prepared, error);
    enum status status = find_objects(replay, prepared, false, &objects, &count, error);
    if (status != STATUS_OK || count == 0 || !finish_queues(replay))
        return status;
    replay->found = arena_alloc(&replay->found_memory, count, sizeof *replay->found);
    if (!replay->found)
        return error_no_memory(error, count * sizeof *replay->found);
    for (size_t i = 0; status == STATUS_OK && i < count; ++i)
        status = note_found(replay, prepared, objects[i], error);
    return status;
}

/* ---- comparing ---- */

/* A memory object after a launch: in the recording, and here. */
struct left {
    struct trace_memory found, left;
    const unsigned char *found_here; /* NULL = as in the recording, or not known */
    unsigned char *left_here;
};

/* Memory that was never written is not the same everywhere. What the launch leaves as it was, here
 * and in the recording, is not its doing and counts as equal. */
static void forgive_unchanged(const struct left *left)
{
    for (uint64_t i = 0; i < left->left.size; ++i)
        if (left->found_here[i] == left->left_here[i] &&
            left->found.bytes[i] == left->left.bytes[i])
            left->left_here[i] = left->left.bytes[i];
}

/* Of digests only those pieces mean something that the launch found as it did in the recording. */
static bool piece_was_found(const struct left *left, size_t index)
{
    return !left->found_here ||
           (index < left->found.piece_count &&
            trace_piece_is(&left->found.pieces[index],
                           left->found_here + left->found.pieces[index].offset));
}

/* Adds to *size what is compared. */
static void compare_digests(const struct left *left, struct replay_bytes_difference *difference,
                            uint64_t *size)
{
    *difference = (struct replay_bytes_difference){0};
    for (size_t i = 0; i < left->left.piece_count; ++i) {
        const struct trace_piece *piece = &left->left.pieces[i];
        if (!piece_was_found(left, i))
            continue;
        *size += piece->size;
        if (trace_piece_is(piece, left->left_here + piece->offset))
            continue;
        if (difference->byte_count == 0)
            difference->offset = difference->first_byte = piece->offset;
        difference->byte_count += piece->size;
    }
}

/* Whether they differ at all. */
static bool compare_memory(const struct replay *replay, const struct left *left, const char *type,
                           struct replay_bytes_difference *difference, uint64_t *size)
{
    if (!left->left.bytes) {
        compare_digests(left, difference, size);
        return difference->byte_count != 0;
    }
    *size += left->left.size;
    if (left->found_here && left->found.bytes)
        forgive_unchanged(left);
    return replay_compare_bytes(left->left.bytes, left->left_here, left->left.size, 0, type,
                                &replay->options->tolerance, difference);
}

static void report_memory(struct replay *replay, const struct api_call *call, uint64_t handle,
                          const char *type, uint64_t size,
                          const struct replay_bytes_difference *bytes, struct replay_launch *launch)
{
    struct replay_result *result = replay->result;
    if (bytes->ulp > result->ulp)
        result->ulp = bytes->ulp;
    if (bytes->relative > result->relative)
        result->relative = bytes->relative;
    if (bytes->is_close) {
        launch->is_close = true;
        return;
    }
    if (replay_is_unsure(replay, handle)) {
        ++result->unsure_results;
        return;
    }
    if (replay->options->tolerance.allowed && (!replay_type_is_known(type) || !bytes->value_size))
        ++result->untyped_objects;
    ++launch->differing_objects;
    launch->differing_bytes += bytes->byte_count;
    struct trace_names names;
    if (replay->options->difference)
        replay->options->difference(
            replay->options->user,
            &(struct replay_difference){.call = call,
                                        .is_launch = true,
                                        .object = object_name(replay, call, handle, &names),
                                        .type = type,
                                        .offset = bytes->offset,
                                        .offset_is_in_object = true,
                                        .size = size,
                                        .bytes = *bytes});
}

/* Reads what the launch left here, and what it is compared with. *known: there is something. */
static enum status read_left(const struct replay *replay, const struct replay_prepared *prepared,
                             uint64_t handle, struct arena *arena, struct left *left, bool *known,
                             struct error *error)
{
    const struct api_call *call = prepared->call;
    struct trace *reference = replay_reference(replay);
    const uint64_t name = reference_name(replay, handle);
    struct memory_object object;
    *left = (struct left){0};
    enum status status = replay_memory_find(replay, call, handle, &object, error);
    if (status == STATUS_OK)
        status = replay_memory_read(replay, call, replay_queue_of(replay, prepared), &object, arena,
                                    &left->left_here, error);
    if (status == STATUS_OK)
        status = replay_keep(replay, call->id,
                             &(struct api_content){.object = number_of(replay, handle),
                                                   .after = true,
                                                   .size = object.size,
                                                   .bytes = left->left_here},
                             error);
    if (status == STATUS_OK)
        status = trace_launch_memory(reference, call->id, true, name, arena, &left->left, error);
    *known = status == STATUS_OK && left->left.piece_count != 0;
    if (*known)
        status = check_size(call, &object, &left->left, error);
    for (size_t i = 0; status == STATUS_OK && *known && i < replay->found_count; ++i) {
        if (replay->found[i].object != handle || replay->found[i].size != left->left.size)
            continue;
        left->found_here = replay->found[i].bytes;
        return trace_launch_memory(reference, call->id, false, name, arena, &left->found, error);
    }
    return status;
}

static enum status compare_object(struct replay *replay, const struct replay_prepared *prepared,
                                  uint64_t handle, struct replay_launch *launch,
                                  struct error *error)
{
    const struct replay_object *object = replay_objects_find(replay->objects, handle);
    const struct replay_shared *shared = object ? NULL : replay_shared_find(replay, handle);
    const char *type = object ? object->type : shared ? shared->type : "";
    struct arena arena = {0};
    struct left left;
    struct replay_bytes_difference difference;
    bool known;
    const enum status status = read_left(replay, prepared, handle, &arena, &left, &known, error);
    if (status == STATUS_OK && known) {
        ++launch->objects;
        if (compare_memory(replay, &left, type, &difference, &launch->bytes))
            report_memory(replay, prepared->call, handle, type, left.left.size, &difference,
                          launch);
    }
    arena_release(&arena);
    return status;
}

enum status replay_launch_compare(struct replay *replay, const struct replay_prepared *prepared,
                                  struct error *error)
{
    struct replay_result *result = replay->result;
    struct replay_launch launch = {.call = prepared->call};
    uint64_t *objects;
    size_t count;
    if (replay->threads)
        return STATUS_OK;
    enum status status = find_objects(replay, prepared, true, &objects, &count, error);
    if (status != STATUS_OK || count == 0 || !finish_queues(replay))
        return status;
    for (size_t i = 0; status == STATUS_OK && i < count; ++i)
        status = compare_object(replay, prepared, objects[i], &launch, error);
    if (status != STATUS_OK || !launch.objects)
        return status;
    ++result->compared_launches;
    result->compared_launch_bytes += launch.bytes;
    if (launch.differing_objects) {
        if (!result->differing_launches++)
            result->first_differing_launch = launch.call->id;
        launch.is_close = false;
    }
    result->close_launches += launch.is_close;
    if (replay->options->launch_compared)
        replay->options->launch_compared(replay->options->user, &launch);
    return STATUS_OK;
}
