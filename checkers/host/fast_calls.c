/* The calls that programs make most, in few words (host.h). */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

/* ---- arguments of kernels ---- */

/* The argument that is set; NULL when it is not known. */
static struct argument_traits *argument_of(struct kernel_traits *kernel,
                                           const struct host_brief *brief)
{
    return kernel && kernel->count_known && brief->index < kernel_argument_count(kernel)
               ? &kernel->arguments[brief->index]
               : NULL;
}

static bool is_argument_right(struct host_checker *checker, struct host_brief *brief)
{
    struct kernel_traits *kernel = object_kernel_traits(checker->objects, brief->object);
    const struct argument_traits *argument = argument_of(kernel, brief);
    if (!argument)
        return false;
    brief->value = argument_object(argument, brief->value);
    return rights_have(&argument->right, argument_digest(brief->value, brief->size,
                                                         object_version(checker->objects))) &&
           !host_commands_write_host(checker->commands, brief->address, brief->size) &&
           conduct_kernel_enter(checker, brief->object, brief->call_id);
}

static void set_argument(struct host_checker *checker, const struct host_brief *brief)
{
    struct kernel_traits *kernel = object_kernel_traits(checker->objects, brief->object);
    struct argument_traits *argument = argument_of(kernel, brief);
    const struct argument_setting setting = {
        .size = (uint32_t)brief->size, .value = brief->value, .number = brief->number};
    if (argument) {
        kernel_note_thread(kernel, argument, brief->thread);
        kernel_set_argument(kernel, argument, &setting);
    }
    conduct_kernel_leave(checker, brief->object, brief->call_id);
}

/* ---- events ---- */

static bool is_event(struct host_checker *checker, uint64_t handle)
{
    return object_is_usable(object_state(checker->objects, handle), API_OBJECT_EVENT);
}

/* ---- references ---- */

/* It is counted before the driver is told, as count_reference does; host_checker_end undoes it. */
static bool retain(struct host_checker *checker, const struct host_brief *brief)
{
    const struct api_entry_info *info = api_entry_get(brief->entry);
    const struct object_state state = object_state(checker->objects, brief->object);
    if (checker->plans[brief->entry].count > 1 || /* more than whether it is such an object */
        !object_is_usable(state, (enum api_object_kind)info->parameters[0].kind))
        return false;
    object_retain(checker->objects, brief->object);
    return true;
}

/* ---- all ---- */

bool host_checker_brief_begin(struct host_checker *checker, struct host_brief *brief)
{
    if (is_stopped(checker))
        return true;
    switch (brief->entry) {
    case API_ENTRY_clSetKernelArg:
        return is_argument_right(checker, brief);
    case API_ENTRY_clGetEventInfo:
        return is_event(checker, brief->object) &&
               (!checker->commands || !host_commands_watch(checker->commands));
    default:
        return retain(checker, brief);
    }
}

bool host_checker_brief_end(struct host_checker *checker, const struct host_brief *brief,
                            int32_t status)
{
    if (is_stopped(checker))
        return true;
    if (brief->entry == API_ENTRY_clSetKernelArg) {
        set_argument(checker, brief);
        return true;
    }
    if (brief->entry == API_ENTRY_clGetEventInfo && status == CL_COMPLETE && checker->commands)
        host_commands_completed(checker->commands, brief->object);
    return status >= CL_COMPLETE; /* with an error it teaches something */
}
