// Each work-item takes over its neighbour's element: in place, or from one buffer to another. All read one
// element, which is not a conflict.
//
// $ clerk kernel neighbour.cl -k in_place -g 16 -l 8 -a 'buf:int[17]=iota'
// $ clerk kernel neighbour.cl -k good -g 16 -l 8 -a 'buf:int[17]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel neighbour.cl -k all_read_one -g 16 -l 8 -a 'buf:int[17]=iota' -a 'buf:int[16]'

kernel void in_place(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = a[i + 1];
}

kernel void good(global const int *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i + 1];
}

kernel void all_read_one(global const int *a, global int *out)
{
    out[get_global_id(0)] = a[0];
}

// covers: D2 D8
