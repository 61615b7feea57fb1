/* The inclusive sums within each work-group, after Hillis and Steele. */
#define GROUP 256

__kernel void scan(__global const uint *input, __global uint *output)
{
    __local uint sums[GROUP];
    const uint item = get_local_id(0);
    uint sum = input[get_global_id(0)];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        const uint other = item >= distance ? sums[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += other;
        sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    output[get_global_id(0)] = sum;
}
