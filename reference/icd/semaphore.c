/* cl_khr_semaphore 1.0: binary semaphores.
 *
 * Signals and waits of a semaphore alternate, so the n-th wait is for the n-th signal, in the order
 * of the calls. A wait is therefore a command with one event more in its wait list: that of the
 * signal, or, where none has been enqueued yet, a user event that the next signal ends. So
 * execution, errors and what comes before what are those of events. */
#include "reference/icd/device_list.h"
#include "reference/icd/executor.h"
#include "reference/icd/exports.h"
#include "reference/icd/limits.h"
#include "reference/icd/properties.h"
#include "reference/icd/races.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"
#include "trace/base/visible.h"

#include <stdio.h>
#include <string.h>

/* ---- making and ending ---- */

enum { END_OF_LIST = 0 }; /* CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR, and of the properties */

struct wish {
    size_t count; /* words of the list, with the final 0 */
    bool has_type;
    const uint64_t *devices; /* NULL = not given */
    size_t device_count;
};

/* Pairs, but for the list of devices, which has an end of its own. */
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
            while (value[wish->device_count] != END_OF_LIST)
                wish->device_count++;
            wish->count += wish->device_count + 2;
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    wish->count++;
    return wish->has_type ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int choose_devices(cl_context context, const struct wish *wish, struct device_list *list)
{
    if (!wish->devices)
        return context->devices.count > 1
                   ? CL_INVALID_PROPERTY
                   : device_list_copy(context->devices.devices, context->devices.count, list);
    cl_device_id device = (cl_device_id)(uintptr_t)wish->devices[0];
    return wish->device_count != 1 || !device_list_has(&context->devices, device)
               ? CL_INVALID_DEVICE
               : device_list_copy(&device, 1, list);
}

static cl_int create(cl_context context, const cl_semaphore_properties_khr *given,
                     cl_semaphore_khr *created)
{
    struct wish wish;
    struct device_list devices = {0};
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!limits_keep(KEPT_OPTIONAL))
        return CL_INVALID_OPERATION;
    if (!given)
        return CL_INVALID_VALUE;
    cl_int result = read_properties(given, &wish);
    if (result == CL_SUCCESS)
        result = choose_devices(context, &wish, &devices);
    if (result != CL_SUCCESS)
        return result;
    cl_semaphore_khr semaphore = object_create(OBJECT_SEMAPHORE, sizeof(*semaphore));
    uint64_t *values = alloc_zero(wish.count, sizeof(*values));
    icd_lock();
    if (semaphore && values) {
        memcpy(values, given, wish.count * sizeof(*values));
        semaphore->properties = (struct property_list){.values = values, .count = wish.count};
        semaphore->devices = devices;
        semaphore->context = context;
        object_hold(context);
        *created = semaphore;
    } else {
        device_list_release(&devices);
        alloc_free(values);
        object_discard(semaphore);
        result = CL_OUT_OF_HOST_MEMORY;
    }
    icd_unlock();
    return result;
}

cl_semaphore_khr CL_API_CALL clerk_create_semaphore(cl_context context,
                                                    const cl_semaphore_properties_khr *sema_props,
                                                    cl_int *errcode_ret)
{
    cl_semaphore_khr semaphore = NULL;
    const cl_int result = create(context, sema_props, &semaphore);
    if (errcode_ret)
        *errcode_ret = result;
    return semaphore;
}

void semaphore_destroy(cl_semaphore_khr semaphore)
{
    if (semaphore->signal)
        object_drop(semaphore->signal);
    alloc_free(semaphore->awaited); /* empty: what waits holds the semaphore */
    device_list_release(&semaphore->devices);
    property_list_release(&semaphore->properties);
    object_drop(semaphore->context);
}

