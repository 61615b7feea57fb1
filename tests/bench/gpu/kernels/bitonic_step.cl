/* One step of a bitonic sort in global memory: each item orders one pair. */
__kernel void bitonic_step(__global uint *values, uint stage, uint distance)
{
    const uint item = get_global_id(0);
    const uint low = 2 * item - (item & (distance - 1));
    const uint high = low + distance;
    const uint a = values[low];
    const uint b = values[high];
    const bool rising = (low & stage) == 0;
    values[low] = rising ? min(a, b) : max(a, b);
    values[high] = rising ? max(a, b) : min(a, b);
}
