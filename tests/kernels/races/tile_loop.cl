// A loop over tiles: two buffers need one barrier for each iteration, one buffer needs two.
//
// $ clerk kernel tile_loop.cl -k two_buffers -g 8 -l 8 -a 'buf:int[32]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel tile_loop.cl -k one_buffer -g 8 -l 8 -a 'buf:int[32]=iota' -a 'buf:int[8]'
// $ clerk kernel tile_loop.cl -k one_buffer_two_barriers -g 8 -l 8 -a 'buf:int[32]=iota' -a 'buf:int[8]'

kernel void two_buffers(global const int *in, global int *out)
{
    local int tile[2][8];
    size_t l = get_local_id(0);
    int sum = 0;
    for (int t = 0; t < 4; t++) {
        tile[t & 1][l] = in[t * 8 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[t & 1][l ^ 1];
    }
    out[l] = sum;
}

kernel void one_buffer(global const int *in, global int *out)
{
    local int tile[8];
    size_t l = get_local_id(0);
    int sum = 0;
    for (int t = 0; t < 4; t++) {
        tile[l] = in[t * 8 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[l ^ 1];
    }
    out[l] = sum;
}

kernel void one_buffer_two_barriers(global const int *in, global int *out)
{
    local int tile[8];
    size_t l = get_local_id(0);
    int sum = 0;
    for (int t = 0; t < 4; t++) {
        tile[l] = in[t * 8 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = sum;
}

// covers: D8 F2
