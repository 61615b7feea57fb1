/* 256 bins in global memory, which all items meet in. */
__kernel void histogram(__global const uint *values, __global uint *bins)
{
    atomic_inc(&bins[values[get_global_id(0)] & 255]);
}
