/* Built-in functions that lowering composes, and conversions, on edge values. */
kernel void integers(global int *out, global const int *in, int n)
{
    int id = get_global_id(0);
    int a = in[id];
    int b = in[(id * 7 + 3) % n];
    int c = in[(id * 5 + 1) % n];
    global int *o = out + id * 24;
    o[0] = add_sat(a, b);
    o[1] = sub_sat(a, b);
    o[2] = hadd(a, b);
    o[3] = rhadd(a, b);
    o[4] = mul_hi(a, b);
    o[5] = mad_hi(a, b, c);
    o[6] = mad_sat(a, b, c);
    o[7] = clamp(a, min(b, c), max(b, c));
    o[8] = abs_diff(a, b);
    o[9] = rotate(a, b);
    o[10] = clz(a);
    o[11] = popcount(a);
    o[12] = abs(a);
    o[13] = upsample((short)a, (ushort)b);
    o[14] = add_sat((uint)a, (uint)b);
    o[15] = sub_sat((uint)a, (uint)b);
    o[16] = mad_sat((uint)a, (uint)b, (uint)c);
    o[17] = mul_hi((uint)a, (uint)b);
    o[18] = hadd((uint)a, (uint)b);
    o[19] = bitselect(a, b, c);
    o[20] = select(a, b, c);
    o[21] = add_sat((char)a, (char)b);
    o[22] = sub_sat((uchar)a, (uchar)b);
    o[23] = mad24(a & 0x7fffff, b & 0x7fffff, c);
}

kernel void wide(global long *out, global const long *in, int n)
{
    int id = get_global_id(0);
    long a = in[id];
    long b = in[(id * 7 + 3) % n];
    long c = in[(id * 5 + 1) % n];
    global long *o = out + id * 6;
    o[0] = mad_sat(a, b, c);
    o[1] = mad_sat((ulong)a, (ulong)b, (ulong)c);
    o[2] = mul_hi(a, b);
    o[3] = mul_hi((ulong)a, (ulong)b);
    o[4] = add_sat(a, b);
    o[5] = sub_sat(a, b);
}

kernel void conversions(global int *out, global const float *in)
{
    int id = get_global_id(0);
    float x = in[id];
    global int *o = out + id * 16;
    o[0] = convert_int_sat(x);
    o[1] = convert_int_sat_rte(x);
    o[2] = convert_int_sat_rtp(x);
    o[3] = convert_int_sat_rtn(x);
    o[4] = convert_uchar_sat_rte(x);
    o[5] = convert_char_sat(x);
    o[6] = convert_ushort_sat_rtp(x);
    o[7] = as_int(convert_float_rtz(convert_long_sat(x) * 3));
    o[8] = as_int(convert_float_rtp(convert_long_sat(x) * 3));
    o[9] = as_int(convert_float_rtn(convert_long_sat(x) * 3));
    o[10] = convert_uchar_sat(convert_int_sat(x));
    o[11] = convert_char_sat(convert_uint_sat(x));
    o[12] = convert_short_sat(convert_int_sat(x));
    o[13] = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * isnormal(x) + 16 * (signbit(x) != 0);
    vstore_half_rtz(x, 0, (global half *)(o + 14));
    vstore_half(x, 1, (global half *)(o + 14));
    o[15] = as_int(vload_half(1, (global half *)(o + 14)));
}

kernel void geometry(global float *out, global const float4 *in)
{
    int id = get_global_id(0);
    float4 a = in[id];
    float4 b = in[id ^ 1];
    global float *o = out + id * 24;
    o[0] = dot(a, b);
    o[1] = length(a);
    o[2] = distance(a, b);
    vstore4(cross(a, b), 1, o);
    vstore4(mix(a, b, 0.25f), 2, o);
    vstore4(smoothstep(-1.0f, 2.0f, a), 3, o);
    vstore4(sign(a) + step(0.5f, b), 4, o);
    o[20] = mad(a.x, a.y, a.z);
    o[21] = fma(a.x, a.y, a.z);
    o[22] = clamp(a.w, -1.0f, 1.0f);
    o[23] = degrees(radians(a.x));
    o[3] = shuffle(a, (uint4)(3, 2, 1, convert_uint_sat(b.x))).w;
}
