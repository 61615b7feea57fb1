/* One read and one write of the same element. */
__kernel void in_place(__global float *values)
{
    const uint i = get_global_id(0);
    values[i] = values[i] * 0.7f + 0.3f;
}
