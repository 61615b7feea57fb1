// Bit fields and integer dot products.
//
// $ clerk kernel integers.cl -k fields -g 1 -a buf:int[4]=0 -a buf:uint[8]=0 -a uint=4 -a uint=8 --print 0 --print 1
// $ clerk kernel integers.cl -k dots -g 1 -a buf:int[8]=0 -a buf:uint[2]=0 --print 0 --print 1 --build -cl-std=CL3.0

#ifndef cl_khr_extended_bit_ops
#error no extended bit operations
#endif
#if !defined(__opencl_c_integer_dot_product_input_4x8bit) || !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
#error no dot products
#endif

kernel void fields(global int *o, global uint *u, uint offset, uint count)
{
    uint4 whole = bitfield_insert((uint4)(0xffffffff), (uint4)(0, 1, 0x2ff, 255), offset, count);
    vstore4(whole, 0, u);
    u[4] = bitfield_insert(7u, 0xffu, 8, 0);
    u[5] = bitfield_insert(1u, 0xffffffffu, 0, 32);
    u[6] = bitfield_extract_unsigned(0xabcd0000u, 16, 16);
    u[7] = bit_reverse(1u);
    o[0] = bitfield_extract_signed(0xf70, offset, count);
    o[1] = bitfield_extract_signed(0xf0, offset, 0);
    o[2] = bitfield_extract_signed((short)0x8000, 15, 1);
    o[3] = (int)bitfield_extract_signed(0x8000000000000000ul, 60, 4);
}

kernel void dots(global int *o, global uint *u)
{
    char4 c = (char4)(-1, 2, -3, 100);
    uchar4 d = (uchar4)(255, 2, 3, 200);
    o[0] = dot(c, c);
    o[1] = dot(d, c);
    o[2] = dot(c, d);
    o[3] = dot_acc_sat(c, c, 0x7ffffffe);
    o[4] = dot_4x8packed_ss_int(as_uint(c), as_uint(c));
    o[5] = dot_4x8packed_us_int(as_uint(d), as_uint(c));
    o[6] = dot_4x8packed_su_int(as_uint(c), as_uint(d));
    o[7] = dot_acc_sat_4x8packed_us_int(as_uint(d), as_uint(c), -5);
    u[0] = dot(d, d);
    u[1] = dot_acc_sat_4x8packed_uu_uint(as_uint(d), as_uint(d), 0xffffffff);
}
