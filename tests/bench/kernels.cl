/* The kernels of the benchmark: one of each kind that people write, as they write it first, without
 * tricks. What calls and checks them is in kernels_*.c, by kind. */

__kernel void vector_add(__global const float *a, __global const float *b, __global float *c)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

__kernel void matrix_naive(__global const float *a, __global const float *b, __global float *c, uint n)
{
    const uint column = get_global_id(0);
    const uint row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

#define TILE 16
__kernel void matrix_tiled(__global const float *a, __global const float *b, __global float *c, uint n)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint column = get_global_id(0);
    const uint row = get_global_id(1);
    float sum = 0;
    for (uint tile = 0; tile < n / TILE; ++tile) {
        tile_a[y][x] = a[row * n + tile * TILE + x];
        tile_b[y][x] = b[(tile * TILE + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; ++k)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

#define GROUP 64
__kernel void reduction(__global const uint *input, __global uint *sums)
{
    __local uint partial[GROUP];
    const uint item = get_local_id(0);
    partial[item] = input[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size)
            partial[item] += partial[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

/* Divergent: neighbouring work-items leave the loop at different times. */
__kernel void mandelbrot(__global uint *iterations, uint width, uint limit)
{
    const uint column = get_global_id(0);
    const uint row = get_global_id(1);
    const float x0 = (float)column * 3.0f / (float)width - 2.0f;
    const float y0 = (float)row * 3.0f / (float)width - 1.5f;
    float x = 0;
    float y = 0;
    uint i = 0;
    while (i < limit && x * x + y * y <= 4.0f) {
        const float next = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = next;
        ++i;
    }
    iterations[row * width + column] = i;
}

/* ---- streaming ---- */

/* Black and Scholes: the price of an option, all in math functions. */
float normal_distribution(float x)
{
    return 0.5f * erfc(-x * 0.70710678f);
}

__kernel void black_scholes(__global const float *spot, __global const float *strike, __global float *call)
{
    const size_t i = get_global_id(0);
    const float rate = 0.02f;
    const float volatility = 0.3f;
    const float years = 2.0f;
    const float spread = volatility * sqrt(years);
    const float d1 =
        (log(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years) / spread;
    const float d2 = d1 - spread;
    call[i] = spot[i] * normal_distribution(d1) -
              strike[i] * exp(-rate * years) * normal_distribution(d2);
}

/* ---- linear algebra ---- */

__kernel void transpose(__global const float *a, __global float *b, uint n)
{
    __local float tile[TILE][TILE + 1];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint column = get_group_id(0) * TILE;
    const uint row = get_group_id(1) * TILE;
    tile[y][x] = a[(row + y) * n + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[(column + y) * n + row + x] = tile[x][y];
}

/* A work-item a row of a sparse matrix in compressed rows. */
__kernel void sparse_vector(__global const uint *first, __global const uint *column,
                            __global const float *value, __global const float *x, __global float *y)
{
    const uint row = get_global_id(0);
    float sum = 0;
    for (uint i = first[row]; i < first[row + 1]; ++i)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

/* ---- grids ---- */

/* One step of the heat equation; the edge stays. */
__kernel void stencil(__global const float *from, __global float *to, int n)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int i = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        to[i] = from[i];
        return;
    }
    to[i] = from[i] + 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] - 4 * from[i]);
}

#define RADIUS 2
__kernel void convolution(__global const float *image, __constant float *filter, __global float *result,
                          int n)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    float sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            const int column = clamp(x + dx, 0, n - 1);
            const int row = clamp(y + dy, 0, n - 1);
            sum += image[row * n + column] *
                   filter[(dy + RADIUS) * (2 * RADIUS + 1) + dx + RADIUS];
        }
    }
    result[y * n + x] = sum;
}

/* The same, but for the image: the sampler keeps the coordinates inside. */
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void convolution_image(__read_only image2d_t image, __constant float *filter,
                                __global float *result, int n)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    float sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
        for (int dx = -RADIUS; dx <= RADIUS; ++dx)
            sum += read_imagef(image, nearest, (int2)(x + dx, y + dy)).x *
                   filter[(dy + RADIUS) * (2 * RADIUS + 1) + dx + RADIUS];
    }
    result[y * n + x] = sum;
}

/* ---- work-items of a group together ---- */

