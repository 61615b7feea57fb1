/* Steps about command-buffers: their making, the commands recorded into them, their launch. The
 * specification is that of cl_khr_command_buffer 0.9.8 and ..._multi_device 0.9.2. */
#include "checkers/host/checker.h"

#include "trace/api/property.h"

#include <inttypes.h>

static bool queue_of(const struct judged *judged, uint64_t handle, struct queue_traits *queue)
{
    return judged_traits(judged, handle, API_OBJECT_QUEUE, queue) && queue->device != 0;
}

/* A fact of the device of a command-queue. */
static bool queue_fact(const struct judged *judged, uint64_t handle, enum device_fact fact,
                       uint64_t *value)
{
    struct queue_traits queue;
    return queue_of(judged, handle, &queue) &&
           judged_device_fact(judged, queue.device, fact, value);
}

static bool queues_known(const struct command_buffer_traits *buffer)
{
    return buffer->queue_count > 0 && buffer->queue_count <= TRAITS_DEVICES_MAX;
}

/* Has the device of the first queue the extension? -1 = not known. */
static int buffer_has(const struct judged *judged, const struct command_buffer_traits *buffer,
                      uint64_t extension)
{
    uint64_t extensions;
    if (!queues_known(buffer) ||
        !queue_fact(judged, buffer->queues[0], DEVICE_FACT_EXTENSIONS, &extensions))
        return -1;
    return (extensions & extension) != 0;
}

static bool list_queue(const struct api_value *list, uint32_t index, uint64_t *queue)
{
    if (index >= list_count(list, API_VALUE_HANDLES))
        return false;
    *queue = list_word(list, index);
    return true;
}

/* ---- making ---- */

/* Is the queue at this place of the list of the device of one before it? */
static bool shares_device(const struct judged *judged, const struct api_value *list, uint32_t index)
{
    struct queue_traits queue;
    struct queue_traits before;
    uint64_t handle;
    if (!list_queue(list, index, &handle) || !queue_of(judged, handle, &queue))
        return false;
    for (uint32_t i = 0; i < index && list_queue(list, i, &handle); ++i)
        if (queue_of(judged, handle, &before) && before.device == queue.device)
            return true;
    return false;
}

/* argument num_queues, other queues: one, or one of each device, or more where a device takes them
 */
void judge_queue_count(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->other];
    const uint64_t count = judged_bits(judged, step->argument);
    const struct step several = {.rule = RULE_COMMAND_BUFFER_QUEUE,
                                 .error = CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
                                 .argument = step->other};
    uint64_t extensions;
    uint64_t capabilities;
    uint64_t queue;
    if (count == 0) {
        blame_step(judged, step, 0, "is 0; a command-buffer needs a queue");
        return;
    }
    if (count == 1 || !list_queue(list, 0, &queue) ||
        !queue_fact(judged, queue, DEVICE_FACT_EXTENSIONS, &extensions))
        return;
    if (!(extensions & EXTENSION_MULTI_DEVICE)) {
        blame_step(judged, step, 0,
                   "is %" PRIu64 "; without cl_khr_command_buffer_multi_device it is 1", count);
        return;
    }
    for (uint32_t i = 1; list_queue(list, i, &queue); ++i)
        if (shares_device(judged, list, i) &&
            queue_fact(judged, queue, DEVICE_FACT_RECORDING, &capabilities) &&
            !(capabilities & CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR)) {
            blame_element(judged, &several, i, queue,
                          "is a further queue of a device without "
                          "CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR");
            return;
        }
}

/* argument properties, other queues: the devices have what the flags ask for */
void judge_recording_flags(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->other];
    struct api_property property;
    uint64_t extensions;
    uint64_t queue;
    const struct step unknown = {
        .rule = RULE_PROPERTY_INVALID, .error = CL_INVALID_VALUE, .argument = step->argument};
    if (!api_property_find(&judged->call->arguments[step->argument],
                           API_FAMILY_COMMAND_BUFFER_PROPERTIES, CL_COMMAND_BUFFER_FLAGS_KHR,
                           &property))
        return;
    const uint64_t flags = api_property_word(&property, 0);
    const uint64_t all = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR |
                         CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
    if (flags & ~all) {
        blame_unsure(judged, &unknown,
                     "has the flags 0x%" PRIx64 ", which the driver does not take", flags & ~all);
        return;
    }
    for (uint32_t i = 0; (flags & CL_COMMAND_BUFFER_MUTABLE_KHR) && list_queue(list, i, &queue);
         ++i)
        if (queue_fact(judged, queue, DEVICE_FACT_EXTENSIONS, &extensions) &&
            !(extensions & EXTENSION_MUTABLE_DISPATCH)) {
            blame_step(judged, step, queue,
                       "asks for CL_COMMAND_BUFFER_MUTABLE_KHR; the device of queue %" PRIu32
                       " lacks cl_khr_command_buffer_mutable_dispatch",
                       i);
            return;
        }
}

