/* cl_khr_subgroup_named_barrier in OpenCL C, which goes before each program. The specification has
 * functions for OpenCL C++ alone; these are those that Intel's compiler has, by the same names in
 * the module. reference/lower/lower_group.c knows them. */
#ifndef REFERENCE_COMPILER_NAMED_BARRIERS_H
#define REFERENCE_COMPILER_NAMED_BARRIERS_H

/* clang-format off */
#define NAMED_BARRIERS \
    "#ifdef __opencl_subgroup_builtins\n#define cl_khr_subgroup_named_barrier 1\n" \
    "typedef struct __namedBarrier NamedBarrier_t;\n" \
    "__local NamedBarrier_t *__attribute__((overloadable)) named_barrier_init(int sub_group_count);\n" \
    "void __attribute__((overloadable, convergent)) work_group_named_barrier(__local NamedBarrier_t *, " \
        "cl_mem_fence_flags);\n" \
    "void __attribute__((overloadable, convergent)) work_group_named_barrier(__local NamedBarrier_t *, " \
        "cl_mem_fence_flags, memory_scope);\n" \
    "#endif\n"
/* clang-format on */

#endif
