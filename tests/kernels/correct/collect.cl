// Reductions, scans, sorts and histograms, all correct: nothing is reported, and the values are those of PoCL.
//
// $ clerk kernel collect.cl -k tree -g 128 -l 32 -a 'buf:int[128]=iota' -a 'buf:int[4]' -a 'local:int[32]' --print 1
// $ clerk kernel collect.cl -k tree_up -g 128 -l 32 -a 'buf:int[128]=iota' -a 'buf:int[4]' -a 'local:int[32]' --print 1
// $ clerk kernel collect.cl -k two_per_item -g 64 -l 16 -a 'buf:int[128]=iota' -a 'buf:int[4]' -a int=128 --print 1
// $ clerk kernel collect.cl -k last_block -g 64 -l 16 -a 'buf:int[64]=iota' -a 'buf:int[1]=0' -a 'local:int[16]' --print 1
// $ clerk kernel collect.cl -k global_fence -g 16 -l 16 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel collect.cl -k both_fences -g 16 -l 16 -a 'buf:int[16]=iota' -a 'buf:int[16]' -a 'local:int[16]' --print 1
// $ clerk kernel collect.cl -k scan_hillis -g 64 -l 32 -a 'buf:int[64]=1' -a 'buf:int[64]' -a 'local:int[64]' --print 1
// $ clerk kernel collect.cl -k scan_blelloch -g 32 -l 16 -a 'buf:int[64]=iota' -a 'buf:int[64]' -a 'buf:int[2]' --print 2
// $ clerk kernel collect.cl -k bitonic_local -g 32 -l 32 -a 'buf:int[64]=iota' -a 'buf:int[64]' --print 1
// $ clerk kernel collect.cl -k bitonic_step -g 32 -a 'buf:uint[64]=iota' -a uint=0 -a uint=1 --print 0
// $ clerk kernel collect.cl -k hist_local -g 256 -l 32 -a 'buf:uchar[256]=iota' -a 'buf:uint[16]=0' --print 1
// $ clerk kernel collect.cl -k hist_global -g 256 -a 'buf:uchar[256]=iota' -a 'buf:int[16]=0' --print 1
// $ clerk kernel collect.cl -k hist_private -g 8 -a 'buf:uchar[256]=iota' -a 'buf:int[64]' --print 1
// $ clerk kernel collect.cl -k argmax -g 64 -l 16 -a 'buf:float[64]=iota' -a 'buf:int[4]' --print 1
// $ clerk kernel collect.cl -k minmax_atomic -g 64 -a 'buf:int[64]=iota' -a 'buf:int[2]=5' --print 1
// $ clerk kernel collect.cl -k compact -g 64 -l 16 -a 'buf:int[64]=iota' -a 'buf:int[64]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel collect.cl -k float_add_cas -g 64 -a 'buf:float[64]=1' -a 'buf:float[1]=0' --print 1

