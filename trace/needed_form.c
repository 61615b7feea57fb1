/* How needed calls stand in the recording that begins later. */
#include "trace/needed.h"

#include "trace/api/entry.h"

#include <string.h>

uint64_t needed_queue(const struct api_call *call)
{
    const struct api_value *first = &call->arguments[0];
    if (first->kind == API_VALUE_HANDLE)
        return first->bits;
    const struct api_value *list = api_call_argument(call, API_ROLE_HANDLES);
    uint64_t queue = 0;
    if (list && list->kind == API_VALUE_HANDLES && list->data && list->count)
        memcpy(&queue, list->data, sizeof queue);
    return queue;
}

static void make_marker(struct api_call *call)
{
    const struct api_value event = *api_call_argument(call, API_ROLE_OUT_EVENT);
    const uint64_t queue = needed_queue(call);
    call->entry = API_ENTRY_clEnqueueMarkerWithWaitList;
    call->name = NULL;
    memset(call->arguments, 0, sizeof call->arguments);
    call->argument_count = API_clEnqueueMarkerWithWaitList_parameter_count;
    call->arguments[API_clEnqueueMarkerWithWaitList_command_queue] =
        (struct api_value){.kind = API_VALUE_HANDLE, .present = true, .bits = queue};
    call->arguments[API_clEnqueueMarkerWithWaitList_num_events_in_wait_list] =
        (struct api_value){.kind = API_VALUE_SCALAR, .present = true};
    call->arguments[API_clEnqueueMarkerWithWaitList_event_wait_list] =
        (struct api_value){.kind = API_VALUE_POINTER};
    call->arguments[API_clEnqueueMarkerWithWaitList_event] = event;
    call->result = (struct api_value){.kind = API_VALUE_SCALAR, .present = true};
}

static void drop_waits(struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t list = api_entry_find_role(info, API_ROLE_WAIT_LIST);
    if (list == API_PARAMETER_NONE)
        return;
    call->arguments[list] = (struct api_value){.kind = API_VALUE_POINTER};
    call->arguments[info->parameters[list].count_index].bits = 0;
}

void needed_shape(struct api_call *call, enum needed_form form)
{
    if (form == NEEDED_AS_MARKER)
        make_marker(call);
    else if (form == NEEDED_WITHOUT_WAITS)
        drop_waits(call);
}
