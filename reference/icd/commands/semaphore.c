/* cl_khr_semaphore 1.0, cl_khr_external_semaphore 1.0: binary semaphores.
 *
 * Signals and waits of a semaphore alternate, so the n-th wait is for the n-th signal, in the order
 * of the calls. A wait is therefore a command with one event more in its wait list: that of the
 * signal, or, where none has been enqueued yet, a user event that the next signal ends. So
 * execution, errors and what comes before what are those of events.
 *
 * Of a semaphore that other processes may have, nobody here knows the calls: signals and waits are
 * for its payload, when they are executed. Such a wait waits for a user event, its *gate*, which a
 * thread of the device's ends as soon as nothing else is left to wait for and the payload is
 * signalled. To the order of commands the other processes are the host: it knows what was before a
 * signal, and what it knows is before whatever passes a gate. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/commands/payload.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"
#include "trace/base/visible.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- making and ending ---- */

/* CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR, and of
 * the properties */
enum { END_OF_LIST = 0 };

struct wish {
    size_t count; /* words of the list, with the final 0 */
    bool has_type;
    const uint64_t *devices, *exports; /* NULL = not given */
    size_t device_count, export_count;
    const uint64_t *import; /* the name of a type of handle, and the handle; NULL = none */
};

static size_t list_length(const uint64_t *list)
{
    size_t length = 0;
    while (list[length] != END_OF_LIST)
        length++;
    return length;
}

static bool is_handle_type(uint64_t name)
{
    return (name >= CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR &&
            name <= CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR) ||
           name == CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR;
}

