/* OpenCL API 3.0, chapter 5.9: kernel objects, their arguments and what can be asked of them. */
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/build.h"
#include "reference/icd/kernels/device_queue.h"
#include "reference/icd/kernels/program.h"
#include "reference/icd/kernels/resources.h"
#include "reference/icd/memory/mem.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "reference/probe/parameter_facts.h"
#include "reference/vm/image.h"
#include "trace/api/clerk_queries.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"

#include <string.h>

/* ---- making and ending ---- */

/* Locked. */
static void drop_builds(cl_kernel kernel)
{
    for (size_t i = 0; i < kernel->program->device_count; i++) {
        if (kernel->devices[i].build)
            build_drop(kernel->devices[i].build);
    }
    alloc_free(kernel->devices);
}

/* Finds the kernel on each device: the code of `name`, or in a clone that of `source`. Takes a hold
 * of each build. Locked. */
static void find_codes(cl_kernel kernel, cl_program program, const char *name, cl_kernel source)
{
    for (size_t i = 0; i < program->device_count; i++) {
        struct kernel_device *on = &kernel->devices[i];
        if (source) {
            *on = source->devices[i];
        } else if (program->devices[i].build) {
            on->code = build_find_kernel(program->devices[i].build, name);
            on->build = on->code ? program->devices[i].build : NULL;
        }
        if (on->build)
            build_hold(on->build);
        if (!kernel->code)
            kernel->code = on->code;
    }
}

static void destroy(void *handle)
{
    cl_kernel kernel = handle;
    for (uint32_t i = 0; i < kernel->code->parameter_count; i++)
        alloc_free(kernel->arguments[i].bytes);
    alloc_free(kernel->arguments);
    alloc_free(kernel->svm_list);
    drop_builds(kernel);
    kernel->program->kernel_count--;
    object_drop(kernel->program);
}

/* Locked. NULL when memory is out. There is a kernel of that name. */
static cl_kernel create_locked(cl_program program, const char *name, cl_kernel source)
{
    cl_kernel kernel = object_create(OBJECT_KERNEL, sizeof(*kernel), destroy);
    struct kernel_device *devices = alloc_zero(program->device_count, sizeof(*devices));
    if (!kernel || !devices) {
        object_discard(kernel);
        alloc_free(devices);
        return NULL;
    }
    kernel->program = program;
    kernel->devices = devices;
    find_codes(kernel, program, name, source);
    kernel->arguments = alloc_zero(kernel->code->parameter_count, sizeof(*kernel->arguments));
    if (!kernel->arguments) {
        drop_builds(kernel);
        object_discard(kernel);
        return NULL;
    }
    object_hold(program);
    program->kernel_count++;
    return kernel;
}

const struct kernel_device *kernel_on(cl_kernel kernel, cl_device_id device)
{
    for (; device; device = device->parent) {
        const struct program_device *on = program_find_device(kernel->program, device);
        if (on && kernel->devices[on - kernel->program->devices].build)
            return &kernel->devices[on - kernel->program->devices];
    }
    return NULL;
}

static bool same_parameters(const struct vm_code *a, const struct vm_code *b)
{
    if (a->parameter_count != b->parameter_count)
        return false;
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        if (a->parameters[i].kind != b->parameters[i].kind ||
            a->parameters[i].size != b->parameters[i].size)
            return false;
    }
    return true;
}

/* 5.9.1: "CL_INVALID_KERNEL_DEFINITION if the function definition for __kernel function given by
 * kernel_name such as the number of arguments, the argument types are not the same for all devices
 * for which the program executable has been built." Locked. */
static cl_int check_definitions(cl_program program, const char *name)
{
    const struct vm_code *first = NULL;
    bool built = false;
    for (size_t i = 0; i < program->device_count; i++) {
        const struct build *build = program->devices[i].build;
        const struct vm_code *code = build ? build_find_kernel(build, name) : NULL;
        built |= build != NULL;
        if (code && first && !same_parameters(code, first))
            return CL_INVALID_KERNEL_DEFINITION;
        if (!first)
            first = code;
    }
    if (!built || program->building)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    return first ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
}