/* The sums of all elements before each, within each group. */
__kernel void scan(__global const uint *input, __global uint *output)
{
    __local uint sums[2][GROUP];
    const uint item = get_local_id(0);
    uint from = 0;
    sums[from][item] = item == 0 ? 0 : input[get_global_id(0) - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        sums[1 - from][item] =
            item < distance ? sums[from][item] : sums[from][item] + sums[from][item - distance];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    output[get_global_id(0)] = sums[from][item];
}

/* Sorts each group's elements: bitonic, one element a work-item. */
#define SORT_GROUP 256
__kernel void sort(__global const uint *input, __global uint *output)
{
    __local uint keys[SORT_GROUP];
    const uint item = get_local_id(0);
    keys[item] = input[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= SORT_GROUP; size *= 2) {
        for (uint distance = size / 2; distance > 0; distance /= 2) {
            const uint partner = item ^ distance;
            const uint mine = keys[item];
            const uint other = keys[partner];
            const bool ascending = (item & size) == 0;
            const bool lower = item < partner;
            barrier(CLK_LOCAL_MEM_FENCE);
            keys[item] = ascending == lower ? min(mine, other) : max(mine, other);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    output[get_global_id(0)] = keys[item];
}

/* Counts bytes: each group for itself in local memory, then into the sum of all. Several elements
 * a work-item. */
#define BINS 256
#define PER_ITEM 16
__kernel void histogram(__global const uchar *input, __global uint *bins)
{
    __local uint counts[BINS];
    const uint item = get_local_id(0);
    counts[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint start = get_group_id(0) * BINS * PER_ITEM;
    for (uint i = 0; i < PER_ITEM; ++i)
        atomic_inc(&counts[input[start + i * BINS + item]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (counts[item] != 0)
        atomic_add(&bins[item], counts[item]);
}

/* A complex Fourier transform of 256 points in local memory, two points a work-item. */
#define POINTS 256
__kernel void fft(__global const float2 *input, __global float2 *output)
{
    __local float2 points[POINTS];
    const uint item = get_local_id(0);
    const uint base = get_group_id(0) * POINTS;
    for (uint i = item; i < POINTS; i += POINTS / 2) {
        uint reversed = 0;
        for (uint bit = 1, to = POINTS / 2; to > 0; bit *= 2, to /= 2) {
            if (i & bit)
                reversed |= to;
        }
        points[reversed] = input[base + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = 1; half_size < POINTS; half_size *= 2) {
        const uint k = item % half_size;
        const uint low = (item / half_size) * 2 * half_size + k;
        const float angle = -3.14159265f * (float)k / (float)half_size;
        const float2 twiddle = (float2)(cos(angle), sin(angle));
        const float2 a = points[low];
        const float2 b = points[low + half_size];
        const float2 turned = (float2)(b.x * twiddle.x - b.y * twiddle.y,
                                       b.x * twiddle.y + b.y * twiddle.x);
        points[low] = a + turned;
        points[low + half_size] = a - turned;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    output[base + item] = points[item];
    output[base + item + POINTS / 2] = points[item + POINTS / 2];
}

/* ---- everybody with everybody ---- */

/* The acceleration of each body; x, y, z and the mass. */
__kernel void n_body(__global const float4 *bodies, __global float4 *accelerations, uint count)
{
    const uint i = get_global_id(0);
    const float4 me = bodies[i];
    float4 sum = (float4)(0);
    for (uint j = 0; j < count; ++j) {
        const float4 other = bodies[j];
        float4 way = other - me;
        way.w = 0;
        const float distance = rsqrt(dot(way, way) + 0.01f);
        sum += way * (other.w * distance * distance * distance);
    }
    accelerations[i] = sum;
}

/* ---- graphs and text ---- */

/* One level of a breadth-first search from the frontier of `level`, into next_levels. */
__kernel void breadth_first(__global const uint *first, __global const uint *neighbour,
                            __global const uint *levels, __global uint *next_levels, uint level)
{
    const uint vertex = get_global_id(0);
    if (levels[vertex] != level)
        return;
    for (uint i = first[vertex]; i < first[vertex + 1]; ++i)
        atomic_min(&next_levels[neighbour[i]], level + 1);
}

/* Marks each place where the pattern starts. */
__kernel void string_search(__global const char *text, __constant char *pattern, __global uchar *found,
                            uint pattern_size)
{
    const uint start = get_global_id(0);
    uint i = 0;
    while (i < pattern_size && text[start + i] == pattern[i])
        ++i;
    found[start] = i == pattern_size;
}

/* ---- bits ---- */

#define ROTATE(x, n) rotate((uint)(x), (uint)(32 - (n)))
__constant uint sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* SHA-256 of a four-byte message, the work-item's number, as eight words. */
__kernel void sha256(__global uint *digests)
{
    uint state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint w[64];
    w[0] = get_global_id(0);
    w[1] = 0x80000000;
    for (uint i = 2; i < 15; ++i)
        w[i] = 0;
    w[15] = 32;
    for (uint i = 16; i < 64; ++i) {
        const uint s0 = ROTATE(w[i - 15], 7) ^ ROTATE(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint s1 = ROTATE(w[i - 2], 17) ^ ROTATE(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    uint e = state[4], f = state[5], g = state[6], h = state[7];
    for (uint i = 0; i < 64; ++i) {
        const uint s1 = ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25);
        const uint t1 = h + s1 + (e & f ^ ~e & g) + sha256_constants[i] + w[i];
        const uint s0 = ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22);
        const uint t2 = s0 + (a & b ^ a & c ^ b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint end[8] = {a, b, c, d, e, f, g, h};
    for (uint i = 0; i < 8; ++i)
        digests[get_global_id(0) * 8 + i] = state[i] + end[i];
}

/* How many of `count` random points lie in the circle: xorshift numbers. */
__kernel void random_pi(__global uint *inside, uint count)
{
    uint state = get_global_id(0) * 2654435769u + 12345;
    uint hits = 0;
    for (uint i = 0; i < count; ++i) {
        float point[2];
        for (uint k = 0; k < 2; ++k) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            point[k] = (float)(state >> 8) * 0x1p-24f;
        }
        if (point[0] * point[0] + point[1] * point[1] < 1)
            ++hits;
    }
    inside[get_global_id(0)] = hits;
}
