// Conversions between integers with a rounding mode, which is of no effect there, beside those without; and of vectors.
//
// $ clerk kernel conversions.cl -k numbers -g 1 -a long=-300 -a ulong=70000 -a 'buf:long[12]' --print 2
// $ clerk kernel conversions.cl -k vectors -g 1 -a 'buf:int[4]=-2,300,77,1000' -a 'buf:uchar[16]' --print 1
// $ clerk kernel conversions.cl -k vectors -g 1 -a 'buf:int[4]=-2,300,77,1000' -a 'buf:uchar[16]' --print 1 --build -cl-std=CLC++

kernel void numbers(long a, ulong b, global long *out)
{
    out[0] = convert_char_rte(a);
    out[1] = convert_char_sat_rtz(a);
    out[2] = convert_char_sat(a);
    out[3] = convert_uchar_sat_rtp(a);
    out[4] = convert_ushort_rtn(b);
    out[5] = convert_ushort(b);
    out[6] = convert_ushort_sat_rte(b);
    out[7] = convert_int_rte((char)a);
    out[8] = convert_uint_sat_rtz((short)a);
    out[9] = convert_long_sat_rtp(b);
    out[10] = convert_ulong_rtn(a);
    out[11] = convert_int_rtn(-2.5f);
}

kernel void vectors(global const int4 *in, global uchar *out)
{
    vstore4(convert_uchar4_sat_rte(*in), 0, out);
    vstore4(convert_uchar4_rtp(*in), 1, out);
    vstore4(convert_uchar4(*in), 2, out);
    vstore4(convert_uchar4_sat_rtz(convert_float4_rte(*in) + 0.5f), 3, out);
}