/* ---- states ---- */

/* argument command_buffer: it may still be recorded into */
void judge_recording(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct command_buffer_traits buffer;
    if (judged_command_buffer(judged, handle, &buffer) && buffer.state != RECORDING_OPEN)
        blame_step(judged, step, handle, "has been finalized");
}

/* argument command_buffer: it may be enqueued, or updated */
void judge_finalized(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct command_buffer_traits buffer;
    if (judged_command_buffer(judged, handle, &buffer) && buffer.state != RECORDING_FINAL)
        blame_step(judged, step, handle, "has not been finalized");
}

/* ---- recording ---- */

/* argument command_queue, other command_buffer: NULL, or one of several of the command-buffer */
void judge_recording_queue(struct judged *judged, const struct step *step)
{
    const uint64_t queue = judged_bits(judged, step->argument);
    const uint64_t handle = judged_bits(judged, step->other);
    struct object_table *objects = judged->checker->objects;
    struct command_buffer_traits buffer;
    if (!judged_command_buffer(judged, handle, &buffer))
        return;
    const int several = buffer_has(judged, &buffer, EXTENSION_MULTI_DEVICE);
    if (queue == 0) {
        if (several == 1 && buffer.queue_count > 1)
            blame_step(judged, step, handle,
                       "is NULL, but the command-buffer was made for %" PRIu32 " queues",
                       buffer.queue_count);
        return;
    }
    const struct object_state state = object_state(objects, queue);
    if (!object_is_usable(state, API_OBJECT_QUEUE) ||
        (state.context != 0 && state.context != judged->context))
        return; /* that is said of it already */
    bool listed = !queues_known(&buffer);
    for (uint32_t i = 0; i < buffer.queue_count && i < TRAITS_DEVICES_MAX; ++i)
        listed |= buffer.queues[i] == queue;
    if (several == 0)
        blame_step(judged, step, queue,
                   "is not NULL; that needs cl_khr_command_buffer_multi_device");
    else if (several == 1 && !listed)
        blame_step(judged, step, queue,
                   "is not one of the queues that the command-buffer was made for");
}

/* argument mutable_handle: only launches of kernels have one, and only of devices that can update
 * (other: command_buffer, of such a launch) */
void judge_mutable_handle(struct judged *judged, const struct step *step)
{
    struct command_buffer_traits buffer;
    if (!judged->call->arguments[step->argument].present)
        return;
    if (step->other == API_PARAMETER_NONE)
        blame_step(judged, step, 0, "is not NULL; such commands cannot be changed");
    else if (judged_command_buffer(judged, judged_bits(judged, step->other), &buffer) &&
             buffer_has(judged, &buffer, EXTENSION_MUTABLE_DISPATCH) == 0)
        blame_step(judged, step, 0,
                   "is not NULL; that needs cl_khr_command_buffer_mutable_dispatch");
}

/* Is it a synchronization point of the command-buffer? */
static bool has_point(const struct command_buffer_traits *buffer, uint64_t point)
{
    for (const struct sync_points *points = buffer->points; points; points = points->next)
        for (uint32_t i = 0; i < points->count; ++i)
            if (points->points[i] == point)
                return true;
    return false;
}

/* A list of points and its count, the other, of the command-buffer that is the first parameter. */
void judge_sync_points(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint64_t count = judged_bits(judged, step->other);
    struct command_buffer_traits buffer;
    if (list->present != (count != 0)) {
        blame_step(judged, step, 0, "is %sNULL although %s is %" PRIu64,
                   list->present ? "not " : "", judged_name(judged, step->other), count);
        return;
    }
    if (is_blind(judged->checker) ||
        !judged_command_buffer(judged, judged_bits(judged, 0), &buffer))
        return;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_SIZES); ++i) {
        const uint64_t point = list_word(list, i);
        if (!has_point(&buffer, point)) {
            blame_element(judged, step, i, judged_bits(judged, 0),
                          "is %" PRIu64 ", which no command of this command-buffer has given",
                          point);
            return;
        }
    }
}

/* ---- launching ---- */

