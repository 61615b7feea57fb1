// Launches that clerk ends, and what it does not follow to the end: as races.cl.
//
// $ clerk kernel limits.cl -k too_few -g 8 -l 8 -a 'buf:int[1]=0' -a 'buf:int[8]' --operation-limit 10000
// $ clerk kernel limits.cl -k too_few_advised -g 8 -l 8 -a 'buf:int[1]=0' -a 'buf:int[8]' --operation-limit 10000 --print 1
// $ clerk kernel limits.cl -k too_few_groups -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]' --operation-limit 10000
// $ clerk kernel limits.cl -k too_few_groups_advised -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=7' --operation-limit 10000 --print 1
// $ clerk kernel limits.cl -k no_end -g 1 -a 'buf:int[1]=0' --operation-limit 10000
// $ clerk kernel limits.cl -k no_end_advised -g 1 -a 'buf:int[1]=0' --operation-limit 10000 --print 0
// $ clerk kernel limits.cl -k long_sum -g 1 -a 'buf:int[1]=0' --operation-limit 1000
// $ clerk kernel limits.cl -k long_sum_advised -g 1 -a 'buf:int[1]=0' --operation-limit 10000000 --print 0
// $ clerk kernel limits.cl -k undefined -g 64 -l 64 -a 'buf:float[64]' -a 'buf:float[64]' --schedule asc
// $ clerk kernel limits.cl -k undefined_advised -g 64 -l 64 -a 'buf:float[64]=1' -a 'buf:float[64]=0' --schedule asc --print 1
// $ clerk kernel limits.cl -k for_later --build -cl-std=CL3.0 -g 300 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=0' --schedule asc
// $ clerk kernel limits.cl -k for_later_advised --build -cl-std=CL3.0 -g 300 -l 1 -a 'buf:int[1]=300' -a 'buf:int[4]=0' --schedule asc --print 1

/* Eight come, and nine are waited for, in a loop that changes what it reads. */
kernel void too_few(volatile global int *come, global int *out)
{
    const int l = get_local_id(0);
    atomic_add(come, 2);
    while (atomic_xor(come, 1) < 2 * 9)
        ;
    out[l] = l;
}

kernel void too_few_advised(volatile global int *come, global int *out)
{
    const int l = get_local_id(0);
    atomic_add(come, 2);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = l;
}

kernel void too_few_groups(volatile global int *come, global int *out)
{
    out[get_group_id(0)] = 7;
    atomic_add(come, 2);
    while (atomic_xor(come, 1) < 2 * 5)
        ;
    out[get_group_id(0)]++;
}

/* The second kernel. */
kernel void too_few_groups_advised(volatile global int *come, global int *out)
{
    out[get_group_id(0)]++;
}

kernel void no_end(global int *sum)
{
    for (uint i = 9; i >= 0; i--)
        *sum += i;
}

kernel void no_end_advised(global int *sum)
{
    for (int i = 9; i >= 0; i--)
        *sum += i;
}

kernel void long_sum(global int *sum)
{
    for (int i = 0; i < 100000; i++)
        *sum += i % 3;
}

/* With a higher limit. */
kernel void long_sum_advised(global int *sum)
{
    for (int i = 0; i < 100000; i++)
        *sum += i % 3;
}

kernel void undefined(global const float *from, global float *to)
{
    for (int i = 0; i < 20000; i++)
        to[get_global_id(0)] += from[get_global_id(0)];
}

/* Of buffers that were filled. */
kernel void undefined_advised(global const float *from, global float *to)
{
    for (int i = 0; i < 20000; i++)
        to[get_global_id(0)] += from[get_global_id(0)];
}

#if __OPENCL_C_VERSION__ >= 200
kernel void for_later(global atomic_int *come, global int *out)
{
    atomic_fetch_add_explicit(come, 1, memory_order_acq_rel, memory_scope_device);
    while (atomic_load_explicit(come, memory_order_acquire, memory_scope_device) < get_num_groups(0))
        ;
    if (get_group_id(0) < 4)
        out[get_group_id(0)] = 7;
}

/* The second kernel. */
kernel void for_later_advised(global atomic_int *come, global int *out)
{
    if (get_group_id(0) < 4)
        out[get_group_id(0)] = 7;
}
#endif
