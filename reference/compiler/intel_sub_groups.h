/* What the compiler's header lacks of cl_intel_subgroups, _short, _char and _long: OpenCL C that
 * goes before each program. The functions that the extensions share with cl_khr_subgroups are
 * there, too, where OpenCL C before 2.0 lacks them. */
#ifndef REFERENCE_COMPILER_INTEL_SUB_GROUPS_H
#define REFERENCE_COMPILER_INTEL_SUB_GROUPS_H

/* clang-format off */
#define INTEL_SUB_GROUPS \
    "#if __OPENCL_C_VERSION__ >= 120 || defined(__OPENCL_CPP_VERSION__)\n#define cl_intel_subgroups 1\n#define cl_intel_subgroups_short 1\n" \
    "#define cl_intel_subgroups_char 1\n#define cl_intel_subgroups_long 1\n" \
    "#define __clerk_ov __attribute__((overloadable, convergent))\n" \
    /* what OpenCL C before 2.0 lacks */ \
    "#ifndef __opencl_subgroup_builtins\n" \
    "uint __clerk_ov get_sub_group_size(void); uint __clerk_ov get_max_sub_group_size(void); " \
    "uint __clerk_ov get_num_sub_groups(void); uint __clerk_ov get_sub_group_id(void); " \
    "uint __clerk_ov get_sub_group_local_id(void); " \
    "void __clerk_ov sub_group_barrier(cl_mem_fence_flags); " \
    "int __clerk_ov sub_group_all(int); int __clerk_ov sub_group_any(int);\n" \
    "#define __clerk_combine(T) T __clerk_ov sub_group_broadcast(T, uint); " \
        "T __clerk_ov sub_group_reduce_add(T); T __clerk_ov sub_group_reduce_min(T); " \
        "T __clerk_ov sub_group_reduce_max(T); T __clerk_ov sub_group_scan_exclusive_add(T); " \
        "T __clerk_ov sub_group_scan_exclusive_min(T); T __clerk_ov sub_group_scan_exclusive_max(T); " \
        "T __clerk_ov sub_group_scan_inclusive_add(T); T __clerk_ov sub_group_scan_inclusive_min(T); " \
        "T __clerk_ov sub_group_scan_inclusive_max(T);\n" \
    "__clerk_combine(int) __clerk_combine(uint) __clerk_combine(long) __clerk_combine(ulong) " \
        "__clerk_combine(float) __clerk_combine(short) __clerk_combine(ushort) __clerk_combine(char) " \
        "__clerk_combine(uchar)\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n__clerk_combine(double)\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp64 : disable\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n__clerk_combine(half)\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n#undef __clerk_combine\n#endif\n" \
    /* shuffles */ \
    "#define __clerk_shuffle(T) T __clerk_ov intel_sub_group_shuffle(T, uint); " \
        "T __clerk_ov intel_sub_group_shuffle_xor(T, uint); " \
        "T __clerk_ov intel_sub_group_shuffle_down(T, T, uint); " \
        "T __clerk_ov intel_sub_group_shuffle_up(T, T, uint);\n" \
    "#define __clerk_shuffles(T) __clerk_shuffle(T) __clerk_shuffle(T##2) __clerk_shuffle(T##3) " \
        "__clerk_shuffle(T##4) __clerk_shuffle(T##8) __clerk_shuffle(T##16)\n" \
    "__clerk_shuffles(float) __clerk_shuffles(int) __clerk_shuffles(uint) __clerk_shuffles(short) " \
        "__clerk_shuffles(ushort) __clerk_shuffles(char) __clerk_shuffles(uchar) " \
        "__clerk_shuffle(long) __clerk_shuffle(ulong)\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n__clerk_shuffle(double)\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp64 : disable\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n__clerk_shuffle(half)\n" \
    "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n" \
    /* blocks */ \
    "#define __clerk_block(T, S, N) " \
        "T##N __clerk_ov intel_sub_group_block_read##S##N(const __global T *); " \
        "void __clerk_ov intel_sub_group_block_write##S##N(__global T *, T##N); " \
        "T##N __clerk_ov intel_sub_group_block_read##S##N(read_only image2d_t, int2); " \
        "void __clerk_ov intel_sub_group_block_write##S##N(write_only image2d_t, int2, T##N); " \
        "__clerk_block_read_write(T, S, N)\n" \
    "#ifdef __opencl_c_read_write_images\n" \
    "#define __clerk_block_read_write(T, S, N) " \
        "T##N __clerk_ov intel_sub_group_block_read##S##N(read_write image2d_t, int2); " \
        "void __clerk_ov intel_sub_group_block_write##S##N(read_write image2d_t, int2, T##N);\n" \
    "#else\n#define __clerk_block_read_write(T, S, N)\n#endif\n" \
    "#define __clerk_blocks(T, S) __clerk_block(T, S, ) __clerk_block(T, S, 2) __clerk_block(T, S, 4) " \
        "__clerk_block(T, S, 8)\n" \
    "__clerk_blocks(uint, ) __clerk_blocks(uint, _ui) __clerk_blocks(ulong, _ul) " \
        "__clerk_blocks(ushort, _us) " \
        "__clerk_blocks(uchar, _uc) __clerk_block(uchar, _uc, 16)\n" \
    /* llvm-spirv 15 ends with an assertion at 16 elements of 16 bits: they go in two halves */ \
    "#define __clerk_halves static inline __attribute__((overloadable, convergent, always_inline, nodebug))\n" \
    "__clerk_halves ushort16 intel_sub_group_block_read_us16(const __global ushort *p) { " \
        "return (ushort16)(intel_sub_group_block_read_us8(p), " \
        "intel_sub_group_block_read_us8(p + 8 * get_max_sub_group_size())); }\n" \
    "__clerk_halves void intel_sub_group_block_write_us16(__global ushort *p, ushort16 v) { " \
        "intel_sub_group_block_write_us8(p, v.lo); " \
        "intel_sub_group_block_write_us8(p + 8 * get_max_sub_group_size(), v.hi); }\n" \
    "#define __clerk_images(R, W) " \
        "__clerk_halves ushort16 intel_sub_group_block_read_us16(R image2d_t i, int2 at) { " \
        "return (ushort16)(intel_sub_group_block_read_us8(i, at), " \
        "intel_sub_group_block_read_us8(i, at + (int2)(0, 8))); } " \
        "__clerk_halves void intel_sub_group_block_write_us16(W image2d_t i, int2 at, ushort16 v) { " \
        "intel_sub_group_block_write_us8(i, at, v.lo); " \
        "intel_sub_group_block_write_us8(i, at + (int2)(0, 8), v.hi); }\n" \
    "__clerk_images(read_only, write_only)\n" \
    "#ifdef __opencl_c_read_write_images\n__clerk_images(read_write, read_write)\n#endif\n" \
    "#undef __clerk_halves\n#undef __clerk_images\n" \
    "#undef __clerk_shuffle\n#undef __clerk_shuffles\n#undef __clerk_block\n#undef __clerk_blocks\n" \
    "#undef __clerk_block_read_write\n#undef __clerk_ov\n" \
    /* 8 and 16 bits: cl_khr_subgroup_extended_types has the same functions */ \
    "#define intel_sub_group_broadcast sub_group_broadcast\n" \
    INTEL_SUB_GROUP_COMBINES(reduce) \
    INTEL_SUB_GROUP_COMBINES(scan_exclusive) \
    INTEL_SUB_GROUP_COMBINES(scan_inclusive) \
    "#endif\n"

#define INTEL_SUB_GROUP_COMBINES(function) \
    "#define intel_sub_group_" #function "_add sub_group_" #function "_add\n" \
    "#define intel_sub_group_" #function "_min sub_group_" #function "_min\n" \
    "#define intel_sub_group_" #function "_max sub_group_" #function "_max\n"
/* clang-format on */

#endif
