// Who wrote this: of variables that are values, and of local and global memory.
//
// $ clerk debug who.cl -k who -g 128 -l 64 -a 'buf:int[128]=0' --batch who.commands
// $ clerk debug who.cl -k late -g 64 -l 64 -a 'buf:int[64]=iota' --batch other.commands

kernel void who(global int *out)
{
    local int tile[64];
    int l = get_local_id(0), sum = 0;
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 3; j++)
        sum += tile[(l + j) % 64];
    if (get_global_id(0) == 3)
        out[100] = sum;
    out[get_global_id(0)] += sum;
}

kernel void late(global int *out)
{
    int i = get_global_id(0);
    if (i < 32)
        out[i] = i;
    else
        out[i - 32] = i;
}
