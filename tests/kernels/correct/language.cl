// What OpenCL C has, all correct: nothing is reported, and the values are those of PoCL.
//
// $ clerk kernel language.cl -k structs -g 8 -a 'buf:int[24]=iota' -a 'buf:int[32]' --print 1
// $ clerk kernel language.cl -k float3s -g 8 -a 'buf:float[32]=iota' -a 'buf:float[32]=0' -a 'buf:float[24]=0' --print 2
// $ clerk kernel language.cl -k switches -g 32 -a 'buf:int[32]' --print 0
// $ clerk kernel language.cl -k returns -g 32 -l 8 -a 'buf:int[32]=0' --print 0
// $ clerk kernel language.cl -k nested -g 16 -a 'buf:int[16]' --print 0
// $ clerk kernel language.cl -k tables -g 32 -a 'buf:int[32]' -a 'buf:float[32]' --print 1
// $ clerk kernel language.cl -k private_arrays -g 16 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel language.cl -k packed_structs -g 8 -a 'buf:uchar[40]=0' -a 'buf:uint[8]' --print 1
// $ clerk kernel language.cl -k unions -g 8 -a 'buf:uint[8]' -a 'buf:float[8]=iota' --print 0
// $ clerk kernel language.cl -k bits -g 32 -a 'buf:uint[32]=iota' -a 'buf:uint[32]' --print 1
// $ clerk kernel language.cl -k widths -g 16 -a 'buf:char[16]=iota' -a 'buf:short[16]' -a 'buf:long[16]' -a 'buf:ulong[16]' --print 3
// $ clerk kernel language.cl -k doubles -g 16 -a 'buf:double[16]=iota' -a 'buf:double[16]' --print 1
// $ clerk kernel language.cl -k selects -g 16 -a 'buf:int4[16]=iota' -a 'buf:int4[16]' -a 'buf:float4[16]' --print 2
// $ clerk kernel language.cl -k casts -g 16 -a 'buf:float[16]=iota' -a 'buf:int[64]' --print 1
// $ clerk kernel language.cl -k converts -g 16 -a 'buf:float[16]=iota' -a 'buf:int4[16]' --print 1
// $ clerk kernel language.cl -k swizzles -g 4 -a 'buf:float16[4]=iota' -a 'buf:float16[4]' --print 1
// $ clerk kernel language.cl -k loads -g 8 -a 'buf:char[64]=iota' -a 'buf:char[64]=0' --print 1
// $ clerk kernel language.cl -k rng -g 16 -a 'buf:uint[16]' -a uint=20 --print 0
// $ clerk kernel language.cl -k search -g 64 -a 'buf:char[64]=iota' -a 'buf:int[4]=iota' -a 'buf:int[64]=0' -a int=4 --print 2
// $ clerk kernel language.cl -k bfs -g 8 -a 'buf:int[9]=iota' -a 'buf:int[8]=3' -a 'buf:int[8]=0' -a 'buf:int[8]=0' -a int=1 --print 3
// $ clerk kernel language.cl -k kmeans -g 32 -a 'buf:float2[32]=iota' -a 'buf:float2[4]=iota' -a 'buf:int[32]' -a int=4 --print 2
// $ clerk kernel language.cl -k gotos -g 16 -a 'buf:int[16]' --print 0
// $ clerk kernel language.cl -k dowhile -g 16 -a 'buf:int[16]' --print 0
// $ clerk kernel language.cl -k shortcircuit -g 16 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel language.cl -k pointers -g 8 -a 'buf:int[32]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel language.cl -k array_of_struct -g 4 -a 'buf:int[4]' --print 0
// $ clerk kernel language.cl -k vec_index -g 8 -a 'buf:int4[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel language.cl -k compare -g 16 -a 'buf:float4[16]=iota' -a 'buf:int4[16]' -a 'buf:int[16]' --print 2
// $ clerk kernel language.cl -k intmath -g 16 -a 'buf:int[16]=iota' -a 'buf:int[16]' -a 'buf:uint[16]' --print 2
// $ clerk kernel language.cl -k floatmath -g 16 -a 'buf:float[16]=iota' -a 'buf:float[128]'
// $ clerk kernel language.cl -k crc -g 4 -a 'buf:uchar[64]=iota' -a 'buf:uint[4]' --print 1
// $ clerk kernel language.cl -k xtea -g 8 -a 'buf:uint2[8]=iota' -a 'buf:uint2[8]' --print 1
// $ clerk kernel language.cl -k shuffle2s -g 4 -a 'buf:int4[4]=iota' -a 'buf:int4[4]' --print 1

