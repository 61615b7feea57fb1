// What kernels enqueue themselves, and the events of that: as races.cl.
//
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k captured_local -g 2 -l 2 -a 'buf:int[2]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k captured_local_advised -g 2 -l 2 -a 'buf:int[2]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k captured_private -g 1 -a 'buf:int[2]=iota'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k captured_private_advised -g 1 -a 'buf:int[2]=iota' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k no_wait -g 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k no_wait_advised -g 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --print 1
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k own_group -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k own_group_advised -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --print 1
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k other_group -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k other_group_advised -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --print 1
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k siblings -g 1 -a 'buf:int[4]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k siblings_advised -g 1 -a 'buf:int[4]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k other_size -g 1 -a 'buf:int[4]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k other_size_advised -g 1 -a 'buf:int[4]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k released -g 1 -a 'buf:int[1]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k released_advised -g 1 -a 'buf:int[1]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k of_command -g 1 -a 'buf:int[1]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k of_command_advised -g 1 -a 'buf:int[1]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k submitted -g 1 -a 'buf:int[1]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k submitted_advised -g 1 -a 'buf:int[1]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k set_twice -g 1 -a 'buf:int[1]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k set_twice_advised -g 1 -a 'buf:int[1]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k foreign -g 1 -a 'buf:int[2]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k foreign_advised -g 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k unset -g 1 -a 'buf:int[2]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k unset_advised -g 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k leaked -g 1 -a 'buf:int[3]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k leaked_advised -g 1 -a 'buf:int[3]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k no_time -g 1 -a 'buf:int[1]=0' -a 'buf:ulong[2]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k no_time_advised -g 1 -a 'buf:int[1]=0' -a 'buf:ulong[2]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k times_twice -g 1 -a 'buf:int[1]=0' -a 'buf:ulong[4]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k times_twice_advised -g 1 -a 'buf:int[1]=0' -a 'buf:ulong[4]=0' --print 0
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k times_of_marker -g 1 -a 'buf:int[1]=0' -a 'buf:ulong[2]=0'
// $ clerk kernel enqueue.cl --build -cl-std=CL3.0 -k times_of_marker_advised -g 1 -a 'buf:int[1]=0' -a 'buf:ulong[2]=0' --print 0

#define ENQUEUE(flags, ...) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_##flags, __VA_ARGS__)
#define TIMES CLK_PROFILING_COMMAND_EXEC_TIME

kernel void captured_local(global int *a)
{
    local int shared[2];
    local int *p = shared;
    if (get_local_id(0) == 0)
        ENQUEUE(NO_WAIT, ndrange_1D(2, 2), ^{
            p[get_local_id(0)] = 5;
            a[get_local_id(0)] = p[get_local_id(0)];
        });
}

/* A local argument, */
kernel void captured_local_advised(global int *a)
{
    if (get_local_id(0) == 0)
        ENQUEUE(NO_WAIT, ndrange_1D(2, 2),
                ^(local void *shared) {
                    local int *p = shared;
                    p[get_local_id(0)] = 5;
                    a[get_local_id(0)] = p[get_local_id(0)];
                },
                (uint)(2 * sizeof(int)));
}

kernel void captured_private(global int *a)
{
    int two[2] = {a[0] + 1, a[1] + 1};
    int *p = two;
    ENQUEUE(NO_WAIT, ndrange_1D(2), ^{ a[get_global_id(0)] = p[get_global_id(0)]; });
}

/* or global memory. */
kernel void captured_private_advised(global int *a)
{
    a[0] = a[0] + 1;
    a[1] = a[1] + 1;
    global int *p = a;
    ENQUEUE(WAIT_KERNEL, ndrange_1D(2), ^{ a[get_global_id(0)] = p[get_global_id(0)]; });
}

/* ---- who comes first ---- */

