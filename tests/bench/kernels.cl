/* The five kernels of the benchmark: what people write first, without tricks. */

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
