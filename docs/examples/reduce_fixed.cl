/* Each work-group adds up its part of the input: in every round, the lower half of the work-items adds the
 * upper half's numbers to its own, until one number is left. */
__kernel void reduce(__global const uint *input, __global uint *sums)
{
    __local uint partial[GROUP_SIZE];
    const uint item = get_local_id(0);

    partial[item] = input[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint half_size = GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        if (item < half_size)
            partial[item] += partial[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}
