/* Steps about launches that are recorded into command-buffers, and changed afterwards: of
 * cl_khr_command_buffer_mutable_dispatch 0.9.5. */
#include "checkers/host/checker.h"

#include "checkers/host/objects/command_sizes.h"
#include "trace/api/property.h"

#include <inttypes.h>
#include <string.h>

/* ---- recording a launch ---- */

static uint64_t command_property(const struct judged *judged, uint8_t properties, uint64_t name)
{
    struct api_property property;
    return api_property_find(&judged->call->arguments[properties], API_FAMILY_COMMAND_PROPERTIES,
                             name, &property)
               ? api_property_word(&property, 0)
               : 0;
}

/* argument kernel, other properties: its arguments are set, or may be later */
void judge_recorded_arguments(struct judged *judged, const struct step *step)
{
    if (!(command_property(judged, step->other, CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR) &
          CL_MUTABLE_DISPATCH_ARGUMENTS_KHR))
        judge_arguments_set(judged, step);
}

/* The device that a command is recorded for: of command_queue, or of the only queue of the
 * command-buffer. */
static const struct device_traits *recording_device(const struct judged *judged, uint64_t queue,
                                                    const struct command_buffer_traits *buffer)
{
    struct queue_traits traits;
    const uint64_t handle = queue ? queue : buffer->queues[0];
    return handle && object_get_traits(judged->checker->objects, handle, API_OBJECT_QUEUE, &traits)
               ? object_device_traits(judged->checker->objects, traits.device)
               : NULL;
}

/* argument properties, other command_buffer, then command_queue: the device can change that */
void judge_updatable_fields(struct judged *judged, const struct step *step)
{
    const uint64_t fields =
        command_property(judged, step->argument, CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR);
    struct command_buffer_traits buffer;
    uint64_t supported;
    if (fields != 0 && judged_command_buffer(judged, judged_bits(judged, step->other), &buffer) &&
        device_fact(recording_device(judged, judged_bits(judged, step->at[2]), &buffer),
                    DEVICE_FACT_MUTABLE_FIELDS, &supported) &&
        (fields & ~supported))
        blame_step(judged, step, 0,
                   "has fields that the device cannot change "
                   "(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR)");
}

/* argument local_work_size, other properties, then command_buffer: there is one where it is said
 * that work-groups will not become more */
void judge_asserted_size(struct judged *judged, const struct step *step)
{
    struct command_buffer_traits buffer;
    if (judged->call->arguments[step->argument].present)
        return;
    uint64_t asserts = command_property(judged, step->other, CL_MUTABLE_DISPATCH_ASSERTS_KHR);
    if (judged_command_buffer(judged, judged_bits(judged, step->at[2]), &buffer))
        asserts |= buffer.asserts;
    if (asserts & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)
        blame_step(judged, step, 0,
                   "is NULL beside CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR");
}

/* ---- changing it ---- */

/* argument command_buffer: it was made to be changed */
void judge_mutable(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct command_buffer_traits buffer;
    if (judged_command_buffer(judged, handle, &buffer) &&
        !(buffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR))
        blame_step(judged, step, handle, "was made without CL_COMMAND_BUFFER_MUTABLE_KHR");
}

/* argument config_types: of the one kind that there is */
void judge_config_types(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    for (uint32_t i = 0; i < list_count(list, API_VALUE_SIZES); ++i) {
        const uint64_t type = list_word(list, i);
        if (type != API_MUTABLE_DISPATCH_CONFIG) {
            blame_element(judged, step, i, 0, "is %" PRIu64 ", which is not a type of updates",
                          type);
            return;
        }
    }
}

/* One description of an update. */
struct update {
    struct judged *judged;
    const struct step *step;
    uint32_t index;
    struct api_mutable_config config;
    const struct api_mutable_config *whole; /* with what it leads to; NULL = not known */
    struct mutable_command_traits command;
};

static void blame_update(const struct update *update, int32_t error, const char *what)
{
    struct step blamed = *update->step;
    blamed.error = error;
    blame_element(update->judged, &blamed, update->index,
                  (uint64_t)(uintptr_t)update->config.command, "%s", what);
}

/* A part of the description that needs a field which was not made changeable. */
static bool needs_field(const struct update *update, bool present, uint64_t field, const char *what)
{
    if (!present || (update->command.fields & field))
        return false;
    blame_update(update, CL_INVALID_OPERATION, what);
    return true;
}

static bool fields_allow(const struct update *update)
{
    const struct api_mutable_config *config = &update->config;
    return !(needs_field(update, config->global_work_offset, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
                         "changes global_work_offset, for which the command was not recorded") ||
             needs_field(update, config->global_work_size, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
                         "changes global_work_size, for which the command was not recorded") ||
             needs_field(update, config->local_work_size, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
                         "changes local_work_size, for which the command was not recorded") ||
             needs_field(update, config->num_args || config->num_svm_args,
                         CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
                         "changes arguments, for which the command was not recorded") ||
             needs_field(update, config->num_exec_infos, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
                         "changes exec_info_list, for which the command was not recorded"));
}

