/* What clerk answers beyond OpenCL: its reference device, and to clGetKernelArgInfo the layer where
 * it knows a kernel from its text (checkers/probe/facts.h). Drivers give CL_INVALID_VALUE. */
#ifndef TRACE_API_CLERK_QUERIES_H
#define TRACE_API_CLERK_QUERIES_H

#include <stdint.h>

/* cl_bool, of a device: where shared virtual memory was, nothing else will ever be. */
#define CL_DEVICE_SVM_KEEPS_ADDRESSES_CLERK 0x4c56

/* As CL_KERNEL_ARG_TYPE_NAME, but pointers to scalars and vectors are told as if the program had no
 * names of its own for types: "float4*". Integers are unsigned then, as SPIR-V does not tell. */
#define CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK 0x4c51

/* cl_ulong: the arg_size that clSetKernelArg expects; 0 = any, of local memory. */
#define CL_KERNEL_ARG_SIZE_CLERK 0x4c52

/* cl_bitfield: what the kernel may do to the memory that the argument leads to. */
#define CL_KERNEL_ARG_ACCESSES_CLERK 0x4c53
#define CL_KERNEL_ARG_READS_CLERK    (1 << 0)
#define CL_KERNEL_ARG_WRITES_CLERK   (1 << 1)

/* struct clerk_must: bytes of a buffer that the kernel is certain to read, and to write. */
#define CL_KERNEL_ARG_MUST_READ_CLERK  0x4c54
#define CL_KERNEL_ARG_MUST_WRITE_CLERK 0x4c55

/* Each work-item whose get_global_id(0) is i, below the limit and below 2^index_bits, accesses
 * `size` bytes, from byte first + size * i of what the argument points to. */
struct clerk_must {
    uint64_t size; /* 0 = nothing is certain */
    int64_t first; /* may be negative */
    /* The index of the integer argument, of 4 or 8 bytes, that is the limit; UINT64_MAX = none. */
    uint64_t limit_argument;
    uint64_t limit; /* where no argument is it; UINT64_MAX = none */
    uint64_t index_bits;
    uint64_t flags; /* CLERK_MUST_... */
};

/* The argument that is the limit is a signed number; nothing is certain if it is negative. */
#define CLERK_MUST_LIMIT_SIGNED (1 << 0)
/* By atomic operations: they do not clash with those of others. */
#define CLERK_MUST_ATOMIC (1 << 1)

#endif
