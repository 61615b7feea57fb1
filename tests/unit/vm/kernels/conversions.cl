/* Every explicit conversion between scalars: each kernel converts its items to all types in all
 * modes. The results lie one after the other, as bits: see test_conversions.c. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PUT(to, form, bits) *o++ = bits(convert_##to##form(x));
#define FORMS(to, sat, bits)                                                                       \
    PUT(to, sat, bits)                                                                             \
    PUT(to, sat##_rte, bits)                                                                       \
    PUT(to, sat##_rtz, bits)                                                                       \
    PUT(to, sat##_rtp, bits) PUT(to, sat##_rtn, bits)
#define INTEGER(to, bits) FORMS(to, , bits) FORMS(to, _sat, bits)
#define FROM(from)                                                                                 \
    kernel void from_##from(global ulong *out, global const from *in)                              \
    {                                                                                              \
        const from x = in[get_global_id(0)];                                                       \
        global ulong *o = out + 95 * get_global_id(0);                                             \
        INTEGER(char, as_uchar)                                                                    \
        INTEGER(uchar, as_uchar)                                                                   \
        INTEGER(short, as_ushort)                                                                  \
        INTEGER(ushort, as_ushort)                                                                 \
        INTEGER(int, as_uint)                                                                      \
        INTEGER(uint, as_uint)                                                                     \
        INTEGER(long, as_ulong)                                                                    \
        INTEGER(ulong, as_ulong)                                                                   \
        FORMS(half, , as_ushort)                                                                   \
        FORMS(float, , as_uint)                                                                    \
        FORMS(double, , as_ulong)                                                                  \
    }
FROM(char)
FROM(uchar)
FROM(short)
FROM(ushort)
FROM(int)
FROM(uint)
FROM(long)
FROM(ulong)
FROM(half)
FROM(float)
FROM(double)
