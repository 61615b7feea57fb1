#include "reference/icd/kernels/resources.h"

#include "reference/limits/limits.h"
#include "reference/vm/code.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"

#include <stdio.h>

uint64_t resources_local_memory(cl_kernel kernel, const struct vm_code *code)
{
    uint64_t total = code->local_size;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (!size_add(total, kernel->arguments[i].local_size, &total))
            return UINT64_MAX;
    }
    return total;
}

static uint64_t parameter_bytes(const struct vm_code *code)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < code->parameter_count; i++)
        total += code->parameters[i].size;
    return total;
}

static uint64_t parameters_of_kind(const struct vm_code *code, enum vm_parameter_kind kind)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < code->parameter_count; i++)
        count += code->parameters[i].kind == kind;
    return count;
}

static uint64_t images(const struct vm_code *code, bool read_only)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < code->parameter_count; i++)
        count += code->parameters[i].kind == VM_PARAMETER_IMAGE &&
                 code->parameters[i].read_only == read_only;
    return count;
}

cl_int resources_check(cl_kernel kernel, const struct vm_code *code)
{
    const struct {
        uint64_t used;
        enum limit limit;
        const char *what;
    } rows[] = {
        {resources_local_memory(kernel, code), LIMIT_LOCAL_MEMORY, "bytes of local memory"},
        {parameter_bytes(code), LIMIT_PARAMETER_SIZE, "bytes of arguments"},
        {parameters_of_kind(code, VM_PARAMETER_CONSTANT), LIMIT_CONSTANT_ARGUMENTS,
         "pointers to constant memory"},
        {images(code, true), LIMIT_READ_IMAGES, "images to read"},
        {images(code, false), LIMIT_WRITE_IMAGES, "images to write"},
        {parameters_of_kind(code, VM_PARAMETER_SAMPLER), LIMIT_SAMPLERS, "samplers"},
        {parameters_of_kind(code, VM_PARAMETER_PIPE), LIMIT_PIPE_ARGUMENTS, "pipes"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t limit = limits_get(rows[i].limit);
        if (rows[i].used <= limit)
            continue;
        visible_tell("clerk: kernel '%s' has %llu %s; the limit is %llu\n", code->name,
                     (unsigned long long)rows[i].used, rows[i].what, (unsigned long long)limit);
        return CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}
