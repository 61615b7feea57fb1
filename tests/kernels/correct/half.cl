// Arithmetic on half: every operation rounds once, to nearest even; buffers of ushort show the bits.
//
// $ clerk kernel half.cl -k arithmetic -g 8 -a 'buf:ushort[8]=random:3' -a 'buf:ushort[8]=random:4' -a 'buf:ushort[64]' --print 2
// $ clerk kernel half.cl -k rounds -g 1 -a 'buf:ushort[24]' --print 0
// $ clerk kernel half.cl -k compares -g 4 -a 'buf:int[32]' --print 0
// $ clerk kernel half.cl -k converts -g 1 -a 'buf:int[24]' -a 'buf:ushort[24]' --print 0 --print 1
// $ clerk kernel half.cl -k vectors -g 1 -a 'buf:ushort[32]' --print 0
// $ clerk kernel half.cl -k structures -g 4 -a 'buf:ushort[16]=0' --print 0
// $ clerk kernel half.cl -k prints -g 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void arithmetic(global const ushort *a, global const ushort *b, global ushort *out)
{
    const size_t g = get_global_id(0);
    const half x = as_half(a[g]), y = as_half(b[g]);
    global ushort *o = out + 8 * g;
    o[0] = as_ushort((half)(x + y));
    o[1] = as_ushort((half)(x - y));
    o[2] = as_ushort((half)(x * y));
    o[3] = as_ushort((half)(x / y));
    o[4] = as_ushort(fma(x, y, x));
    o[5] = as_ushort(sqrt(fabs(x)));
    o[6] = as_ushort(-x);
    o[7] = as_ushort(x > y ? x : y);
}

// Ties go to even, overflow to infinity, small values to subnormals; a NaN is 0x7e00.
kernel void rounds(global ushort *out)
{
    const half one = 1.0h, ulp = 0x1p-10h, max = 65504.0h, tiny = 0x1p-24h;
    volatile half half_ulp = 0x1p-11h;
    out[0] = as_ushort((half)(one + half_ulp));
    out[1] = as_ushort((half)(one + ulp + half_ulp));
    out[2] = as_ushort((half)(max + (half)15.99h));
    out[3] = as_ushort((half)(max + (half)16.0h));
    out[4] = as_ushort((half)(tiny * (half)0.5h));
    out[5] = as_ushort((half)(tiny * (half)1.5h));
    out[6] = as_ushort((half)(tiny / -max));
    out[7] = as_ushort((half)(half_ulp * 0.0h / 0.0h));
    out[8] = as_ushort(fma(one + ulp, one + ulp, -(one + 2 * ulp)));
    out[9] = as_ushort(fma(max, tiny, max));
    out[10] = as_ushort(rsqrt(tiny));
    out[11] = as_ushort(exp((half)11.0h));
    out[12] = as_ushort(exp((half)11.09h));
    out[13] = as_ushort(nextafter(max, (half)INFINITY));
    out[14] = as_ushort(nextafter((half)0.0h, (half)-1.0h));
    out[15] = as_ushort(ldexp(one + ulp, -25));
    out[16] = as_ushort(ldexp(one, -25));
    out[17] = as_ushort(nan((ushort)5));
    out[18] = as_ushort(degrees((half)1.0h));
    out[19] = as_ushort(rint((half)2.5h));
    half whole;
    out[20] = as_ushort(fract(-tiny, &whole));
    out[21] = as_ushort(whole);
    int exponent;
    out[22] = as_ushort(frexp(tiny, &exponent));
    out[23] = (ushort)exponent;
}

kernel void compares(global int *out)
{
    const half values[4] = {1.0h, -0.0h, NAN, -INFINITY};
    const half x = values[get_global_id(0)];
    global int *o = out + 8 * get_global_id(0);
    o[0] = x == (half)0.0h;
    o[1] = x != (half)1.0h;
    o[2] = x < (half)1.0h;
    o[3] = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * isnormal(x) + 16 * signbit(x);
    o[4] = isgreaterequal(x, (half)-1.0h);
    o[5] = isunordered(x, x);
    o[6] = ilogb(x);
    o[7] = islessgreater(x, (half)0.0h);
}

