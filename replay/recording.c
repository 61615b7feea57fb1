/* Command-buffers: the sync points that the target gives stand for those of the recording, as its
 * commands that can be changed do; what an update points to is rebuilt. What was recorded into a
 * command-buffer is performed when that is enqueued, as one launch. */
#include "replay/state.h"
#include "trace/api/mutable_config.h"

static struct replay_object *find_buffer(const struct replay *replay, uint64_t handle)
{
    struct replay_object *object = replay_objects_find(replay->objects, handle);
    return object && object->kind == API_OBJECT_COMMAND_BUFFER ? object : NULL;
}

/* ---- sync points ---- */

enum status replay_sync_point_here(const struct replay *replay, struct replay_prepared *prepared,
                                   const struct api_parameter *parameter, uint64_t recorded,
                                   uint64_t *here, struct error *error)
{
    const struct replay_object *buffer = find_buffer(
        replay, prepared->call->arguments[API_clCommandNDRangeKernelKHR_command_buffer].bits);
    size_t at = buffer ? buffer->sync_point_count : 0;
    while (at > 0 && buffer->sync_points[at - 1].recorded != recorded)
        --at;
    if (at == 0)
        return replay_fail(prepared->call, STATUS_NOT_FOUND, error,
                           "'%s' names a sync point that the recording did not get",
                           parameter->name);
    *here = buffer->sync_points[at - 1].here;
    return STATUS_OK;
}

static enum status note_sync_point(struct replay_object *buffer,
                                   const struct replay_prepared *prepared, struct error *error)
{
    const uint32_t index = api_entry_find_parameter(prepared->info, "sync_point");
    const struct api_value *value = &prepared->call->arguments[index];
    const cl_sync_point_khr *here = (const cl_sync_point_khr *)(uintptr_t)prepared->words[index];
    if (!here || value->kind != API_VALUE_SIZES || !value->count)
        return STATUS_OK;
    const struct replay_sync_point point = {(cl_sync_point_khr)replay_element(value, 0), *here};
    return replay_object_sync_point(buffer, &point) ? STATUS_OK
                                                    : error_no_memory(error, sizeof point);
}

/* ---- what commands reach ---- */

/* Once each. */
static bool reach(struct replay_object *buffer, uint64_t reached)
{
    size_t i = 0;
    while (i < buffer->reached_count && buffer->reached[i] != reached)
        ++i;
    return !reached || i < buffer->reached_count || replay_object_reach(buffer, i, reached);
}

static bool reach_arguments(const struct replay *replay, struct replay_object *buffer,
                            const struct replay_prepared *prepared)
{
    bool done = true;
    for (uint32_t i = 0; done && i < prepared->info->parameter_count; ++i) {
        const struct api_parameter *parameter = &prepared->info->parameters[i];
        const uint64_t bits = prepared->call->arguments[i].bits;
        if (parameter->role == API_ROLE_ADDRESS ||
            (parameter->role == API_ROLE_HANDLE && parameter->kind == API_OBJECT_MEM))
            done = reach(buffer, bits);
        const struct replay_object *kernel = parameter->kind == API_OBJECT_KERNEL
                                                 ? replay_objects_find(replay->objects, bits)
                                                 : NULL;
        buffer->reaches_more |= kernel && kernel->reaches_more;
        for (size_t k = 0; kernel && done && k < kernel->reached_count; ++k)
            done = reach(buffer, kernel->reached[k]);
    }
    return done;
}

/* ---- what calls leave ---- */

/* The commands that can be changed, which the call gave by this parameter. */
static enum status note_commands_of(struct replay *replay, const struct replay_prepared *prepared,
                                    uint32_t index, struct error *error)
{
    const struct api_parameter *parameter = &prepared->info->parameters[index];
    const struct api_value *value = &prepared->call->arguments[index];
    const uint64_t *here = (const uint64_t *)(uintptr_t)prepared->words[index];
    const uint64_t room = api_parameter_count(parameter, prepared->words);
    if (parameter->role != API_ROLE_OUT_HANDLES || value->kind != API_VALUE_HANDLES || !here)
        return STATUS_OK;
    for (uint32_t i = 0; i < value->count && i < room; ++i) {
        const uint64_t recorded = replay_element(value, i);
        if (recorded &&
            !replay_objects_put(replay->objects, recorded, here[i], API_OBJECT_MUTABLE_COMMAND))
            return error_no_memory(error, sizeof(struct replay_object));
    }
    return STATUS_OK;
}

static enum status note_commands(struct replay *replay, const struct replay_prepared *prepared,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < prepared->info->parameter_count; ++i)
        if (prepared->info->parameters[i].kind == API_OBJECT_MUTABLE_COMMAND)
            status = note_commands_of(replay, prepared, i, error);
    return status;
}

static uint64_t first_queue(const struct replay_prepared *prepared, uint32_t index)
{
    const uintptr_t *queues = (const uintptr_t *)(uintptr_t)prepared->words[index];
    return queues ? queues[0] : 0;
}

