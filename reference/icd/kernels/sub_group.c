/* Sub-groups: how large they are, and what programs can ask of that. OpenCL API 3.0, chapter 5.9.4.
 */
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"

/* What the kernel requires, else the device's setting. */
uint32_t sub_group_size(const struct vm_code *code)
{
    return code->required_sub_group_size ? code->required_sub_group_size
                                         : options_launch().sched.sub_group_size;
}

uint64_t sub_group_count(const struct vm_code *code, uint64_t items)
{
    const uint32_t size = sub_group_size(code);
    return (items + size - 1) / size;
}

/* The work-items of a group whose local size an application gives. */
static bool read_items(size_t input_value_size, const void *input_value, uint64_t *items)
{
    const size_t dimensions = input_value_size / sizeof(size_t);
    const size_t *sizes = input_value;
    if (!sizes || input_value_size % sizeof(size_t) != 0 || dimensions < 1 || dimensions > 3)
        return false;
    *items = 1;
    for (size_t d = 0; d < dimensions; d++)
        *items *= sizes[d] < limits_get(LIMIT_WORK_GROUP_SIZE) ? sizes[d]
                                                               : limits_get(LIMIT_WORK_GROUP_SIZE);
    return true;
}

static cl_int answer_local_size(const struct info_target *target, const struct vm_code *code,
                                size_t input_value_size, const void *input_value)
{
    const uint64_t *required = code->required_local_size;
    const size_t dimensions = target->value ? target->size / sizeof(size_t) : 3;
    size_t sizes[3] = {0, 0, 0};
    if (!input_value || input_value_size != sizeof(size_t))
        return CL_INVALID_VALUE;
    if (dimensions < 1)
        return CL_INVALID_VALUE;
    const size_t count = *(const size_t *)input_value;
    const uint64_t most = kernel_group_limit(code) / sub_group_size(code);
    const uint64_t items = count <= most ? count * sub_group_size(code) : 0;
    if (required[0] == 0 || (required[0] == items && required[1] * required[2] == 1)) {
        sizes[0] = items;
        sizes[1] = sizes[2] = items != 0;
    }
    return info_bytes(target, sizes, (dimensions < 3 ? dimensions : 3) * sizeof(size_t));
}

cl_int icd_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                   cl_kernel_sub_group_info param_name, size_t input_value_size,
                                   const void *input_value, size_t param_value_size,
                                   void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    uint64_t items = 0;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    const struct kernel_device *on = kernel_query_device(kernel, device);
    if (!on)
        return CL_INVALID_DEVICE;
    if (!limits_keep(KEPT_OPTIONAL))
        return CL_INVALID_OPERATION;
    const struct vm_code *code = on->code;
    const uint32_t size = sub_group_size(code);
    if (param_name == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT)
        return answer_local_size(&target, code, input_value_size, input_value);
    if ((param_name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE ||
         param_name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE) &&
        !read_items(input_value_size, input_value, &items))
        return CL_INVALID_VALUE;
    const struct info_row rows[] = {
        INFO(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, size_t, items < size ? items : size),
        INFO(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, size_t, sub_group_count(code, items)),
        INFO(CL_KERNEL_MAX_NUM_SUB_GROUPS, size_t, sub_group_count(code, kernel_group_limit(code))),
        INFO(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, size_t, code->required_sub_group_count),
        INFO(CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, size_t, code->required_sub_group_size),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

cl_int icd_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                      cl_kernel_sub_group_info param_name, size_t input_value_size,
                                      const void *input_value, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret)
{
    return icd_clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value,
                                       param_value_size, param_value, param_value_size_ret);
}
