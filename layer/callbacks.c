#include "layer/callbacks.h"

#include "layer/contents.h"
#include "layer/driver/driver_queries.h"
#include "layer/guards.h"
#include "layer/other_threads.h"
#include "layer/session.h"
#include "layer/targets.h"
#include "layer/thread.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

struct callback {
    union {
        api_function *any;
        api_context_notify *context_notify;
        api_context_destructor *context_destructor;
        api_program_notify *program_notify;
        api_event_notify *event_notify;
        api_mem_destructor *mem_destructor;
        api_svm_free_notify *svm_free_notify;
    } function;
    void *user_data;
    uint64_t call_id; /* that gave it */
    uint64_t object;  /* the first argument of that call */
    uint32_t entry;
    uint64_t registered; /* a moment, if it is an event's; and of these also: */
    uint64_t event;
    cl_int status;
    struct callback *older; /* of all that wait for their turn, see take_turn */
    bool shuffled, in_turn, arrived;
    bool comes_by_itself; /* of an event, a build or a command */
    /* The driver, until it has called, and the call that gave it: a build that fails may have told
     * so before its call returns. And its turn. */
    _Atomic unsigned holders;
};

/* Moments that have an order: of registrations, and of calls in callbacks. */
static _Atomic uint64_t moments;

const struct api_event_callback *callbacks_now(struct layer_thread *thread)
{
    thread->place.callback->called = atomic_fetch_add(&moments, 1);
    return thread->place.callback;
}

static void release(struct callback *callback)
{
    if (atomic_fetch_sub(&callback->holders, 1) != 1)
        return;
    other_call_over(callback->comes_by_itself);
    alloc_free(callback);
}

/* Around the application's function: what it calls is its own again, and flagged. */
struct visit {
    struct layer_thread *thread; /* NULL = memory is out */
    uint32_t inside, busy;       /* of the thread, before */
    struct layer_place before;   /* its place then, */
    struct layer_place *now;     /* and the one for the function, to be filled in */
    struct layer_place nowhere;  /* that, where there is no thread */
    struct callback *turn;       /* called in the place of another one; or NULL */
    uint64_t call_id, begin_ns;
};

/* Once when it begins and once when it has returned, which is too late where the program ends
 * because of what it did. A thread that makes no calls gets no number. */
static void record(const struct session *session, const struct visit *visit, uint64_t end_ns)
{
    const struct layer_thread *thread = visit->thread;
    spool_callback(
        session->spool,
        &(struct api_callback){
            .call_id = visit->call_id,
            .begin_ns = visit->begin_ns,
            .end_ns = end_ns,
            .thread = thread && thread->session == session->generation ? thread->number : 0,
        });
}

/* The driver calls: clerk works until the program is called. */
static void arrive(struct visit *visit)
{
    *visit = (struct visit){.busy = layer_thread_busy};
    layer_thread_busy = 1;
    visit->thread = layer_thread_get();
    visit->now = visit->thread ? &visit->thread->place : &visit->nowhere;
    visit->before = *visit->now;
    visit->now->callback = NULL;
    visit->now->callbacks++;
}

static void enter(struct visit *visit, uint64_t call_id)
{
    struct session *session = session_get();
    visit->call_id = call_id;
    visit->begin_ns = session ? spool_now_ns(session->spool) : 0;
    if (session && session->spool)
        record(session, visit, 0);
    if (session && session->checker)
        host_checker_called_back(session->checker, call_id);
    if (session && session->guards)
        guards_called_back(session->guards);
    if (visit->thread) {
        visit->inside = visit->thread->inside;
        visit->thread->inside = 0;
    }
    layer_thread_busy = 0;
}

/* The function has returned, and the driver goes on; NULL = the callback may come again. */
static void leave(const struct visit *visit, struct callback *callback)
{
    layer_thread_busy = 1;
    struct session *session = session_get();
    if (session && session->spool)
        record(session, visit, spool_now_ns(session->spool));
    if (visit->thread) {
        visit->thread->inside = visit->inside;
        visit->thread->place = visit->before;
    }
    if (visit->turn)
        release(visit->turn);
    if (callback)
        release(callback);
    layer_thread_busy = visit->busy;
}

/* ---- the order of an event's callbacks ---- */

/* OpenCL API 3.0, 5.11: "The order in which the registered user callback functions are called is
 * undefined." With --shuffle-callbacks those of one event and status are called in the reverse
 * order of their registration, whatever the driver's: each time that it calls one of them, the
 * latest that waits has its turn. As many wait as are still to be called, so each is called once;
 * what waits for its turn is held until then, and by the driver until that has called it. */
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;
static struct callback *latest;

