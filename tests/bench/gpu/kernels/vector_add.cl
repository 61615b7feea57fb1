/* A stream: two reads and a write an item. */
__kernel void vector_add(__global const float *a, __global const float *b, __global float *c)
{
    const uint i = get_global_id(0);
    c[i] = a[i] + b[i];
}
