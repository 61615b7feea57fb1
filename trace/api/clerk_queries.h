/* What clerk answers beyond OpenCL to clGetKernelArgInfo: its reference device, and the layer where
 * it knows a kernel from its text (checkers/probe/facts.h). Drivers give CL_INVALID_VALUE. */
#ifndef TRACE_API_CLERK_QUERIES_H
#define TRACE_API_CLERK_QUERIES_H

/* As CL_KERNEL_ARG_TYPE_NAME, but pointers to scalars and vectors are told as if the program had no
 * names of its own for types: "float4*". Integers are unsigned then, as SPIR-V does not tell. */
#define CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK 0x4c51

/* cl_ulong: the arg_size that clSetKernelArg expects; 0 = any, of local memory. */
#define CL_KERNEL_ARG_SIZE_CLERK 0x4c52

/* cl_bitfield: what the kernel may do to the memory that the argument leads to. */
#define CL_KERNEL_ARG_ACCESSES_CLERK 0x4c53
#define CL_KERNEL_ARG_READS_CLERK    (1 << 0)
#define CL_KERNEL_ARG_WRITES_CLERK   (1 << 1)

#endif