static void judge_launch_queue(struct judged *judged, const struct step *step, uint32_t index,
                               uint64_t handle, uint64_t recorded)
{
    const struct step device = {
        .rule = RULE_COMMAND_BUFFER_QUEUE, .error = CL_INVALID_DEVICE, .argument = step->argument};
    struct queue_traits queue;
    struct queue_traits original;
    uint64_t properties;
    if (!queue_of(judged, handle, &queue))
        return;
    const struct device_traits *traits =
        object_device_traits(judged->checker->objects, queue.device);
    if (queue_of(judged, recorded, &original) && original.device != queue.device) {
        blame_element(judged, &device, index, handle,
                      "is a queue of another device than the command-buffer was made for");
        return;
    }
    if (device_fact(traits, DEVICE_FACT_RECORDING_TAKES, &properties) &&
        (queue.properties & ~properties))
        blame_element(judged, step, index, handle,
                      "is a queue with more than "
                      "CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR");
    else if (device_fact(traits, DEVICE_FACT_RECORDING_NEEDS, &properties) &&
             (properties & ~queue.properties))
        blame_element(judged, step, index, handle,
                      "is a queue with less than "
                      "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR");
}

/* argument queues, other num_queues, then command_buffer: queues like those it was made for */
void judge_launch_queues(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint64_t count = judged_bits(judged, step->other);
    struct command_buffer_traits buffer;
    uint64_t queue;
    if (!judged_command_buffer(judged, judged_bits(judged, step->at[2]), &buffer))
        return;
    if (count > 0 && list->present && count != buffer.queue_count) {
        blame_as(judged, RULE_COMMAND_BUFFER_QUEUE, CL_INVALID_VALUE, step->other,
                 judged_bits(judged, step->at[2]),
                 "is %" PRIu64 "; the command-buffer was made for %" PRIu32, count,
                 buffer.queue_count);
        return;
    }
    for (uint32_t i = 0; queues_known(&buffer) && i < buffer.queue_count; ++i)
        if (list_queue(list, i, &queue))
            judge_launch_queue(judged, step, i, queue, buffer.queues[i]);
}

/* argument num_queues, other automatic, then command_buffer (clRemapCommandBufferKHR) */
void judge_remap_count(struct judged *judged, const struct step *step)
{
    const uint64_t count = judged_bits(judged, step->argument);
    struct command_buffer_traits buffer;
    if (count == 0)
        blame_step(judged, step, 0, "is 0");
    else if (judged_bits(judged, step->other) == CL_FALSE &&
             judged_command_buffer(judged, judged_bits(judged, step->at[2]), &buffer) &&
             count != buffer.queue_count)
        blame_step(judged, step, judged_bits(judged, step->at[2]),
                   "is %" PRIu64 "; the command-buffer was made for %" PRIu32, count,
                   buffer.queue_count);
}

/* argument command_buffer, other automatic: the platform can do that */
void judge_remap_platform(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct command_buffer_traits buffer;
    struct platform_traits platform;
    uint64_t platform_handle;
    if (!judged_command_buffer(judged, handle, &buffer) || !queues_known(&buffer) ||
        !queue_fact(judged, buffer.queues[0], DEVICE_FACT_PLATFORM, &platform_handle) ||
        !object_get_traits(judged->checker->objects, platform_handle, API_OBJECT_PLATFORM,
                           &platform) ||
        !platform.recording_known)
        return;
    if (!(platform.recording & CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR))
        blame_step(judged, step, handle,
                   "is of a platform without CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR");
    else if (judged_bits(judged, step->other) &&
             !(platform.recording & CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR))
        blame_as(judged, step->rule, step->error, step->other, handle,
                 "is CL_TRUE; the platform lacks CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR");
}

/* argument handles, other command_buffer: each was recorded into it */
void judge_remap_handles(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint64_t buffer = judged_bits(judged, step->other);
    struct mutable_command_traits command;
    uint64_t handle;
    for (uint32_t i = 0; list_queue(list, i, &handle); ++i)
        if (object_get_traits(judged->checker->objects, handle, API_OBJECT_MUTABLE_COMMAND,
                              &command) &&
            command.command_buffer != buffer) {
            blame_element(judged, step, i, handle, "is a command of another command-buffer");
            return;
        }
}

/* argument handles_ret, other num_handles: there is a place for what comes instead */
void judge_handles_ret(struct judged *judged, const struct step *step)
{
    const uint64_t count = judged_bits(judged, step->other);
    if (judged->call->arguments[step->argument].present != (count != 0))
        blame_step(judged, step, 0, "is %sNULL although %s is %" PRIu64, count ? "" : "not ",
                   judged_name(judged, step->other), count);
}
