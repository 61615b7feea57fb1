/* OpenCL API 3.0, chapter 5.4: pipes, which the device does not have: CL_DEVICE_PIPE_SUPPORT is
 * false. "CL_INVALID_OPERATION if no devices in context support pipes". */
#include "reference/icd/dispatch.h"
#include "reference/icd/mem.h"

cl_mem icd_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                        cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                        cl_int *errcode_ret)
{
    (void)flags;
    (void)pipe_packet_size;
    (void)pipe_max_packets;
    (void)properties;
    return mem_refuse(object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION
                                                         : CL_INVALID_CONTEXT,
                      errcode_ret);
}

cl_int icd_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    (void)pipe;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_MEM_OBJECT;
}
