// Children that run beside the kernel that enqueues them: who may wait for whom, and in which order they run.
//
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k waits -g 8 -l 2 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k waits -g 8 -l 2 -a buf:int[1]=0 -a buf:int[1]=0 --print 1 --schedule seed:1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k waits -g 8 -l 2 -a buf:int[1]=0 -a buf:int[1]=0 --print 1 --schedule turns:1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k waits_in_vain -g 1 -a buf:int[1]=0 -a buf:int[1]=0
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k child_waits -g 1 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k ping_pong -g 1 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k both_wait -g 1 -a buf:int[2]=0 -a buf:int[1]=0 --schedule asc
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k by_event -g 1 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k tickets -g 8 -l 1 -a buf:int[1]=0 -a buf:int[16]=0 --print 1 --schedule asc
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k tickets -g 8 -l 1 -a buf:int[1]=0 -a buf:int[16]=0 --print 1 --schedule desc
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k tickets -g 8 -l 1 -a buf:int[1]=0 -a buf:int[16]=0 --print 1 --schedule seed:1
// $ clerk kernel beside.cl --build -cl-std=CL3.0 -k tickets -g 8 -l 1 -a buf:int[1]=0 -a buf:int[16]=0 --print 1 --schedule seed:2
//
// covers: G20

#define GET(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define SET(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define AWAIT(p, v) while (GET(p) != (v))

// The child may begin at once, and here it does: but another device may let it wait. What it wrote before
// it set the flag comes before what the kernel reads behind its wait.
kernel void waits(global atomic_int *flag, global int *data)
{
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
            data[0] = 7;
            SET(flag, 1);
        });
    if (get_local_id(0) == 0) {
        AWAIT(flag, 1);
        if (data[0] != 7)
            SET(flag, -1);
    }
}

// The child waits for the kernel that waits for it.
kernel void waits_in_vain(global atomic_int *flag, global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                   ^{ SET(flag, 1); });
    AWAIT(flag, 1);
    out[0] = 1;
}

// A child may wait for what runs already.
kernel void child_waits(global atomic_int *flag, global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        AWAIT(flag, 1);
        out[0] = 1;
    });
    SET(flag, 1);
}

kernel void ping_pong(global atomic_int *ball, global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        for (int i = 1; i < 8; i += 2) {
            AWAIT(ball, i);
            SET(ball, i + 1);
        }
    });
    for (int i = 0; i < 8; i += 2) {
        AWAIT(ball, i);
        SET(ball, i + 1);
    }
    out[0] = GET(ball);
}

// Each waits for what the other does behind its own wait.
kernel void both_wait(global atomic_int *flags, global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        AWAIT(&flags[0], 1);
        SET(&flags[1], 1);
    });
    AWAIT(&flags[1], 1);
    SET(&flags[0], 1);
    out[0] = 1;
}

// The child begins when the event is set, by the kernel that goes on to wait for it.
kernel void by_event(global atomic_int *flag, global int *data)
{
    clk_event_t start = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &start, NULL, ^{
        data[0] += 1;
        SET(flag, 1);
    });
    data[0] = 1;
    set_user_event_status(start, CL_COMPLETE);
    release_event(start);
    AWAIT(flag, 1);
}

// Who takes which ticket: the work-groups of the kernel, then those of the child, in the order of the
// schedule.
kernel void tickets(global atomic_int *next, global int *out)
{
    if (get_global_id(0) == 3)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 1), ^{
            out[8 + get_global_id(0)] =
                atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
        });
    out[get_global_id(0)] =
        atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
}