kernel void no_wait(global int *in, global int *out)
{
    in[get_global_id(0)] = get_global_id(0);
    if (get_global_id(0) == 0)
        ENQUEUE(NO_WAIT, ndrange_1D(4), ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

kernel void no_wait_advised(global int *in, global int *out)
{
    in[get_global_id(0)] = get_global_id(0);
    if (get_global_id(0) == 0)
        ENQUEUE(WAIT_KERNEL, ndrange_1D(4), ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

/* The child needs what its work-group has written, and nothing else. */
kernel void own_group(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    if (get_local_id(0) == 0)
        ENQUEUE(NO_WAIT, ndrange_1D(2), ^{ out[i + get_global_id(0)] = in[i + get_global_id(0)]; });
}

kernel void own_group_advised(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    if (get_local_id(0) == 0)
        ENQUEUE(WAIT_WORK_GROUP, ndrange_1D(2), ^{ out[i + get_global_id(0)] = in[i + get_global_id(0)]; });
}

kernel void other_group(global int *in, global int *out)
{
    in[get_global_id(0)] = get_global_id(0);
    if (get_global_id(0) == 0)
        ENQUEUE(WAIT_WORK_GROUP, ndrange_1D(4), ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

kernel void other_group_advised(global int *in, global int *out)
{
    in[get_global_id(0)] = get_global_id(0);
    if (get_global_id(0) == 0)
        ENQUEUE(WAIT_KERNEL, ndrange_1D(4), ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

kernel void siblings(global int *a)
{
    ENQUEUE(WAIT_KERNEL, ndrange_1D(4), ^{ a[get_global_id(0)] = 1; });
    ENQUEUE(WAIT_KERNEL, ndrange_1D(4), ^{ a[get_global_id(0)] += 1; });
}

kernel void siblings_advised(global int *a)
{
    clk_event_t first;
    ENQUEUE(WAIT_KERNEL, ndrange_1D(4), 0, NULL, &first, ^{ a[get_global_id(0)] = 1; });
    ENQUEUE(WAIT_KERNEL, ndrange_1D(4), 1, &first, NULL, ^{ a[get_global_id(0)] += 1; });
    release_event(first);
}

/* ---- what cannot be enqueued ---- */

kernel void other_size(global int *a)
{
    ENQUEUE(NO_WAIT, ndrange_1D(4096, 4096), ^{ if (get_global_id(0) < 4) a[get_global_id(0)] = 1; });
}

kernel void other_size_advised(global int *a)
{
    ENQUEUE(NO_WAIT, ndrange_1D(4096, 64), ^{ if (get_global_id(0) < 4) a[get_global_id(0)] = 1; });
}

/* ---- events ---- */

kernel void released(global int *a)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    release_event(event);
    release_event(event);
}

kernel void released_advised(global int *a)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    release_event(event);
}

kernel void of_command(global int *a)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}

kernel void of_command_advised(global int *a)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    release_event(event);
}

kernel void submitted(global int *a)
{
    clk_event_t event = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ a[0] = 1; });
    set_user_event_status(event, CL_SUBMITTED);
    release_event(event);
}

kernel void submitted_advised(global int *a)
{
    clk_event_t event = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ a[0] = 1; });
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}

kernel void set_twice(global int *a)
{
    clk_event_t event = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ a[0] = 1; });
    set_user_event_status(event, CL_COMPLETE);
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}

kernel void set_twice_advised(global int *a)
{
    clk_event_t event = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ a[0] = 1; });
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}

kernel void foreign(global int *a)
{
    clk_event_t done = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &done, NULL, ^{ a[1] = a[0]; });
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, NULL, ^{
        a[0] = 1;
        set_user_event_status(done, CL_COMPLETE);
        release_event(done);
    });
}

kernel void foreign_advised(global int *a)
{
    clk_event_t done;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &done, ^{ a[0] = 1; });
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &done, NULL, ^{ a[1] = a[0]; });
    release_event(done);
}

kernel void unset(global int *a)
{
    clk_event_t event = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ a[0] = 1; });
    if (a[1] > 0)
        set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}

kernel void unset_advised(global int *a)
{
    clk_event_t event = create_user_event();
    ENQUEUE(NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ a[0] = 1; });
    if (a[1] > 0)
        set_user_event_status(event, CL_COMPLETE);
    else
        set_user_event_status(event, CL_COMPLETE);
    release_event(event);
}

kernel void leaked(global int *a)
{
    for (int i = 0; i < 3; i++) {
        clk_event_t event;
        ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[i] = 1; });
    }
}

kernel void leaked_advised(global int *a)
{
    for (int i = 0; i < 3; i++) {
        clk_event_t event;
        ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[i] = 1; });
        release_event(event);
    }
}

/* ---- times ---- */

kernel void no_time(global int *a, global ulong *t)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    capture_event_profiling_info(event, (clk_profiling_info)7, t);
    release_event(event);
}

kernel void no_time_advised(global int *a, global ulong *t)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, t);
    release_event(event);
}

kernel void times_twice(global int *a, global ulong *t)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    capture_event_profiling_info(event, TIMES, t);
    capture_event_profiling_info(event, TIMES, t + 2);
    release_event(event);
}

kernel void times_twice_advised(global int *a, global ulong *t)
{
    clk_event_t event;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    capture_event_profiling_info(event, TIMES, t);
    release_event(event);
}

kernel void times_of_marker(global int *a, global ulong *t)
{
    clk_event_t event, marker;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    enqueue_marker(get_default_queue(), 1, &event, &marker);
    capture_event_profiling_info(marker, TIMES, t);
    release_event(event);
    release_event(marker);
}

kernel void times_of_marker_advised(global int *a, global ulong *t)
{
    clk_event_t event, marker;
    ENQUEUE(NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ a[0] = 1; });
    enqueue_marker(get_default_queue(), 1, &event, &marker);
    capture_event_profiling_info(event, TIMES, t);
    release_event(event);
    release_event(marker);
}
