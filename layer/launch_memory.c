#include "layer/launch_memory.h"

#include "layer/capture.h"
#include "layer/targets.h"
#include "trace/api/memory_object.h"
#include "trace/api/settings.h"
#include "trace/base/assert.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

struct launch_memory {
    struct spool *spool;
    bool digests_only;
    uint64_t first, last; /* the calls to keep */
    const char *kernels;  /* names with commas between; "" = all */
    struct live *live;    /* whose lock guards all that follows */
    uint64_t open_user_events;
    cl_event *answerable; /* each told when a launch is over that may wait for the host */
    size_t answerable_capacity;
    atomic_size_t answerable_count; /* to be looked at without the lock too */
    uint64_t missed_count;          /* launches that were to be kept and could not */
};

struct launch_capture {
    cl_command_queue queue;
    uint64_t *queues; /* all there are */
    size_t queue_count;
    size_t count;
    struct memory_object objects[];
};

struct launch_memory *launch_memory_create(struct spool *spool, struct live *live)
{
    struct launch_memory *memory = alloc_zero(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->spool = spool;
    memory->live = live;
    memory->digests_only = strcmp(setting_value(SETTING_CONTENTS), "hashes") == 0;
    setting_range(SETTING_CAPTURE_LAUNCHES, &memory->first, &memory->last);
    memory->kernels = setting_value(SETTING_CAPTURE_KERNEL);
    return memory;
}

void launch_memory_destroy(struct launch_memory *memory)
{
    if (memory)
        alloc_free(memory->answerable);
    alloc_free(memory);
}

/* ---- a launch ---- */

/* The kernel, or the command-buffer. */
static uint64_t launched_by(const struct api_call *call)
{
    return call
        ->arguments[call->entry == API_ENTRY_clEnqueueCommandBufferKHR
                        ? (int)API_clEnqueueCommandBufferKHR_command_buffer
                        : (int)API_clEnqueueNDRangeKernel_kernel]
        .bits;
}
_Static_assert((int)API_clEnqueueNDRangeKernel_kernel == (int)API_clEnqueueTask_kernel,
               "the kernel of a launch is in one place");

static bool name_is_wanted(const struct launch_memory *memory, const struct live_object *object)
{
    char name[NAME_SIZE] = "";
    if (!memory->kernels[0])
        return true;
    cl_kernel kernel = (cl_kernel)object->handle;
    if (object->kind != API_OBJECT_KERNEL ||
        LAYER_TARGET(clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
            CL_SUCCESS)
        return false;
    return word_within(name, memory->kernels, ',');
}

static void count_object(void *user, struct live_object *object)
{
    size_t *count = user;
    (void)object;
    ++*count;
}

/* What the kernel can reach, once. */
static void add_object(void *user, struct live_object *reached)
{
    struct launch_capture *capture = user;
    struct memory_object object = {.svm = (void *)reached->handle,
                                   .size = reached->size,
                                   .is_unified = live_is_unified(reached),
                                   .is_of_host = reached->is_shared};
    if (reached->kind == API_OBJECT_MEM)
        object = (struct memory_object){.mem = (cl_mem)reached->handle};
    for (size_t i = 0; i < capture->count; i++)
        if (capture->objects[i].mem == object.mem && capture->objects[i].svm == object.svm)
            return;
    capture->objects[capture->count++] = object;
}

/* What the kernel reaches, and the queues, which the caller finishes without the lock: callbacks
 * may run meanwhile. */
static struct launch_capture *look_up(const struct launch_memory *memory,
                                      const struct api_call *call, struct arena *arena)
{
    const struct live *live = memory->live;
    const struct live_object *kernel = live_find(live, launched_by(call));
    const struct live_object *object = NULL;
    size_t reached_count = 0;
    size_t limit = 0;
    if (!kernel)
        return NULL;
    live_each_reached(live, kernel, count_object, &reached_count);
    while ((object = live_next(live, object)))
        limit += object->kind == API_OBJECT_QUEUE;
    struct launch_capture *capture =
        arena_alloc(arena, 1, sizeof *capture + reached_count * sizeof *capture->objects);
    uint64_t *queues = arena_alloc(arena, limit + 1, sizeof *queues);
    if (!capture || !queues)
        return NULL;
    *capture = (struct launch_capture){.queue = (cl_command_queue)live_queue_of(live, call),
                                       .queues = queues};
    live_each_reached(live, kernel, add_object, capture);
    while ((object = live_next(live, object)))
        if (object->kind == API_OBJECT_QUEUE)
            queues[capture->queue_count++] = object->handle;
    ASSERT(capture->count <= reached_count && capture->queue_count <= limit);
    return capture;
}

/* What is looked at without the lock stays alive: other threads may release it. With the lock. */
static void hold(const struct launch_capture *capture)
{
    for (size_t i = 0; i < capture->queue_count; i++)
        LAYER_TARGET(clRetainCommandQueue)((cl_command_queue)capture->queues[i]);
    for (size_t i = 0; i < capture->count; i++)
        if (capture->objects[i].mem)
            LAYER_TARGET(clRetainMemObject)(capture->objects[i].mem);
}

static void finish_queues(const struct launch_capture *capture)
{
    for (size_t i = 0; i < capture->queue_count; i++) {
        LAYER_TARGET(clFinish)((cl_command_queue)capture->queues[i]);
        LAYER_TARGET(clReleaseCommandQueue)((cl_command_queue)capture->queues[i]);
    }
}

/* Asks what the objects are; those without bytes are let go. */
static void describe(struct launch_capture *capture)
{
    size_t kept = 0;
    for (size_t i = 0; i < capture->count; i++) {
        cl_mem mem = capture->objects[i].mem;
        if (!mem || memory_object_describe(layer_targets, mem, &capture->objects[i]))
            capture->objects[kept++] = capture->objects[i];
        else
            LAYER_TARGET(clReleaseMemObject)(mem);
    }
    capture->count = kept;
}

static void save(const struct launch_memory *memory, const struct launch_capture *capture,
                 uint64_t call_id, bool after)
{
    for (size_t i = 0; i < capture->count; i++) {
        const struct memory_object *object = &capture->objects[i];
        void *bytes = object->size ? alloc(object->size) : NULL;
        if (bytes &&
            memory_object_read(layer_targets, capture->queue, object, bytes) == CL_SUCCESS) {
            const struct api_content content = {.after = after,
                                                .object = object->mem ? (uint64_t)object->mem
                                                                      : (uint64_t)object->svm,
                                                .size = object->size,
                                                .bytes = bytes};
            if (memory->digests_only)
                spool_digest(memory->spool, call_id, &content);
            else
                spool_content(memory->spool, call_id, &content);
        }
        alloc_free(bytes);
    }
}

static void miss(struct launch_memory *memory)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, ++memory->missed_count);
    spool_fact(memory->spool, "launches_without_contents", number);
}

