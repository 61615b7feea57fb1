/* What the reference device answers beyond OpenCL; other devices give CL_INVALID_VALUE. */
#ifndef TRACE_API_CLERK_QUERIES_H
#define TRACE_API_CLERK_QUERIES_H

/* clGetKernelArgInfo: as CL_KERNEL_ARG_TYPE_NAME, but pointers to scalars and vectors are told as
 * if the program had no names of its own for types: "float4*". Integers are unsigned then, as
 * SPIR-V does not tell. */
#define CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK 0x4c51

#endif
