/* What people time first, often on buffers that they have not filled: loads with little arithmetic,
 * and the usual small kernels. Called by unwritten.c. */

enum { LOADS = 16 };

__kernel void loads_float(__global const float *in, __global float *out)
{
    const size_t i = get_global_id(0);
    const size_t count = get_global_size(0);
    float value = 0;
    for (int k = 0; k < LOADS; ++k)
        value = value * 0.5f + in[k * count + i];
    out[i] = value;
}

__kernel void loads_int(__global const int *in, __global int *out)
{
    const size_t i = get_global_id(0);
    const size_t count = get_global_size(0);
    int value = 0;
    for (int k = 0; k < LOADS; ++k)
        value += in[k * count + i];
    out[i] = value;
}

__kernel void loads_bits(__global const uint *in, __global uint *out)
{
    const size_t i = get_global_id(0);
    const size_t count = get_global_size(0);
    uint value = 0;
    for (int k = 0; k < LOADS; ++k)
        value = (value << 3) ^ (in[k * count + i] & 0xFFFF);
    out[i] = value;
}

__kernel void vector_add(__global const float *in, __global float *out)
{
    const size_t i = get_global_id(0);
    const size_t count = get_global_size(0);
    out[i] = in[i] + in[count + i];
}

__kernel void copy(__global const float *in, __global float *out)
{
    const size_t i = get_global_id(0);
    out[i] = in[i];
}

__kernel void copy_bytes(__global const uchar *in, __global uchar *out)
{
    const size_t i = get_global_id(0);
    out[i] = in[i];
}

__kernel void copy_vectors(__global const float4 *in, __global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = in[i];
}

/* Each work-item adds what lies next to each other. */
__kernel void reduction(__global const float *in, __global float *out)
{
    const size_t i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < LOADS; ++k)
        sum += in[i * LOADS + k];
    out[i] = sum;
}

/* Each group adds its values in local memory. */
__kernel void reduction_local(__global const float *in, __global float *out)
{
    __local float partial[64];
    const size_t item = get_local_id(0);
    partial[item] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_size = 32; half_size > 0; half_size /= 2) {
        if (item < half_size)
            partial[item] += partial[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        out[get_group_id(0)] = partial[0];
}

__kernel void matrix_product(__global const float *in, __global float *out)
{
    const size_t column = get_global_id(0);
    const size_t row = get_global_id(1);
    const size_t n = get_global_size(0);
    __global const float *b = in + n * n;
    float sum = 0;
    for (size_t k = 0; k < n; ++k)
        sum += in[row * n + k] * b[k * n + column];
    out[row * n + column] = sum;
}

__kernel void gather(__global const float *in, __global float *out)
{
    const size_t i = get_global_id(0);
    float sum = 0;
    for (size_t k = 0; k < LOADS; ++k)
        sum += in[(i * 2654435761u + k * 40503u) % get_global_size(0)];
    out[i] = sum;
}