/* ---- launches that may wait for the host ---- */

struct question {
    const struct live *live;
    bool may_wait;
};

static void ask_of(void *user, struct live_object *reached)
{
    struct question *question = user;
    const struct live_object *base =
        reached->base ? live_find_shared(question->live, reached->base) : NULL;
    question->may_wait |= reached->is_atomic || (base && base->is_atomic);
}

/* Such a launch is not waited for: its own thread may be the one that answers it. */
static bool may_wait_for_host(const struct live *live, const struct live_object *launched)
{
    struct question question = {.live = live};
    live_each_reached(live, launched, ask_of, &question);
    return question.may_wait;
}

static bool is_over(cl_event event)
{
    cl_int status = CL_QUEUED;
    return LAYER_TARGET(clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                        &status, NULL) != CL_SUCCESS ||
           status <= CL_COMPLETE;
}

/* Takes one off that is over; NULL = none is. */
static cl_event take_over(struct launch_memory *memory)
{
    cl_event over = NULL;
    live_lock(memory->live);
    for (size_t i = memory->answerable_count; i > 0 && !over; i--) {
        cl_event event = memory->answerable[i - 1];
        if (!is_over(event))
            continue;
        memory->answerable[i - 1] = memory->answerable[--memory->answerable_count];
        over = event;
    }
    live_unlock(memory->live);
    return over;
}

