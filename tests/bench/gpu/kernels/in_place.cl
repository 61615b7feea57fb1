/* A compound assignment: one read and one write of the same element. */
__kernel void in_place(__global float *values)
{
    const uint i = get_global_id(0);
    values[i] *= 0.7f;
    values[i] += 0.3f;
}