/* Locked. */
static cl_int create_named(cl_program program, const char *name, cl_kernel *kernel)
{
    const cl_int result = check_definitions(program, name);
    if (result != CL_SUCCESS)
        return result;
    *kernel = create_locked(program, name, NULL);
    return *kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_kernel icd_clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    cl_kernel kernel = NULL;
    cl_int result = CL_INVALID_PROGRAM;
    if (object_is(program, OBJECT_PROGRAM)) {
        icd_lock();
        result = kernel_name ? create_named(program, kernel_name, &kernel) : CL_INVALID_VALUE;
        icd_unlock();
    }
    return object_give(kernel, result, errcode_ret);
}

/* 5.9.1: "Kernel objects are not created for any __kernel functions in program that do not have the
 * same function definition across all devices". Those of the first build are meant, in its order.
 * Locked. */
static cl_int create_all(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                         cl_uint *num_kernels_ret)
{
    const struct build *build = program_first_build(program);
    cl_uint count = 0;
    for (size_t i = 0; i < build->kernel_count; i++)
        count += check_definitions(program, build->codes[i]->name) == CL_SUCCESS;
    if (kernels && num_kernels < count)
        return CL_INVALID_VALUE;
    cl_uint made = 0;
    for (size_t i = 0; kernels && i < build->kernel_count; i++) {
        if (check_definitions(program, build->codes[i]->name) != CL_SUCCESS)
            continue;
        kernels[made] = create_locked(program, build->codes[i]->name, NULL);
        if (!kernels[made]) {
            while (made-- > 0) {
                kernels[made]->object.references = 0;
                object_hold(kernels[made]);
                object_drop(kernels[made]);
            }
            return CL_OUT_OF_HOST_MEMORY;
        }
        made++;
    }
    if (num_kernels_ret)
        *num_kernels_ret = count;
    return CL_SUCCESS;
}

cl_int icd_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                    cl_uint *num_kernels_ret)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    icd_lock();
    const cl_int result = program_first_build(program) && !program->building
                              ? create_all(program, num_kernels, kernels, num_kernels_ret)
                              : CL_INVALID_PROGRAM_EXECUTABLE;
    icd_unlock();
    return result;
}

/* False when memory is out. Locked. */
static bool copy_arguments(cl_kernel clone, cl_kernel source)
{
    bool complete = kernel_set_svm_list(clone, source->svm_list, source->svm_list_count);
    clone->svm_kinds = source->svm_kinds;
    clone->system = source->system;
    for (uint32_t i = 0; i < clone->code->parameter_count; i++) {
        clone->arguments[i] = source->arguments[i];
        clone->arguments[i].bytes = NULL;
        if (!source->arguments[i].bytes)
            continue;
        const size_t size = clone->code->parameters[i].size;
        clone->arguments[i].bytes = alloc(size);
        if (clone->arguments[i].bytes)
            memcpy(clone->arguments[i].bytes, source->arguments[i].bytes, size);
        else
            complete = false;
    }
    return complete;
}

/* A clone is of the same builds, even if the program has others by now. */
cl_kernel kernel_clone(cl_kernel source)
{
    cl_kernel clone = create_locked(source->program, NULL, source);
    if (!clone)
        return NULL;
    object_hold(clone);
    clone->object.references = 0;
    if (copy_arguments(clone, source))
        return clone;
    object_drop(clone);
    return NULL;
}

cl_kernel icd_clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    cl_kernel clone = NULL;
    cl_int result = CL_INVALID_KERNEL;
    if (object_is(source_kernel, OBJECT_KERNEL)) {
        icd_lock();
        clone = kernel_clone(source_kernel);
        if (clone) {
            clone->object.references = 1;
            object_drop(clone);
        }
        icd_unlock();
        result = clone ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return object_give(clone, result, errcode_ret);
}

