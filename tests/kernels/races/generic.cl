// A generic pointer to local memory: the barrier must cover what it points to.
//
// $ clerk kernel generic.cl -k wrong_flag -g 8 -l 8 -a 'buf:int[8]' --build -cl-std=CL2.0
// $ clerk kernel generic.cl -k good -g 8 -l 8 -a 'buf:int[8]' --build -cl-std=CL2.0

int take(int *from, size_t i)
{
    return from[i];
}

kernel void wrong_flag(global int *out)
{
    local int tile[8];
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = take(tile, l ^ 1);
}

kernel void good(global int *out)
{
    local int tile[8];
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = take(tile, l ^ 1);
}

// covers: I4 F2
