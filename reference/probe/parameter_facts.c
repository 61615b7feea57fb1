#include "reference/probe/parameter_facts.h"

#include "trace/api/clerk_queries.h"

#include <CL/cl.h>

static cl_kernel_arg_address_qualifier address_qualifier(const struct vm_parameter *parameter)
{
    switch (parameter->kind) {
    case VM_PARAMETER_GLOBAL:
    case VM_PARAMETER_IMAGE:
    case VM_PARAMETER_PIPE:
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case VM_PARAMETER_CONSTANT:
        return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case VM_PARAMETER_LOCAL:
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default:
        return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

static cl_kernel_arg_access_qualifier access_qualifier(const struct vm_parameter *parameter)
{
    if (parameter->kind != VM_PARAMETER_IMAGE && parameter->kind != VM_PARAMETER_PIPE)
        return CL_KERNEL_ARG_ACCESS_NONE;
    if (parameter->write_only)
        return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    return parameter->read_only ? CL_KERNEL_ARG_ACCESS_READ_ONLY : CL_KERNEL_ARG_ACCESS_READ_WRITE;
}

static cl_kernel_arg_type_qualifier type_qualifier(const struct vm_parameter *parameter)
{
    /* OpenCL API 3.0, 5.9.4: a constant argument is const as well. */
    const bool is_const = parameter->is_const || parameter->kind == VM_PARAMETER_CONSTANT;
    return (is_const ? CL_KERNEL_ARG_TYPE_CONST : 0) |
           (parameter->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
           (parameter->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0) |
           (parameter->kind == VM_PARAMETER_PIPE ? CL_KERNEL_ARG_TYPE_PIPE : 0);
}

/* Who reads a pipe takes packets out of it. */
static cl_bitfield accesses(const struct vm_parameter *parameter)
{
    const cl_bitfield reads = CL_KERNEL_ARG_READS_CLERK;
    const cl_bitfield writes = CL_KERNEL_ARG_WRITES_CLERK;
    switch (parameter->kind) {
    case VM_PARAMETER_GLOBAL:
        return (parameter->only_written ? 0 : reads) | (parameter->only_read ? 0 : writes);
    case VM_PARAMETER_CONSTANT:
        return parameter->only_written ? 0 : reads;
    case VM_PARAMETER_IMAGE:
        return (parameter->write_only ? 0 : reads) | (parameter->read_only ? 0 : writes);
    case VM_PARAMETER_LOCAL:
    case VM_PARAMETER_PIPE:
        return reads | writes;
    default:
        return 0;
    }
}

/* All words 0 where nothing is certain. */
static struct clerk_must must_of(const struct vm_must *must)
{
    if (must->size == 0)
        return (struct clerk_must){0};
    return (struct clerk_must){
        .size = must->size,
        .first = must->first,
        .limit_argument = must->limit_argument < 0 ? UINT64_MAX : (uint64_t)must->limit_argument,
        .limit = must->limit,
        .index_bits = must->index_bits,
        .flags = (must->limit_signed ? CLERK_MUST_LIMIT_SIGNED : 0) |
                 (must->is_atomic ? CLERK_MUST_ATOMIC : 0),
    };
}

static const char *or_empty(const char *string)
{
    return string ? string : "";
}

void fact_of_parameter(const struct vm_parameter *parameter, struct fact_argument *argument)
{
    *argument = (struct fact_argument){
        .name = or_empty(parameter->name),
        .type_name = or_empty(parameter->type_name),
        .plain_type_name = or_empty(parameter->plain_type_name),
        .address = address_qualifier(parameter),
        .access = access_qualifier(parameter),
        .type_qualifiers = type_qualifier(parameter),
        .size = parameter->size,
        .accesses = accesses(parameter),
        .must_read = must_of(&parameter->must_read),
        .must_write = must_of(&parameter->must_write),
    };
}
