/* Each element with its four neighbours; the edge is copied. */
__kernel void stencil(__global const float *input, __global float *output, uint side)
{
    const uint x = get_global_id(0);
    const uint y = get_global_id(1);
    const uint i = y * side + x;
    if (x == 0 || y == 0 || x == side - 1 || y == side - 1)
        output[i] = input[i];
    else
        output[i] = 0.5f * input[i] + 0.125f * (input[i - 1] + input[i + 1] + input[i - side] + input[i + side]);
}
