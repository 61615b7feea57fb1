// Matrices, bodies and butterflies, all correct: nothing is reported, and the values are those of PoCL.
//
// $ clerk kernel linear.cl -k matmul_tiled -g 32,16 -l 8,8 -a 'buf:float[384]=iota' -a 'buf:float[768]=iota' -a 'buf:float[512]' -a int=16 -a int=32 -a int=24
// $ clerk kernel linear.cl -k transpose_padded -g 32,32 -l 16,16 -a 'buf:float[1024]=iota' -a 'buf:float[1024]' -a int=32 -a int=32
// $ clerk kernel linear.cl -k transpose_strided -g 32,16 -l 16,4 -a 'buf:float[1024]=iota' -a 'buf:float[1024]' -a 'local:float[272]'
// $ clerk kernel linear.cl -k nbody -g 64 -l 16 -a 'buf:float4[64]=iota' -a 'buf:float4[64]=1' -a 'buf:float4[64]' -a float=0.01 -a 'local:float4[16]' --print 2
// $ clerk kernel linear.cl -k fft8 -g 32 -l 4 -a 'buf:float2[64]=iota' -a 'buf:float2[64]' --print 1
// $ clerk kernel linear.cl -k dot_vec -g 16 -l 8 -a 'buf:float[64]=iota' -a 'buf:float[64]=iota' -a 'buf:float[16]' --print 2
// $ clerk kernel linear.cl -k spmv_csr -g 8 -a 'buf:int[9]=iota' -a 'buf:int[8]=iota' -a 'buf:float[8]=2' -a 'buf:float[8]=iota' -a 'buf:float[8]' --print 4

#define TILE 8
kernel void matmul_tiled(global const float *a, global const float *b, global float *c, int m,
                         int n, int k)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    const int col = get_global_id(0), row = get_global_id(1);
    const int x = get_local_id(0), y = get_local_id(1);
    float acc = 0;
    for (int t = 0; t < k / TILE; ++t) {
        ta[y][x] = a[row * k + t * TILE + x];
        tb[y][x] = b[(t * TILE + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            acc = fma(ta[y][i], tb[i][x], acc);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = acc;
}
#define BLOCK_DIM 16
__kernel void transpose_padded(__global const float *in, __global float *out, int width, int height)
{
    __local float block[BLOCK_DIM * (BLOCK_DIM + 1)];
    unsigned int xIndex = get_global_id(0);
    unsigned int yIndex = get_global_id(1);
    if ((xIndex < width) && (yIndex < height)) {
        unsigned int index_in = yIndex * width + xIndex;
        block[get_local_id(1) * (BLOCK_DIM + 1) + get_local_id(0)] = in[index_in];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    xIndex = get_group_id(1) * BLOCK_DIM + get_local_id(0);
    yIndex = get_group_id(0) * BLOCK_DIM + get_local_id(1);
    if ((xIndex < height) && (yIndex < width))
        out[yIndex * height + xIndex] = block[get_local_id(0) * (BLOCK_DIM + 1) + get_local_id(1)];
}

/* 32x32 in 16x16 tiles, each work-item 4 rows; grid is 32 x (2 tiles x 4 rows) -> use group ids */
kernel void transpose_strided(global const float *in, global float *out, local float *tile)
{
    int bx = get_group_id(0), by = get_group_id(1) / 2, half_ = get_group_id(1) % 2;
    int lx = get_local_id(0), ly = get_local_id(1);
    for (int r = 0; r < 16; r += 4)
        tile[(ly + r) * 17 + lx] = in[(by * 16 + ly + r) * 32 + bx * 16 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = half_ * 8; r < half_ * 8 + 8; r += 4)
        out[(bx * 16 + ly + r) * 32 + by * 16 + lx] = tile[lx * 17 + ly + r];
}

kernel void nbody(global const float4 *pos, global const float4 *vel, global float4 *out, float dt,
                  local float4 *cache)
{
    size_t gid = get_global_id(0), lid = get_local_id(0), ls = get_local_size(0);
    float4 p = pos[gid];
    float4 v = vel[gid];
    float3 acc = (float3)(0.0f);
    for (size_t base = 0; base < get_global_size(0); base += ls) {
        cache[lid] = pos[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t j = 0; j < ls; j++) {
            float3 d = cache[j].xyz - p.xyz;
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
            acc += d * (cache[j].w / (r2));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    p.xyz += v.xyz * dt + acc * 0.5f * dt * dt;
    out[gid] = p;
}

float2 cmul(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

constant float2 twiddle[4] = {(float2)(1, 0), (float2)(0.70710678f, -0.70710678f), (float2)(0, -1),
                              (float2)(-0.70710678f, -0.70710678f)};
kernel void fft8(global const float2 *in, global float2 *out)
{
    local float2 s[8];
    int l = get_local_id(0), g = get_group_id(0);
    for (int i = l; i < 8; i += 4) {
        int r = ((i & 1) << 2) | (i & 2) | (i >> 2);
        s[r] = in[g * 8 + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 1; half_size < 8; half_size <<= 1) {
        int k = l & (half_size - 1);
        int top = ((l & ~(half_size - 1)) << 1) | k;
        int bot = top + half_size;
        float2 u = s[top], v = cmul(twiddle[k * (4 / half_size)], s[bot]);
        s[top] = u + v;
        s[bot] = u - v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g * 8 + l] = s[l];
    out[g * 8 + l + 4] = s[l + 4];
}

kernel void dot_vec(global const float *a, global const float *b, global float *c)
{
    size_t i = get_global_id(0);
    float4 x = vload4(i, a), y = vload4(i, b);
    c[i] = dot(x, y);
}

kernel void spmv_csr(global const int *rows, global const int *cols, global const float *vals,
                     global const float *x, global float *y)
{
    int r = get_global_id(0);
    float s = 0;
    for (int i = rows[r]; i < rows[r + 1]; i++)
        s += vals[i] * x[cols[i]];
    y[r] = s;
}
