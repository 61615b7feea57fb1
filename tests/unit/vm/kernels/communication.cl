/* Which kernels tell the order in which work-items run, and which have sub-group functions? Those
 * whose names say so. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void silent(global int *a, local int *b)
{
    volatile int mine = a[get_global_id(0)];
    b[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = b[0];
}
kernel void silent_histogram(global const int *in, global int *bins, local int *own)
{
    atomic_inc(&own[in[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
    atomic_sub(bins, 1);
}
kernel void silent_fence(global int *a)
{
    a[get_global_id(0)] = 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
kernel void telling_result(global int *a, global int *out)
{
    out[get_global_id(0)] = atomic_inc(a);
}
kernel void telling_mixture(global int *a)
{
    atomic_inc(a);
    atomic_max(a, 7);
}
kernel void telling_exchange(global int *a)
{
    atomic_xchg(a, (int)get_global_id(0));
}
kernel void telling_store(global atomic_int *a)
{
    atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device);
}
kernel void telling_release(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, memory_scope_device);
}
kernel void telling_fence(global int *a)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(a);
}
kernel void telling_volatile(global volatile int *a)
{
    a[1] = a[0];
}
kernel void telling_pipe(read_only pipe int from, global int *a)
{
    read_pipe(from, a);
}
kernel void meeting(global int *a)
{
    a[get_global_id(0)] = sub_group_reduce_add(a[get_global_id(0)]);
}
kernel void meeting_barrier(global int *a)
{
    a[get_global_id(0)] = get_sub_group_local_id();
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
}
