// One element beyond either end, of every kind of memory; the buffer behind is there, and yet not touched.
//
// $ clerk kernel bounds.cl -k reads -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=9' -a 'buf:int[8]'
// $ clerk kernel bounds.cl -k reads_fixed -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=9' -a 'buf:int[8]' --print 2
// $ clerk kernel bounds.cl -k writes -g 9 -l 9 -a 'buf:int[8]' -a 'buf:int[8]=9' --print 1
// $ clerk kernel bounds.cl -k writes_fixed -g 9 -l 9 -a 'buf:int[8]' -a 'buf:int[8]=9' --print 1
// $ clerk kernel bounds.cl -k before -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]'
// $ clerk kernel bounds.cl -k in_local -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel bounds.cl -k in_private -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel bounds.cl -k in_constant -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]'
// $ clerk kernel bounds.cl -k partly -g 1 -l 1 -a 'buf:char[6]'

kernel void reads(global const int *a, global const int *behind, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i + 1];
}

kernel void reads_fixed(global const int *a, global const int *behind, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = i + 1 < 8 ? a[i + 1] : 0;
}

kernel void writes(global int *a, global int *behind)
{
    a[get_global_id(0)] = 1;
}

kernel void writes_fixed(global int *a, global int *behind)
{
    if (get_global_id(0) < 8)
        a[get_global_id(0)] = 1;
}

kernel void before(global const int *a, global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = a[i - 1];
}

kernel void in_local(global int *out)
{
    local int tile[8];
    size_t l = get_local_id(0);
    tile[l + 1] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = l > 0 ? tile[l] : 0;
}

kernel void in_private(global int *out)
{
    int list[4] = {1, 2, 3, 4};
    size_t l = get_local_id(0);
    out[l] = list[l & 4];
}

kernel void in_constant(constant int *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i + 1];
}

kernel void partly(global char *a)
{
    *(global int *)(a + 4) = 1;
}
