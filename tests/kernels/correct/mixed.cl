// Barriers, bytes, structures and arithmetic, all correct: nothing is reported, and the values are those of PoCL
// (in gauss PoCL rounds once where the kernel rounds twice).
//
// $ clerk kernel mixed.cl -k subgroup_like -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[64]' --print 1
// $ clerk kernel mixed.cl -k radix -g 16 -l 16 -a 'buf:uint[16]=iota' -a 'buf:uint[16]' --print 1
// $ clerk kernel mixed.cl -k gauss -g 8 -l 8 -a 'buf:float[64]=iota' -a int=8 --print 0
// $ clerk kernel mixed.cl -k barrier_uniform_if -g 16 -l 8 -a 'buf:int[16]=iota' -a int=1 --print 0
// $ clerk kernel mixed.cl -k barrier_in_helper_loop -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel mixed.cl -k group_exit -g 32 -l 8 -a 'buf:int[32]=iota' -a int=16 --print 0
// $ clerk kernel mixed.cl -k neighbours_bytes -g 64 -l 16 -a 'buf:uchar[64]' --print 0
// $ clerk kernel mixed.cl -k bytes_of_struct -g 16 -a 'buf:uchar[128]'
// $ clerk kernel mixed.cl -k write_same_after_barrier -g 8 -l 8 -a 'buf:int[8]' -a 'buf:int[8]' --print 1
// $ clerk kernel mixed.cl -k loop_carried_priv -g 8 -a 'buf:int[8]' --print 0
// $ clerk kernel mixed.cl -k cond_init -g 8 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel mixed.cl -k partial_vec -g 8 -a 'buf:float4[8]' --print 0
// $ clerk kernel mixed.cl -k vstore_overlap_padding -g 8 -a 'buf:float[24]' --print 0
// $ clerk kernel mixed.cl -k two_locals -g 16 -l 8 -a 'buf:int[16]' -a 'local:int[8]' -a 'local:float[8]' --print 0
// $ clerk kernel mixed.cl -k local_struct -g 8 -l 8 -a 'buf:int[8]' --print 0
// $ clerk kernel mixed.cl -k half_load -g 8 -a 'buf:ushort[8]=15360' -a 'buf:float[8]' --print 1
// $ clerk kernel mixed.cl -k sizes3 -g 4,3,2 -a 'buf:int3[24]' --print 0
// $ clerk kernel mixed.cl -k ptr_swap -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel mixed.cl -k byval -g 4 -a 'buf:int[4]' -a int4=1,2,3,4 -a float2=1.5,2.5 -a char=-3 -a ulong=18446744073709551615 --print 0
// $ clerk kernel mixed.cl -k trig -g 16 -a 'buf:float[16]=iota' -a 'buf:float[16]' --print 1
// $ clerk kernel mixed.cl -k memcpy_struct -g 4 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel mixed.cl -k volatile_flag -g 8 -l 8 -a 'buf:int[8]' --print 0
// $ clerk kernel mixed.cl -k atomic_float_xchg -g 8 -a 'buf:float[1]=0' --print 0
// $ clerk kernel mixed.cl -k ternary_chain -g 16 -a 'buf:int[16]' --print 0
// $ clerk kernel mixed.cl -k long_shift -g 16 -a 'buf:long[16]' -a 'buf:ulong4[16]' --print 1
// $ clerk kernel mixed.cl -k prefetch_ok -g 16 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel mixed.cl -k reqd -g 16 -l 8 -a 'buf:int[16]' --print 0

