// Values of which some bits are undefined: who looks at those is told, who does not is not.
//
// $ clerk kernel parts.cl -k assembled -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k assembled_fixed -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k union_half -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k union_half_fixed -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k padding -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k padding_fixed -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k component -g 4 -l 4 -a 'buf:int[4]=0' -a int=3
// $ clerk kernel parts.cl -k component -g 4 -l 4 -a 'buf:int[4]=0' -a int=2
// $ clerk kernel parts.cl -k fields -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k fields_fixed -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k remembered -g 4 -l 4 -a 'buf:int[4]=0' -a int=1
// $ clerk kernel parts.cl -k remembered -g 4 -l 4 -a 'buf:int[4]=0' -a int=2
// $ clerk kernel parts.cl -k buffer_half -g 4 -l 4 -a 'buf:ushort[8]' -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k buffer_half_fixed -g 4 -l 4 -a 'buf:ushort[8]' -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k arithmetic -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel parts.cl -k vector_ternary -g 4 -l 4 -a 'buf:int[4]' -a 'buf:int4[4]' --print 1
// $ clerk kernel parts.cl -k vector_ternary_other -g 4 -l 4 -a 'buf:float[4]' -a 'buf:float4[4]' --schedule asc

/* Three of the four bytes are given. */
kernel void assembled(global int *out)
{
    uchar bytes[4];
    for (int i = 0; i < 3; i++)
        bytes[i] = (uchar)i;
    uint word = as_uint((uchar4)(bytes[0], bytes[1], bytes[2], bytes[3]));
    if (word == 0x20100)
        out[get_global_id(0)] = 1;
}

kernel void assembled_fixed(global int *out)
{
    uchar bytes[4];
    for (int i = 0; i < 3; i++)
        bytes[i] = (uchar)i;
    uint word = as_uint((uchar4)(bytes[0], bytes[1], bytes[2], bytes[3]));
    if ((word & 0xffffff) == 0x20100)
        out[get_global_id(0)] = 1;
    if ((word << 8) > 0x10000)
        out[get_global_id(0)] = 2;
}

union number {
    uint whole;
    ushort half_[2];
};

kernel void union_half(global int *out)
{
    union number n;
    n.half_[0] = 9;
    if (n.whole > 0x10000)
        out[get_global_id(0)] = 1;
}

kernel void union_half_fixed(global int *out)
{
    union number n;
    n.half_[0] = 9;
    if ((ushort)n.whole > 3)
        out[get_global_id(0)] = 1;
}

struct padded {
    char kind;
    int value;
};

/* Copying a structure copies what lies between its members; comparing that is the mistake. */
kernel void padding(global int *out)
{
    struct padded a[2];
    a[0].kind = 1;
    a[0].value = 2;
    a[1] = a[0];
    uchar *bytes = (uchar *)&a[1];
    int sum = 0;
    for (int i = 0; i < (int)sizeof a[1]; i++)
        sum += bytes[i];
    if (sum == 3)
        out[get_global_id(0)] = 1;
}

kernel void padding_fixed(global int *out)
{
    struct padded a[2];
    a[0].kind = 1;
    a[0].value = 2;
    a[1] = a[0];
    if (a[1].kind + a[1].value == 3)
        out[get_global_id(0)] = 1;
}

kernel void component(global int *out, int which)
{
    int4 v;
    v.xyz = (int3)(1, 2, 3);
    if (v[which] > 0)
        out[get_global_id(0)] = 1;
}

/* Three bits of a word are set, by hand as OpenCL C has no bit-fields. */
kernel void fields(global int *out)
{
    uint f;
    f = (f & ~7u) | 5;
    if ((f >> 3 & 31) == 2)
        out[get_global_id(0)] = 1;
}

kernel void fields_fixed(global int *out)
{
    uint f;
    f = (f & ~7u) | 5;
    if ((f & 7) == 5)
        out[get_global_id(0)] = 1;
}

/* A flag is a bit of a byte in memory; the others are defined. */
kernel void remembered(global int *out, int which)
{
    int limit;
    bool flags[3];
    flags[1] = (int)get_global_id(0) > limit;
    flags[2] = (int)get_global_id(0) > which;
    if (flags[which])
        out[get_global_id(0)] = 1;
    if (((uchar *)flags)[1] > 1)
        out[get_global_id(0)] = 2;
}

/* Only the lower halves of a buffer's words are written. */
kernel void buffer_half(global ushort *words, global int *out)
{
    size_t i = get_global_id(0);
    words[2 * i] = 1;
    if (*(global uint *)(words + 2 * i) & 0x10000)
        out[i] = 1;
}

kernel void buffer_half_fixed(global ushort *words, global int *out)
{
    size_t i = get_global_id(0);
    words[2 * i] = 1;
    if (*(global uint *)(words + 2 * i) & 1)
        out[i] = 1;
}

/* Each of these is decided by bits that are defined. */
kernel void arithmetic(global int *out)
{
    union number n;
    size_t i = get_global_id(0);
    n.half_[1] = 0x1000;
    if (n.whole >= 0x10000000 && (int)n.whole > 7)
        out[i] += 1;
    if ((ushort)(n.whole * 0x10000) == 0 && n.whole + n.whole < 0x30000000)
        out[i] += 1;
    if (((n.whole >> 16) + 1) == 0x1001)
        out[i] += 1;
    if ((n.whole | 0xffff) == 0x1000ffff)
        out[i] += 1;
    if ((n.whole ^ 1) != 5)
        out[i] += 1;
}

/* It does not matter which of two equal values is taken. */
kernel void vector_ternary(global const int *never, global int4 *out)
{
    int4 condition = (int4)(never[0], never[1], 1, 0);
    int4 a = (int4)((int)get_global_id(0));
    int4 b = a;
    b.z = 5;
    out[get_global_id(0)] = condition != 0 ? a : b;
}

kernel void vector_ternary_other(global const float *never, global float4 *out)
{
    float4 condition = (float4)(never[0], never[1], never[2], never[3]);
    out[get_global_id(0)] = condition < 1.0f ? (float4)(1.0f) : (float4)(2.0f);
}