typedef struct {
    int id;
    float w;
    int3 v;
    char tag[5];
} item;
typedef struct {
    item a[2];
    short s;
} pair_of;
int total(const item *p)
{
    return p->id + (int)p->w + p->v.x + p->v.y * p->v.z + p->tag[1];
}

item make(int i)
{
    item r = {i, i * 0.5f, (int3)(i, i + 1, i + 2), {1, 2, 3}};
    return r;
}

kernel void structs(global const int *in, global int *out)
{
    int g = get_global_id(0);
    pair_of p;
    p.a[0] = make(in[g]);
    p.a[1] = p.a[0];
    p.a[g & 1].id += 100;
    p.s = (short)g;
    item copy = p.a[1];
    out[g * 4] = total(&p.a[0]);
    out[g * 4 + 1] = total(&copy);
    out[g * 4 + 2] = p.s + sizeof(item);
    out[g * 4 + 3] = p.a[1].tag[2] + p.a[1].tag[4];
}

kernel void float3s(global const float3 *in, global float3 *out, global float *packed)
{
    size_t i = get_global_id(0);
    float3 a = in[i];
    float3 b = cross(a, (float3)(1, 2, 3));
    out[i] = a * 2 + b.zyx;
    vstore3(vload3(i, (global const float *)packed) * 0 == 0 ? b : b, i, packed);
}

kernel void switches(global int *out)
{
    int i = get_global_id(0), r = 0;
    switch (i % 7) {
    case 0:
        r = 1;
        break;
    case 1:
        r = 2;
    case 2:
        r += 3;
        break;
    case 3: {
        switch (i / 7) {
        case 0:
            r = 40;
            break;
        case 2:
            r = 41;
        default:
            r++;
        }
        break;
    }
    case 5:
        for (int k = 0;; k++) {
            if (k > i)
                break;
            if (k & 1)
                continue;
            r += k;
        }
        break;
    default:
        r = -1;
    }
    out[i] = r;
}

kernel void returns(global int *out)
{
    size_t i = get_global_id(0);
    if (i > 20)
        return;
    if (i % 3 == 0) {
        out[i] = 7;
        return;
    }
    for (int k = 0; k < 10; k++) {
        if (k == i) {
            out[i] = k * 2;
            return;
        }
        if (i > 9 && k > 4) {
            out[i] = 99;
            return;
        }
    }
    out[i] = 5;
}

int f3(int x)
{
    if (x > 5)
        return x * 2;
    return x + 1;
}

int f2(int x, int *side)
{
    *side += x;
    for (int i = 0; i < x; i++) {
        if (f3(i) > 9)
            return i;
    }
    return -x;
}

static inline int f1(int x)
{
    int side = 3;
    int r = f2(x, &side) + f2(x / 2, &side);
    return r * side;
}

kernel void nested(global int *out)
{
    out[get_global_id(0)] = f1(get_global_id(0));
}

constant int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
constant float weights[2][3] = {{0.5f, 1, 2}, {3, 4, 5}};
__constant struct {
    int a;
    float b[2];
} config = {42, {1.5f, 2.5f}};
constant char text[] = "hello, world";
kernel void tables(global int *out, global float *w)
{
    int i = get_global_id(0);
    const int small[5] = {9, 8, 7, 6, 5};
    constant const char *lit = "abcdefg";
    out[i] = primes[i & 7] + small[i % 5] + config.a + text[i % 12] + lit[i % 7];
    w[i] = weights[i & 1][i % 3] + config.b[i & 1];
}