enum status replay_recording_note(struct replay *replay, const struct replay_prepared *prepared,
                                  struct error *error)
{
    const struct api_call *call = prepared->call;
    struct replay_object *made = find_buffer(replay, call->result.bits);
    if (made && call->entry == API_ENTRY_clCreateCommandBufferKHR)
        made->queue = first_queue(prepared, API_clCreateCommandBufferKHR_queues);
    if (made && call->entry == API_ENTRY_clRemapCommandBufferKHR)
        made->queue = first_queue(prepared, API_clRemapCommandBufferKHR_queues);
    if (made || prepared->info->flags & API_ENTRY_RECORDS) {
        const enum status status = note_commands(replay, prepared, error);
        if (status != STATUS_OK || made)
            return status;
    }
    struct replay_object *buffer = find_buffer(replay, call->arguments[0].bits);
    if (!(prepared->info->flags & API_ENTRY_RECORDS) || !buffer)
        return STATUS_OK;
    return reach_arguments(replay, buffer, prepared) ? note_sync_point(buffer, prepared, error)
                                                     : error_no_memory(error, sizeof(uint64_t));
}

/* ---- enqueueing ---- */

cl_command_queue replay_queue_of(const struct replay *replay,
                                 const struct replay_prepared *prepared)
{
    if (prepared->call->entry != API_ENTRY_clEnqueueCommandBufferKHR)
        return (cl_command_queue)(uintptr_t)prepared->words[0];
    const uint64_t given = first_queue(prepared, API_clEnqueueCommandBufferKHR_queues);
    const struct replay_object *buffer = find_buffer(
        replay, prepared->call->arguments[API_clEnqueueCommandBufferKHR_command_buffer].bits);
    return (cl_command_queue)(uintptr_t)(given ? given : buffer ? buffer->queue : 0);
}

/* ---- updates ---- */

static cl_kernel kernel_of(const struct replay *replay, cl_mutable_command_khr command)
{
    const clGetMutableCommandInfoKHR_fn ask =
        (clGetMutableCommandInfoKHR_fn)
            replay->target->functions[API_ENTRY_clGetMutableCommandInfoKHR];
    cl_kernel kernel = NULL;
    if (ask)
        ask(command, CL_MUTABLE_DISPATCH_KERNEL_KHR, sizeof kernel, &kernel, NULL);
    return kernel;
}

static enum status point_here(struct replay *replay, const struct replay_prepared *prepared,
                              struct replay_object *buffer, struct api_mutable_config *config,
                              struct error *error)
{
    cl_kernel kernel = kernel_of(replay, config->command);
    cl_mutable_dispatch_arg_khr *arguments = (void *)(uintptr_t)config->arg_list;
    cl_mutable_dispatch_arg_khr *pointers = (void *)(uintptr_t)config->arg_svm_list;
    cl_mutable_dispatch_exec_info_khr *infos = (void *)(uintptr_t)config->exec_info_list;
    for (cl_uint i = 0; i < config->num_args; ++i) {
        const struct replay_argument argument = {.kernel = kernel,
                                                 .call_id = prepared->call->id,
                                                 .index = arguments[i].arg_index,
                                                 .value = (void *)(uintptr_t)arguments[i].arg_value,
                                                 .size = arguments[i].arg_size};
        uint64_t reached = 0;
        const enum status status = argument.value ? replay_argument_here(replay, prepared->call,
                                                                         &argument, &reached, error)
                                                  : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        if (!reach(buffer, reached))
            return error_no_memory(error, sizeof reached);
    }
    for (cl_uint i = 0; i < config->num_svm_args; ++i) {
        const uint64_t address = (uintptr_t)pointers[i].arg_value;
        const struct replay_shared *shared = replay_shared_find(replay, address);
        if (!shared && address)
            return replay_fail(prepared->call, STATUS_NOT_FOUND, error,
                               "'configs' has an address that nothing in the recording returned");
        pointers[i].arg_value = shared ? replay_shared_here(shared, address) : NULL;
        if (!reach(buffer, address))
            return error_no_memory(error, sizeof address);
    }
    for (cl_uint i = 0; i < config->num_exec_infos; ++i)
        if (infos[i].param_value)
            replay_shared_point_here(replay, (void *)(uintptr_t)infos[i].param_value,
                                     infos[i].param_value_size, 0);
    return STATUS_OK;
}

enum status replay_configs(struct replay *replay, struct replay_prepared *prepared,
                           const struct api_value *value, uint64_t *word, struct error *error)
{
    struct api_mutable_config *configs = api_mutable_configs_unpack(value, prepared->arena);
    struct replay_object *buffer = find_buffer(replay, prepared->call->arguments[0].bits);
    enum status status = STATUS_OK;
    if (!configs)
        return replay_fail(prepared->call, STATUS_UNSUPPORTED, error,
                           "the trace has not what 'configs' points to (sizes need a work_dim)");
    const void **list = arena_alloc(prepared->arena, value->count + (size_t)1, sizeof *list);
    if (!list)
        return error_no_memory(error, value->count * sizeof *list);
    for (uint32_t i = 0; status == STATUS_OK && i < value->count; ++i) {
        const struct replay_object *command =
            replay_objects_find(replay->objects, (uintptr_t)configs[i].command);
        if (!command || command->kind != API_OBJECT_MUTABLE_COMMAND || !buffer)
            return replay_fail(prepared->call, STATUS_NOT_FOUND, error,
                               "'configs' names a command that the recording did not create");
        configs[i].command = (cl_mutable_command_khr)(uintptr_t)command->new_handle;
        list[i] = &configs[i];
        status = point_here(replay, prepared, buffer, &configs[i], error);
    }
    *word = (uintptr_t)list;
    return status;
}
