#include "layer/probes/capture.h"

#include "layer/live.h"
#include "layer/probes/allocations.h"
#include "layer/probes/contents.h"
#include "layer/probes/given.h"
#include "layer/probes/released.h"
#include "layer/probes/written.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <string.h>
#include <sys/resource.h>

static const char no_memory[] = "memory is out";

/* ---- what is kept of a launch ---- */

/* Other threads may release it: held, or NULL when it is not there any more. */
static cl_mem hold_memory(const struct capture_from *from, cl_mem memory)
{
    live_lock(from->live);
    const struct live_object *object = live_find(from->live, (uint64_t)memory);
    const bool is_held = object && object->kind == API_OBJECT_MEM &&
                         LAYER_TARGET(clRetainMemObject)(memory) == CL_SUCCESS;
    live_unlock(from->live);
    return is_held || released_hold(from->released, memory) ? memory : NULL;
}

/* A held memory object, of which one reference passes to the capture; NULL, or why it cannot be
 * kept. */
static const char *add_memory(struct capture *capture, cl_mem memory)
{
    struct captured *captured = &capture->captured;
    capture->memory[captured->memory_count] = memory;
    return contents_describe(memory, &captured->memory[captured->memory_count++]);
}

static const char *find_memory(const struct capture_from *from, struct capture *capture,
                               cl_mem memory, uint32_t *index)
{
    struct captured *captured = &capture->captured;
    for (*index = 0; *index < captured->memory_count; ++*index)
        if (capture->memory[*index] == memory)
            return NULL;
    cl_mem held = hold_memory(from, memory);
    return held ? add_memory(capture, held)
                : "a memory object of it was released before clerk had read it";
}

static const char *add_argument(const struct capture_from *from, struct capture *capture,
                                const struct given_argument *given,
                                struct captured_argument *argument)
{
    const void *bytes = given->bytes ? given->bytes : given->small;
    argument->size = given->size;
    switch (given->kind) {
    case GIVEN_VALUE:
        argument->kind = CAPTURED_VALUE;
        argument->bytes = arena_copy(&capture->captured.arena, bytes, given->size);
        return argument->bytes ? NULL : no_memory;
    case GIVEN_LOCAL:
        argument->kind = CAPTURED_LOCAL;
        return NULL;
    case GIVEN_MEMORY:
        argument->kind = CAPTURED_MEMORY;
        return find_memory(from, capture, given->memory, &argument->index);
    case GIVEN_SHARED:
        argument->kind = CAPTURED_SHARED;
        return contents_find_shared(from->live, given->address, &capture->captured, capture->room,
                                    argument);
    case GIVEN_SAMPLER:
        argument->kind = CAPTURED_SAMPLER;
        argument->bytes = arena_copy(&capture->captured.arena, bytes, given->size);
        return argument->bytes ? NULL : no_memory;
    case GIVEN_NULL:
        argument->kind = CAPTURED_NULL;
        return NULL;
    case GIVEN_OTHER:
        return given->reason;
    default:
        return "an argument of it was not set";
    }
}

/* Which bytes of which buffer a memory object has. An image has no more than some of a buffer that
 * it is made from: it counts as all of it. */