kernel void private_arrays(global const int *in, global int *out)
{
    int i = get_global_id(0), a[16], stack[8], top = 0, b[3][4] = {{0}};
    for (int k = 0; k < 16; k++)
        a[(k * 5 + i) & 15] = in[k];
    stack[top++] = i;
    while (top) {
        int v = stack[--top];
        if (v > 1) {
            stack[top++] = v / 2;
            if (v & 1)
                stack[top++] = v / 4;
        }
        b[v % 3][v % 4] += v;
    }
    int s = 0;
    for (int k = 0; k < 12; k++)
        s += b[k / 4][k % 4];
    out[i] = a[i] * 100 + s;
}

struct __attribute__((packed)) rec {
    uchar kind;
    uint value;
};
kernel void packed_structs(global struct rec *r, global uint *out)
{
    int i = get_global_id(0);
    r[i].kind = i;
    r[i].value = i * 0x01020304u;
    struct rec mine = r[i];
    out[i] = mine.value ^ mine.kind;
}

typedef union {
    uint u;
    float f;
    uchar b[4];
    ushort2 s;
} word;
kernel void unions(global uint *out, global const float *in)
{
    int i = get_global_id(0);
    word w;
    w.f = in[i] * 1.5f;
    w.b[0] ^= 0x5a;
    w.s.y += 1;
    out[i] = w.u;
}

kernel void bits(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i] * 2654435761u;
    uint y = x ^ x >> 16;
    y = (y & 0x55555555) << 1 | (y >> 1 & 0x55555555);
    out[i] = popcount(y) + clz(x | 1) + rotate(y, i) + (x << (i & 31)) + mul_hi(x, y) +
             mad24(x & 0xff, y & 0xff, 3u) + upsample((ushort)x, (ushort)y) + hadd(x, y) +
             rhadd(x, y) + add_sat(x, y) + sub_sat(x, y) + abs_diff(x, y) + ~y;
}

kernel void widths(global const char *in, global short *s, global long *l, global ulong *u)
{
    int i = get_global_id(0);
    char c = in[i] * 17;
    uchar d = in[i] * 17;
    s[i] = (short)(c * d) >> 2;
    l[i] = (long)c * 0x123456789L / (i + 1) % 1000003 - (c >> 1);
    u[i] = (ulong)d << (i * 3) | (ulong)(c < 0) | mul_hi((ulong)d << 50, (ulong)c);
    l[i] += (c / (i - 20)) + (c % (i - 20)) + (char)(c + 100);
}

kernel void doubles(global const double *in, global double *out)
{
    int i = get_global_id(0);
    double x = in[i] / 3.0;
    out[i] = fma(x, x, 1.0) + floor(x) + fabs(-x) + (double)(float)x + fmax(x, 2.0) + (long)x +
             (x > 2 ? 0.1 : -0.1) + sqrt(x);
}

kernel void selects(global const int4 *in, global int4 *out, global float4 *f)
{
    int i = get_global_id(0);
    int4 a = in[i], b = (int4)(i, 2, 3, 40);
    out[i] = select(a, b, a > b) + bitselect(a, b, (int4)(0xf0)) + (a == b ? a : -b) + max(a, 3) +
             clamp(a, 1, 5) + (a << 3 >> 1) + !a + any(a == b) + all(a < 100);
    float4 x = convert_float4(a);
    f[i] = select(x, -x, (a & 1) == 1) + mix(x, (float4)(2), 0.25f) + step(3.0f, x) +
           (x < 2.0f ? (float4)1 : (float4)2) + bitselect(x, -x, x);
}

kernel void casts(global const float *in, global int *out)
{
    int i = get_global_id(0);
    float x = in[i] * -1.25f;
    out[i * 4] = as_int(x);
    uchar4 b = as_uchar4(x);
    out[i * 4 + 1] = b.s0 + b.s3 * 256;
    short2 s = as_short2(x);
    out[i * 4 + 2] = s.x ^ s.y;
    int3 t = as_int3((float4)(x, 1, 2, 3));
    out[i * 4 + 3] = t.x + t.y + t.z;
}

