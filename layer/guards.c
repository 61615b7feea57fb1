#include "layer/guards.h"

#include "checkers/finding.h"
#include "layer/faults.h"
#include "layer/readable.h"
#include "layer/stack.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 128, /* that of the largest type of OpenCL C, if the driver's address has it */
    FILLING = 0xa5,  /* of the bytes beside a region */
    QUEUES_MAX = 8,
};

/* A call, for reports. */
struct moment {
    uint64_t call_id, stack;
};

/* One place of faults.h, in use from the map until its pages are needed for another. */
struct guard {
    cl_mem mem;
    char *real; /* the driver's */
    size_t size;
    cl_map_flags flags;
    cl_event event;                      /* of a map that has not ended: held */
    cl_command_queue queues[QUEUES_MAX]; /* whose commands may still use the pages: held */
    size_t queue_count;
    bool lent; /* to something that may keep the address: it is not taken away */
    struct moment mapped, unmapped;
};

struct guards {
    struct guards_options options;
    /* Guards what follows. The driver may call back while it is waited for, so nobody waits for it
     * with the mutex. */
    pthread_mutex_t mutex;
    struct guard list[FAULTS_PLACES];
    size_t pending; /* maps that have not ended */
};

struct guards *guards_create(const struct guards_options *options)
{
    struct guards *guards = alloc_zero(1, sizeof *guards);
    if (guards) {
        guards->options = *options;
        pthread_mutex_init(&guards->mutex, NULL);
    }
    return guards;
}

void guards_destroy(struct guards *guards)
{
    if (!guards)
        return;
    for (size_t i = 0; i < FAULTS_PLACES; i++)
        faults_place_release(i);
    pthread_mutex_destroy(&guards->mutex);
    alloc_free(guards);
}

/* ---- the driver ---- */

/* Does the object lie where the program chose? Unknown counts as yes. */
static bool lies_at_host_ptr(cl_mem mem)
{
    cl_mem_flags flags = CL_MEM_USE_HOST_PTR;
    void *host_ptr = NULL;
    return !LAYER_TARGET(clGetMemObjectInfo) ||
           LAYER_TARGET(clGetMemObjectInfo)(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL) ||
           LAYER_TARGET(clGetMemObjectInfo)(mem, CL_MEM_HOST_PTR, sizeof(void *), &host_ptr,
                                            NULL) ||
           (flags & CL_MEM_USE_HOST_PTR) != 0 || host_ptr;
}

/* CL_COMPLETE, or how far it is; negative: it failed. */
static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    if (LAYER_TARGET(clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                     &status, NULL))
        status = CL_QUEUED;
    return status;
}

/* ---- reports ---- */

static struct moment moment_of(const struct guards *guards, const struct api_call *call)
{
    return (struct moment){.call_id = call->id, .stack = stack_capture(guards->options.stacks)};
}

static const char *describe_access(const struct guard *guard, const struct fault *fault,
                                   struct arena *arena)
{
    const char *verb = fault->access == FAULT_READ    ? "reads"
                       : fault->access == FAULT_WRITE ? "writes"
                                                      : "uses";
    const int64_t behind = fault->offset - (int64_t)guard->size;
    if (fault->offset < 0)
        return arena_format(arena, "%s byte %" PRId64 " before", verb, -fault->offset);
    if (behind >= 0)
        return arena_format(arena, "%s byte %" PRId64 " after it", verb, behind + 1);
    return arena_format(arena, "%s byte %" PRId64 " of", verb, fault->offset);
}

static const char *name_region(const struct guard *guard, struct arena *arena)
{
    return arena_format(arena, "the %zu byte%s that clEnqueueMapBuffer maps", guard->size,
                        guard->size == 1 ? "" : "s");
}

static struct finding_place place_of(const struct guards *guards, const char *function,
                                     const char *label, const struct moment *moment,
                                     struct arena *arena)
{
    struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                  .function = function,
                                  .label = label,
                                  .call_id = moment->call_id};
    place.frame_count = stack_describe(guards->options.stacks, moment->stack, arena, &place.frames);
    return place;
}

