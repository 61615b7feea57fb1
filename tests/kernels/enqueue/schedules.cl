// What kernels enqueue is run under further schedules with them.
//
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k shared_work -g 1 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k shared_work_updated -g 1 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k released_by_child -g 1 -a buf:int[1]=0 -a buf:int[4]=0 --operation-limit 60
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k released_by_child -g 1 -a buf:int[1]=0 -a buf:int[4]=0
#define NEXT(at) atomic_fetch_add_explicit(at, 1, memory_order_relaxed, memory_scope_device)

// The first group of the child takes all the work, unless they take turns.
kernel void shared_work(global atomic_int *next, global int *sum)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2, 1), ^{
        int i;
        while ((i = NEXT(next)) < 10)
            *sum += i;
    });
}

kernel void shared_work_updated(global atomic_int *next, global atomic_int *sum)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2, 1), ^{
        int i;
        while ((i = NEXT(next)) < 10)
            atomic_fetch_add_explicit(sum, i, memory_order_relaxed, memory_scope_device);
    });
}

// A run that is ended before the second child has released the event says nothing of that.
kernel void released_by_child(global atomic_int *next, global int *out)
{
    clk_event_t first;
    queue_t queue = get_default_queue();
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 4), 0, NULL, &first, ^{
        NEXT(next);
        out[get_global_id(0)] = 1;
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 1, &first, NULL, ^{
        out[0] = 2;
        release_event(first);
    });
}
