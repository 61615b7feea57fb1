// Atomic operations of a kernel and what it enqueues, which nothing orders: which scopes hold both.
// OpenCL API 3.1, 3.3.5: "in the same kernel-instance or a child-kernel", memory_scope_device or wider.
//
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k device -g 1 -a buf:int[2]=0
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k device -g 1 -a buf:int[2]=0 --scope-rule 3.0
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k group -g 1 -a buf:int[2]=0
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k read_in_sub_group -g 1 -a buf:int[2]=0
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k legacy -g 1 -a buf:int[2]=0
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k group_behind -g 1 -a buf:int[2]=0
// $ clerk kernel scopes.cl --build -cl-std=CL3.0 -k group_apart -g 1 -a buf:int[2]=0
//
// covers: C6 G18

#define ADD(at, scope) atomic_fetch_add_explicit(at, 1, memory_order_relaxed, memory_scope_##scope)
#define ENQUEUE(wait, ...)                                                                                             \
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_##wait, ndrange_1D(1), __VA_ARGS__)

kernel void device(global atomic_int *a)
{
    ADD(a, device);
    ENQUEUE(NO_WAIT, ^{ ADD(a, all_svm_devices); });
}

kernel void group(global atomic_int *a)
{
    ADD(a, device);
    ENQUEUE(NO_WAIT, ^{ ADD(a, work_group); });
}

// The exchange fails, and so reads.
kernel void read_in_sub_group(global atomic_int *a)
{
    atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
    ENQUEUE(NO_WAIT, ^{
        int expected = 2;
        atomic_compare_exchange_strong_explicit(a, &expected, 3, memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_sub_group);
    });
}

// Which scope the functions of OpenCL 1.x have is not said clearly.
kernel void legacy(global int *a)
{
    atomic_inc(a);
    ENQUEUE(NO_WAIT, ^{ atomic_inc(a); });
}

// What is ordered needs no scope, nor does what is apart.
kernel void group_behind(global atomic_int *a)
{
    ADD(a, work_group);
    ENQUEUE(WAIT_KERNEL, ^{ ADD(a, work_group); });
}

kernel void group_apart(global atomic_int *a)
{
    ADD(a, work_group);
    ENQUEUE(NO_WAIT, ^{ ADD(a + 1, work_group); });
}
