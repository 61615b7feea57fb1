// Work-items exchange values through local memory, with every kind of barrier between, and none. The group
// is larger than a lane vector of the device; pairs lie in one vector and in two.
//
// $ clerk kernel local_exchange.cl -k no_barrier -g 8 -l 8 -a 'buf:int[8]' -a 'local:int[8]'
// $ clerk kernel local_exchange.cl -k no_barrier -g 128 -l 128 -a 'buf:int[128]' -a 'local:int[128]'
// $ clerk kernel local_exchange.cl -k wrong_flag -g 8 -l 8 -a 'buf:int[8]' -a 'local:int[8]'
// $ clerk kernel local_exchange.cl -k no_flag -g 8 -l 8 -a 'buf:int[8]' -a 'local:int[8]'
// $ clerk kernel local_exchange.cl -k good -g 8 -l 8 -a 'buf:int[8]' -a 'local:int[8]' --print 0
// $ clerk kernel local_exchange.cl -k good -g 128 -l 128 -a 'buf:int[128]' -a 'local:int[128]'
// $ clerk kernel local_exchange.cl -k both_flags -g 8 -l 8 -a 'buf:int[8]' -a 'local:int[8]'

kernel void no_barrier(global int *out, local int *tile)
{
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    out[l] = tile[get_local_size(0) - 1 - l];
}

kernel void wrong_flag(global int *out, local int *tile)
{
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = tile[get_local_size(0) - 1 - l];
}

kernel void no_flag(global int *out, local int *tile)
{
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    barrier(0);
    out[l] = tile[get_local_size(0) - 1 - l];
}

kernel void good(global int *out, local int *tile)
{
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[get_local_size(0) - 1 - l];
}

kernel void both_flags(global int *out, local int *tile)
{
    size_t l = get_local_id(0);
    size_t other = get_local_size(0) - 1 - l;
    tile[l] = (int)l;
    out[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int value = tile[other] + out[other];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = value;
}

// covers: F1 F2 F6 D8
