/* OpenCL API 3.0, chapter 5.4: pipes. */
#include "reference/vm/pipe.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/memory/mem.h"
#include "reference/limits/limits.h"
#include "trace/base/size.h"

#include <stdio.h>

/* "Only CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS can be specified", "properties must be NULL".
 */
static cl_int check(cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                    const cl_pipe_properties *properties, uint64_t *size)
{
    if ((flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS)) != 0 || properties)
        return CL_INVALID_VALUE;
    if (packet_size == 0 || packet_size > limits_get(LIMIT_PIPE_PACKET_SIZE) || max_packets == 0)
        return CL_INVALID_PIPE_SIZE;
    return size_mul(packet_size, max_packets, size) && *size <= limits_get(LIMIT_ALLOCATION)
               ? CL_SUCCESS
               : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_mem icd_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                        cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                        cl_int *errcode_ret)
{
    uint64_t size = 0;
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (!limits_keep(KEPT_OPTIONAL))
        return object_refuse(CL_INVALID_OPERATION, errcode_ret);
    cl_int result = check(flags, pipe_packet_size, pipe_max_packets, properties, &size);
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    char made_by[64];
    snprintf(made_by, sizeof(made_by), "clCreatePipe, %u packets of %u bytes", pipe_max_packets,
             pipe_packet_size);
    const struct mem_request request = {
        .context = context,
        .type = CL_MEM_OBJECT_PIPE,
        .flags = flags != 0 ? flags : CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS,
        .size = size,
        .packet_size = pipe_packet_size,
        .made_by = made_by,
    };
    cl_mem mem = mem_create(&request, &result);
    return object_give(mem, result, errcode_ret);
}

cl_int icd_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!mem_is_pipe(pipe))
        return CL_INVALID_MEM_OBJECT;
    const struct vm_pipe *state = vm_memory_find(icd_memory(), pipe->number)->pipe;
    const struct info_row rows[] = {
        INFO(CL_PIPE_PACKET_SIZE, cl_uint, vm_pipe_packet_size(state)),
        INFO(CL_PIPE_MAX_PACKETS, cl_uint, vm_pipe_capacity(state)),
        {CL_PIPE_PROPERTIES, NULL, 0},
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}
