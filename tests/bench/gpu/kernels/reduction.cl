/* The sum of each work-group's elements, by a tree in local memory. */
#define GROUP 256

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
