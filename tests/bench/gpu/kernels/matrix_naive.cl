/* The matrix product as one writes it first: all operands from global memory. */
__kernel void matrix_naive(__global const float *a, __global const float *b, __global float *c, uint side)
{
    const uint column = get_global_id(0);
    const uint row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < side; ++k)
        sum += a[row * side + k] * b[k * side + column];
    c[row * side + column] = sum;
}