cl_int CL_API_CALL clerk_retain_semaphore(cl_semaphore_khr sema_object)
{
    return object_retain(sema_object, OBJECT_SEMAPHORE);
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

cl_int CL_API_CALL clerk_release_semaphore(cl_semaphore_khr sema_object)
{
    icd_lock();
    const bool valid =
        object_is(sema_object, OBJECT_SEMAPHORE) && sema_object->object.references > 0;
    if (valid) {
        object_hold(sema_object);
        if (--sema_object->object.references == 0 && sema_object->awaited_count > 0)
            abandon(sema_object);
        object_drop(sema_object);
    }
    icd_unlock();
    return valid ? CL_SUCCESS : CL_INVALID_SEMAPHORE_KHR;
}

static cl_semaphore_payload_khr payload(cl_semaphore_khr semaphore)
{
    icd_lock();
    const bool signalled = semaphore->signalled;
    icd_unlock();
    return signalled;
}

cl_int CL_API_CALL clerk_get_semaphore_info(cl_semaphore_khr sema_object,
                                            cl_semaphore_info_khr param_name,
                                            size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(sema_object, OBJECT_SEMAPHORE))
        return CL_INVALID_SEMAPHORE_KHR;
    switch (param_name) {
    case CL_SEMAPHORE_CONTEXT_KHR:
        return INFO_VALUE(&target, cl_context, sema_object->context);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR:
        return INFO_VALUE(&target, cl_uint, object_reference_count(sema_object));
    case CL_SEMAPHORE_PROPERTIES_KHR:
        return info_bytes(&target, sema_object->properties.values,
                          sema_object->properties.count * sizeof(uint64_t));
    case CL_SEMAPHORE_TYPE_KHR:
        return INFO_VALUE(&target, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR:
        return INFO_VALUE(&target, cl_semaphore_payload_khr, payload(sema_object));
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        return info_bytes(&target, sema_object->devices.devices,
                          sema_object->devices.count * sizeof(cl_device_id));
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- commands ---- */

/* The semaphores of a command, and of a signal the user events that it ends; all held. */
struct semaphores {
    cl_uint count;
    struct {
        cl_semaphore_khr semaphore;
        cl_event awaited; /* NULL = none */
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

/* What an awaited signal did not end, because it failed, ends with an error. */
static void semaphores_release(void *data)
{
    struct semaphores *semaphores = data;
    for (cl_uint i = 0; i < semaphores->count; i++) {
        cl_event awaited = semaphores->each[i].awaited;
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
        semaphores->each[i].semaphore->signalled = true;
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
    if (!object_is(queue, OBJECT_QUEUE) || queue->size != 0)
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
        if (!device_list_has(&list[i]->devices, queue->device))
            return CL_INVALID_COMMAND_QUEUE;
    }
    const cl_int checked = command_check(queue, request->wait_count, request->wait_list);
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
    event = grown ? event_create_user(semaphore->context) : NULL;
    if (!event)
        return NULL;
    object_hold(event);
    object_hold(event);
    event->object.references = 0;
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

/* Adds what the semaphores wait for to the application's list. Locked. */
static cl_int add_wait(struct command_request *request, const cl_semaphore_khr *list, cl_uint count,
                       cl_event *made)
{
    const cl_uint given = request->wait_count;
    cl_event *events = alloc_zero((size_t)given + count, sizeof(cl_event));
    cl_uint taken = 0;
    if (events && given > 0)
        memcpy(events, request->wait_list, given * sizeof(cl_event));
    while (events && taken < count && (events[given + taken] = take_signal(list[taken])))
        taken++;
    request->wait_list = events;
    request->wait_count = given + taken;
    const cl_int result = taken == count ? command_add(request, made) : CL_OUT_OF_HOST_MEMORY;
    if (taken < count)
        semaphores_release(request->data);
    while (taken-- > 0) {
        if (result == CL_SUCCESS)
            object_drop(events[given + taken]);
        else
            give_signal_back(list[taken], events[given + taken]);
    }
    alloc_free(events);
    return result;
}

/* The signal is for the wait that awaits one, or else for the next. Locked. */
static cl_int add_signal(struct command_request *request, const cl_semaphore_khr *list,
                         cl_uint count, cl_event *made)
{
    struct semaphores *semaphores = request->data;
    const cl_int result = command_add(request, made);
    for (cl_uint i = 0; result == CL_SUCCESS && i < count; i++) {
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
    icd_lock();
    cl_int result = check(request, list, count);
    if (result == CL_SUCCESS) {
        request->data = semaphores_create(list, count);
        if (!request->data)
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

cl_int CL_API_CALL clerk_enqueue_wait_semaphores(cl_command_queue command_queue,
                                                 cl_uint num_sema_objects,
                                                 const cl_semaphore_khr *sema_objects,
                                                 const cl_semaphore_payload_khr *sema_payload_list,
                                                 cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event)
{
    (void)sema_payload_list; /* binary semaphores have none */
    return enqueue(&(struct command_request){.queue = command_queue,
                                             .type = CL_COMMAND_SEMAPHORE_WAIT_KHR,
                                             .wait_count = num_events_in_wait_list,
                                             .wait_list = event_wait_list,
                                             .event = event,
                                             .run = run_wait,
                                             .release = semaphores_release},
                   sema_objects, num_sema_objects);
}

cl_int CL_API_CALL clerk_enqueue_signal_semaphores(
    cl_command_queue command_queue, cl_uint num_sema_objects, const cl_semaphore_khr *sema_objects,
    const cl_semaphore_payload_khr *sema_payload_list, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event)
{
    (void)sema_payload_list;
    return enqueue(&(struct command_request){.queue = command_queue,
                                             .type = CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
                                             .wait_count = num_events_in_wait_list,
                                             .wait_list = event_wait_list,
                                             .event = event,
                                             .run = run_signal,
                                             .release = semaphores_release},
                   sema_objects, num_sema_objects);
}

/* cl_khr_external_semaphore, which the device has not: "CL_INVALID_VALUE if the requested external
 * semaphore handle type was not specified when sema_object was created". */
cl_int CL_API_CALL clerk_get_semaphore_handle(cl_semaphore_khr sema_object, cl_device_id device,
                                              cl_external_semaphore_handle_type_khr handle_type,
                                              size_t handle_size, void *handle_ptr,
                                              size_t *handle_size_ret)
{
    (void)handle_type;
    (void)handle_size;
    (void)handle_ptr;
    (void)handle_size_ret;
    if (!object_is(sema_object, OBJECT_SEMAPHORE))
        return CL_INVALID_SEMAPHORE_KHR;
    return device_list_has(&sema_object->devices, device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}
