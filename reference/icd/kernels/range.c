/* The sizes of an NDRange: which are valid for a kernel, and which work-group size it gets when
 * nobody says one. */
#include "reference/icd/kernels/range.h"

#include "reference/icd/kernels/build.h"
#include "reference/limits/limits.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"

#include <stdio.h>
#include <string.h>

/* OpenCL API 3.0, 3.2.1: work-groups at the upper edge may be smaller, unless the program says that
 * none is; OpenCL C before 2.0 knows of none. */
static bool must_divide(const struct kernel_device *on)
{
    const uint32_t version = on->code->opencl_c_version;
    return !limits_keep(KEPT_OPTIONAL) || on->build->uniform_groups ||
           (version != 0 && version < 200);
}

/* The work-group size when the application leaves it open: in each dimension, from the first, the
 * largest divisor of the global size that keeps the group within 256 work-items, four lane vectors;
 * where that would leave less than one vector, because the size has no good divisor, within the
 * maximum; where that is too little as well, 256 that do not divide, if they need not. It depends
 * on the global size and the program alone, so results that depend on it are the same every time.
 */
static void choose_local(struct range *range, uint64_t limit, bool divide)
{
    const uint64_t wishes[] = {limit < 256 ? limit : 256, limit};
    const uint64_t enough = limit < LIMIT_WORK_GROUP_MULTIPLE ? limit : LIMIT_WORK_GROUP_MULTIPLE;
    for (size_t wish = 0; wish < 2; wish++) {
        uint64_t total = 1;
        for (uint32_t d = 0; d < 3; d++) {
            uint64_t size = wishes[wish] / total;
            while (range->global[d] % size != 0)
                size--;
            range->local[d] = size;
            total *= size;
        }
        if (total >= enough)
            return;
    }
    uint64_t rest = wishes[0];
    for (uint32_t d = 0; d < 3 && !divide; d++) {
        range->local[d] = range->global[d] < rest ? range->global[d] : rest;
        rest /= range->local[d];
    }
}

static cl_int check_local(const struct range *range, const struct vm_code *code, bool divide)
{
    const uint64_t *required = code->required_local_size;
    uint64_t total = 1;
    for (uint32_t d = 0; d < range->dimensions; d++) {
        if (range->local[d] == 0 || (divide && range->global[d] % range->local[d] != 0))
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    for (uint32_t d = 0; required[0] != 0 && d < 3; d++) {
        if (range->local[d] != required[d])
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    for (uint32_t d = 0; d < range->dimensions; d++) {
        if (range->local[d] > limits_get(LIMIT_WORK_GROUP_SIZE))
            return CL_INVALID_WORK_ITEM_SIZE;
        total *= range->local[d]; /* at most 2^48 */
    }
    if (total > limits_get(LIMIT_WORK_GROUP_SIZE))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (total > kernel_group_limit(code)) {
        visible_tell("clerk: kernel '%s' has %llu bytes of private variables in each of %llu "
                     "work-items that wait for each other; the limit is %llu together\n",
                     code->name, (unsigned long long)code->private_size, (unsigned long long)total,
                     (unsigned long long)limits_private_memory());
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    const uint32_t count = code->required_sub_group_count;
    return count != 0 && sub_group_count(code, total) != count ? CL_INVALID_WORK_GROUP_SIZE
                                                               : CL_SUCCESS;
}

static cl_int check_private_memory(const struct vm_code *code)
{
    if (kernel_group_limit(code) != 0)
        return CL_SUCCESS;
    visible_tell(
        "clerk: kernel '%s' has %llu bytes of private variables in each work-item; the limit "
        "is %llu\n",
        code->name, (unsigned long long)code->private_size, (unsigned long long)LIMIT_PRIVATE_ITEM);
    return CL_OUT_OF_RESOURCES;
}

cl_int range_make(const struct kernel_device *on, cl_uint work_dim, const size_t *offset,
                  const size_t *global, const size_t *local, struct range *range)
{
    if (work_dim < 1 || work_dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    const struct vm_code *code = on->code;
    const bool divide = must_divide(on);
    *range = (struct range){
        .dimensions = work_dim, .global = {1, 1, 1}, .local = {1, 1, 1}, .empty = global == NULL};
    uint64_t items = 1;
    for (cl_uint d = 0; d < work_dim && global; d++) {
        uint64_t end;
        range->global[d] = global[d];
        range->offset[d] = offset ? offset[d] : 0;
        range->empty |= global[d] == 0;
        if (!size_add(range->global[d], range->offset[d], &end))
            return CL_INVALID_GLOBAL_OFFSET;
        if (!size_mul(items, global[d], &items))
            return CL_INVALID_GLOBAL_WORK_SIZE;
    }
    if (range->empty)
        return CL_SUCCESS;
    const cl_int private_memory = check_private_memory(code);
    if (private_memory != CL_SUCCESS)
        return private_memory;
    if (local) {
        for (cl_uint d = 0; d < work_dim; d++)
            range->local[d] = local[d];
    } else if (code->required_local_size[0] != 0) {
        memcpy(range->local, code->required_local_size, sizeof(range->local));
    } else {
        choose_local(range, kernel_group_limit(code), divide);
        return CL_SUCCESS;
    }
    return check_local(range, code, divide);
}
