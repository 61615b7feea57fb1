// A kernel and what it enqueues: which of their accesses are ordered. OpenCL API 3.0, 3.3.6,
// "Host-side and Device-side Commands".
//
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k no_wait -g 4 -a buf:int[4]=0 -a buf:int[4]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k no_wait_own -g 1 -a buf:int[1]=0 -a buf:int[1]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k captured -g 4 -a buf:int[4]=0 -a buf:int[4]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k wait_group -g 8 -l 4 -a buf:int[8]=0 -a buf:int[8]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k wait_group_other -g 8 -l 4 -a buf:int[8]=0 -a buf:int[8]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k wait_kernel -g 8 -l 4 -a buf:int[8]=0 -a buf:int[8]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k siblings -g 1 -a buf:int[4]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k siblings_by_event -g 1 -a buf:int[4]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k siblings_by_marker -g 1 -a buf:int[4]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k nephew -g 1 -a buf:int[1]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k nephew_by_event -g 1 -a buf:int[1]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k user_event -g 4 -a buf:int[4]=0 -a buf:int[4]=0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k counted -g 4 -a buf:int[1]=0 --print 0
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k writers -g 1 -a pipe:int[4]
// $ clerk kernel races.cl --build -cl-std=CL3.0 -k writers_by_event -g 1 -a pipe:int[4]
//
// covers: G18 G20 G21

// The child may begin before another work-item, or its own, has written.
kernel void no_wait(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    if (i == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),
                       ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

kernel void no_wait_own(global int *in, global int *out)
{
    in[0] = 1;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                   ^{ out[0] = in[0]; });
}

// A twin: what the block captures goes with it.
kernel void captured(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                   ^{ out[i] = i; });
}

// Behind the work-group that enqueues it the child sees what that has done.
kernel void wait_group(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    if (get_local_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4),
                       ^{ out[i + get_global_id(0)] = in[i + get_global_id(0)]; });
}

// But not what others have.
kernel void wait_group_other(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    if (i == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(8),
                       ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

// Behind the kernel all of it.
kernel void wait_kernel(global int *in, global int *out)
{
    const int i = get_global_id(0);
    in[i] = i;
    if (i == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8),
                       ^{ out[get_global_id(0)] = in[get_global_id(0)]; });
}

// Two children are not ordered, whatever they wait for,
kernel void siblings(global int *a)
{
    queue_t queue = get_default_queue();
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4),
                   ^{ a[get_global_id(0)] = 1; });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4),
                   ^{ a[get_global_id(0)] += 1; });
}

// but by an event,
kernel void siblings_by_event(global int *a)
{
    queue_t queue = get_default_queue();
    clk_event_t first;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 0, NULL, &first,
                   ^{ a[get_global_id(0)] = 1; });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &first, NULL,
                   ^{ a[get_global_id(0)] += 1; });
    release_event(first);
}

// or by a marker.
kernel void siblings_by_marker(global int *a)
{
    queue_t queue = get_default_queue();
    clk_event_t first, marker;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 0, NULL, &first,
                   ^{ a[get_global_id(0)] = 1; });
    enqueue_marker(queue, 1, &first, &marker);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &marker, NULL,
                   ^{ a[get_global_id(0)] += 1; });
    release_event(first);
    release_event(marker);
}

// What a child of a child does comes before the child's event, and otherwise beside its siblings.
kernel void nephew(global int *a)
{
    queue_t queue = get_default_queue();
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                       ^{ a[0] = 1; });
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[0] += 1; });
}

kernel void nephew_by_event(global int *a)
{
    queue_t queue = get_default_queue();
    clk_event_t child;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &child, ^{
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                       ^{ a[0] = 1; });
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &child, NULL,
                   ^{ a[0] += 1; });
    release_event(child);
}

// Whoever sets a user event hands on what it has done.
kernel void user_event(global int *in, global int *out)
{
    const int i = get_global_id(0);
    clk_event_t written = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &written,
                   NULL, ^{ out[i] = in[i]; });
    in[i] = i;
    set_user_event_status(written, CL_COMPLETE);
    release_event(written);
}

// Atomic operations of a kernel and its children work as within one kernel.
kernel void counted(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{
        atomic_fetch_add_explicit(a, 10, memory_order_relaxed, memory_scope_device);
    });
}

// One kernel at a time may use an end of a pipe: children that nothing orders are two.
kernel void writers(write_only pipe int out)
{
    queue_t queue = get_default_queue();
    clk_event_t first;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &first, ^{ int one = 1; write_pipe(out, &one); });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ int two = 2; write_pipe(out, &two); });
    release_event(first);
}

kernel void writers_by_event(write_only pipe int out)
{
    queue_t queue = get_default_queue();
    clk_event_t first;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &first, ^{ int one = 1; write_pipe(out, &one); });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &first, NULL, ^{ int two = 2; write_pipe(out, &two); });
    release_event(first);
}
