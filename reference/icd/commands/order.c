/* OpenCL API 3.0, chapter 5.12: markers and barriers, and their deprecated forms. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"

static cl_int enqueue(cl_command_queue queue, cl_command_type type, enum command_order order,
                      cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    struct command_request request = command_request_of(queue, type, wait_count, wait_list, event);
    const cl_int checked = command_check(&request);
    request.order = wait_count == 0 ? order | COMMAND_WAITS_ALL : order;
    return checked == CL_SUCCESS ? command_enqueue(&request) : checked;
}

cl_int icd_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint num_events_in_wait_list,
                                       const cl_event *event_wait_list, cl_event *event)
{
    return enqueue(queue, CL_COMMAND_MARKER, COMMAND_PLAIN, num_events_in_wait_list,
                   event_wait_list, event);
}

cl_int icd_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    return enqueue(queue, CL_COMMAND_BARRIER, COMMAND_BARRIER, num_events_in_wait_list,
                   event_wait_list, event);
}

cl_int icd_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    return event ? enqueue(queue, CL_COMMAND_MARKER, COMMAND_PLAIN, 0, NULL, event)
                 : CL_INVALID_VALUE;
}

cl_int icd_clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue(queue, CL_COMMAND_BARRIER, COMMAND_BARRIER, 0, NULL, NULL);
}

/* OpenCL 1.1: later commands wait for the listed events, as they wait for a barrier with a list. */
cl_int icd_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events,
                                  const cl_event *event_list)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (num_events == 0 || !event_list)
        return CL_INVALID_VALUE;
    const cl_int result =
        enqueue(queue, CL_COMMAND_BARRIER, COMMAND_BARRIER, num_events, event_list, NULL);
    return result == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : result;
}