kernel void subgroup_like(global const int *a, global int *o)
{
    local volatile int s[64];
    int l = get_local_id(0);
    s[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = 32; w >= 1; w >>= 1) {
        int v = s[l ^ w];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = s[l];
}

kernel void radix(global const uint *in, global uint *out)
{
    local uint s[16], zeros[16];
    local uint total;
    int l = get_local_id(0);
    s[l] = (in[l] * 7u + 3u) & 15u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = 0; b < 4; b++) {
        uint v = s[l], bit = v >> b & 1;
        zeros[l] = !bit;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint before = 0;
        for (int i = 0; i < l; i++)
            before += zeros[i];
        if (l == 15)
            total = before + zeros[15];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[bit ? total + l - before : before] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = s[l];
}

kernel void gauss(global float *a, int n)
{
    int r = get_local_id(0);
    a[r * n + r] += 100;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < n - 1; k++) {
        if (r > k) {
            float f = a[r * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[r * n + j] -= f * a[k * n + j];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void barrier_uniform_if(global int *a, int on)
{
    local int s[8];
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    if (on) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = s[7 - l];
    }
    if (get_group_id(0) == 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

void step(local int *s, int l, int d)
{
    int v = l >= d ? s[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void barrier_in_helper_loop(global const int *a, global int *o)
{
    local int s[8];
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 8; d <<= 1)
        step(s, l, d);
    o[get_global_id(0)] = s[l];
}

kernel void group_exit(global int *a, int n)
{
    local int s;
    if (get_group_id(0) * get_local_size(0) >= n)
        return;
    if (get_local_id(0) == 0)
        s = get_group_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] += s;
}

kernel void neighbours_bytes(global uchar *a)
{
    a[get_global_id(0)] = get_global_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) % 4 == 0) {
        global uint *w = (global uint *)(a + get_global_id(0));
        *w ^= 0x01010101;
    }
}

typedef struct {
    char c;
    short s;
    int i;
} rec;
kernel void bytes_of_struct(global rec *r)
{
    int g = get_global_id(0);
    rec x;
    x.c = g;
    x.s = g * 2;
    x.i = g * 3;
    r[g] = x;
}

kernel void write_same_after_barrier(global int *a, global int *b)
{
    int l = get_local_id(0);
    a[l] = l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[l] = a[(l + 1) & 7];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[(l + 3) & 7] = b[l];
}

kernel void loop_carried_priv(global int *o)
{
    int prev, n = 0;
    for (int i = 0; i < 5; i++) {
        if (i > 0)
            n += prev;
        prev = i * get_global_id(0);
    }
    o[get_global_id(0)] = n;
}

kernel void cond_init(global const int *a, global int *o)
{
    int i = get_global_id(0), x;
    int has = a[i] > 3;
    if (has)
        x = a[i];
    o[i] = has ? x : -1;
    if (has && x > 5)
        o[i]++;
}

kernel void partial_vec(global float4 *o)
{
    float4 v;
    v.xy = (float2)(1, 2);
    v.zw = v.xy;
    o[get_global_id(0)] = v;
}

kernel void vstore_overlap_padding(global float *o)
{
    size_t i = get_global_id(0);
    vstore3((float3)(i, 1, 2), i, o);
}

kernel void two_locals(global int *o, local int *s, local float *t)
{
    int l = get_local_id(0);
    s[l] = l;
    t[l] = l * 0.5f;
    barrier(1);
    o[get_global_id(0)] = s[7 - l] + (int)t[l ^ 3];
}

typedef struct {
    int v;
    float f[2];
} cell;
kernel void local_struct(global int *o)
{
    local cell c[8];
    int l = get_local_id(0);
    cell x = {l, {l, l + 1}};
    c[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    cell y = c[(l + 1) & 7];
    o[l] = y.v + y.f[1];
}

kernel void half_load(global const half *h, global float *o)
{
    size_t i = get_global_id(0);
    o[i] = vload_half(i, h) * 2;
}

kernel void sizes3(global int3 *o)
{
    size_t i = get_global_id(0) + 4 * (get_global_id(1) + 3 * get_global_id(2));
    o[i] = (int3)(get_global_size(0), get_num_groups(1), get_global_offset(2));
}

kernel void ptr_swap(global int *a, global int *b)
{
    int l = get_local_id(0);
    global int *x = a, *y = b;
    for (int k = 0; k < 4; k++) {
        y[l] = x[(l + 1) & 7] + k;
        barrier(CLK_GLOBAL_MEM_FENCE);
        global int *t = x;
        x = y;
        y = t;
    }
}

kernel void byval(global int *o, int4 v, float2 f, char c, ulong u)
{
    int i = get_global_id(0);
    o[i] = v.x * v.w + (int)(f.x * f.y * 10) + c + (int)(u >> 60);
}

kernel void trig(global const float *a, global float *o)
{
    size_t i = get_global_id(0);
    float x = a[i] * 0.1f;
    o[i] = fabs(sin(x) * sin(x) + cos(x) * cos(x) - 1) < 1e-5f &&
           fabs(exp(log(x + 1)) - x - 1) < 1e-4f && fabs(pow(x, 2.0f) - x * x) < 1e-4f &&
           fabs(atan2(x, 1.0f) - atan(x)) < 1e-5f && fabs(tanh(x)) <= 1 && rsqrt(4.0f) == 0.5f &&
           native_divide(4.0f, 2.0f) == 2 && hypot(3.0f, 4.0f) == 5 && cbrt(27.0f) > 2.999f;
}

typedef struct {
    int v[4];
} four;
kernel void memcpy_struct(global const four *a, global four *b)
{
    size_t i = get_global_id(0);
    four t = a[i];
    t.v[i & 3]++;
    b[3 - i] = t;
}

kernel void volatile_flag(volatile global int *o)
{
    o[get_global_id(0)] = 1;
    o[get_global_id(0)]++;
}

kernel void atomic_float_xchg(volatile global float *f)
{
    atomic_xchg(f, 2.5f);
}

kernel void ternary_chain(global int *o)
{
    int i = get_global_id(0);
    o[i] = i < 3 ? 1 : i < 7 ? i & 1 ? 2 : 3 : i == 9 ? 4 : i > 12 ? 5 : 6;
}

kernel void long_shift(global long *o, global ulong4 *p)
{
    int i = get_global_id(0);
    o[i] = (-1L << i * 4) >> (i & 7) ^ (long)(0x8000000000000000UL >> i);
    p[i] = (ulong4)(i) << (ulong4)(1, 33, 63, 64 + 2);
}

kernel void prefetch_ok(global const int *a, global int *o)
{
    prefetch(a, 4);
    o[get_global_id(0)] = a[15 - get_global_id(0)];
}
__attribute__((reqd_work_group_size(8, 1, 1))) kernel void reqd(global int *o)
{
    o[get_global_id(0)] = get_local_size(0);
}
