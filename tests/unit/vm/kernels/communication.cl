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

#define LOAD(a) atomic_load_explicit(a, memory_order_acquire, memory_scope_device)
#define PEEK(a) atomic_load_explicit(a, memory_order_relaxed, memory_scope_device)

kernel void inert(global atomic_int *a, global const int *data, global int *out)
{
    LOAD(a);
    out[get_global_id(0) * 2 + 1] = (LOAD(a + 1) + 3) * 2;
    out[0] = *data;
}
kernel void inert_update(global atomic_int *a, global atomic_int *b)
{
    atomic_fetch_add(a, 1);
    if (LOAD(b))
        atomic_store(b, 0);
}
kernel void inert_fence(global atomic_int *a)
{
    PEEK(a);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
}
kernel void inert_relaxed(global atomic_int *a, global atomic_int *b)
{
    PEEK(a);
    if (LOAD(b))
        atomic_store(b, 0);
}
kernel void decides_branch(global atomic_int *a, global int *out)
{
    int x = LOAD(a) * 2;
    for (int i = 0; i < x; i++)
        out[i] += 1;
}
kernel void decides_address(global atomic_int *a, global int *out)
{
    out[LOAD(a)] = 1;
}
kernel void decides_memory(global atomic_int *a, global int *out)
{
    out[get_global_id(0)] = LOAD(a);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[8] = out[get_global_id(0) + 1];
}
kernel void decides_barrier(global atomic_int *a, global int *out)
{
    out[0] = work_group_reduce_add(LOAD(a));
}
// Coherence keeps the second read from an older value.
kernel void known_before(global atomic_int *a)
{
    while (PEEK(a + 1) == 0)
        ;
    LOAD(a + 1);
}
// An update that somebody may have seen.
kernel void known_to_others(global atomic_int *a, global int *out)
{
    atomic_fetch_add(a, 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (*(global int *)a == 2)
        *out = 1;
}
kernel void compared(global atomic_int *a)
{
    int expected = 0;
    atomic_compare_exchange_strong(a, &expected, 1);
}