/* It was registered. A driver that knew the status to be reached may have called it already. */
static void wait_for_turn(struct callback *callback)
{
    pthread_mutex_lock(&turns);
    if (!callback->arrived) {
        atomic_fetch_add(&callback->holders, 1);
        callback->in_turn = true;
        callback->older = latest;
        latest = callback;
    }
    pthread_mutex_unlock(&turns);
}

/* The driver calls this one: the one that has its turn, to be released after it; NULL = this one
 * waits for none. */
static struct callback *take_turn(struct callback *callback)
{
    struct callback *turn = NULL;
    if (!callback->shuffled)
        return NULL;
    pthread_mutex_lock(&turns);
    callback->arrived = true;
    if (callback->in_turn) {
        struct callback **link = &latest;
        while ((*link)->event != callback->event || (*link)->status != callback->status)
            link = &(*link)->older;
        turn = *link;
        *link = turn->older;
    }
    pthread_mutex_unlock(&turns);
    return turn;
}

/* ---- trampolines ---- */

/* The driver calls each of these once, but for the context's notification, whose record lives as
 * long as the process: nothing tells when the last one has come. */
static void CL_CALLBACK context_notify(const char *errinfo, const void *private_info, size_t cb,
                                       void *user)
{
    const struct callback *callback = user;
    struct visit visit;
    arrive(&visit);
    enter(&visit, callback->call_id);
    callback->function.context_notify(errinfo, private_info, cb, callback->user_data);
    leave(&visit, NULL);
}

static void CL_CALLBACK context_destructor(cl_context context, void *user)
{
    struct callback *callback = user;
    struct visit visit;
    arrive(&visit);
    visit.now->ended = (uint64_t)context;
    enter(&visit, callback->call_id);
    callback->function.context_destructor(context, callback->user_data);
    leave(&visit, callback);
}

static void program_callback(cl_program program, struct callback *callback, struct visit *visit)
{
    enter(visit, callback->call_id);
    callback->function.program_notify(program, callback->user_data);
    leave(visit, callback);
}

/* A build is complete: its log can be had now, perhaps on a thread of the driver's. */
static void CL_CALLBACK build_notify(cl_program program, void *user)
{
    const struct callback *callback = user;
    struct visit visit;
    arrive(&visit);
    struct layer_thread *thread = visit.thread;
    struct session *session = session_get();
    if (session && session->checker)
        host_checker_built(session->checker,
                           &(struct host_build_end){.call_id = callback->call_id,
                                                    .entry = callback->entry,
                                                    .object = callback->object,
                                                    .program = (uint64_t)program});
    if (session && thread) {
        if (thread->depth == 0)
            arena_reset(&thread->arena);
        layer_thread_enter(thread);
        driver_queries_program_built(session, thread, program);
        layer_thread_leave(thread);
    }
    program_callback(program, user, &visit);
}

static void CL_CALLBACK release_notify(cl_program program, void *user)
{
    struct visit visit;
    arrive(&visit);
    program_callback(program, user, &visit);
}

static void CL_CALLBACK event_notify(cl_event event, cl_int status, void *user)
{
    struct callback *callback = user;
    struct visit visit;
    arrive(&visit);
    struct session *session = session_get();
    if (session && session->contents && visit.thread && status == CL_COMPLETE)
        contents_event_complete(session->contents, event, &visit.thread->readable);
    if (session && session->checker && status <= CL_COMPLETE) /* not one that it passes before */
        host_checker_command_ended(session->checker, (uint64_t)event);
    visit.turn = take_turn(callback);
    const struct callback *called = visit.turn ? visit.turn : callback;
    struct api_event_callback told = {.call_id = called->call_id,
                                      .event = (uint64_t)event,
                                      .function = (uint64_t)called->function.any,
                                      .registered = called->registered};
    visit.now->briefs++;
    visit.now->callback = &told;
    enter(&visit, called->call_id);
    called->function.event_notify(event, status, called->user_data);
    leave(&visit, callback);
}

static void CL_CALLBACK mem_destructor(cl_mem memobj, void *user)
{
    struct callback *callback = user;
    struct visit visit;
    arrive(&visit);
    struct session *session = session_get();
    if (session && session->checker)
        host_checker_command_ended(session->checker, 0);
    visit.now->briefs++;
    visit.now->ended = (uint64_t)memobj;
    enter(&visit, callback->call_id);
    callback->function.mem_destructor(memobj, callback->user_data);
    leave(&visit, callback);
}