static cl_mem bytes_of(cl_mem memory, const struct captured_memory *described, uint64_t *begin,
                       uint64_t *end)
{
    const bool is_buffer = described->type == CL_MEM_OBJECT_BUFFER;
    *begin = 0;
    for (;;) {
        cl_mem parent = NULL;
        size_t offset = 0;
        LAYER_TARGET(clGetMemObjectInfo)
        (memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
        LAYER_TARGET(clGetMemObjectInfo)(memory, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
        if (!parent)
            break;
        *begin += offset;
        memory = parent;
    }
    *begin = is_buffer ? *begin : 0;
    *end = is_buffer ? *begin + described->size : UINT64_MAX;
    return memory;
}

/* Each memory object is kept by itself: a sub-buffer without what it is made from, which may be
 * large. That cannot be where two have bytes in common. */
static bool have_common_bytes(const struct capture *capture)
{
    const struct captured *captured = &capture->captured;
    for (size_t i = 0; i < captured->memory_count; i++) {
        uint64_t begin, end, other_begin, other_end;
        if (!capture->memory[i])
            continue;
        cl_mem whole = bytes_of(capture->memory[i], &captured->memory[i], &begin, &end);
        for (size_t k = 0; k < i; k++)
            if (capture->memory[k] &&
                bytes_of(capture->memory[k], &captured->memory[k], &other_begin, &other_end) ==
                    whole &&
                begin < other_end && other_begin < end)
                return true;
    }
    return false;
}

/* Does the kernel use pointers that are not made from its arguments? */
static bool has_pointers(const struct reading_launch *launch)
{
    const struct checked_kernel *checked = checked_find(launch->copy->checked, launch->kernel);
    for (size_t i = 0; checked && i < checked->parameter_count; i++)
        if (checked->parameters[i].hidden == CHECKED_HIDDEN_SHARED)
            return true;
    return false;
}

static bool make_lists(struct capture *capture, size_t count, size_t shared)
{
    struct captured *captured = &capture->captured;
    capture->room = count + shared + 1;
    captured->arguments = arena_alloc(&captured->arena, count + 1, sizeof *captured->arguments);
    captured->memory = arena_alloc(&captured->arena, capture->room, sizeof *captured->memory);
    capture->memory = arena_alloc(&captured->arena, capture->room, sizeof(cl_mem));
    capture->events = arena_alloc(&captured->arena, capture->room, sizeof(cl_event));
    return captured->arguments && captured->memory && capture->memory && capture->events;
}

static const char *add_arguments(const struct capture_from *from, struct capture *capture,
                                 const struct reading_launch *launch)
{
    struct captured *captured = &capture->captured;
    const struct given *given = launch->given;
    const char *reason = NULL;
    if (!given || !make_lists(capture, given->count, contents_shared_count(from->live)))
        return no_memory;
    captured->argument_count = given->count;
    for (size_t i = 0; !reason && i < given->count; i++)
        reason = add_argument(from, capture, &given->arguments[i], &captured->arguments[i]);
    if (!reason && has_pointers(launch))
        reason = contents_keep_all_shared(from->live, captured, capture->room);
    if (!reason && have_common_bytes(capture))
        reason = "two memory objects among its arguments have bytes in common";
    return reason;
}

struct capture *capture_create(const struct capture_from *from, const char *kernel,
                               const struct reading_launch *launch, bool is_after)
{
    struct capture *capture = alloc_zero(1, sizeof *capture);
    if (!capture)
        return NULL;
    size_t size;
    const void *program = held_facts_request(launch->copy->held, &size);
    struct captured *captured = &capture->captured;
    *captured = (struct captured){.kernel = kernel,
                                  .function = launch->function,
                                  .call_id = launch->call_id,
                                  .is_after = is_after,
                                  .dimensions = launch->dimensions,
                                  .program_size = size};
    captured->program = arena_copy(&captured->arena, program, size);
    memcpy(captured->offset, launch->offset, sizeof captured->offset);
    memcpy(captured->global, launch->global, sizeof captured->global);
    memcpy(captured->local, launch->local, sizeof captured->local);
    const char *reason = captured->program ? NULL : no_memory;
    if (!reason)
        reason = add_arguments(from, capture, launch);
    captured->reason = reason ? reason : "";
    return capture;
}

void capture_drop(struct capture *capture, bool has_ended)
{
    struct captured *captured = &capture->captured;
    for (size_t i = 0; i < capture->event_count; i++)
        LAYER_TARGET(clReleaseEvent)(capture->events[i]);
    for (size_t i = 0; has_ended && i < captured->memory_count; i++) {
        alloc_free(captured->memory[i].bytes);
        alloc_free((void *)(uintptr_t)captured->memory[i].undefined);
    }
    captured_release(captured);
    alloc_free(capture);
}

static void let_go(struct capture *capture)
{
    for (size_t i = 0; i < capture->captured.memory_count; i++)
        if (capture->memory[i])
            LAYER_TARGET(clReleaseMemObject)(capture->memory[i]);
    capture->memory = NULL;
}

/* ---- what its memory holds ---- */

uint64_t capture_bytes(const struct capture *capture)
{
    uint64_t total = 0;
    for (size_t i = 0; i < capture->captured.memory_count; i++)
        total += capture->captured.memory[i].size;
    return total;
}

bool capture_make_room(struct capture *capture)
{
    struct captured *captured = &capture->captured;
    bool done = true;
    for (size_t i = 0; i < captured->memory_count && done; i++) {
        captured->memory[i].bytes = alloc(captured->memory[i].size);
        done = captured->memory[i].bytes != NULL;
    }
    return done;
}

void capture_read_undefined(struct capture *capture, struct written *written, uint32_t number)
{
    for (size_t i = 0; i < capture->captured.memory_count; i++) {
        struct captured_memory *memory = &capture->captured.memory[i];
        if (capture->memory[i] && memory->type == CL_MEM_OBJECT_BUFFER)
            memory->undefined =
                written_read_before(written, number, capture->memory[i], memory->size);
    }
}

static const char *read_at_once(struct live *live, struct capture *capture, cl_command_queue queue)
{
    struct captured *captured = &capture->captured;
    const char *reason = queue ? NULL : "the driver makes no command-queue";
    for (size_t i = 0; !reason && i < captured->memory_count; i++) {
        const struct captured_memory *memory = &captured->memory[i];
        if (memory->type == CAPTURED_SHARED_MEMORY)
            reason = contents_read_shared(live, queue, memory);
        else if (contents_read(queue, capture->memory[i], memory, CL_TRUE, 0, NULL, NULL) !=
                 CL_SUCCESS)
            reason = "the host may not read a memory object of it";
    }
    return reason;
}

void capture_read(struct capture *capture, struct live *live, cl_command_queue queue)
{
    if (capture->captured.reason[0] == '\0') {
        const char *reason = read_at_once(live, capture, queue);
        capture->captured.reason = reason ? reason : "";
    }
    let_go(capture);
}

/* Reads that wait for what the launch waits for. */
static const char *enqueue_reads(struct capture *capture, cl_command_queue queue, cl_uint count,
                                 const cl_event *list)
{
    struct captured *captured = &capture->captured;
    for (size_t i = 0; i < captured->memory_count; i++) {
        if (contents_read(queue, capture->memory[i], &captured->memory[i], CL_FALSE, count, list,
                          &capture->events[capture->event_count]) != CL_SUCCESS)
            return "the host may not read a memory object of it";
        capture->event_count++;
    }
    return NULL;
}

/* The launch waits for them too, as in a queue that is not in order nothing else sees to it. */
static bool wait_for_reads(struct capture *capture, cl_uint before, uint64_t *count,
                           uint64_t *events)
{
    const cl_event *list = (const cl_event *)*events;
    const size_t all = before + capture->event_count;
    cl_event *both = arena_alloc(&capture->captured.arena, all + 1, sizeof(cl_event));
    if (!both)
        return false;
    for (size_t i = 0; i < all; i++)
        both[i] = i < before ? list[i] : capture->events[i - before];
    *count = all;
    *events = all > 0 ? (uint64_t)both : 0;
    return true;
}

void capture_read_before(struct capture *capture, const struct reading_launch *launch,
                         uint32_t entry, uint64_t *words)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t count = api_entry_find_parameter(info, "num_events_in_wait_list");
    const uint32_t list = api_entry_find_parameter(info, "event_wait_list");
    const char **reason = &capture->captured.reason;
    if (*reason[0] == '\0' && !contents_are_arguments(&capture->captured))
        *reason = "it may reach shared virtual memory that is not one of its arguments";
    if (*reason[0] == '\0' && has_pointers(launch) &&
        allocations_are_hosts((cl_command_queue)words[0], launch->given))
        *reason = "it may reach memory of the host, which OpenCL does not know";
    if (*reason[0] == '\0') {
        const cl_uint before = (cl_uint)words[count];
        const char *failure = enqueue_reads(capture, (cl_command_queue)words[0], before,
                                            (const cl_event *)words[list]);
        if (!wait_for_reads(capture, before, &words[count], &words[list]))
            failure = no_memory;
        *reason = failure ? failure : "";
    }
    let_go(capture);
}

bool capture_has_ended(struct capture *capture)
{
    for (size_t i = 0; i < capture->event_count; i++) {
        cl_int status = CL_COMPLETE;
        LAYER_TARGET(clGetEventInfo)
        (capture->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (status > CL_COMPLETE)
            return false;
        if (status < 0)
            capture->captured.reason = "reading its memory failed";
    }
    return true;
}

/* ---- its file ---- */

/* A file that grows beyond what the program may write would end it, by a signal. */
static bool may_write(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

const char *capture_write(const struct captured *captured, const char *path)
{
    struct text text = TEXT_INIT;
    const char *reason = NULL;
    captured_pack(captured, &text);
    if (text.failed)
        reason = no_memory;
    else if (!may_write(text.size))
        reason = "the program may not write files of that size";
    else if (file_write_private(path, text.bytes, text.size, NULL))
        reason = "the file for it could not be written";
    text_release(&text);
    return reason;
}