/* As soon as they are over: an event keeps its context. Without the lock: what ends with the last
 * one may call back. */
static void release_over(struct launch_memory *memory)
{
    cl_event event;
    while (memory->answerable_count > 0 && (event = take_over(memory)))
        LAYER_TARGET(clReleaseEvent)(event);
}

/* The queue of such a launch; else NULL. */
static cl_command_queue find_answerable(const struct live *live, const struct api_call *call)
{
    const struct live_object *launched = live_find(live, launched_by(call));
    return launched && may_wait_for_host(live, launched)
               ? (cl_command_queue)live_queue_of(live, call)
               : NULL;
}

/* Without the lock: callbacks may run meanwhile. */
static void note_answerable(struct launch_memory *memory, cl_command_queue queue)
{
    cl_event event = NULL;
    if (LAYER_TARGET(clEnqueueMarkerWithWaitList)(queue, 0, NULL, &event) != CL_SUCCESS)
        return;
    live_lock(memory->live);
    const size_t count = memory->answerable_count;
    cl_event *grown =
        alloc_grow(memory->answerable, count, &memory->answerable_capacity, sizeof *grown);
    if (grown) {
        memory->answerable = grown;
        grown[count] = event;
        memory->answerable_count = count + 1;
    }
    live_unlock(memory->live);
    if (!grown)
        LAYER_TARGET(clReleaseEvent)(event);
}

/* ---- every launch ---- */

/* With the lock. */
static struct launch_capture *begin(struct launch_memory *memory, const struct api_call *call,
                                    struct arena *arena)
{
    const struct live_object *launched = live_find(memory->live, launched_by(call));
    struct launch_capture *capture = NULL;
    if (!launched || !name_is_wanted(memory, launched))
        return NULL;
    if (memory->open_user_events == 0 && !(call->flags & API_CALL_IN_CALLBACK) &&
        memory->answerable_count == 0 && !may_wait_for_host(memory->live, launched))
        capture = look_up(memory, call, arena);
    if (capture)
        hold(capture);
    else
        miss(memory);
    return capture;
}

struct launch_capture *launch_memory_before(struct launch_memory *memory,
                                            const struct api_call *call, struct arena *arena)
{
    if (!launch_memory_is_launch(call->entry) || call->id < memory->first ||
        call->id > memory->last)
        return NULL;
    release_over(memory);
    live_lock(memory->live);
    struct launch_capture *capture = begin(memory, call, arena);
    live_unlock(memory->live);
    if (!capture)
        return NULL;
    finish_queues(capture);
    describe(capture);
    save(memory, capture, call->id, false);
    return capture;
}

static void end(const struct launch_memory *memory, const struct api_call *call,
                const struct launch_capture *capture)
{
    if (capture_succeeded(call) && LAYER_TARGET(clFinish)(capture->queue) == CL_SUCCESS)
        save(memory, capture, call->id, true);
    for (size_t i = 0; i < capture->count; i++)
        if (capture->objects[i].mem)
            LAYER_TARGET(clReleaseMemObject)(capture->objects[i].mem);
}

void launch_memory_after(struct launch_memory *memory, const struct api_call *call,
                         const struct launch_capture *capture)
{
    if (capture)
        end(memory, call, capture);
    release_over(memory);
    if (!capture_succeeded(call) ||
        !(launch_memory_is_launch(call->entry) || call->entry == API_ENTRY_clCreateUserEvent ||
          call->entry == API_ENTRY_clSetUserEventStatus))
        return;
    cl_command_queue answerable = NULL;
    live_lock(memory->live);
    if (call->entry == API_ENTRY_clCreateUserEvent)
        memory->open_user_events++;
    else if (call->entry == API_ENTRY_clSetUserEventStatus)
        memory->open_user_events--;
    else if (!capture)
        answerable = find_answerable(memory->live, call);
    live_unlock(memory->live);
    if (answerable)
        note_answerable(memory, answerable);
}