/* No error code tells of more work-groups than were promised. */
static void judge_groups(const struct update *update)
{
    struct mutable_command_traits command = update->command;
    if (!update->whole || command.most_groups == 0)
        return;
    command_sizes_change(&command, update->whole);
    const uint64_t count = command_sizes_groups(&command);
    if (count <= command.most_groups)
        return;
    struct step blamed = *update->step;
    blamed.error = CL_SUCCESS;
    blame_element(update->judged, &blamed, update->index,
                  (uint64_t)(uintptr_t)update->config.command,
                  "makes %" PRIu64 " work-groups, and %" PRIu64 " were recorded with "
                  "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR",
                  count, command.most_groups);
}

static void judge_config(const struct update *update)
{
    const struct api_mutable_config *config = &update->config;
    if ((config->num_args != 0) != (config->arg_list != NULL))
        blame_update(update, CL_INVALID_VALUE,
                     "has arg_list and num_args that contradict each other");
    else if ((config->num_svm_args != 0) != (config->arg_svm_list != NULL))
        blame_update(update, CL_INVALID_VALUE,
                     "has arg_svm_list and num_svm_args that contradict each other");
    else if ((config->num_exec_infos != 0) != (config->exec_info_list != NULL))
        blame_update(update, CL_INVALID_VALUE,
                     "has exec_info_list and num_exec_infos that contradict each other");
    else if (!fields_allow(update))
        return;
    else if (config->work_dim != 0 && config->work_dim != update->command.work_dim)
        blame_update(update, CL_INVALID_OPERATION, "has another work_dim than was recorded");
    else
        judge_groups(update);
}

/* Is the command one of the command-buffer, as far as is known? */
static bool is_command(const struct update *update, uint64_t buffer)
{
    struct object_table *objects = update->judged->checker->objects;
    const uint64_t handle = (uint64_t)(uintptr_t)update->config.command;
    const struct object_state state = object_state(objects, handle);
    if (state.standing == OBJECT_UNKNOWN)
        return handle != 0 && is_blind(update->judged->checker);
    return state.kind == API_OBJECT_MUTABLE_COMMAND &&
           (update->command.command_buffer == 0 ||
            (update->command.command_buffer == buffer &&
             update->command.serial == object_serial(objects, buffer)));
}

/* The errors of clSetKernelArg: which of the arguments it is the driver alone knows. */
static void explain_arguments(const struct update *update)
{
    static const struct {
        int32_t error;
        const char *what;
    } known[] = {
        {CL_INVALID_ARG_INDEX, "changes an argument that the kernel does not have"},
        {CL_INVALID_ARG_SIZE, "changes an argument to a value of another size"},
        {CL_INVALID_ARG_VALUE, "changes an argument to what it does not take"},
        {CL_INVALID_MEM_OBJECT, "changes an argument to no memory object of its kind"},
        {CL_INVALID_SAMPLER, "changes an argument to no sampler"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        struct step blamed = *update->step;
        blamed.error = known[i].error;
        blame_unsure(update->judged, &blamed, "%s", known[i].what);
    }
}

/* argument configs, other command_buffer */
void judge_configs(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    struct update update = {.judged = judged, .step = step};
    struct arena arena = {0};
    bool sets_arguments = false;
    if (!list->data)
        return;
    for (; list->kind == API_VALUE_SIZES && update.index < list->count; ++update.index) {
        if (list_word(list, update.index) == 0)
            blame_update(&update, CL_INVALID_VALUE, "is NULL");
    }
    if (list->kind != API_VALUE_BYTES)
        return;
    const struct api_mutable_config *configs = api_mutable_configs_unpack(list, &arena);
    for (; update.index < list->count && (update.index + 1) * sizeof update.config <= list->size;
         ++update.index) {
        memcpy(&update.config, (const char *)list->data + update.index * sizeof update.config,
               sizeof update.config);
        update.whole = configs ? &configs[update.index] : NULL;
        const bool known =
            object_get_traits(judged->checker->objects, (uint64_t)(uintptr_t)update.config.command,
                              API_OBJECT_MUTABLE_COMMAND, &update.command);
        if (!is_command(&update, judged_bits(judged, step->other)))
            blame_update(&update, CL_INVALID_MUTABLE_COMMAND_KHR,
                         "names no command of the command-buffer");
        else if (known)
            judge_config(&update);
        sets_arguments |= update.config.num_args != 0 || update.config.num_svm_args != 0;
    }
    if (sets_arguments)
        explain_arguments(&update);
    arena_release(&arena);
}
