// Work-items that wait for what none of them will do, and beside each the program that ends.
//
// $ clerk kernel forever.cl -k nobody_writes -g 128 -l 64 -a 'buf:int[2]=0'
// $ clerk kernel forever.cl -k nobody_writes -g 128 -l 64 -a 'buf:int[2]=0' --checks none
// $ clerk kernel forever.cl -k somebody_writes -g 128 -l 64 -a 'buf:int[2]=0' --checks hang
// $ clerk kernel forever.cl -k two_orders -g 2 -l 2 -a 'buf:int[3]=0'
// $ clerk kernel forever.cl -k two_orders -g 2 -l 1 -a 'buf:int[3]=0'
// $ clerk kernel forever.cl -k one_order -g 2 -l 2 -a 'buf:int[3]=0' --print 0 --checks hang
// $ clerk kernel forever.cl -k one_order -g 2 -l 1 -a 'buf:int[3]=0' --print 0 --checks hang
// $ clerk kernel forever.cl -k lock_kept -g 2 -l 2 -a 'buf:int[2]=0'
// $ clerk kernel forever.cl -k group_of_none -g 128 -l 64 -a 'buf:int[1]=0'
// $ clerk kernel forever.cl -k at_barrier -g 128 -l 128 -a 'local:int[1]'
// $ clerk kernel forever.cl -k with_expected -g 2 -l 2 -a 'buf:int[2]=1' --build -cl-std=CL3.0

kernel void nobody_writes(volatile global int *flag)
{
    while (atomic_add(&flag[1], 0) == 0)
        ;
}

kernel void somebody_writes(volatile global int *flag)
{
    if (get_global_id(0) == 100)
        atomic_xchg(&flag[1], 1);
    while (atomic_add(&flag[1], 0) == 0)
        ;
}

/* Two locks: each work-item has one and wants the other. */
kernel void two_orders(volatile global int *a)
{
    const int i = get_global_id(0);
    while (atomic_cmpxchg(&a[i], 0, 1) != 0)
        ;
    /* Both have come so far. */
    atomic_inc(&a[2]);
    while (atomic_add(&a[2], 0) < 2)
        ;
    while (atomic_cmpxchg(&a[1 - i], 0, 1) != 0)
        ;
    atomic_xchg(&a[1 - i], 0);
    atomic_xchg(&a[i], 0);
}

kernel void one_order(volatile global int *a)
{
    for (int i = 0; i < 2; i++)
        while (atomic_cmpxchg(&a[i], 0, 1) != 0)
            ;
    a[2] = a[2] + 1;
    for (int i = 2; i-- > 0;)
        atomic_xchg(&a[i], 0);
}

kernel void lock_kept(volatile global int *a)
{
    while (atomic_cmpxchg(&a[0], 0, 1) != 0)
        ;
    a[1] = a[1] + 1;
}

/* There is no third group. */
kernel void group_of_none(volatile global int *a)
{
    const int group = get_group_id(0);
    if (get_local_id(0) == 0)
        atomic_inc(a);
    while (a[0] != 3)
        ;
}

kernel void at_barrier(volatile local int *flag)
{
    if (get_local_id(0) == 0)
        *flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 70)
        while (*flag == 0)
            ;
    barrier(CLK_LOCAL_MEM_FENCE);
    *flag = 1;
}

#if __OPENCL_C_VERSION__ >= 300
kernel void with_expected(global atomic_int *lock)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak_explicit(&lock[0], &expected, 1, memory_order_acquire,
                                                  memory_order_relaxed, memory_scope_device))
        expected = 0;
    atomic_store_explicit(&lock[0], 0, memory_order_release, memory_scope_device);
}
#endif
