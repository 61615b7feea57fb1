#include "reference/icd/kernels/children.h"

#include "reference/limits/limits.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

/* In the upper half of a handle, so that a number which is none is hardly taken for one. */
static const uint64_t HANDLE_MARK = UINT64_C(0x65766e74) << 32;

/* By the number in the handle; NULL = it is gone. Numbers are never given anew. */
static struct device_event **events;
static size_t event_count, event_capacity, live_count;

struct device_event *device_event_create(bool user)
{
    struct device_event *event =
        live_count < limits_get(LIMIT_DEVICE_EVENTS) ? alloc_zero(1, sizeof(*event)) : NULL;
    void *grown = event && event_count < UINT32_MAX
                      ? alloc_grow(events, event_count, &event_capacity, sizeof(*events))
                      : NULL;
    if (!grown) {
        alloc_free(event);
        return NULL;
    }
    events = grown;
    event->handle = HANDLE_MARK | event_count;
    event->references = 1;
    event->user = user;
    event->status = CL_SUBMITTED;
    events[event_count++] = event;
    live_count++;
    return event;
}

struct device_event *device_event_find(uint64_t handle)
{
    const uint64_t number = handle & UINT32_MAX;
    const bool is_handle = (handle & ~(uint64_t)UINT32_MAX) == HANDLE_MARK;
    return is_handle && number < event_count ? events[number] : NULL;
}

struct device_event *device_event_next(size_t *index)
{
    while (*index < event_count) {
        struct device_event *event = events[(*index)++];
        if (event)
            return event;
    }
    return NULL;
}

/* OpenCL C 3.0, 6.15.18, release_event: "The event object is deleted once the event reference count
 * is zero, the specific command identified by this event has completed (or terminated), and there
 * are no commands in any device command-queue that require a wait for this event". */
static void collect(struct device_event *event)
{
    if (event->references > 0 || event->waiting > 0 || event->status > CL_COMPLETE)
        return;
    events[event->handle & UINT32_MAX] = NULL;
    live_count--;
    alloc_free(event->captures);
    alloc_free(event);
}

void device_event_release(struct device_event *event)
{
    ASSERT(event->references > 0);
    event->references--;
    collect(event);
}

void device_event_waited(struct device_event *event)
{
    event->waiting--;
    collect(event);
}

/* ---- times ---- */

static void write_times(const struct device_event *event, uint64_t given)
{
    const uint64_t pointer = vm_memory_pointer(icd_memory(), given);
    const int64_t offset = vm_pointer_offset(pointer);
    const struct vm_object *object = (pointer & VM_POINTER_TAG)
                                         ? vm_memory_find(icd_memory(), vm_pointer_object(pointer))
                                         : NULL;
    if (object && !object->freed && !object->sealed && offset >= 0 &&
        range_within((uint64_t)offset, sizeof(event->times), object->size))
        vm_memory_write(icd_memory(), vm_pointer_object(pointer), (uint64_t)offset, event->times,
                        sizeof(event->times));
}

bool device_event_capture(struct device_event *event, uint64_t pointer)
{
    if (event->status <= CL_COMPLETE) {
        write_times(event, pointer);
        return true;
    }
    void *grown = alloc_grow(event->captures, event->capture_count, &event->capture_capacity,
                             sizeof(*event->captures));
    if (!grown)
        return false;
    event->captures = grown;
    event->captures[event->capture_count++] = pointer;
    return true;
}

void device_event_end(struct device_event *event, cl_int status)
{
    event->status = status;
    for (size_t i = 0; i < event->capture_count; i++)
        write_times(event, event->captures[i]);
    collect(event);
}