kernel void converts(global const float *in, global int4 *out)
{
    int i = get_global_id(0);
    float x = in[i] * 37.5f - 200.5f;
    out[i] = (int4)(convert_int_rte(x), convert_uchar_sat(x), convert_char_sat_rtp(x),
                    convert_short_rtn(x));
    out[i] += convert_int4_sat(convert_long4(convert_uint4_rtz((float4)(fabs(x)))) * 1000000L);
}

kernel void swizzles(global const float16 *in, global float16 *out)
{
    int i = get_global_id(0);
    float16 a = in[i], r;
    r.lo = a.hi;
    r.hi.even = a.even.lo;
    r.hi.odd = a.odd.hi;
    r.s3 = a.sF;
    r.sab += a.s01;
    r.s0 = 5;
    float8 b = (float8)(a.s0123, a.sfe, (float2)(7));
    r.s89 = b.s67 * b.s45;
    out[i] = r;
}

kernel void loads(global const char *in, global char *out)
{
    int i = get_global_id(0);
    char8 v = vload8(i, in);
    short4 w = vload4(i, (global const short *)in);
    vstore8(v.s76543210 + (char)w.x, i, out);
    out[i * 8] = vload2(1, in + i).y;
}

kernel void rng(global uint *out, uint n)
{
    ulong s = get_global_id(0) * 0x9E3779B97F4A7C15UL + 1;
    uint x = 0;
    for (uint i = 0; i < n; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        x = x * 31 + (uint)(s >> 32);
    }
    float u = (x >> 8) * (1.0f / 16777216.0f);
    out[get_global_id(0)] = x ^ as_uint(u);
}

kernel void search(global const char *text, global const int *pat, global int *hit, int m)
{
    int i = get_global_id(0);
    if (i + m > 64)
        return;
    int j = 0;
    while (j < m && text[i + j] == (char)pat[j])
        j++;
    if (j == m)
        hit[i] = 1;
}

kernel void bfs(global const int *rows, global const int *cols, volatile global int *level,
                global int *changed, int depth)
{
    int v = get_global_id(0);
    if (atomic_or(&level[v], 0) == depth - 1 && v == 3) {
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (atomic_cmpxchg(&level[cols[e] + 1], 0, depth) == 0)
                changed[v] = 1;
    }
}

kernel void kmeans(global const float2 *p, constant float2 *centre, global int *who, int k)
{
    int i = get_global_id(0), best = -1;
    float least = FLT_MAX;
    for (int c = 0; c < k; c++) {
        float2 d = p[i] - centre[c];
        float dist = d.x * d.x + d.y * d.y;
        if (dist < least) {
            least = dist;
            best = c;
        }
    }
    who[i] = best;
}

kernel void gotos(global int *out)
{
    int i = get_global_id(0), n = 0;
again:
    n += 3;
    if (n < i)
        goto again;
    if (n == i)
        goto done;
    n = -n;
done:
    out[i] = n;
}

kernel void dowhile(global int *out)
{
    int i = get_global_id(0), n = 0, x = i + 1;
    do {
        x = x & 1 ? 3 * x + 1 : x / 2;
        n++;
    } while (x != 1 && n < 100);
    out[i] = n;
}

kernel void shortcircuit(global const int *in, global int *out)
{
    int i = get_global_id(0), k;
    bool ok = i > 3 && (k = in[i]) > 7;
    out[i] = ok ? k : (i || in[0]) + (i > 2 ? in[i - 1] : 0);
}

int sum_up(global const int *p, global const int *end)
{
    int s = 0;
    while (p != end)
        s += *p++;
    return s;
}

kernel void pointers(global const int *in, global int *out)
{
    int i = get_global_id(0), x = 4, y = 5, *q = i & 1 ? &x : &y;
    *q += i;
    global const int *m = i < 4 ? in : in + 16;
    out[i] = sum_up(in + i, in + 2 * i) + x * 10 + y + m[i] + (int)(&in[7] - in);
}

