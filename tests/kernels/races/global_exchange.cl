// Work-items of a group hand values over in global memory; a barrier orders that memory if its flags say so,
// and it never orders another work-group.
//
// $ clerk kernel global_exchange.cl -k wrong_flag -g 16 -l 8 -a 'buf:int[16]' -a 'buf:int[16]'
// $ clerk kernel global_exchange.cl -k good -g 16 -l 8 -a 'buf:int[16]' -a 'buf:int[16]'
// $ clerk kernel global_exchange.cl -k other_group -g 16 -l 8 -a 'buf:int[16]=0' -a 'buf:int[16]'

kernel void wrong_flag(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i ^ 1];
}

kernel void good(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[i ^ 1];
}

kernel void other_group(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[i ^ 8];
}

// covers: F2 F3 D8