static void tell(const struct guards *guards, const struct guard *guard, const struct fault *fault,
                 const struct moment *access)
{
    static const struct {
        enum rule_index rule;
        const char *when, *reason;
    } kinds[] = {
        [FAULT_EARLY] = {RULE_MAP_PENDING, ", but the map has not ended",
                         "The map is non-blocking, and its event was not complete when the program "
                         "could last have known."},
        [FAULT_OUTSIDE] = {RULE_MAP_OUTSIDE, "", NULL},
        [FAULT_LATE] = {RULE_MAP_ENDED, ", and has unmapped", NULL},
    };
    struct arena arena = {0};
    struct finding_place places[3];
    size_t count = 0;
    if (!checks_has(&guards->options.checks, kinds[fault->kind].rule))
        return;
    const char *does = describe_access(guard, fault, &arena);
    places[count++] = place_of(guards, access->call_id ? "clEnqueueUnmapMemObject" : NULL,
                               access->call_id ? "clEnqueueUnmapMemObject finds it written"
                                               : arena_format(&arena, "the program %s it", does),
                               access, &arena);
    places[count++] = place_of(guards, "clEnqueueMapBuffer", "clEnqueueMapBuffer maps it",
                               &guard->mapped, &arena);
    if (fault->kind == FAULT_LATE)
        places[count++] = place_of(guards, "clEnqueueUnmapMemObject",
                                   "clEnqueueUnmapMemObject unmaps it", &guard->unmapped, &arena);
    const char *message = arena_format(&arena, "the program %s %s%s", does,
                                       name_region(guard, &arena), kinds[fault->kind].when);
    const struct finding finding = {.rule = kinds[fault->kind].rule,
                                    .message = message ? message
                                                       : rule_get(kinds[fault->kind].rule)->claim,
                                    .reason = kinds[fault->kind].reason,
                                    .places = places,
                                    .place_count = count,
                                    .call_id = guard->mapped.call_id,
                                    .count = 1};
    guards->options.report(guards->options.report_user, &finding);
    arena_release(&arena);
}

void guards_report(struct guards *guards)
{
    if (!faults_noted())
        return;
    pthread_mutex_lock(&guards->mutex);
    for (size_t i = 0; i < FAULTS_PLACES; i++) {
        struct fault fault;
        while (faults_take(i, &fault)) {
            const struct moment access = {
                .stack = stack_keep(guards->options.stacks, fault.frames, fault.frame_count)};
            tell(guards, &guards->list[i], &fault, &access);
        }
    }
    pthread_mutex_unlock(&guards->mutex);
}

/* ---- the bytes beside a region ---- */

/* The first of them that was written, from the region's first byte; 0 = none. */
static int64_t find_written(const struct faults_place *place)
{
    for (const char *at = place->pages; at < place->first; at++)
        if ((unsigned char)*at != FILLING)
            return at - place->first;
    for (const char *at = place->first + place->size; at < place->pages_end; at++)
        if ((unsigned char)*at != FILLING)
            return at - place->first;
    return 0;
}

static void check_filling(const struct guards *guards, const struct guard *guard, size_t index,
                          const struct api_call *call)
{
    const int64_t written = find_written(faults_place_get(index));
    const struct moment here = moment_of(guards, call);
    const struct fault fault = {.kind = FAULT_OUTSIDE, .access = FAULT_WRITE, .offset = written};
    if (written != 0)
        tell(guards, guard, &fault, &here);
}

/* ---- maps, with the mutex ---- */

static void drop_event(struct guards *guards, struct guard *guard)
{
    if (!guard->event)
        return;
    LAYER_TARGET(clReleaseEvent)(guard->event);
    guard->event = NULL;
    ASSERT(guards->pending > 0);
    guards->pending--;
}

/* The map has ended: the program may use it. */
static void open_guard(struct guards *guards, size_t index, cl_int status)
{
    struct guard *guard = &guards->list[index];
    faults_place_open(index);
    if (status == CL_COMPLETE)
        memcpy(faults_place_get(index)->first, guard->real, guard->size);
    drop_event(guards, guard);
}

void guards_called_back(struct guards *guards)
{
    pthread_mutex_lock(&guards->mutex);
    for (size_t i = 0; i < FAULTS_PLACES && guards->pending > 0; i++) {
        const cl_event event = guards->list[i].event;
        const cl_int status = event ? status_of(event) : CL_QUEUED;
        if (status <= CL_COMPLETE)
            open_guard(guards, i, status);
    }
    pthread_mutex_unlock(&guards->mutex);
}