static void CL_CALLBACK svm_free_notify(cl_command_queue queue, cl_uint count, void **pointers,
                                        void *user)
{
    struct callback *callback = user;
    struct visit visit;
    arrive(&visit);
    enter(&visit, callback->call_id);
    callback->function.svm_free_notify(queue, count, pointers, callback->user_data);
    leave(&visit, callback);
}

/* ---- native kernels ---- */

/* What the driver copies instead of the program's arguments, which follow, and behind them the
 * memory objects. */
struct native {
    _Alignas(max_align_t) api_native_kernel *function;
    uint64_t queue, call_id;
    bool has_arguments;
    uint64_t objects; /* bytes from the block's start */
    uint64_t object_count;
};

struct native_object {
    uint64_t place; /* of its address in the block, which the driver puts there */
    const void *bytes;
    uint64_t size;
};

static struct native_object *native_objects(struct native *native)
{
    return (struct native_object *)((unsigned char *)native + native->objects);
}

/* The program may change its arguments. */
static void note_addresses(struct native *native)
{
    struct native_object *objects = native_objects(native);
    for (uint64_t i = 0; i < native->object_count; i++)
        if (objects[i].size != 0)
            memcpy(&objects[i].bytes, (unsigned char *)native + objects[i].place,
                   sizeof objects[i].bytes);
}

static void save_objects(struct native *native, struct layer_thread *thread)
{
    const struct session *session = session_get();
    const struct native_object *objects = native_objects(native);
    for (uint64_t i = 0; session && session->contents && thread && i < native->object_count; i++)
        if (objects[i].size != 0 &&
            readable_bytes(&thread->readable, objects[i].bytes, objects[i].size))
            contents_native_left(session->contents, native->call_id, i, objects[i].bytes,
                                 objects[i].size);
}

static void CL_CALLBACK native_kernel(void *block)
{
    struct native *native = block;
    struct visit visit;
    arrive(&visit);
    note_addresses(native);
    visit.now->queue = native->queue;
    enter(&visit, native->call_id);
    native->function(native->has_arguments ? native + 1 : NULL);
    leave(&visit, NULL);
    save_objects(native, visit.thread);
    other_call_over(false);
}

/* 0 where the driver does not say. */
static uint64_t object_size(const struct api_call *call, uint64_t index)
{
    const struct api_value *list = &call->arguments[API_clEnqueueNativeKernel_mem_list];
    size_t size = 0;
    if (list->kind != API_VALUE_HANDLES || !list->data || index >= list->count)
        return 0;
    const uint64_t words[API_ARGUMENT_MAX] = {((const uint64_t *)list->data)[index], CL_MEM_SIZE,
                                              sizeof size, (uint64_t)&size};
    return (cl_int)api_perform(API_ENTRY_clGetMemObjectInfo,
                               layer_targets[API_ENTRY_clGetMemObjectInfo], words) == CL_SUCCESS
               ? size
               : 0;
}

/* Both blocks live as long as the call; drivers copy what they need of them. */
static void wrap_native(const struct api_call *call, uint64_t *words, struct arena *arena,
                        struct readable *readable)
{
    const uint64_t function = words[API_clEnqueueNativeKernel_user_func];
    const uint64_t arguments = words[API_clEnqueueNativeKernel_args];
    const uint64_t size = words[API_clEnqueueNativeKernel_cb_args];
    const uint64_t count = words[API_clEnqueueNativeKernel_num_mem_objects] & UINT32_MAX;
    const unsigned char *places =
        (const unsigned char *)words[API_clEnqueueNativeKernel_args_mem_loc];
    if (function == 0 || (arguments == 0) != (size == 0) ||
        (count != 0 && (!places || !arguments)) ||
        !readable_bytes(readable, (const void *)arguments, size) ||
        !readable_bytes(readable, places, count * sizeof(uint64_t)))
        return; /* a wrong call stays as it is */
    const uint64_t behind = sizeof(struct native) + (size + 7) / 8 * 8; /* the arguments */
    const uint64_t whole = behind + count * sizeof(struct native_object);
    struct native *native = arena_alloc(arena, 1, whole);
    uint64_t *moved = arena_alloc(arena, count + 1, sizeof *moved);
    if (!native || !moved)
        return;
    *native = (struct native){.function = (api_native_kernel *)function,
                              .queue = words[API_clEnqueueNativeKernel_command_queue],
                              .call_id = call->id,
                              .has_arguments = size != 0,
                              .objects = behind,
                              .object_count = count};
    if (size != 0)
        memcpy(native + 1, (const void *)arguments, size);
    if (count != 0)
        memcpy(moved, places, count * sizeof *moved);
    for (uint64_t i = 0; i < count; i++) {
        moved[i] += (uint64_t)(native + 1) - arguments;
        const uint64_t place = moved[i] - (uint64_t)native;
        const bool is_within = place >= sizeof *native && place <= behind - sizeof(void *);
        native_objects(native)[i] =
            (struct native_object){.place = place, .size = is_within ? object_size(call, i) : 0};
    }
    other_call_expected(false);
    words[API_clEnqueueNativeKernel_user_func] = (uint64_t)native_kernel;
    words[API_clEnqueueNativeKernel_args] = (uint64_t)native;
    words[API_clEnqueueNativeKernel_cb_args] = whole;
    if (count != 0)
        words[API_clEnqueueNativeKernel_args_mem_loc] = (uint64_t)moved;
}

