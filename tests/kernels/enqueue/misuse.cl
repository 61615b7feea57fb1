// Mistakes with queues and events of the device, and their corrected twins.
//
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k captured_local -g 2 -l 2 -a buf:int[2]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k own_local -g 2 -l 2 -a buf:int[2]=0 --print 0
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k captured_private -g 1 -a buf:int[2]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k failures -g 1 -a buf:int[8]=0 --print 0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k stale_event -g 1 -a buf:int[1]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k wrong_event -g 1 -a buf:int[1]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k out_of_bounds -g 1 -a buf:int[4]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k undefined_capture -g 1 -a buf:int[4]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k unset_event -g 1 -a buf:int[1]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k failed_event -g 1 -a buf:int[1]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k leaked_events -g 1 -a buf:int[3]=0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k leaked_events -g 1 -a buf:int[3]=0 --explore
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k endless -g 1 -a buf:int[1]=0 --operation-limit 1000
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k times_beyond -g 1 -a buf:ulong[4]=0 --print 0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k times_of_others -g 1 -a buf:ulong[4]=0 --print 0 --schedule asc
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k times_within -g 1 -a buf:ulong[4]=0 --print 0 --schedule asc

// A block that captures a pointer to local memory: the child has none of its parent's.
kernel void captured_local(global int *a)
{
    local int shared[2];
    local int *p = shared;
    p[get_local_id(0)] = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2),
                       ^{ a[get_global_id(0)] = p[get_global_id(0)]; });
}

// The twin: it gets local memory of its own.
kernel void own_local(global int *a)
{
    if (get_local_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2, 2),
                       ^(local void *memory) {
                           local int *p = memory;
                           p[get_local_id(0)] = (int)get_local_id(0);
                           barrier(CLK_LOCAL_MEM_FENCE);
                           a[get_global_id(0)] = p[get_local_id(0)];
                       },
                       (uint)(2 * sizeof(int)));
}

kernel void captured_private(global int *a)
{
    int two[2] = {1, 2};
    int *p = two;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2),
                   ^{ a[get_global_id(0)] = p[get_global_id(0)]; });
}

// Each of these returns CLK_ENQUEUE_FAILURE.
kernel void failures(global int *a)
{
    queue_t queue = get_default_queue();
    clk_event_t event = create_user_event(), *nothing = NULL;
    const size_t zero_local[2] = {0, 1}, size[2] = {2, 2};
    release_event(event);
    a[0] = enqueue_marker(queue, 1, &event, &event);
    a[1] = enqueue_kernel(queue, 17, ndrange_1D(1), ^{});
    a[2] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4096, 2048), ^{});
    a[3] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(size, zero_local), ^{});
    a[4] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, nothing, NULL, ^{});
    a[5] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{});
    a[6] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *p) {}, 0u);
    a[7] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                          ^(local void *p) {}, 1000000u);
}

kernel void stale_event(global int *a)
{
    clk_event_t event = create_user_event();
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
    retain_event(event);
    release_event(event);
}

kernel void wrong_event(global int *a)
{
    clk_event_t event, user = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event,
                   ^{ a[0] = 1; });
    set_user_event_status(event, CL_COMPLETE);
    set_user_event_status(user, CL_SUBMITTED);
    set_user_event_status(user, CL_COMPLETE);
    set_user_event_status(user, CL_COMPLETE);
    release_event(event);
    release_event(user);
}

// What is wrong in a child is told of the child.
kernel void out_of_bounds(global int *a)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4),
                   ^{ a[get_global_id(0)] = 1; });
}

// A variable that has no value when the block is made has none in it.
kernel void undefined_capture(global int *a)
{
    int i;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                   ^{ a[i & 3] = 1; });
}

// Nobody sets the event that the child waits for.
kernel void unset_event(global int *a)
{
    clk_event_t event = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL,
                   ^{ a[0] = 1; });
    release_event(event);
}

// A user event with an error: what waits for it does not run, and the error is that of the launch.
kernel void failed_event(global int *a)
{
    clk_event_t event = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL,
                   ^{ a[0] = 1; });
    set_user_event_status(event, -1000);
    release_event(event);
}

kernel void leaked_events(global int *a)
{
    for (int i = 0; i < 3; i++) {
        clk_event_t event;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL,
                       &event, ^{ a[i] = 1; });
    }
}

// Every child enqueues another one.
void again(global int *a)
{
    a[0]++;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                   ^{ again(a); });
}

kernel void endless(global int *a)
{
    again(a);
}

#define TIMES CLK_PROFILING_COMMAND_EXEC_TIME

static clk_event_t nothing(void)
{
    clk_event_t event;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{});
    return event;
}

// The times are two numbers.
kernel void times_beyond(global ulong *t)
{
    clk_event_t event = nothing();
    capture_event_profiling_info(event, TIMES, t + 3);
    release_event(event);
    event = nothing();
    capture_event_profiling_info(event, TIMES, 0);
    release_event(event);
}

// Twice, of a marker, by another name.
kernel void times_of_others(global ulong *t)
{
    clk_event_t event = nothing(), marker;
    enqueue_marker(get_default_queue(), 1, &event, &marker);
    capture_event_profiling_info(event, (clk_profiling_info)7, t);
    capture_event_profiling_info(event, TIMES, t);
    capture_event_profiling_info(event, TIMES, t + 2);
    capture_event_profiling_info(marker, TIMES, t + 2);
    release_event(event);
    release_event(marker);
}

// The twin of both; the child that waits may read them.
kernel void times_within(global ulong *t)
{
    clk_event_t event = nothing();
    capture_event_profiling_info(event, TIMES, t);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL,
                   ^{ t[2] = t[0] > 0 && t[1] >= t[0]; });
    release_event(event);
}
// covers: B3