/* As much of the alignment of the driver's address as the program may count on. */
static size_t alignment_of(const char *real)
{
    const uintptr_t lowest = (uintptr_t)real & (~(uintptr_t)real + 1);
    return lowest < ALIGNMENT ? lowest : ALIGNMENT;
}

/* The address for the program: the driver's if it cannot be guarded. Takes over the event. */
static char *add_guard(struct guards *guards, const struct guard *filled)
{
    const size_t index = faults_place_make(filled->size, alignment_of(filled->real), FILLING);
    if (index == FAULTS_PLACES) {
        if (filled->event)
            LAYER_TARGET(clReleaseEvent)(filled->event);
        return filled->real;
    }
    struct guard *guard = &guards->list[index];
    ASSERT(!guard->event);
    *guard = *filled;
    guards->pending += guard->event != NULL;
    if (!guard->event)
        open_guard(guards, index, CL_COMPLETE);
    return faults_place_get(index)->first;
}

static size_t find_guard(const struct guards *guards, uint64_t mem, uint64_t address)
{
    size_t index = 0;
    while (index < FAULTS_PLACES &&
           (!faults_place_is_live(index) || (uint64_t)guards->list[index].mem != mem ||
            (uint64_t)faults_place_get(index)->first != address))
        index++;
    return index;
}

/* ---- calls ---- */

static uint64_t map(struct guards *guards, const struct api_call *call, api_function *target,
                    uint64_t *words)
{
    struct guard guard = {.mem = (cl_mem)words[API_clEnqueueMapBuffer_buffer],
                          .size = words[API_clEnqueueMapBuffer_size],
                          .flags = words[API_clEnqueueMapBuffer_map_flags]};
    const bool blocking = words[API_clEnqueueMapBuffer_blocking_map] != CL_FALSE;
    uint64_t *event = &words[API_clEnqueueMapBuffer_event];
    const bool own_event = !blocking && *event == 0;
    cl_event made = NULL;
    if (own_event)
        *event = (uint64_t)&made;
    const uint64_t real = api_perform(call->entry, target, words);
    const bool failed = real == 0 || guard.size == 0 || lies_at_host_ptr(guard.mem);
    if (!failed && !blocking && !own_event) {
        memcpy(&made, (const void *)*event, sizeof made);
        LAYER_TARGET(clRetainEvent)(made);
    }
    if (failed) {
        if (made)
            LAYER_TARGET(clReleaseEvent)(made);
        return real;
    }
    guard.real = (char *)real;
    guard.event = made;
    guard.mapped = moment_of(guards, call);
    pthread_mutex_lock(&guards->mutex);
    char *shown = add_guard(guards, &guard);
    pthread_mutex_unlock(&guards->mutex);
    return (uint64_t)shown;
}

/* Without the mutex: the commands that use the pages end. */
static void wait_for_commands(struct guards *guards, size_t index)
{
    struct guard *guard = &guards->list[index];
    cl_command_queue queues[QUEUES_MAX];
    pthread_mutex_lock(&guards->mutex);
    const size_t count = guard->queue_count;
    memcpy(queues, guard->queues, sizeof queues);
    guard->queue_count = 0;
    pthread_mutex_unlock(&guards->mutex);
    for (size_t i = 0; i < count; i++) {
        LAYER_TARGET(clFinish)(queues[i]);
        LAYER_TARGET(clReleaseCommandQueue)(queues[i]);
    }
}

