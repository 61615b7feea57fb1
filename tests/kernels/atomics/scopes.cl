// Relaxed atomics of OpenCL 2.0: scopes must be wide enough, and up to OpenCL 3.0 equal.
//
// $ clerk kernel scopes.cl -k device -g 16 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0 --print 0
// $ clerk kernel scopes.cl -k work_group -g 16 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0
// $ clerk kernel scopes.cl -k work_group -g 8 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0
// $ clerk kernel scopes.cl -k narrow_store -g 16 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0
// $ clerk kernel scopes.cl -k device_store -g 16 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0
// $ clerk kernel scopes.cl -k unequal -g 8 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0
// $ clerk kernel scopes.cl -k unequal -g 8 -l 8 -a 'buf:int[1]=0' --build -cl-std=CL2.0 --personality opencl-3.0
// $ clerk kernel scopes.cl -k clamped -g 16 -l 8 -a 'buf:int[2]' --build -cl-std=CL2.0
// $ clerk kernel scopes.cl -k publishes -g 16 -l 8 -a 'buf:int[2]=0' --build -cl-std=CL2.0

kernel void device(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);
}

kernel void work_group(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
}

kernel void narrow_store(global atomic_int *a)
{
    atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
}

kernel void device_store(global atomic_int *a)
{
    atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device);
}

kernel void unequal(global atomic_int *a)
{
    if (get_local_id(0) == 0)
        atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device);
    else
        atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
}

/* On local memory a scope wider than the work-group is the work-group's. */
kernel void clamped(global int *out)
{
    local atomic_int sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) % 2 == 0)
        atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed, memory_scope_device);
    else
        atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}

/* Release and acquire order what was written before the flag, not what its readers write after it. */
kernel void publishes(global int *a)
{
    global atomic_int *flag = (global atomic_int *)(a + 1);
    if (get_global_id(0) == 0) {
        a[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        a[0] += 0;
    }
}

// covers: C4 C6 C16
