/* Launches in command-buffers (clCommandNDRangeKernelKHR), and changes of them
 * (cl_khr_command_buffer_mutable_dispatch 0.9.5).
 *
 * A recorded launch is a clone of the kernel, with the arguments that it had, and sizes. What
 * clEnqueueCommandBufferKHR enqueues is made of them as clEnqueueNDRangeKernel makes a launch. An
 * update sets arguments of one more clone, which then takes the place of the other. */
#include "reference/icd/commands/command_buffer.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/launch.h"
#include "reference/icd/kernels/resources.h"
#include "reference/icd/properties.h"
#include "trace/base/alloc.h"

#include <string.h>

static const cl_mutable_dispatch_fields_khr all_fields =
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
    CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |
    CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/* ---- sizes ---- */

struct sizes {
    const size_t *offset, *global, *local; /* NULL = not given */
};

static void set_sizes(struct mutable_state *state, cl_uint work_dim, const struct sizes *given)
{
    const size_t size = work_dim * sizeof(size_t);
    if (given->offset)
        memcpy(state->offset, given->offset, size);
    if (given->global)
        memcpy(state->global, given->global, size);
    if (given->local)
        memcpy(state->local, given->local, size);
    state->has_local |= given->local != NULL;
}

static cl_int make_range(cl_command_buffer_khr buffer, const struct mutable_state *state,
                         cl_uint work_dim, struct range *range)
{
    return range_make(kernel_on(state->clone, buffer->queue->device), work_dim, state->offset,
                      state->global, state->has_local ? state->local : NULL, range);
}

/* Are all work-groups equally large? Those whose size the device chooses count as such. */
static bool is_uniform(const struct mutable_state *state, cl_uint work_dim)
{
    bool uniform = true;
    for (cl_uint d = 0; d < work_dim && state->has_local; d++)
        uniform &= state->local[d] != 0 && state->global[d] % state->local[d] == 0;
    return uniform;
}

/* ---- recording ---- */

struct wish {
    cl_mutable_dispatch_fields_khr updatable;
    cl_mutable_dispatch_asserts_khr asserts;
    bool names_arguments; /* the application itself says that they can be updated */
};

static cl_int read_properties(const cl_command_properties_khr *given, struct wish *wish)
{
    bool named = false;
    const struct property known[] = {
        {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, &wish->updatable, &named},
        {CL_MUTABLE_DISPATCH_ASSERTS_KHR, &wish->asserts, NULL}};
    *wish = (struct wish){.updatable = all_fields};
    if (!properties_read(given, known, sizeof(known) / sizeof(known[0])) ||
        (wish->updatable & ~all_fields) != 0 ||
        (wish->asserts & ~CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR) != 0)
        return CL_INVALID_VALUE;
    wish->names_arguments = named && (wish->updatable & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR) != 0;
    return CL_SUCCESS;
}

static void release(void *data)
{
    object_drop(data);
}

static void destroy(void *handle)
{
    cl_mutable_command_khr command = handle;
    object_drop(command->kernel);
    object_drop(command->now.clone);
    property_list_release(&command->properties);
}

/* Takes over the list. Held by the caller; NULL when memory is out. */
static cl_mutable_command_khr create(cl_command_buffer_khr buffer, cl_kernel kernel,
                                     struct property_list *list)
{
    cl_mutable_command_khr command =
        object_create(OBJECT_MUTABLE_COMMAND, sizeof(*command), destroy);
    icd_lock();
    cl_kernel clone = command ? kernel_clone(kernel) : NULL;
    if (clone) {
        command->buffer = buffer;
        command->kernel = kernel;
        object_hold(kernel);
        command->properties = *list;
        command->now.clone = clone;
        object_hold(command);
        command->object.references = 0;
    }
    icd_unlock();
    if (clone)
        return command;
    property_list_release(list);
    object_discard(command);
    return NULL;
}

