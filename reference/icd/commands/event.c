/* OpenCL API 3.0, chapters 5.11 to 5.14: events, user events, their callbacks and profiling. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/host_changes.h"
#include "reference/icd/kernels/races.h"
#include "trace/base/alloc.h"
#include "trace/base/visible.h"

#include <stdio.h>

cl_event icd_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    cl_int result = CL_INVALID_CONTEXT;
    cl_event event = NULL;
    if (object_is(context, OBJECT_CONTEXT)) {
        icd_lock();
        event = event_create_user(context);
        icd_unlock();
        result = event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return object_give(event, result, errcode_ret);
}

cl_int icd_clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    if (!object_is(event, OBJECT_EVENT) || event->queue)
        return CL_INVALID_EVENT;
    if (execution_status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    icd_lock();
    const cl_int result = event->status > CL_COMPLETE ? CL_SUCCESS : CL_INVALID_OPERATION;
    if (result == CL_SUCCESS) {
        races_set_user_event(event);
        executor_end_event(event, execution_status);
        executor_settle();
    }
    icd_unlock();
    return result;
}

/* The last reference to a user event whose status nobody has set is gone: nobody can set it any
 * more. OpenCL API 3.0, 5.11, clReleaseEvent: commands that wait for it "will continue to wait",
 * for ever. Here they end with an error, and the program is told. Locked. */
static void abandon(void *handle)
{
    cl_event event = handle;
    if (event->queue || event->status <= CL_COMPLETE || event->waiting_count == 0)
        return;
    visible_tell("clerk: a user event is released for the last time before its status is set: what "
                 "waits for it (%zu) would wait for ever, and ends with an error instead\n",
                 event->waiting_count);
    executor_end_event(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    executor_settle();
}

cl_int icd_clReleaseEvent(cl_event event)
{
    return object_release_last(event, OBJECT_EVENT, abandon);
}

/* Locked, so that an event which another thread releases meanwhile is held or refused. */
static cl_int check_and_hold(cl_uint num_events, const cl_event *event_list)
{
    for (cl_uint i = 0; i < num_events; i++) {
        if (!object_is(event_list[i], OBJECT_EVENT))
            return CL_INVALID_EVENT;
    }
    for (cl_uint i = 1; i < num_events; i++) {
        if (event_list[i]->context != event_list[0]->context)
            return CL_INVALID_CONTEXT;
    }
    for (cl_uint i = 0; i < num_events; i++)
        object_hold(event_list[i]);
    return CL_SUCCESS;
}

/* As long as one of these has not ended the wait is one for commands, whatever user events it is
 * for besides. */
static void wait_for_commands(cl_uint num_events, const cl_event *event_list)
{
    for (cl_uint i = 0; i < num_events; i++) {
        if (event_list[i]->queue)
            executor_wait_end(event_list[i]);
    }
}

cl_int icd_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    if (num_events == 0 || !event_list)
        return CL_INVALID_VALUE;
    icd_lock();
    cl_int result = check_and_hold(num_events, event_list);
    if (result == CL_SUCCESS) {
        executor_flush();
        wait_for_commands(num_events, event_list);
        for (cl_uint i = 0; i < num_events; i++) {
            executor_wait_end(event_list[i]);
            races_host_waited(event_list[i]);
            if (event_list[i]->status < 0)
                result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            object_drop(event_list[i]);
        }
    }
    icd_unlock();
    return result;
}

/* The status now. A program that polls without a flush gets on: the answer CL_QUEUED submits. */
static cl_int poll_status(cl_event event)
{
    icd_lock();
    object_hold(event);
    executor_catch_up();
    const cl_int status = event->status;
    if (status == CL_QUEUED)
        executor_flush();
    else if (status == CL_COMPLETE)
        races_status_asked(event);
    object_drop(event);
    icd_unlock();
    return status;
}

cl_int icd_clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    if (param_name == CL_EVENT_COMMAND_EXECUTION_STATUS)
        return INFO_VALUE(&target, cl_int, poll_status(event));
    const struct info_row rows[] = {
        INFO(CL_EVENT_COMMAND_QUEUE, cl_command_queue, event->queue),
        INFO(CL_EVENT_CONTEXT, cl_context, event->context),
        INFO(CL_EVENT_COMMAND_TYPE, cl_command_type, event->type),
        INFO(CL_EVENT_REFERENCE_COUNT, cl_uint, object_reference_count(event)),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

cl_int icd_clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                              void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
                              void *user_data)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    if (!pfn_notify ||
        (command_exec_callback_type != CL_SUBMITTED && command_exec_callback_type != CL_RUNNING &&
         command_exec_callback_type != CL_COMPLETE))
        return CL_INVALID_VALUE;
    struct event_callback *callback = alloc(sizeof(*callback));
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    *callback = (struct event_callback){
        .status = command_exec_callback_type, .function = pfn_notify, .user = user_data};
    icd_lock();
    if (event->status <= command_exec_callback_type) {
        races_host_waited(event);
        callbacks_add_event(event, event->status < 0 ? event->status : command_exec_callback_type,
                            pfn_notify, user_data);
        alloc_free(callback);
    } else {
        struct event_callback **end = &event->callbacks;
        while (*end)
            end = &(*end)->next;
        *end = callback;
    }
    icd_unlock();
    return CL_SUCCESS;
}

cl_int icd_clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
                                   size_t param_value_size, void *param_value,
                                   size_t *param_value_size_ret)
{
    static const cl_profiling_info names[EVENT_TIME_COUNT] = {
        [EVENT_TIME_QUEUED] = CL_PROFILING_COMMAND_QUEUED,
        [EVENT_TIME_SUBMIT] = CL_PROFILING_COMMAND_SUBMIT,
        [EVENT_TIME_START] = CL_PROFILING_COMMAND_START,
        [EVENT_TIME_END] = CL_PROFILING_COMMAND_END,
        [EVENT_TIME_COMPLETE] = CL_PROFILING_COMMAND_COMPLETE,
    };
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    int time = 0;
    while (time < EVENT_TIME_COUNT && names[time] != param_name)
        time++;
    if (time == EVENT_TIME_COUNT)
        return CL_INVALID_VALUE;
    icd_lock();
    executor_catch_up();
    const bool available = event->queue && (event->queue->flags & CL_QUEUE_PROFILING_ENABLE) != 0 &&
                           event->status == CL_COMPLETE;
    const cl_ulong value = event->times[time];
    if (available)
        host_changes_forget(); /* it is known that the command has ended */
    icd_unlock();
    return available ? INFO_VALUE(&target, cl_ulong, value) : CL_PROFILING_INFO_NOT_AVAILABLE;
}
