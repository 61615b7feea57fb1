/* How events come and go, those of commands and those of the program; what is asked of them and
 * told by them is in event.c. */
#include "reference/icd/kernels/races.h"
#include "reference/icd/types.h"
#include "trace/base/alloc.h"

static void destroy(void *handle)
{
    cl_event event = handle;
    races_drop(event->order);
    /* Only of a user event whose status nobody ever set; no command waits for it. */
    alloc_free(event->waiting);
    while (event->callbacks) {
        struct event_callback *callback = event->callbacks;
        event->callbacks = callback->next;
        alloc_free(callback);
    }
    if (event->queue)
        object_drop(event->queue);
    object_drop(event->context);
}

cl_event event_create(void)
{
    return object_create(OBJECT_EVENT, sizeof(struct _cl_event), destroy);
}

cl_event event_create_user(cl_context context)
{
    cl_event event = event_create();
    if (!event)
        return NULL;
    event->context = context;
    object_hold(context);
    event->type = CL_COMMAND_USER;
    event->status = CL_SUBMITTED;
    event->order = races_user_event();
    return event;
}

cl_event event_create_gate(cl_context context)
{
    cl_event event = event_create_user(context);
    if (!event)
        return NULL;
    object_hold(event);
    object_hold(event);
    event->object.references = 0;
    return event;
}