kernel void tree(global const int *in, global int *out, local int *s)
{
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = get_local_size(0) / 2; n > 0; n >>= 1) {
        if (l < n)
            s[l] += s[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}

kernel void tree_up(global const int *in, global int *out, local int *s)
{
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    for (int n = 1; n < get_local_size(0); n *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int i = 2 * n * l;
        if (i < get_local_size(0))
            s[i] += s[i + n];
    }
    if (!l)
        out[get_group_id(0)] = s[0];
}

kernel void two_per_item(global const int *in, global int *out, int count)
{
    local int s[16];
    int l = get_local_id(0), i = get_group_id(0) * 32 + l;
    int sum = i < count ? in[i] : 0;
    if (i + 16 < count)
        sum += in[i + 16];
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        s[l] = sum = sum + s[l + 8];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        s[l] = sum = sum + s[l + 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2)
        s[l] = sum = sum + s[l + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 1)
        out[get_group_id(0)] = sum + s[l + 1];
}

kernel void last_block(global const int *in, volatile global int *out, local int *s)
{
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 8; n; n /= 2) {
        int v = 0;
        if (l < n)
            v = s[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            s[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        atomic_add(out, s[0]);
}

kernel void global_fence(global int *a, global int *b)
{
    size_t l = get_local_id(0);
    b[l] = a[l] * 2;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[l] = b[15 - l];
}

kernel void both_fences(global int *a, global int *b, local int *s)
{
    size_t l = get_local_id(0);
    s[l] = a[l];
    b[l] = a[l] + 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int v = s[15 - l] + b[l ^ 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[l] = v;
}

kernel void scan_hillis(global const int *in, global int *out, local int *s)
{
    int l = get_local_id(0), n = get_local_size(0), from = 0, to = 1;
    s[l] = l ? in[get_global_id(0) - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d <<= 1) {
        to = 1 - to;
        from = 1 - to;
        s[from * n + l] = s[to * n + l] + (l >= d ? s[to * n + l - d] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s[from * n + l];
}

kernel void scan_blelloch(global const int *in, global int *out, global int *sums)
{
    local int s[32];
    int l = get_local_id(0), g = get_group_id(0), d, offset = 1;
    s[2 * l] = in[g * 32 + 2 * l];
    s[2 * l + 1] = in[g * 32 + 2 * l + 1];
    for (d = 16; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int ai = offset * (2 * l + 1) - 1, bi = offset * (2 * l + 2) - 1;
            s[bi] += s[ai];
        }
        offset *= 2;
    }
    if (l == 0) {
        sums[g] = s[31];
        s[31] = 0;
    }
    for (d = 1; d < 32; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int ai = offset * (2 * l + 1) - 1, bi = offset * (2 * l + 2) - 1;
            int t = s[ai];
            s[ai] = s[bi];
            s[bi] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g * 32 + 2 * l] = s[2 * l];
    out[g * 32 + 2 * l + 1] = s[2 * l + 1];
}

inline void cmp_swap(local int *a, local int *b, bool up)
{
    if ((*a > *b) == up) {
        int t = *a;
        *a = *b;
        *b = t;
    }
}

kernel void bitonic_local(global const int *in, global int *out)
{
    local int s[64];
    int l = get_local_id(0);
    s[l] = (in[l] * 37) % 61;
    s[l + 32] = (in[l + 32] * 37) % 61;
    for (int size = 2; size <= 64; size <<= 1) {
        bool up = ((l & (size / 2)) == 0);
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int pos = 2 * l - (l & (stride - 1));
            cmp_swap(&s[pos], &s[pos + stride], up);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[l];
    out[l + 32] = s[l + 32];
}

kernel void bitonic_step(global uint *a, const uint stage, const uint pass)
{
    uint i = get_global_id(0);
    uint dist = 1 << (stage - (pass - 1) & 0);
    uint left = (i / dist) * dist * 2 + (i % dist), right = left + dist;
    uint x = a[left], y = a[right];
    bool inc = ((i >> stage) & 1) == 0;
    a[left] = inc ? min(x, y) : max(x, y);
    a[right] = inc ? max(x, y) : min(x, y);
}

kernel void hist_local(global const uchar *in, global uint *bins)
{
    local uint h[16];
    if (get_local_id(0) < 16)
        h[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] >> 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16)
        atomic_add(&bins[get_local_id(0)], h[get_local_id(0)]);
}

kernel void hist_global(global const uchar *in, volatile global int *bins)
{
    atomic_add(bins + (in[get_global_id(0)] * 7 & 15), 1);
}

kernel void hist_private(global const uchar *in, global int *out)
{
    int bins[8];
    for (int i = 0; i < 8; i++)
        bins[i] = 0;
    int id = get_global_id(0);
    for (int i = 0; i < 32; i++)
        bins[in[id * 32 + i] & 7]++;
    for (int i = 0; i < 8; i++)
        out[id * 8 + i] = bins[i];
}

kernel void argmax(global const float *in, global int *out)
{
    local float v[16];
    local int w[16];
    int l = get_local_id(0), g = get_global_id(0);
    v[l] = (g * 29 % 31) + in[g] * 0;
    w[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 8; s; s >>= 1) {
        if (l < s && v[l + s] > v[l]) {
            v[l] = v[l + s];
            w[l] = w[l + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = w[0];
}

kernel void minmax_atomic(global const int *in, volatile global int *mm)
{
    atomic_min(&mm[0], in[get_global_id(0)]);
    atomic_max(&mm[1], in[get_global_id(0)]);
}

/* the order within out depends on the schedule in general; here only the count and the group's place */
kernel void compact(global const int *in, global int *out, volatile global int *count)
{
    local int base, n;
    int l = get_local_id(0);
    if (l == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = in[get_global_id(0)], slot = -1;
    if (v % 3 == 0)
        slot = atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        base = atomic_add(count, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slot >= 0)
        out[base + slot] = 1;
}

void add_float(volatile global float *p, float v)
{
    union {
        uint u;
        float f;
    } old, next;
    do {
        old.u = atomic_or((volatile global uint *)p, 0);
        next.f = old.f + v;
    } while (atomic_cmpxchg((volatile global uint *)p, old.u, next.u) != old.u);
}

kernel void float_add_cas(global const float *in, volatile global float *sum)
{
    add_float(sum, in[get_global_id(0)]);
}