/* Pairs, but for the lists, which have an end of their own. */
static cl_int read_properties(const cl_semaphore_properties_khr *given, struct wish *wish)
{
    *wish = (struct wish){0};
    while (given[wish->count] != END_OF_LIST) {
        const uint64_t *value = &given[wish->count + 1];
        if (given[wish->count] == CL_SEMAPHORE_TYPE_KHR) {
            if (wish->has_type || *value != CL_SEMAPHORE_TYPE_BINARY_KHR)
                return CL_INVALID_PROPERTY;
            wish->has_type = true;
            wish->count += 2;
        } else if (given[wish->count] == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR && !wish->devices) {
            wish->devices = value;
            wish->device_count = list_length(value);
            wish->count += wish->device_count + 2;
        } else if (given[wish->count] == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR && !wish->exports) {
            wish->exports = value;
            wish->export_count = list_length(value);
            wish->count += wish->export_count + 2;
        } else if (is_handle_type(given[wish->count]) && !wish->import) {
            wish->import = &given[wish->count];
            wish->count += 2;
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    wish->count++;
    return wish->has_type ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int check_handles(const struct wish *wish)
{
    if (wish->export_count > 1)
        return CL_INVALID_VALUE;
    if (wish->import && wish->exports)
        return CL_INVALID_OPERATION;
    if (wish->export_count == 1 && wish->exports[0] != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
        return CL_INVALID_PROPERTY;
    return wish->import && wish->import[0] != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR ? CL_INVALID_DEVICE
                                                                                : CL_SUCCESS;
}

/* What it shares with other processes; NULL where it does not. */
static cl_int open_payload(const struct wish *wish, struct payload **payload)
{
    struct error error;
    enum status status = STATUS_OK;
    *payload = NULL;
    if (wish->import)
        status = payload_import((int)wish->import[1], payload, &error);
    else if (wish->export_count > 0)
        status = payload_create(payload, &error);
    if (status == STATUS_OK)
        return CL_SUCCESS;
    visible_tell("clerk: clCreateSemaphoreWithPropertiesKHR: %s\n", error.text);
    return status == STATUS_INVALID ? CL_INVALID_PROPERTY : CL_OUT_OF_RESOURCES;
}

static cl_int choose_device(cl_context context, const struct wish *wish, cl_device_id *device)
{
    *device = wish->devices ? (cl_device_id)(uintptr_t)wish->devices[0] : context->devices[0];
    if (!wish->devices)
        return context->device_count > 1 ? CL_INVALID_PROPERTY : CL_SUCCESS;
    return wish->device_count == 1 && context_has_devices(context, device, 1) ? CL_SUCCESS
                                                                              : CL_INVALID_DEVICE;
}

static void destroy(void *handle)
{
    cl_semaphore_khr semaphore = handle;
    if (semaphore->signal)
        object_drop(semaphore->signal);
    alloc_free(semaphore->awaited); /* empty: what waits holds the semaphore */
    payload_destroy(semaphore->payload);
    object_drop(semaphore->device);
    property_list_release(&semaphore->properties);
    object_drop(semaphore->context);
}

static cl_int create(cl_context context, const cl_semaphore_properties_khr *given,
                     cl_semaphore_khr *created)
{
    struct wish wish;
    cl_device_id device;
    struct payload *payload = NULL;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!limits_keep(KEPT_OPTIONAL))
        return CL_INVALID_OPERATION;
    if (!given)
        return CL_INVALID_VALUE;
    cl_int result = read_properties(given, &wish);
    if (result == CL_SUCCESS)
        result = check_handles(&wish);
    if (result == CL_SUCCESS)
        result = choose_device(context, &wish, &device);
    if (result == CL_SUCCESS)
        result = open_payload(&wish, &payload);
    if (result != CL_SUCCESS)
        return result;
    cl_semaphore_khr semaphore = object_create(OBJECT_SEMAPHORE, sizeof(*semaphore), destroy);
    uint64_t *values = alloc_zero(wish.count, sizeof(*values));
    if (!semaphore || !values) {
        payload_destroy(payload);
        alloc_free(values);
        object_discard(semaphore);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(values, given, wish.count * sizeof(*values));
    semaphore->properties = (struct property_list){.values = values, .count = wish.count};
    semaphore->payload = payload;
    semaphore->exportable = wish.export_count > 0;
    icd_lock();
    semaphore->device = device;
    object_hold(device);
    semaphore->context = context;
    object_hold(context);
    icd_unlock();
    *created = semaphore;
    return CL_SUCCESS;
}

cl_semaphore_khr icd_clCreateSemaphoreWithPropertiesKHR(
    cl_context context, const cl_semaphore_properties_khr *sema_props, cl_int *errcode_ret)
{
    cl_semaphore_khr semaphore = NULL;
    const cl_int result = create(context, sema_props, &semaphore);
    return object_give(semaphore, result, errcode_ret);
}

/* Of those that are awaited, the oldest: held by the caller. NULL = none. Locked. */
static cl_event take_awaited(cl_semaphore_khr semaphore)
{
    cl_event *awaited = semaphore->awaited;
    if (semaphore->awaited_count == 0)
        return NULL;
    cl_event event = awaited[0];
    memmove(awaited, awaited + 1, --semaphore->awaited_count * sizeof(*awaited));
    return event;
}

/* Nobody can enqueue the signals any more that commands wait for: as clReleaseEvent does with user
 * events, they end with an error, and the program is told. Locked. */
static void abandon(cl_semaphore_khr semaphore)
{
    cl_event event;
    visible_tell(
        "clerk: a semaphore is released for the last time before it is signalled: what waits "
        "for it (%zu) would wait for ever, and ends with an error instead\n",
        semaphore->awaited_count);
    while ((event = take_awaited(semaphore))) {
        executor_end_event(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        object_drop(event);
    }
    executor_settle();
}

static void let_go(void *handle)
{
    cl_semaphore_khr semaphore = handle;
    if (semaphore->awaited_count > 0)
        abandon(semaphore);
    if (semaphore->payload)
        payload_let_go(semaphore->payload);
}

cl_int icd_clReleaseSemaphoreKHR(cl_semaphore_khr sema_object)
{
    return object_release_last(sema_object, OBJECT_SEMAPHORE, let_go);
}

static cl_semaphore_payload_khr payload(cl_semaphore_khr semaphore)
{
    if (semaphore->payload)
        return payload_is_signalled(semaphore->payload);
    icd_lock();
    const bool signalled = semaphore->signalled;
    icd_unlock();
    return signalled;
}

cl_int icd_clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name,
                                 size_t param_value_size, void *param_value,
                                 size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(sema_object, OBJECT_SEMAPHORE))
        return CL_INVALID_SEMAPHORE_KHR;
    const cl_external_semaphore_handle_type_khr type = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
    const struct info_row rows[] = {
        INFO(CL_SEMAPHORE_CONTEXT_KHR, cl_context, sema_object->context),
        INFO(CL_SEMAPHORE_REFERENCE_COUNT_KHR, cl_uint, object_reference_count(sema_object)),
        INFO_PROPERTIES(CL_SEMAPHORE_PROPERTIES_KHR, sema_object->properties),
        INFO(CL_SEMAPHORE_TYPE_KHR, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR),
        INFO(CL_SEMAPHORE_PAYLOAD_KHR, cl_semaphore_payload_khr, payload(sema_object)),
        INFO(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, cl_device_id, sema_object->device),
        {CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, &type, sema_object->exportable ? sizeof(type) : 0},
        INFO(CL_SEMAPHORE_EXPORTABLE_KHR, cl_bool, sema_object->exportable),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

cl_int icd_clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object, cl_device_id device,
                                          cl_external_semaphore_handle_type_khr handle_type,
                                          size_t handle_size, void *handle_ptr,
                                          size_t *handle_size_ret)
{
    int descriptor = -1;
    struct error error;
    if (!object_is(sema_object, OBJECT_SEMAPHORE))
        return CL_INVALID_SEMAPHORE_KHR;
    if (sema_object->device != device)
        return CL_INVALID_DEVICE;
    if (!sema_object->exportable || handle_type != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR ||
        (handle_ptr && handle_size < sizeof(descriptor)))
        return CL_INVALID_VALUE;
    if (handle_ptr && payload_export(sema_object->payload, &descriptor, &error) != STATUS_OK) {
        visible_tell("clerk: clGetSemaphoreHandleForTypeKHR: %s\n", error.text);
        return CL_OUT_OF_RESOURCES;
    }
    if (handle_ptr)
        memcpy(handle_ptr, &descriptor, sizeof(descriptor));
    if (handle_size_ret)
        *handle_size_ret = sizeof(descriptor);
    return CL_SUCCESS;
}

/* ---- commands ---- */

/* The semaphores of a command, and of a signal the user events that it ends; all held. */
struct semaphores {
    cl_event gate; /* of a wait, while it is closed: held; else NULL */
    struct semaphores *next_gate;
    cl_event signals; /* of a signal: its own event, which lives as long as the command */
    cl_uint count;
    struct {
        cl_semaphore_khr semaphore;
        cl_event awaited; /* NULL = none */
        bool taken;       /* the payload, while the gate is closed */
    } each[];
};

static struct semaphores *semaphores_create(const cl_semaphore_khr *list, cl_uint count)
{
    struct semaphores *made = alloc_zero(1, sizeof(*made) + count * sizeof(made->each[0]));
    for (cl_uint i = 0; made && i < count; i++) {
        made->each[i].semaphore = list[i];
        object_hold(list[i]);
    }
    if (made)
        made->count = count;
    return made;
}

static struct semaphores *gates; /* those that are closed, in order of enqueue */

/* Of a wait that could not be enqueued. */
static void forget_gate(struct semaphores *semaphores)
{
    struct semaphores **link = &gates;
    while (*link != semaphores)
        link = &(*link)->next_gate;
    *link = semaphores->next_gate;
    object_drop(semaphores->gate);
}

/* What an awaited signal did not end, because it failed, ends with an error. */
static void semaphores_release(void *data)
{
    struct semaphores *semaphores = data;
    if (semaphores->gate)
        forget_gate(semaphores);
    for (cl_uint i = 0; i < semaphores->count; i++) {
        cl_event awaited = semaphores->each[i].awaited;
        semaphores->each[i].semaphore->signals -= semaphores->signals != NULL;
        if (awaited) {
            if (awaited->status > CL_COMPLETE)
                executor_end_event(awaited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            object_drop(awaited);
        }
        object_drop(semaphores->each[i].semaphore);
    }
    alloc_free(semaphores);
}

static cl_int run_wait(void *data, uint64_t *cost)
{
    const struct semaphores *semaphores = data;
    icd_lock();
    for (cl_uint i = 0; i < semaphores->count; i++)
        semaphores->each[i].semaphore->signalled = false;
    icd_unlock();
    *cost += 1;
    return CL_SUCCESS;
}

static cl_int run_signal(void *data, uint64_t *cost)
{
    const struct semaphores *semaphores = data;
    icd_lock();
    for (cl_uint i = 0; i < semaphores->count; i++) {
        cl_event awaited = semaphores->each[i].awaited;
        cl_semaphore_khr semaphore = semaphores->each[i].semaphore;
        if (semaphore->payload) {
            races_host_waited(semaphores->signals);
            payload_signal(semaphore->payload);
        }
        semaphore->signalled = true;
        if (awaited) {
            races_end_user_event(awaited);
            executor_end_event(awaited, CL_COMPLETE);
        }
    }
    icd_unlock();
    *cost += 1;
    return CL_SUCCESS;
}

/* Locked. */
static cl_int check(const struct command_request *request, const cl_semaphore_khr *list,
                    cl_uint count)
{
    cl_command_queue queue = request->queue;
    if (!queue_is_of_host(queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(list[i], OBJECT_SEMAPHORE))
            return CL_INVALID_SEMAPHORE_KHR;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (list[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
        if (list[i]->device != queue->device)
            return CL_INVALID_COMMAND_QUEUE;
    }
    const cl_int checked = command_check(request);
    for (cl_uint i = 0; checked == CL_SUCCESS && i < request->wait_count; i++) {
        if (request->wait_list[i]->status < 0)
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return checked;
}

/* The event that the next wait for the semaphore waits for: held by the caller. NULL when memory is
 * out. Locked. */
static cl_event take_signal(cl_semaphore_khr semaphore)
{
    cl_event event = semaphore->signal;
    if (event) {
        semaphore->signal = NULL;
        return event;
    }
    void *grown = alloc_grow(semaphore->awaited, semaphore->awaited_count,
                             &semaphore->awaited_capacity, sizeof(*semaphore->awaited));
    if (grown)
        semaphore->awaited = grown;
    event = grown ? event_create_gate(semaphore->context) : NULL;
    if (!event)
        return NULL;
    semaphore->awaited[semaphore->awaited_count++] = event;
    return event;
}

/* Undoes the latest take_signal of the semaphore. */
static void give_signal_back(cl_semaphore_khr semaphore, cl_event event)
{
    if (event->queue) {
        semaphore->signal = event;
    } else {
        semaphore->awaited_count--;
        object_drop(event);
        object_drop(event);
    }
}

/* ---- gates ---- */

/* Is the gate all that its command waits for? */
static bool is_due(const struct semaphores *gate)
{
    const struct command *command = gate->gate->waiting[0].command;
    return command->submitted && command->waits == 1;
}

static bool take_payloads(struct semaphores *gate)
{
    bool all = true;
    for (cl_uint i = 0; i < gate->count; i++) {
        cl_semaphore_khr semaphore = gate->each[i].semaphore;
        if (!semaphore->payload || gate->each[i].taken)
            continue;
        gate->each[i].taken = payload_take(semaphore->payload);
        all &= gate->each[i].taken;
    }
    return all;
}

/* Whether somebody is still able to signal. That nobody else is, the program is told once. */
static bool can_be_signalled(cl_semaphore_khr semaphore)
{
    const enum payload_company company =
        semaphore->signals > 0 ? PAYLOAD_SHARED : payload_company(semaphore->payload);
    const bool is_released = semaphore->object.references == 0;
    if (payload_is_signalled(semaphore->payload)) /* by who has left since */
        return true;
    if (is_released && (company == PAYLOAD_ALONE || company == PAYLOAD_PRIVATE)) {
        visible_tell("clerk: a semaphore is released for the last time before it is signalled, and "
                     "no other process has it: what waits for it would wait for ever, and ends "
                     "with an error instead\n");
        return false;
    }
    if (!semaphore->told && (company == PAYLOAD_ALONE || company == PAYLOAD_LEFT)) {
        visible_tell("clerk: no other process has a semaphore any more that a command waits for, "
                     "and it is not signalled: the command waits until this program %s\n",
                     company == PAYLOAD_LEFT && is_released
                         ? "closes its descriptor, or imports that"
                         : "signals it, or releases it");
        semaphore->told = true;
    }
    return true;
}

static bool may_open(const struct semaphores *gate)
{
    for (cl_uint i = 0; i < gate->count; i++) {
        if (gate->each[i].semaphore->payload && !gate->each[i].taken &&
            !can_be_signalled(gate->each[i].semaphore))
            return false;
    }
    return true;
}

static void open_gate(struct semaphores **link, cl_int status)
{
    struct semaphores *gate = *link;
    cl_event event = gate->gate;
    *link = gate->next_gate;
    gate->gate = NULL;
    races_set_user_event(event);
    executor_end_event(event, status); /* the command, and with it `gate`, lives on until it runs */
    object_drop(event);
}

static bool pass_gate(struct semaphores **link, bool looks_around)
{
    struct semaphores *gate = *link;
    const bool due = is_due(gate);
    const bool failed = due && gate->gate->waiting[0].command->failed;
    if (failed || (due && take_payloads(gate)))
        open_gate(link, CL_COMPLETE);
    else if (looks_around && !may_open(gate))
        open_gate(link, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    else
        return false;
    return true;
}

/* Whether one was opened. */
static bool pass_gates(bool looks_around)
{
    bool opened = false;
    for (struct semaphores **link = &gates; *link;) {
        if (pass_gate(link, looks_around))
            opened = true;
        else
            link = &(*link)->next_gate;
    }
    return opened;
}

enum { ROUNDS_PER_LOOK = 50 };

static void *watch_main(void *unused)
{
    const struct timespec round = {.tv_nsec = 1000000};
    (void)unused;
    icd_lock();
    for (unsigned rounds = 0;; rounds++) {
        while (!gates)
            icd_wait_change();
        if (pass_gates(rounds % ROUNDS_PER_LOOK == 0))
            executor_settle();
        icd_unlock();
        nanosleep(&round, NULL);
        icd_lock();
    }
    return NULL;
}

/* The event that the wait for payloads waits for: held twice, by the caller and by the gate. NULL
 * when memory is out. Locked. */
static cl_event close_gate(struct semaphores *semaphores, cl_context context)
{
    static bool started;
    cl_event event = thread_start(&started, watch_main) ? event_create_gate(context) : NULL;
    if (!event)
        return NULL;
    struct semaphores **last = &gates; /* the first that waits gets the first signal */
    while (*last)
        last = &(*last)->next_gate;
    semaphores->gate = event;
    *last = semaphores;
    icd_changed();
    return event;
}

static bool has_payload(const cl_semaphore_khr *list, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) {
        if (list[i]->payload)
            return true;
    }
    return false;
}

/* ---- enqueueing ---- */

/* Adds what the semaphores wait for to the application's list: an event for each, but one gate for
 * all that have a payload. Locked. */
static cl_int add_wait(struct command_request *request, const cl_semaphore_khr *list, cl_uint count,
                       cl_event *made)
{
    const cl_uint given = request->wait_count;
    cl_event *events = alloc_zero((size_t)given + count, sizeof(cl_event));
    cl_event *taken = events ? events + given : NULL;
    cl_uint taken_count = 0;
    cl_event gate = NULL;
    bool complete = events != NULL;
    if (events && given > 0)
        memcpy(events, request->wait_list, given * sizeof(cl_event));
    for (cl_uint i = 0; complete && i < count; i++) {
        if (list[i]->payload)
            continue;
        taken[taken_count] = take_signal(list[i]);
        complete = taken[taken_count] != NULL;
        taken_count += complete;
    }
    if (complete && has_payload(list, count)) {
        gate = close_gate(request->work.data, request->queue->context);
        taken[taken_count] = gate;
        complete = gate != NULL;
    }
    request->wait_list = events;
    request->wait_count = given + taken_count + (gate != NULL);
    const cl_int result = complete ? command_add(request, made) : CL_OUT_OF_HOST_MEMORY;
    if (!complete)
        semaphores_release(request->work.data);
    for (cl_uint i = 0, at = 0; at < taken_count; i++) {
        if (list[i]->payload)
            continue;
        if (result == CL_SUCCESS)
            object_drop(taken[at++]);
        else
            give_signal_back(list[i], taken[at++]);
    }
    if (gate)
        object_drop(gate);
    alloc_free(events);
    return result;
}

/* The signal is for the wait that awaits one, or else for the next. Locked. */
static cl_int add_signal(struct command_request *request, const cl_semaphore_khr *list,
                         cl_uint count, cl_event *made)
{
    struct semaphores *semaphores = request->work.data;
    const cl_int result = command_add(request, made);
    if (result == CL_SUCCESS)
        semaphores->signals = *made;
    for (cl_uint i = 0; result == CL_SUCCESS && i < count; i++) {
        list[i]->signals++;
        if (list[i]->payload)
            continue;
        semaphores->each[i].awaited = take_awaited(list[i]);
        if (semaphores->each[i].awaited)
            continue;
        if (list[i]->signal)
            object_drop(list[i]->signal);
        list[i]->signal = *made;
        object_hold(*made);
    }
    return result;
}

static cl_int enqueue(struct command_request *request, const cl_semaphore_khr *list, cl_uint count)
{
    cl_event made = NULL;
    request->work.release = semaphores_release;
    icd_lock();
    cl_int result = check(request, list, count);
    if (result == CL_SUCCESS) {
        request->work.data = semaphores_create(list, count);
        if (!request->work.data)
            result = CL_OUT_OF_HOST_MEMORY;
        else if (request->type == CL_COMMAND_SEMAPHORE_WAIT_KHR)
            result = add_wait(request, list, count, &made);
        else
            result = add_signal(request, list, count, &made);
    }
    if (made)
        command_give_event(request, made);
    icd_unlock();
    return result;
}

cl_int icd_clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                      const cl_semaphore_khr *sema_objects,
                                      const cl_semaphore_payload_khr *sema_payload_list,
                                      cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    (void)sema_payload_list; /* binary semaphores have none */
    struct command_request request =
        command_request_of(command_queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, num_events_in_wait_list,
                           event_wait_list, event);
    request.work.run = run_wait;
    return enqueue(&request, sema_objects, num_sema_objects);
}

cl_int icd_clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                        const cl_semaphore_khr *sema_objects,
                                        const cl_semaphore_payload_khr *sema_payload_list,
                                        cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    (void)sema_payload_list;
    struct command_request request =
        command_request_of(command_queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, num_events_in_wait_list,
                           event_wait_list, event);
    request.work.run = run_signal;
    return enqueue(&request, sema_objects, num_sema_objects);
}
