/* Each row of four numbers has a factor. */
__kernel void scale(__global const float *factors, __global float *numbers)
{
    const size_t i = get_global_id(0);
    numbers[i] *= factors[i / 4];
}