static cl_int record(struct command_request *request, cl_kernel kernel, cl_uint work_dim,
                     const struct sizes *sizes)
{
    const struct recording *recording = request->recording;
    const struct kernel_device *on;
    struct wish wish;
    struct range range;
    struct property_list list = {0};
    cl_int result = read_properties(recording->properties, &wish);
    if (result == CL_SUCCESS)
        result = launch_check(request->queue, kernel, !wish.names_arguments, &on);
    if (result == CL_SUCCESS)
        result = range_make(on, work_dim, sizes->offset, sizes->global, sizes->local, &range);
    if (result == CL_SUCCESS)
        result = resources_check(kernel, on->code);
    if (result == CL_SUCCESS && !sizes->local &&
        ((wish.asserts | recording->buffer->asserts) &
         CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR) != 0)
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS)
        result = property_list_copy(recording->properties, CL_INVALID_VALUE, &list);
    if (result != CL_SUCCESS)
        return result;
    cl_mutable_command_khr command = create(recording->buffer, kernel, &list);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->updatable = wish.updatable;
    command->work_dim = work_dim;
    set_sizes(&command->now, work_dim, sizes);
    request->work.data = command;
    request->work.release = release;
    result = command_enqueue(request);
    if (result == CL_SUCCESS && recording->handle)
        *recording->handle = command;
    return result;
}

cl_int icd_clCommandNDRangeKernelKHR(RECORDED_FIRST, cl_kernel kernel, cl_uint work_dim,
                                     const size_t *global_work_offset,
                                     const size_t *global_work_size, const size_t *local_work_size,
                                     RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_NDRANGE_KERNEL);
    const struct sizes sizes = {global_work_offset, global_work_size, local_work_size};
    return request.refused == CL_SUCCESS ? record(&request, kernel, work_dim, &sizes)
                                         : request.refused;
}

bool mutable_command_is_complete(cl_mutable_command_khr command)
{
    return launch_has_arguments(command->now.clone);
}

cl_int mutable_command_prepare(cl_mutable_command_khr command, struct command_work *work)
{
    cl_command_buffer_khr buffer = command->buffer;
    const struct mutable_state *now = &command->now;
    struct range range;
    const cl_int result = make_range(buffer, now, command->work_dim, &range);
    return result == CL_SUCCESS ? launch_prepare(work, now->clone, buffer->queue->device, &range,
                                                 "clCommandNDRangeKernelKHR")
                                : result;
}

/* ---- updates ---- */

struct change {
    cl_mutable_command_khr command;
    struct mutable_state state;
};

static bool has_list(cl_uint count, const void *list)
{
    return (count == 0) == (list == NULL);
}

static cl_int check_change(cl_command_buffer_khr buffer, const struct api_mutable_config *config)
{
    cl_mutable_command_khr command = config->command;
    if (!object_is(command, OBJECT_MUTABLE_COMMAND) || command->buffer != buffer)
        return CL_INVALID_MUTABLE_COMMAND_KHR;
    if (!has_list(config->num_args, config->arg_list) ||
        !has_list(config->num_svm_args, config->arg_svm_list) ||
        !has_list(config->num_exec_infos, config->exec_info_list))
        return CL_INVALID_VALUE;
    const cl_mutable_dispatch_fields_khr changed =
        (config->global_work_offset ? CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR : 0) |
        (config->global_work_size ? CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR : 0) |
        (config->local_work_size ? CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR : 0) |
        (config->num_args + config->num_svm_args > 0 ? CL_MUTABLE_DISPATCH_ARGUMENTS_KHR : 0) |
        (config->num_exec_infos > 0 ? CL_MUTABLE_DISPATCH_EXEC_INFO_KHR : 0);
    return (changed & ~command->updatable) != 0 ||
                   (config->work_dim != 0 && config->work_dim != command->work_dim)
               ? CL_INVALID_OPERATION
               : CL_SUCCESS;
}

static cl_int set_arguments(cl_kernel clone, const struct api_mutable_config *config)
{
    const cl_mutable_dispatch_arg_khr *arguments = config->arg_list;
    const cl_mutable_dispatch_arg_khr *pointers = config->arg_svm_list;
    const cl_mutable_dispatch_exec_info_khr *infos = config->exec_info_list;
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; result == CL_SUCCESS && i < config->num_args; i++)
        result = icd_clSetKernelArg(clone, arguments[i].arg_index, arguments[i].arg_size,
                                    arguments[i].arg_value);
    for (cl_uint i = 0; result == CL_SUCCESS && i < config->num_svm_args; i++)
        result = icd_clSetKernelArgSVMPointer(clone, pointers[i].arg_index, pointers[i].arg_value);
    for (cl_uint i = 0; result == CL_SUCCESS && i < config->num_exec_infos; i++)
        result = icd_clSetKernelExecInfo(clone, infos[i].param_name, infos[i].param_value_size,
                                         infos[i].param_value);
    return result;
}

