// Memory orders, scopes and flags that an operation must not have, each told when it is executed.
//
// $ clerk kernel invalid.cl -k stores -g 1 -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -w' --schedule asc
// $ clerk kernel invalid.cl -k loads -g 1 -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -w' --schedule asc
// $ clerk kernel invalid.cl -k loads_alone -g 1 -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -w' --schedule asc
// $ clerk kernel invalid.cl -k loads_constant -g 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -w' --schedule asc
// $ clerk kernel invalid.cl -k exchanges -g 1 -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -w' --schedule asc
// $ clerk kernel invalid.cl -k scopes -g 1 -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -w' --schedule asc
// $ clerk kernel invalid.cl -k valid -g 1 -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -w' --schedule asc

#define A ((global atomic_int *)a)

kernel void stores(global int *a)
{
    atomic_store_explicit(A, 1, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(A, 1, memory_order_acq_rel, memory_scope_device);
}

kernel void loads(global int *a)
{
    a[1] = atomic_load_explicit(A, memory_order_release, memory_scope_device) +
           atomic_load_explicit(A, memory_order_acq_rel, memory_scope_device);
}

// Nothing writes to the buffer, so nothing can race for it: orders and scopes are judged all the same.
kernel void loads_alone(global int *a)
{
    atomic_load_explicit(A, memory_order_release, memory_scope_device);
    atomic_load_explicit(A, memory_order_relaxed, memory_scope_work_item);
}

kernel void loads_constant(global const int *a, global int *out)
{
    *out = atomic_load_explicit(A, memory_order_acq_rel, memory_scope_work_item);
}

#define EXCHANGE(success, failure)                                                                                     \
    atomic_compare_exchange_strong_explicit(A, &expected, 1, memory_order_##success, memory_order_##failure,           \
                                            memory_scope_device)

kernel void exchanges(global int *a)
{
    int expected = 0;
    EXCHANGE(acq_rel, release);
    EXCHANGE(acq_rel, acq_rel);
    EXCHANGE(relaxed, acquire);
    EXCHANGE(acquire, seq_cst);
}

kernel void scopes(global int *a)
{
    atomic_fetch_add_explicit(A, 1, memory_order_relaxed, memory_scope_work_item);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_item);
    atomic_work_item_fence(0, memory_order_release, memory_scope_device);
    work_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_device);
}

kernel void valid(global int *a)
{
    int expected = 0;
    atomic_store_explicit(A, 1, memory_order_release, memory_scope_device);
    a[1] = atomic_load_explicit(A, memory_order_acquire, memory_scope_device);
    EXCHANGE(relaxed, relaxed);
    EXCHANGE(acq_rel, acquire);
    EXCHANGE(seq_cst, seq_cst);
    EXCHANGE(release, relaxed);
    atomic_fetch_add_explicit(A, 1, memory_order_acq_rel, memory_scope_work_group);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    work_group_barrier(CLK_IMAGE_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
}
// covers: C3 C7 C8 F5