/* What the program has written goes to the driver before it is told of the unmapping. */
static void give_back(struct guards *guards, size_t index, const struct api_call *call)
{
    const struct guard *guard = &guards->list[index];
    if (guard->event)
        return;
    check_filling(guards, guard, index, call);
    if (guard->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        memcpy(guard->real, faults_place_get(index)->first, guard->size);
}

static uint64_t unmap(struct guards *guards, const struct api_call *call, api_function *target,
                      uint64_t *words)
{
    uint64_t *address = &words[API_clEnqueueUnmapMemObject_mapped_ptr];
    pthread_mutex_lock(&guards->mutex);
    const size_t index = find_guard(guards, words[API_clEnqueueUnmapMemObject_memobj], *address);
    pthread_mutex_unlock(&guards->mutex);
    if (index < FAULTS_PLACES) {
        wait_for_commands(guards, index);
        pthread_mutex_lock(&guards->mutex);
        give_back(guards, index, call);
        *address = (uint64_t)guards->list[index].real;
        pthread_mutex_unlock(&guards->mutex);
    }
    const uint64_t result = api_perform(call->entry, target, words);
    if (index == FAULTS_PLACES || (cl_int)result != CL_SUCCESS)
        return result;
    pthread_mutex_lock(&guards->mutex);
    struct guard *guard = &guards->list[index];
    guard->unmapped = moment_of(guards, call);
    drop_event(guards, guard);
    faults_place_close(index, !guard->lent);
    pthread_mutex_unlock(&guards->mutex);
    return result;
}

/* Without the mutex: the map has ended. */
static void wait_for_map(struct guards *guards, size_t index)
{
    struct guard *guard = &guards->list[index];
    pthread_mutex_lock(&guards->mutex);
    const cl_event event = guard->event;
    if (event)
        LAYER_TARGET(clRetainEvent)(event);
    pthread_mutex_unlock(&guards->mutex);
    if (!event)
        return;
    LAYER_TARGET(clWaitForEvents)(1, &event);
    pthread_mutex_lock(&guards->mutex);
    if (guard->event == event)
        open_guard(guards, index, status_of(event));
    pthread_mutex_unlock(&guards->mutex);
    LAYER_TARGET(clReleaseEvent)(event);
}

/* A command uses the pages: they have to be there until it has ended. */
static void use_in_command(struct guards *guards, size_t index, const struct api_call *call,
                           cl_command_queue queue)
{
    struct guard *guard = &guards->list[index];
    wait_for_map(guards, index);
    pthread_mutex_lock(&guards->mutex);
    if (!faults_place_is_live(index))
        faults_place_open(index);
    else if (!api_call_blocks(call) && guard->queue_count == QUEUES_MAX)
        guard->lent = true;
    else if (!api_call_blocks(call) && LAYER_TARGET(clRetainCommandQueue)(queue) == CL_SUCCESS)
        guard->queues[guard->queue_count++] = queue;
    pthread_mutex_unlock(&guards->mutex);
}

/* Looks for addresses of ours among the arguments. */
static void use_in_call(struct guards *guards, const struct api_call *call, const uint64_t *words)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const size_t index = faults_place_find((const void *)words[i]);
        if (index == FAULTS_PLACES)
            continue;
        if ((info->flags & API_ENTRY_ENQUEUES) != 0) {
            use_in_command(guards, index, call, (cl_command_queue)words[0]);
            continue;
        }
        pthread_mutex_lock(&guards->mutex);
        guards->list[index].lent = true;
        faults_place_open(index);
        pthread_mutex_unlock(&guards->mutex);
    }
}

/* May the program know from this call that a map has ended? */
static bool tells_of_ends(const struct api_call *call)
{
    return call->entry == API_ENTRY_clFinish || call->entry == API_ENTRY_clWaitForEvents ||
           call->entry == API_ENTRY_clGetEventInfo ||
           call->entry == API_ENTRY_clGetEventProfilingInfo ||
           (api_entry_enqueues(call->entry) && api_call_blocks(call));
}

uint64_t guards_perform(struct guards *guards, const struct api_call *call, api_function *target,
                        const uint64_t *words)
{
    uint64_t own[API_ARGUMENT_MAX];
    uint64_t result;
    guards_report(guards);
    memcpy(own, words, api_entry_get(call->entry)->parameter_count * sizeof *own);
    if (call->entry == API_ENTRY_clEnqueueMapBuffer) {
        result = map(guards, call, target, own);
    } else if (call->entry == API_ENTRY_clEnqueueUnmapMemObject) {
        result = unmap(guards, call, target, own);
    } else {
        if (faults_place_any())
            use_in_call(guards, call, words);
        result = api_perform(call->entry, target, own);
    }
    if (tells_of_ends(call))
        guards_called_back(guards);
    return result;
}