static cl_int change_sizes(struct change *change, const struct api_mutable_config *config)
{
    cl_mutable_command_khr command = change->command;
    const bool uniform = is_uniform(&change->state, command->work_dim);
    struct range range;
    set_sizes(&change->state, command->work_dim,
              &(struct sizes){config->global_work_offset, config->global_work_size,
                              config->local_work_size});
    const cl_int result = make_range(command->buffer, &change->state, command->work_dim, &range);
    if (result != CL_SUCCESS)
        return result;
    return is_uniform(&change->state, command->work_dim) == uniform ? CL_SUCCESS
                                                                    : CL_INVALID_OPERATION;
}

/* The next of `made`, on top of those before it. */
static cl_int make_change(cl_command_buffer_khr buffer, const struct api_mutable_config *config,
                          struct change *changes, cl_uint *made)
{
    struct change *change = &changes[*made];
    const cl_int checked = check_change(buffer, config);
    if (checked != CL_SUCCESS)
        return checked;
    change->command = config->command;
    change->state = config->command->now;
    for (cl_uint i = 0; i < *made; i++) {
        if (changes[i].command == config->command)
            change->state = changes[i].state;
    }
    icd_lock();
    change->state.clone = kernel_clone(change->state.clone);
    icd_unlock();
    if (!change->state.clone)
        return CL_OUT_OF_HOST_MEMORY;
    ++*made;
    const cl_int result = set_arguments(change->state.clone, config);
    return result == CL_SUCCESS ? change_sizes(change, config) : result;
}

static cl_int check_update(cl_command_buffer_khr buffer, cl_uint num_configs,
                           const cl_command_buffer_update_type_khr *config_types,
                           const void **configs)
{
    if (!object_is(buffer, OBJECT_COMMAND_BUFFER))
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (!buffer->finalized || (buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR) == 0)
        return CL_INVALID_OPERATION;
    if (!has_list(num_configs, config_types) || !has_list(num_configs, configs))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_configs; i++) {
        if (config_types[i] != API_MUTABLE_DISPATCH_CONFIG || !configs[i])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

/* "Otherwise, none of the updates to mutable-command objects are preserved". */
cl_int icd_clUpdateMutableCommandsKHR(cl_command_buffer_khr command_buffer, cl_uint num_configs,
                                      const cl_command_buffer_update_type_khr *config_types,
                                      const void **configs)
{
    cl_int result = check_update(command_buffer, num_configs, config_types, configs);
    if (result != CL_SUCCESS)
        return result;
    struct change *changes = alloc_zero(num_configs, sizeof(*changes));
    cl_uint made = 0;
    if (!changes)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; result == CL_SUCCESS && i < num_configs; i++)
        result = make_change(command_buffer, configs[i], changes, &made);
    icd_lock();
    for (cl_uint i = 0; i < made; i++) {
        struct change *change = &changes[i];
        if (result == CL_SUCCESS) {
            const struct mutable_state old = change->command->now;
            change->command->now = change->state;
            change->state = old;
        }
        object_drop(change->state.clone);
    }
    icd_unlock();
    alloc_free(changes);
    return result;
}

/* ---- queries ---- */

cl_int icd_clGetMutableCommandInfoKHR(cl_mutable_command_khr command,
                                      cl_mutable_command_info_khr param_name,
                                      size_t param_value_size, void *param_value,
                                      size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(command, OBJECT_MUTABLE_COMMAND))
        return CL_INVALID_MUTABLE_COMMAND_KHR;
    const size_t size = command->work_dim * sizeof(size_t);
    const struct info_row rows[] = {
        INFO(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, cl_command_queue, command->buffer->queue),
        INFO(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, cl_command_buffer_khr, command->buffer),
        INFO(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, cl_command_type, CL_COMMAND_NDRANGE_KERNEL),
        INFO_PROPERTIES(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, command->properties),
        INFO(CL_MUTABLE_DISPATCH_KERNEL_KHR, cl_kernel, command->kernel),
        INFO(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, cl_uint, command->work_dim),
        {CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, command->now.offset, size},
        {CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, command->now.global, size},
        {CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, command->now.local, size},
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}