/* ---- arguments ---- */

static cl_int set_value(struct kernel_argument *argument, size_t size, size_t arg_size,
                        const void *arg_value)
{
    if (arg_size != size)
        return CL_INVALID_ARG_SIZE;
    if (!arg_value)
        return CL_INVALID_ARG_VALUE;
    if (!argument->bytes)
        argument->bytes = alloc(size);
    if (!argument->bytes)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(argument->bytes, arg_value, size);
    return CL_SUCCESS;
}

static void set_object(struct kernel_argument *argument, cl_mem mem)
{
    argument->mem = mem;
    argument->object = mem ? mem->number : 0;
    argument->offset = 0;
    argument->block = (struct heap_block){0};
}

/* 5.9.2: "if the size in bytes of the memory object ... or arg_size (if the argument is declared
 * with local qualifier) exceeds a language-specified maximum size restriction for this argument".
 */
static bool is_too_large(const struct vm_parameter *parameter, uint64_t size)
{
    return parameter->size_max != 0 && size > parameter->size_max;
}

static cl_int set_memory(struct kernel_argument *argument, const struct vm_parameter *parameter,
                         cl_context context, size_t arg_size, const void *arg_value)
{
    if (arg_size != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    cl_mem mem = NULL;
    if (arg_value)
        memcpy(&mem, arg_value, sizeof(mem));
    if (mem && !mem_is_buffer(mem))
        return CL_INVALID_MEM_OBJECT;
    if (mem && mem->context != context)
        return CL_INVALID_CONTEXT;
    /* cl_ext_immutable_memory_objects says so of images; OpenCL-CTS wants it of buffers too. */
    if (mem && (mem->flags & CL_MEM_IMMUTABLE_EXT) != 0 && !parameter->is_const &&
        !parameter->only_read && parameter->kind == VM_PARAMETER_GLOBAL)
        return CL_INVALID_ARG_VALUE;
    if (mem && is_too_large(parameter, mem->size))
        return CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    set_object(argument, mem);
    return CL_SUCCESS;
}

/* 5.9.2: "CL_INVALID_MEM_OBJECT if arg_value points to a valid memory object, but the memory object
 * is not valid for the kernel argument", and "If the kernel argument being set is a pipe, then
 * arg_value must point to a pipe memory object." A depth image goes with arguments of other types
 * too: "If the kernel argument is a 2D image, then the image memory object must be of image type
 * CL_MEM_OBJECT_IMAGE2D" says nothing of channel orders. */
static bool is_valid_for(cl_mem mem, const struct vm_parameter *parameter)
{
    if (parameter->kind == VM_PARAMETER_PIPE)
        return mem_is_pipe(mem);
    return mem_is_image(mem) && mem->image->type == parameter->image &&
           (!parameter->depth || mem->format.image_channel_order == CL_DEPTH);
}

static cl_int set_image_or_pipe(struct kernel_argument *argument,
                                const struct vm_parameter *parameter, cl_context context,
                                size_t arg_size, const void *arg_value)
{
    cl_mem mem = NULL;
    if (!arg_value)
        return CL_INVALID_MEM_OBJECT;
    if (arg_size != sizeof(cl_mem))
        return CL_INVALID_ARG_SIZE;
    memcpy(&mem, arg_value, sizeof(mem));
    if (!is_valid_for(mem, parameter))
        return CL_INVALID_MEM_OBJECT;
    if (mem->context != context)
        return CL_INVALID_CONTEXT;
    if ((!parameter->write_only && (mem->flags & CL_MEM_WRITE_ONLY) != 0) ||
        (!parameter->read_only && (mem->flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT)) != 0))
        return CL_INVALID_ARG_VALUE;
    set_object(argument, mem);
    return CL_SUCCESS;
}

