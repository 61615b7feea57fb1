/* The callback thread: the application's callbacks run here, one at a time, in the order in which
 * their causes happened, with no lock held, so that they may call OpenCL. */
#include "reference/icd/commands/executor.h"
#include "trace/base/alloc.h"

struct callback {
    struct callback *next;
    cl_event event; /* of an event callback, held; else NULL */
    cl_int status;
    void(CL_CALLBACK *event_function)(cl_event event, cl_int status, void *user);
    object_function *function;
    enum object_kind kind; /* of handle */
    void *handle, *user;
};

static struct callback *first, **end = &first;
static bool started;

static void call(const struct callback *callback)
{
    void *user = callback->user;
    if (callback->event)
        callback->event_function(callback->event, callback->status, user);
    else if (callback->kind == OBJECT_CONTEXT)
        ((void(CL_CALLBACK *)(cl_context, void *))callback->function)(callback->handle, user);
    else if (callback->kind == OBJECT_MEM)
        ((void(CL_CALLBACK *)(cl_mem, void *))callback->function)(callback->handle, user);
    else
        ((void(CL_CALLBACK *)(cl_program, void *))callback->function)(callback->handle, user);
}

static void *callbacks_main(void *unused)
{
    (void)unused;
    icd_lock();
    for (;;) {
        while (!first)
            icd_wait_change();
        struct callback *callback = first;
        first = callback->next;
        if (!first)
            end = &first;
        icd_unlock();
        call(callback);
        icd_lock();
        if (callback->event)
            object_drop(callback->event);
        alloc_free(callback);
    }
    return NULL;
}

static void append(const struct callback *filled)
{
    struct callback *callback = alloc(sizeof(*callback));
    if (!callback || !thread_start(&started, callbacks_main)) {
        alloc_free(callback);
        return;
    }
    *callback = *filled;
    if (callback->event)
        object_hold(callback->event);
    *end = callback;
    end = &callback->next;
    icd_changed();
}

void callbacks_add_event(cl_event event, cl_int status,
                         void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user)
{
    append(&(struct callback){
        .event = event, .status = status, .event_function = function, .user = user});
}

void callbacks_add(object_function *function, enum object_kind kind, void *handle, void *user)
{
    append(&(struct callback){.function = function, .kind = kind, .handle = handle, .user = user});
}

cl_int destructor_callback_add(struct destructor_callback **list, object_function *function,
                               void *user)
{
    struct destructor_callback *callback = alloc(sizeof(*callback));
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    icd_lock();
    *callback = (struct destructor_callback){.next = *list, .function = function, .user = user};
    *list = callback;
    icd_unlock();
    return CL_SUCCESS;
}

void callbacks_add_destructors(struct destructor_callback *list, enum object_kind kind,
                               void *handle)
{
    while (list) {
        struct destructor_callback *callback = list;
        list = callback->next;
        callbacks_add(callback->function, kind, handle, callback->user);
        alloc_free(callback);
    }
}
