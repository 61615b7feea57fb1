// Work-items that wait for others of their own work-group. The default sub-group has 32 work-items.
//
// $ clerk kernel progress.cl -k hand_over -g 64 -l 64 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=1 -a int=0 --build -cl-std=CL3.0
// $ clerk kernel progress.cl -k hand_over -g 64 -l 64 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=40 -a int=0 --build -cl-std=CL3.0
// $ clerk kernel progress.cl -k hand_over -g 64 -l 32 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=0 -a int=40 --build -cl-std=CL3.0
// $ clerk kernel progress.cl -k hand_over -g 64 -l 32 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=40 -a int=0 --build -cl-std=CL3.0
// $ clerk kernel progress.cl -k with_barrier -g 64 -l 64 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=1 -a int=0 --build -cl-std=CL3.0 --print 1
// $ clerk kernel progress.cl -k everybody_locks -g 4 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel progress.cl -k one_locks -g 4 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel progress.cl -k maximum -g 64 -l 64 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 0
#define FLAG ((global atomic_int *)(a + 1))

/* The memory model has nothing against it; but nobody promises that the writer gets to run. */
kernel void hand_over(global int *a, global int *out, int writer, int reader)
{
    if (get_global_id(0) == reader) {
        while (atomic_load_explicit(FLAG, memory_order_acquire, memory_scope_device) == 0)
            ;
        out[0] = a[0];
    } else if (get_global_id(0) == writer) {
        a[0] = 42;
        atomic_store_explicit(FLAG, 1, memory_order_release, memory_scope_device);
    }
}

kernel void with_barrier(global int *a, global int *out, int writer, int reader)
{
    if (get_global_id(0) == writer)
        a[0] = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == reader)
        out[0] = a[0];
}

void add_locked(global int *a)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(FLAG, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device))
        expected = 0;
    a[0] += 1;
    atomic_store_explicit(FLAG, 0, memory_order_release, memory_scope_device);
}

kernel void everybody_locks(global int *a)
{
    add_locked(a);
}

/* For its work-group. */
kernel void one_locks(global int *a)
{
    if (get_local_id(0) == 0)
        for (int i = 0; i < (int)get_local_size(0); i++)
            add_locked(a);
}

/* Who tries again because another one has changed the number waits for nobody. */
kernel void maximum(global int *a)
{
    global atomic_int *most = (global atomic_int *)a;
    const int mine = get_local_id(0);
    int known = atomic_load_explicit(most, memory_order_relaxed, memory_scope_device);
    while (known < mine && !atomic_compare_exchange_weak_explicit(most, &known, mine, memory_order_relaxed,
                                                                  memory_order_relaxed, memory_scope_device))
        ;
}
// covers: A5