static const struct trampoline {
    api_function *function;
    bool comes_by_itself;
} trampolines[API_ENTRY_COUNT] = {
    [API_ENTRY_clCreateContext] = {(api_function *)context_notify, false},
    [API_ENTRY_clCreateContextFromType] = {(api_function *)context_notify, false},
    [API_ENTRY_clSetContextDestructorCallback] = {(api_function *)context_destructor, false},
    [API_ENTRY_clBuildProgram] = {(api_function *)build_notify, true},
    [API_ENTRY_clCompileProgram] = {(api_function *)build_notify, true},
    [API_ENTRY_clLinkProgram] = {(api_function *)build_notify, true},
    [API_ENTRY_clSetProgramReleaseCallback] = {(api_function *)release_notify, false},
    [API_ENTRY_clSetEventCallback] = {(api_function *)event_notify, true},
    [API_ENTRY_clSetMemObjectDestructorCallback] = {(api_function *)mem_destructor, false},
    [API_ENTRY_clEnqueueSVMFree] = {(api_function *)svm_free_notify, true},
};

struct callback *callbacks_wrap(const struct api_call *call, uint64_t *words, struct arena *arena,
                                struct readable *readable)
{
    if (call->entry == API_ENTRY_clEnqueueNativeKernel)
        wrap_native(call, words, arena, readable);
    const struct trampoline *trampoline = &trampolines[call->entry];
    if (!trampoline->function)
        return NULL;
    const struct session *session = session_get();
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t index = api_entry_find_role(info, API_ROLE_CALLBACK);
    const uint32_t user_index = api_entry_find_role(info, API_ROLE_USER_DATA);
    struct callback *callback = words[index] != 0 ? alloc(sizeof *callback) : NULL;
    if (!callback)
        return NULL;
    *callback = (struct callback){.function.any = (api_function *)words[index],
                                  .user_data = (void *)words[user_index],
                                  .call_id = call->id,
                                  .object = words[0],
                                  .entry = call->entry,
                                  .comes_by_itself = trampoline->comes_by_itself,
                                  .holders = 2};
    if (call->entry == API_ENTRY_clSetEventCallback) {
        callback->registered = atomic_fetch_add(&moments, 1);
        callback->shuffled = session && session->shuffles_callbacks;
        callback->event = words[API_clSetEventCallback_event];
        callback->status = (cl_int)words[API_clSetEventCallback_command_exec_callback_type];
    }
    words[index] = (uint64_t)trampoline->function;
    words[user_index] = (uint64_t)callback;
    other_call_expected(callback->comes_by_itself);
    return callback;
}

/* Does a driver call although the call failed, perhaps later than it returns? */
static bool tells_failure(const struct api_call *call)
{
    const int32_t status = (int32_t)call->result.bits;
    switch (call->entry) {
    case API_ENTRY_clBuildProgram:
        return status == CL_BUILD_PROGRAM_FAILURE;
    case API_ENTRY_clCompileProgram:
        return status == CL_COMPILE_PROGRAM_FAILURE;
    case API_ENTRY_clLinkProgram: /* its status is not in the result */
        return true;
    default:
        return false;
    }
}

void callbacks_returned(struct callback *callback, const struct api_call *call, bool succeeded)
{
    if (succeeded && callback->shuffled)
        wait_for_turn(callback);
    if (!succeeded && !tells_failure(call))
        release(callback);
    release(callback);
}
