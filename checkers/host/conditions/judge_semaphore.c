/* Steps about semaphores: of cl_khr_semaphore 1.0 and cl_khr_external_semaphore 1.0. */
#include "checkers/host/checker.h"

#include <inttypes.h>

static void judge_semaphore_devices(struct judged *judged, const struct step *step,
                                    const struct import *wish)
{
    struct device_list context;
    struct object_label label;
    uint64_t types;
    if (wish->lists_devices && wish->devices.count != 1) {
        blame_as(judged, RULE_PROPERTY_INVALID, CL_INVALID_DEVICE, step->argument, 0,
                 "lists %" PRIu64 " devices in CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR; it must be one",
                 wish->devices.count);
        return;
    }
    if (!judged_devices(judged, judged_bits(judged, step->other), &context))
        return;
    if (!wish->lists_devices && context.count > 1) {
        blame_as(judged, RULE_PROPERTY_INVALID, CL_INVALID_PROPERTY, step->argument, 0,
                 "lacks CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR; the context has %" PRIu64 " devices",
                 context.count);
        return;
    }
    const uint64_t device = wish->lists_devices ? wish->devices.handles[0] : context.handles[0];
    if (device_index(&context, device) == context.count)
        blame_as(judged, RULE_DEVICE_FOREIGN, CL_INVALID_DEVICE, step->argument, 0,
                 "lists in CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR something that is not a device of "
                 "the context");
    else if (wish->handles == 1 &&
             judged_device_fact(judged, device, DEVICE_FACT_SEMAPHORE_IMPORT, &types) &&
             !(types & handle_type_bit(wish->type)))
        blame_as(judged, RULE_FEATURE_UNSUPPORTED, CL_INVALID_DEVICE, step->argument, 0,
                 "has a handle of type %s, which the device cannot import "
                 "(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR)",
                 label_value(wish->type, &label));
}

/* argument sema_props, other context */
void judge_semaphore(struct judged *judged, const struct step *step)
{
    const struct import wish =
        import_of(&judged->call->arguments[step->argument], API_FAMILY_SEMAPHORE_PROPERTIES);
    if (judged->call->arguments[step->argument].kind != API_VALUE_PROPERTIES)
        return;
    if (!wish.has_type)
        blame_step(judged, step, 0, "lacks CL_SEMAPHORE_TYPE_KHR");
    else if (wish.exports > 1)
        blame_step(judged, step, 0,
                   "lists %" PRIu32 " types in CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR; it may be one",
                   wish.exports);
    else if (wish.handles > 1)
        blame_as(judged, step->rule, CL_INVALID_PROPERTY, step->argument, 0,
                 "has more than one handle to import");
    else if (wish.handles == 1 && wish.exports != 0)
        blame_as(judged, step->rule, CL_INVALID_OPERATION, step->argument, 0,
                 "imports a handle and is to export one");
    else
        judge_semaphore_devices(judged, step, &wish);
}

/* ---- use ---- */

static bool semaphore_of(const struct judged *judged, uint64_t handle,
                         struct semaphore_traits *semaphore)
{
    return judged_traits(judged, handle, API_OBJECT_SEMAPHORE, semaphore) && semaphore->created;
}

/* The devices that it was made for, or else all of its context; false = not known. */
static bool devices_of(const struct judged *judged, uint64_t handle, struct device_list *devices)
{
    struct semaphore_traits semaphore;
    if (!semaphore_of(judged, handle, &semaphore))
        return false;
    *devices = semaphore.devices;
    return devices->count != 0 || judged_devices(judged, judged_context(judged, handle), devices);
}

/* argument command_queue, other sema_objects: each is for the device of the queue */
void judge_semaphore_queue(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->other];
    const struct queue_traits *queue = judged_queue(judged);
    for (uint32_t i = 0; queue && i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        struct device_list devices;
        if (devices_of(judged, handle, &devices) &&
            device_index(&devices, queue->device) == devices.count) {
            blame_step(judged, step, handle,
                       "is of a device for which %s[%" PRIu32 "] was not made",
                       judged_name(judged, step->other), i);
            return;
        }
    }
}

/* argument device, other sema_object: it was made for the device */
void judge_semaphore_device(struct judged *judged, const struct step *step)
{
    const uint64_t device = judged_bits(judged, step->argument);
    struct device_list devices;
    if (object_state(judged->checker->objects, device).kind == API_OBJECT_DEVICE &&
        devices_of(judged, judged_bits(judged, step->other), &devices) &&
        device_index(&devices, device) == devices.count)
        blame_step(judged, step, judged_bits(judged, step->other),
                   "is not a device that the semaphore was made for");
}

/* argument handle_type, other sema_object: it was made to be exported so */
void judge_exported_type(struct judged *judged, const struct step *step)
{
    const uint64_t type = judged_bits(judged, step->argument);
    const uint64_t handle = judged_bits(judged, step->other);
    struct semaphore_traits semaphore;
    struct object_label label;
    if (semaphore_of(judged, handle, &semaphore) && !(semaphore.exported & handle_type_bit(type)))
        blame_step(judged, step, handle,
                   "is %s, which is not in its CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR",
                   label_value(type, &label));
}

/* argument handle_size, other handle_type, then handle_ptr: there is room for the handle */
void judge_handle_room(struct judged *judged, const struct step *step)
{
    const uint64_t type = judged_bits(judged, step->other);
    const bool is_descriptor =
        type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR || type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
    const uint64_t least = is_descriptor ? sizeof(int) : sizeof(void *);
    if (judged->call->arguments[step->at[2]].present && judged_bits(judged, step->argument) < least)
        blame_step(judged, step, 0, "is %" PRIu64 "; such a handle has %" PRIu64 " bytes",
                   judged_bits(judged, step->argument), least);
}

/* argument sema_object: made from a descriptor, so that it can get another one */
void judge_reimport(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct semaphore_traits semaphore;
    if (semaphore_of(judged, handle, &semaphore) &&
        !(semaphore.imported & handle_type_bit(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR)))
        blame_step(judged, step, handle,
                   "was not made by importing a CL_SEMAPHORE_HANDLE_SYNC_FD_KHR");
}

/* argument fd: a descriptor, or -1, which stands for one that is signalled */
void judge_descriptor(struct judged *judged, const struct step *step)
{
    const int64_t fd = (int32_t)judged_bits(judged, step->argument);
    if (fd < -1)
        blame_step(judged, step, 0, "is %" PRId64, fd);
}

/* argument sema_objects: after a signal each is waited for, after a wait signalled. Who else has a
 * handle of it may do so unseen. */
void judge_semaphore_order(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const bool waits = judged->call->entry == API_ENTRY_clEnqueueWaitSemaphoresKHR;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        struct semaphore_traits semaphore;
        struct object_label label;
        if (semaphore_of(judged, handle, &semaphore) && !semaphore.imported &&
            !semaphore.exported && semaphore.last == judged->call->entry)
            blame_step(judged, step, handle, "has %s, which was %s before, and not %s since",
                       label_object(judged, handle, &label), waits ? "waited for" : "signalled",
                       waits ? "signalled" : "waited for");
    }
}
