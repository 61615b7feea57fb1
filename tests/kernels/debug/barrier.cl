// Items that stand at several places, and the focus that moves among them.
// $ clerk debug barrier.cl -g 128 -l 64 -a 'buf:int[128]' --batch barrier.commands

kernel void barrier_and_branch(global int *out)
{
    local int shared[64];
    int l = get_local_id(0);
    if (l < 3)
        shared[l] = 1;
    else
        shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[63 - l];
}