typedef struct node {
    int value;
    int next;
} node;
kernel void array_of_struct(global int *out)
{
    node list[6];
    for (int i = 0; i < 6; i++) {
        list[i].value = i * i;
        list[i].next = i + 1 < 6 ? i + 1 : -1;
    }
    int s = 0;
    for (int n = get_global_id(0); n >= 0; n = list[n].next)
        s += list[n].value;
    out[get_global_id(0)] = s;
}

kernel void vec_index(global const int4 *in, global int *out)
{
    int i = get_global_id(0);
    int4 v = in[i];
    int *p = (int *)&v;
    p[i & 3] += 100;
    v[(i + 1) & 3] -= 7;
    out[i] = v[i & 3] + v.x;
    global int *g = (global int *)in;
    out[i] += g[i * 4 + 2];
}

kernel void compare(global const float4 *in, global int4 *out, global int *o)
{
    int i = get_global_id(0);
    float4 x = in[i] - 3.0f, z = x / (x - x);
    out[i] = (x == z) + (x != z) * 2 + (x < z) * 4 + isnan(z) * 8 + isinf(z) * 16 +
             signbit(x) * 32 + isordered(x, z) * 64 + isequal(x, x) * 128;
    o[i] = isnan(z.x) + signbit(-0.0f) * 2 + isfinite(x.y) * 4 + isnormal(x.z) * 8 + (z.x != z.x);
}

kernel void intmath(global const int *in, global int *out, global uint *u)
{
    int i = get_global_id(0), x = in[i] * 0x01234567, y = 77 - x;
    out[i] = abs(x) + add_sat(x, y) + sub_sat(x, 0x7fffffff) + mul_hi(x, y) + mad_hi(x, y, 3) +
             mad_sat(x, 3, y) + max(x, y) + mul24(x >> 8, 5) + rotate(x, 5) + hadd(x, y) + clz(x) +
             popcount(y) + (x >> 3) + x / 7 + x % 7;
    u[i] =
        (uint)x / 7 + (uint)y % 9 + ((uint)x >> 3) + abs_diff(x, y) + min((uint)x, 9u) + (uint)-x;
}

kernel void floatmath(global const float *in, global float *out)
{
    int i = get_global_id(0), e;
    float x = in[i] * 0.75f - 4.0f, ip;
    global float *o = out + i * 8;
    o[0] = floor(x) + ceil(x) + trunc(x) + round(x) + rint(x);
    o[1] = fmin(x, 1.0f) + fmax(x, -1.0f) + fabs(x) + copysign(2.0f, x) + sign(x) + fdim(x, 1);
    o[2] = fma(x, x, x) + fmod(x, 1.5f) + remainder(x, 1.5f);
    o[3] = sqrt(fabs(x)) + clamp(x, -1.0f, 1.0f);
    o[4] = frexp(x, &e) + e + ldexp(x, 3) + ilogb(x + 10) + logb(fabs(x) + 1);
    o[5] = modf(x, &ip) + ip * 2 + fract(x, &ip) + ip;
    o[6] = nextafter(x, 10.0f) + x / 3.0f + maxmag(x, 2.0f) + minmag(x, 2.0f);
    o[7] = smoothstep(0.0f, 8.0f, 4.0f) + degrees(0.0f) + mad(x, 0.0f, 1.0f);
}

kernel void crc(global const uchar *in, global uint *out)
{
    uint c = ~0u, g = get_global_id(0);
    for (int i = 0; i < 16; i++) {
        c ^= in[g * 16 + i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
    }
    out[g] = ~c;
}

kernel void xtea(global const uint2 *in, global uint2 *out)
{
    const uint key[4] = {1, 2, 3, 4};
    uint2 v = in[get_global_id(0)];
    uint sum = 0;
    for (int r = 0; r < 32; r++) {
        v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + key[sum & 3]);
        sum += 0x9E3779B9;
        v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + key[sum >> 11 & 3]);
    }
    out[get_global_id(0)] = v;
}

kernel void shuffle2s(global const int4 *in, global int4 *out)
{
    int i = get_global_id(0);
    int4 a = in[i];
    out[i] = shuffle(a, (uint4)(3, i, 1, 0)) + shuffle2(a, a + 10, (uint4)(7, 0, i, 2));
}
