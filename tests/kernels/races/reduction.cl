// A tree reduction in local memory: with its barriers, without the last one, and "warp-synchronous", that is
// without barriers once 32 work-items are left.
//
// $ clerk kernel reduction.cl -k good -g 128 -l 64 -a 'buf:int[128]=iota' -a 'buf:int[2]' --print 1
// $ clerk kernel reduction.cl -k missing -g 128 -l 64 -a 'buf:int[128]=iota' -a 'buf:int[2]'
// $ clerk kernel reduction.cl -k warp -g 128 -l 64 -a 'buf:int[128]=iota' -a 'buf:int[2]'

kernel void good(global const int *in, global int *out)
{
    local int tile[64];
    size_t l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    for (size_t s = 32; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            tile[l] += tile[l + s];
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}

kernel void missing(global const int *in, global int *out)
{
    local int tile[64];
    size_t l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t s = 32; s > 0; s /= 2) {
        if (l < s)
            tile[l] += tile[l + s];
        if (s > 2)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}

kernel void warp(global const int *in, global int *out)
{
    local volatile int tile[64];
    size_t l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32) {
        tile[l] += tile[l + 32];
        tile[l] += tile[l + 16];
        tile[l] += tile[l + 8];
        tile[l] += tile[l + 4];
        tile[l] += tile[l + 2];
        tile[l] += tile[l + 1];
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}

// covers: A6 D8 F2
