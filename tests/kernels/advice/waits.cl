// Work-items that wait for each other in loops: as races.cl.
//
// $ clerk kernel waits.cl -k count -g 8 -l 8 -a 'buf:int[2]=0' --checks hang
// $ clerk kernel waits.cl -k count_advised -g 8 -l 8 -a 'buf:int[2]=0' --print 0
// $ clerk kernel waits.cl --build -cl-std=CL3.0 -k in_turn -g 8 -l 4 -a 'buf:int[2]=0' --checks hang
// $ clerk kernel waits.cl --build -cl-std=CL3.0 -k in_turn_advised -g 8 -l 4 -a 'buf:int[2]=0' --print 0
// $ clerk kernel waits.cl -k sub_groups -g 128 -l 128 -a 'buf:int[2]=0' --checks hang
// $ clerk kernel waits.cl -k sub_groups_advised -g 128 -l 128 -a 'buf:int[2]=0' --print 0
// $ clerk kernel waits.cl -k later_group -g 2 -l 1 -a 'buf:int[2]=0' --checks hang
// $ clerk kernel waits.cl -k later_group_advised -g 1 -a 'buf:int[2]=7' --print 0
// $ clerk kernel waits.cl -k nobody -g 2 -l 1 -a 'buf:int[2]=0' --checks hang
// $ clerk kernel waits.cl -k nobody_advised -g 2 -l 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel waits.cl --build -cl-std=CL3.0 -k shared -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]'
// $ clerk kernel waits.cl --build -cl-std=CL3.0 -k shared_advised -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=0' --print 1

kernel void count(volatile global int *a)
{
    while (atomic_cmpxchg(&a[0], 0, 1) != 0)
        ;
    a[1] = a[1] + 1;
    atomic_xchg(&a[0], 0);
}

kernel void count_advised(volatile global int *a)
{
    atomic_inc(&a[1]);
}

#if __OPENCL_C_VERSION__ >= 200
/* More than one word under the lock. */
kernel void in_turn(global int *a)
{
    global atomic_int *lock = (global atomic_int *)a;
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    a[1] = 2 * a[1] + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

kernel void in_turn_advised(global int *a)
{
    global atomic_int *lock = (global atomic_int *)a;
    if (get_local_id(0) == 0) {
        while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
            ;
        for (size_t i = 0; i < get_local_size(0); i++)
            a[1] = 2 * a[1] + 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}

/* Which numbers they take depends on their order. */
kernel void shared(global atomic_int *next, global int *out)
{
    out[get_global_id(0)] =
        atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
}

kernel void shared_advised(global atomic_int *next, global int *out)
{
    int number = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    out[number] = 3 * number;
}
#else
kernel void sub_groups(volatile global int *a)
{
    if (get_local_id(0) == 100)
        atomic_xchg(&a[0], 1);
    if (get_local_id(0) == 0)
        while (atomic_add(&a[0], 0) == 0)
            ;
    atomic_inc(&a[1]);
}

kernel void sub_groups_advised(volatile global int *a)
{
    if (get_local_id(0) == 100)
        atomic_xchg(&a[0], 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(&a[1]);
}

kernel void later_group(volatile global int *a)
{
    if (get_group_id(0) == 1)
        atomic_xchg(&a[0], 7);
    else
        while (atomic_add(&a[0], 0) == 0)
            ;
    if (get_group_id(0) == 0)
        atomic_xchg(&a[1], 8);
}

/* The second kernel; the first has written 7. */
kernel void later_group_advised(volatile global int *a)
{
    atomic_xchg(&a[1], 8);
}

kernel void nobody(volatile global int *a)
{
    while (atomic_add(&a[0], 0) == 0)
        ;
    atomic_inc(&a[1]);
}

kernel void nobody_advised(volatile global int *a)
{
    atomic_xchg(&a[0], 1);
    while (atomic_add(&a[0], 0) == 0)
        ;
    atomic_inc(&a[1]);
}
#endif
