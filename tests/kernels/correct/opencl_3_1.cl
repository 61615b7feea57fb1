// OpenCL C 3.1, which clang does not know: what it has from extensions needs no pragma, printf has z and t, and local
// memory may have no bytes. A device of 3.0 has neither.
//
// $ clerk kernel opencl_3_1.cl -k language -g 4 -l 4 --build '-cl-std=CL3.1 -Werror' --schedule asc
// $ clerk kernel opencl_3_1.cl -k prints -g 1 --build '-cl-std=CL3.1 -Werror' --schedule asc
// $ clerk kernel opencl_3_1.cl -k prints -g 1 --build '-cl-std=CL3.1 -Werror' --schedule asc --personality 32-bit
// $ clerk kernel opencl_3_1.cl -k unused -g 1 -a 'local:int[0]' --build -cl-std=CL3.1
// $ clerk kernel opencl_3_1.cl -k used -g 1 -a 'local:int[0]' --build -cl-std=CL3.1 --schedule asc
// $ clerk kernel opencl_3_1.cl -k unused -g 1 -a 'local:int[0]' --personality opencl-3.0
// $ clerk kernel opencl_3_1.cl -k prints -g 1 --build -cl-std=CL3.1 --personality opencl-3.0
// $ clerk kernel opencl_3_1.cl -k prints -g 1 --build -cl-std=CL3.1 --personality minimum

#ifdef CL_VERSION_3_1
#if __OPENCL_C_VERSION__ != CL_VERSION_3_1 || __OPENCL_VERSION__ != CL_VERSION_3_1
#error versions
#endif

kernel void language(void)
{
    const uint i = get_local_id(0);
    printf("%u: %u %u %u %u, %u %u, %x %x %x, %u %u\n", i, sub_group_shuffle(i, 3), sub_group_shuffle_xor(i, 1),
           sub_group_clustered_rotate(i, 1, 4), sub_group_shuffle_down(i, 0), (uint)sub_group_reduce_add((uchar)i),
           (uint)sub_group_broadcast((ushort4)(i + 5), 2).w, bit_reverse(i), bitfield_insert(0xFFFFu, i, 4, 8),
           bitfield_extract_unsigned(0x7650u, 4 * i, 4), dot((uchar4)(1, 2, 3, i), (uchar4)(1)),
           dot_acc_sat_4x8packed_uu_uint(0x01010101, 0x04030201, i));
}

kernel void prints(void)
{
    const size_t size = 40;
    const ptrdiff_t difference = -2;
    printf("%zu %zx %#zo %zd|%td %ti %6tX|%5zu\n", size, size, size, (ptrdiff_t)size, difference, difference,
           (ptrdiff_t)-difference, size);
}
#endif

kernel void unused(local int *memory)
{
}

kernel void used(local int *memory)
{
    memory[0] = 1;
}
