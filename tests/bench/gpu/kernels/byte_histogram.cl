/* 256 bins of bytes: each work-group counts in local memory, then adds its counts. */
#define GROUP 256
#define BYTES_AN_ITEM 16

__kernel void byte_histogram(__global const uchar *bytes, __global uint *bins)
{
    __local uint counts[256];
    const uint item = get_local_id(0);
    counts[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = get_group_id(0) * GROUP * BYTES_AN_ITEM;
    for (uint k = 0; k < BYTES_AN_ITEM; ++k)
        atomic_inc(&counts[bytes[first + k * GROUP + item]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[item], counts[item]);
}