kernel void converts(global int *ints, global ushort *halves)
{
    volatile half h = -2.5h, big = 65504.0h, small = 0.5h, none = NAN;
    ints[0] = convert_int(h);
    ints[1] = convert_int_rte(h);
    ints[2] = convert_int_rtp(h);
    ints[3] = convert_int_rtn(h);
    ints[4] = convert_char_sat(big);
    ints[5] = convert_uchar_sat(h);
    ints[6] = convert_short_sat(big);
    ints[7] = convert_ushort_sat(big);
    ints[8] = convert_int_sat(none);
    ints[9] = convert_uint_rtp(small);
    ints[10] = (int)convert_long_rte(small);
    ints[11] = as_int(convert_float(h));
    volatile int odd = 2049, large = 65520;
    volatile ulong huge = 0x8000000000000001UL;
    volatile double third = 1.0 / 3, over = 1e300;
    volatile float middle = 1.00048828125f; // between two halves
    halves[0] = as_ushort(convert_half(odd));
    halves[1] = as_ushort(convert_half_rtz(odd));
    halves[2] = as_ushort(convert_half_rtp(odd));
    halves[3] = as_ushort(convert_half_rtn(-odd));
    halves[4] = as_ushort(convert_half(large));
    halves[5] = as_ushort(convert_half_rtz(large));
    halves[6] = as_ushort(convert_half(huge));
    halves[7] = as_ushort(convert_half_rtn(huge));
    halves[8] = as_ushort(convert_half(third));
    halves[9] = as_ushort(convert_half_rtp(third));
    halves[10] = as_ushort(convert_half_rtz(over));
    halves[11] = as_ushort(convert_half_rtp(over));
    halves[12] = as_ushort(convert_half(middle));
    halves[13] = as_ushort(convert_half_rtp(middle));
    halves[14] = as_ushort(convert_half_rtn(middle));
    halves[15] = as_ushort(convert_half((char)-7));
    halves[16] = as_ushort(convert_half_rtp(1e-30f));
    vstore_half_rtn(-1e-30f, 17, (global half *)halves);
    vstore_half(middle, 18, (global half *)halves);
    vstore_half_rtz(third, 19, (global half *)halves);
    const float2 pair = vload_half2(9, (global half *)halves);
    ints[12] = as_int(pair.x);
    ints[13] = as_int(pair.y);
    for (int i = 14; i < 24; i++)
        ints[i] = 0;
    for (int i = 20; i < 24; i++)
        halves[i] = 0;
}

kernel void vectors(global ushort *out)
{
    const half4 a = (half4)(1.0h, 2.0h, 3.0h, 4.0h), b = (half4)(-3.0h, 300.0h, 0.1h, 1000.0h);
    vstore4(as_ushort4(a * b + a), 0, out);
    vstore4(as_ushort4(clamp(b, (half4)-1.0h, (half4)5.0h)), 1, out);
    vstore4(as_ushort4(mix(a, b, (half4)0.5h)), 2, out);
    vstore4(as_ushort4(normalize(b)), 3, out);
    vstore4(as_ushort4(cross(a, b)), 4, out);
    out[20] = as_ushort(dot(a, b));
    out[21] = as_ushort(length((half2)(60000.0h, 1.0h)));
    out[22] = as_ushort(length((half2)(0x1p-24h, 0.0h)));
    out[23] = as_ushort(distance(a, b));
    vstore4(as_ushort4(a < b), 6, out);
    vstore4(as_ushort4(select(a, b, (short4)(0, -1, 0, -1))), 7, out);
}

struct entry {
    char tag;
    half value;
    half3 triple;
};

kernel void structures(global ushort *out)
{
    const int g = (int)get_global_id(0);
    struct entry entries[2] = {{1, 1.5h, (half3)(1, 2, 3)}, {2, 2.5h, (half3)(4, 5, 6)}};
    entries[g % 2].value += (half)g;
    entries[1].triple.y = entries[0].value;
    const struct entry copy = entries[g / 2];
    out[4 * g] = as_ushort(copy.value);
    out[4 * g + 1] = as_ushort(copy.triple.y);
    out[4 * g + 2] = (ushort)copy.tag;
}

kernel void prints(void)
{
    const half4 v = (half4)(0.1h, -2.0h, 65504.0h, NAN);
    printf("%f %.3v4hf\n", v.x, v);
}
