// Local memory is a group's own and fresh; global memory is everybody's. A cell that many groups have read
// and one group then writes is a race with any of its readers.
//
// $ clerk kernel groups.cl -k local_reuse -g 32 -l 8 -a 'buf:int[32]'
// $ clerk kernel groups.cl -k many_readers -g 1048576 -l 64 -a 'buf:int[1]=5' -a 'buf:int[1048576]' --schedule asc
// $ clerk kernel groups.cl -k only_readers -g 1048576 -l 64 -a 'buf:int[1]=5' -a 'buf:int[1048576]' --schedule asc
// $ clerk kernel groups.cl -k rows -g 8,4 -l 4,2 -a 'buf:int[32]=iota'
// $ clerk kernel groups.cl -k rows_fixed -g 8,4 -l 4,2 -a 'buf:int[32]=iota' -a 'buf:int[32]'

kernel void local_reuse(global int *out)
{
    local int tile[8];
    size_t l = get_local_id(0);
    tile[l] = (int)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 1];
}

kernel void many_readers(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[0];
    if (i == get_global_size(0) - 1)
        a[0] = 1;
}

kernel void only_readers(global const int *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[0];
}

/* Race between groups of a two-dimensional range. */
kernel void rows(global int *a)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    a[y * 8 + x] += a[((y + 2) % 4) * 8 + x];
}

kernel void rows_fixed(global const int *a, global int *out)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    out[y * 8 + x] = a[y * 8 + x] + a[((y + 2) % 4) * 8 + x];
}

// covers: B1 D8