static cl_int set_sampler(struct kernel_argument *argument, cl_context context, size_t arg_size,
                          const void *arg_value)
{
    cl_sampler sampler = NULL;
    if (!arg_value)
        return CL_INVALID_SAMPLER;
    if (arg_size != sizeof(cl_sampler))
        return CL_INVALID_ARG_SIZE;
    memcpy(&sampler, arg_value, sizeof(sampler));
    if (!object_is(sampler, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    if (sampler->context != context)
        return CL_INVALID_CONTEXT;
    argument->sampler = sampler->bits;
    return CL_SUCCESS;
}

/* 5.9.2: "CL_INVALID_DEVICE_QUEUE for an argument declared to be of type queue_t when the specified
 * arg_value is not a valid device queue object." */
static cl_int set_queue(struct kernel_argument *argument, cl_context context, size_t arg_size,
                        const void *arg_value)
{
    cl_command_queue queue = NULL;
    if (arg_size != sizeof(queue))
        return CL_INVALID_ARG_SIZE;
    if (arg_value)
        memcpy(&queue, arg_value, sizeof(queue));
    if (!object_is(queue, OBJECT_QUEUE) || queue->size == 0)
        return CL_INVALID_DEVICE_QUEUE;
    if (queue->context != context)
        return CL_INVALID_CONTEXT;
    const uint64_t handle = device_queue_handle(queue);
    return set_value(argument, sizeof(handle), sizeof(handle), &handle);
}

static cl_int set_local(struct kernel_argument *argument, const struct vm_parameter *parameter,
                        size_t arg_size, const void *arg_value)
{
    if (arg_value)
        return CL_INVALID_ARG_VALUE;
    if (arg_size == 0 && !limits_has_3_1())
        return CL_INVALID_ARG_SIZE;
    if (is_too_large(parameter, arg_size))
        return CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    argument->local_size = arg_size;
    return CL_SUCCESS;
}

cl_int icd_clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                          const void *arg_value)
{
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (arg_index >= kernel->code->parameter_count)
        return CL_INVALID_ARG_INDEX;
    const struct vm_parameter *parameter = &kernel->code->parameters[arg_index];
    struct kernel_argument *argument = &kernel->arguments[arg_index];
    cl_context context = kernel->program->context;
    cl_int result = CL_INVALID_ARG_VALUE;
    switch (parameter->kind) {
    case VM_PARAMETER_VALUE:
    case VM_PARAMETER_STRUCT:
        result = set_value(argument, parameter->size, arg_size, arg_value);
        break;
    case VM_PARAMETER_GLOBAL:
    case VM_PARAMETER_CONSTANT:
        result = set_memory(argument, parameter, context, arg_size, arg_value);
        break;
    case VM_PARAMETER_LOCAL:
        result = set_local(argument, parameter, arg_size, arg_value);
        break;
    case VM_PARAMETER_IMAGE:
    case VM_PARAMETER_PIPE:
        result = set_image_or_pipe(argument, parameter, context, arg_size, arg_value);
        break;
    case VM_PARAMETER_QUEUE:
        result = set_queue(argument, context, arg_size, arg_value);
        break;
    case VM_PARAMETER_SAMPLER:
        result = set_sampler(argument, context, arg_size, arg_value);
        break;
    }
    if (result == CL_SUCCESS)
        argument->set = true;
    return result;
}

/* ---- queries ---- */

cl_int icd_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    const struct info_row rows[] = {
        INFO_STRING(CL_KERNEL_FUNCTION_NAME, kernel->code->name),
        INFO(CL_KERNEL_NUM_ARGS, cl_uint, kernel->code->parameter_count),
        INFO(CL_KERNEL_REFERENCE_COUNT, cl_uint, object_reference_count(kernel)),
        INFO(CL_KERNEL_CONTEXT, cl_context, kernel->program->context),
        INFO(CL_KERNEL_PROGRAM, cl_program, kernel->program),
        INFO_STRING(CL_KERNEL_ATTRIBUTES, kernel->code->attributes),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

static cl_int answer_name(const struct info_target *target, const char *name)
{
    return name[0] != '\0' ? info_string(target, name) : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

cl_int icd_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
                              size_t param_value_size, void *param_value,
                              size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (arg_index >= kernel->code->parameter_count)
        return CL_INVALID_ARG_INDEX;
    struct fact_argument fact;
    fact_of_parameter(&kernel->code->parameters[arg_index], &fact);
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return INFO_VALUE(&target, cl_kernel_arg_address_qualifier, fact.address);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return INFO_VALUE(&target, cl_kernel_arg_access_qualifier, fact.access);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return INFO_VALUE(&target, cl_kernel_arg_type_qualifier, fact.type_qualifiers);
    case CL_KERNEL_ARG_TYPE_NAME:
        return answer_name(&target, fact.type_name);
    case CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK:
        return answer_name(&target, fact.plain_type_name);
    case CL_KERNEL_ARG_NAME:
        return answer_name(&target, fact.name);
    case CL_KERNEL_ARG_SIZE_CLERK:
        return INFO_VALUE(&target, cl_ulong, fact.size);
    case CL_KERNEL_ARG_ACCESSES_CLERK:
        return INFO_VALUE(&target, cl_bitfield, fact.accesses);
    case CL_KERNEL_ARG_MUST_READ_CLERK:
        return info_bytes(&target, &fact.must_read, sizeof fact.must_read);
    case CL_KERNEL_ARG_MUST_WRITE_CLERK:
        return info_bytes(&target, &fact.must_write, sizeof fact.must_write);
    default:
        return CL_INVALID_VALUE;
    }
}

/* 5.9.4: "If there is only a single device associated with kernel, device can be a NULL value." */
const struct kernel_device *kernel_query_device(cl_kernel kernel, cl_device_id device)
{
    if (!device)
        return kernel->program->device_count == 1 ? &kernel->devices[0] : NULL;
    return object_is(device, OBJECT_DEVICE) ? kernel_on(kernel, device) : NULL;
}

/* Where they never wait for each other the lane vectors of a group run one after the other, in the
 * same memory. */
uint64_t kernel_group_limit(const struct vm_code *code)
{
    if (code->private_size > LIMIT_PRIVATE_ITEM)
        return 0;
    if ((code->barrier_count == 0 && code->spin_count == 0) || code->private_size == 0)
        return limits_get(LIMIT_WORK_GROUP_SIZE);
    const uint64_t items = limits_private_memory() / code->private_size;
    return items < limits_get(LIMIT_WORK_GROUP_SIZE) ? items - items % LIMIT_WORK_GROUP_MULTIPLE
                                                     : limits_get(LIMIT_WORK_GROUP_SIZE);
}

cl_int icd_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                    cl_kernel_work_group_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    const struct kernel_device *on = kernel_query_device(kernel, device);
    if (!on)
        return CL_INVALID_DEVICE;
    /* Of a built-in kernel: as far as a buffer reaches. */
    const size_t most[3] = {limits_get(LIMIT_ALLOCATION), 1, 1};
    if (param_name == CL_KERNEL_GLOBAL_WORK_SIZE && kernel->program->origin != PROGRAM_BUILT_IN)
        return CL_INVALID_VALUE;
    const struct info_row rows[] = {
        INFO(CL_KERNEL_WORK_GROUP_SIZE, size_t, kernel_group_limit(on->code)),
        {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, on->code->required_local_size, 3 * sizeof(size_t)},
        INFO(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, resources_local_memory(kernel, on->code)),
        INFO(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, limits_group_multiple()),
        INFO(CL_KERNEL_SPILL_MEM_SIZE_INTEL, cl_ulong, 0), /* rows never leave the frame */
        INFO(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong, on->code->private_size),
        {CL_KERNEL_GLOBAL_WORK_SIZE, most, sizeof(most)},
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}
