/* What the compiler's header lacks: cl_khr_async_work_group_copy_fence and
 * cl_khr_extended_async_copies, in OpenCL C that goes before each program. The functions have names
 * of their own in the module, since llvm-spirv 15 takes all whose names begin like that of
 * async_work_group_copy for that one. */
#ifndef REFERENCE_COMPILER_ASYNC_COPIES_H
#define REFERENCE_COMPILER_ASYNC_COPIES_H

/* clang-format off */
#define ASYNC_COPIES \
    "#define cl_khr_async_work_group_copy_fence 1\n#define cl_khr_extended_async_copies 1\n" \
    "void __attribute__((convergent)) async_work_group_copy_fence(cl_mem_fence_flags) " \
        "__asm__(\"clerk_async_copy_fence\");\n" \
    "#define __clerk_copy(to, from, name) " \
        "event_t __attribute__((overloadable, convergent)) async_work_group_copy_2D2D(to void *, size_t, " \
        "const from void *, size_t, size_t, size_t, size_t, size_t, size_t, event_t) " \
        "__asm__(\"clerk_async_copy_2D2D_\" name); " \
        "event_t __attribute__((overloadable, convergent)) async_work_group_copy_3D3D(to void *, size_t, " \
        "const from void *, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, event_t) " \
        "__asm__(\"clerk_async_copy_3D3D_\" name);\n" \
    "__clerk_copy(__local, __global, \"to_local\") __clerk_copy(__global, __local, \"to_global\")\n" \
    "#undef __clerk_copy\n"
/* clang-format on */

#endif
