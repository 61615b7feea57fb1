// Advice about kernels that wait for what they enqueue, followed to the letter.
//
// $ clerk kernel children.cl --build -cl-std=CL3.0 -k beside -g 1 -a 'buf:int[2]=0'
// $ clerk kernel children.cl --build -cl-std=CL3.0 -k beside_advised -g 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel children.cl --build -cl-std=CL3.0 -k behind -g 1 -a 'buf:int[2]=0'
// $ clerk kernel children.cl --build -cl-std=CL3.0 -k behind_advised -g 1 -a 'buf:int[2]=0' --print 0

#define ENQUEUE(flags, ...) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_##flags, __VA_ARGS__)

kernel void beside(volatile global atomic_int *a)
{
    ENQUEUE(NO_WAIT, ndrange_1D(1), ^{ atomic_store_explicit(&a[0], 1, memory_order_relaxed, memory_scope_device); });
    while (atomic_load_explicit(&a[0], memory_order_relaxed, memory_scope_device) == 0)
        ;
    atomic_fetch_add_explicit(&a[1], 1, memory_order_relaxed, memory_scope_device);
}

kernel void beside_advised(volatile global int *a)
{
    clk_event_t first;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &first, ^{ atomic_xchg(&a[0], 1); });
    ENQUEUE(WAIT_KERNEL, ndrange_1D(1), 1, &first, NULL, ^{ atomic_inc(&a[1]); });
    release_event(first);
}

kernel void behind(volatile global int *a)
{
    ENQUEUE(WAIT_KERNEL, ndrange_1D(1), ^{ atomic_xchg(&a[0], 1); });
    while (atomic_add(&a[0], 0) == 0)
        ;
    atomic_inc(&a[1]);
}

kernel void behind_advised(volatile global int *a)
{
    clk_event_t first;
    ENQUEUE(WAIT_KERNEL, ndrange_1D(1), 0, NULL, &first, ^{ atomic_xchg(&a[0], 1); });
    ENQUEUE(WAIT_KERNEL, ndrange_1D(1), 1, &first, NULL, ^{ atomic_inc(&a[1]); });
    release_event(first);
}
