// What kernels enqueue on the device: every form of enqueue_kernel, events, markers and queries.
//
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k ranges -g 1 -a buf:int[72]=0 --print 0
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k local_arguments -g 4 -l 2 -a buf:int[8]=0 --print 0
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k events -g 3 -a buf:int[9]=0 --print 0
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k generations -g 1 -a buf:int[16]=0 --print 0
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k captures -g 2 -l 2 -a buf:int[8]=0 --print 0
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k queries -g 1 -a buf:uint[9]=0 --print 0
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k times -g 1 -a buf:ulong[2]=0 -a buf:int[4]=0 --print 1
// $ clerk kernel forms.cl --build -cl-std=CL3.0 -k calls -g 2 -a buf:int[2]=0 --print 0

kernel void ranges(global int *a)
{
    queue_t queue = get_default_queue();
    const size_t two[2] = {4, 2}, two_local[2] = {2, 1}, two_offset[2] = {0, 1};
    const size_t three[3] = {2, 2, 2};
    // each work-item of each range adds to an element of its own
    int failed = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8),
                                ^{ a[get_global_id(0)] = 1; });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4),
                             ^{ a[8 + get_global_id(0)] = (int)get_local_size(0); });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(16, 8, 4),
                             ^{ a[get_global_id(0)] = (int)get_global_offset(0); });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(two), ^{
        a[24 + get_global_linear_id()] = (int)(10 * get_global_id(1) + get_global_id(0));
    });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(two, two_local), ^{
        a[32 + get_global_linear_id()] = (int)(10 * get_local_size(1) + get_local_size(0));
    });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL,
                             ndrange_2D(two_offset, two, two_local),
                             ^{ a[40 + get_global_linear_id()] = (int)get_global_id(1); });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_3D(three), ^{
        a[48 + get_global_linear_id()] =
            (int)(100 * get_global_id(2) + 10 * get_global_id(1) + get_global_id(0));
    });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_3D(three, three), ^{
        a[56 + get_global_linear_id()] = (int)get_work_dim();
    });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_3D(three, three, three),
                             ^{ a[64 + get_global_linear_id()] = (int)get_global_id(2); });
    if (failed)
        a[0] = failed;
}

// Each work-item enqueues a work-group of two, which exchange numbers through local memory.
kernel void local_arguments(global int *a)
{
    const int first = 2 * get_global_id(0);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2, 2),
                   ^(local void *one, local void *other) {
                       const int id = get_local_id(0);
                       ((local int *)one)[id] = first + id;
                       barrier(CLK_LOCAL_MEM_FENCE);
                       ((local long *)other)[id] = ((local int *)one)[1 - id];
                       a[first + id] = (int)((local long *)other)[id];
                   },
                   (uint)(2 * sizeof(int)), (uint)(2 * sizeof(long)));
}

// The first child waits for an event that the parent sets last, the third for the second, by a marker.
kernel void events(global int *a)
{
    const int i = get_global_id(0);
    queue_t queue = get_default_queue();
    clk_event_t start = create_user_event(), list[2], marker;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &start, &list[0],
                   ^{ a[3 * i] = 1; });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &list[0], &list[1],
                   ^{ a[3 * i + 1] = a[3 * i] + 1; });
    enqueue_marker(queue, 2, list, &marker);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker, NULL,
                   ^{ a[3 * i + 2] = a[3 * i + 1] + 1; });
    retain_event(marker);
    release_event(marker);
    if (!is_valid_event(marker) || is_valid_event(CLK_NULL_EVENT))
        a[3 * i + 2] = -1;
    set_user_event_status(start, CL_COMPLETE);
    release_event(marker);
    release_event(list[1]);
    release_event(list[0]);
    release_event(start);
}

// A child enqueues the next one, of a function that ends up in itself.
void generation(global int *a, int age)
{
    a[age] = age;
    if (age < 15)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                       ^{ generation(a, age + 1); });
}

kernel void generations(global int *a)
{
    generation(a, 0);
}

struct captured {
    char c;
    short4 v;
    double d;
};

// A block keeps what variables were when it was made, of any type.
kernel void captures(global int *a)
{
    struct captured s = {(char)get_global_id(0), (short4)(1, 2, 3, 4), 0.5};
    global int *to = a + 4 * get_global_id(0);
    void (^block)(void) = ^{
        const int i = get_global_id(0);
        to[i] = s.c + (i == 0 ? s.v.x : i == 1 ? s.v.y : i == 2 ? s.v.z : s.v.w) + (int)(2 * s.d);
    };
    s.c = 100;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), block);
}

kernel void queries(global uint *a)
{
    ndrange_t range = ndrange_1D(100, 50);
    void (^plain)(void) = ^{ a[8] = 1; };
    void (^waits)(local void *) = ^(local void *p) { barrier(CLK_LOCAL_MEM_FENCE); };
    a[0] = get_kernel_work_group_size(plain);
    a[1] = get_kernel_work_group_size(waits);
    a[2] = get_kernel_preferred_work_group_size_multiple(plain);
    a[3] = get_kernel_preferred_work_group_size_multiple(waits);
    a[4] = get_kernel_sub_group_count_for_ndrange(range, plain);
    a[5] = get_kernel_sub_group_count_for_ndrange(range, waits);
    a[6] = get_kernel_max_sub_group_size_for_ndrange(range, plain);
    a[7] = get_kernel_max_sub_group_size_for_ndrange(range, waits);
}

// What capture_event_profiling_info gives is there when the command has ended: how long it took, and how
// long with its own child.
kernel void times(global ulong *t, global int *a)
{
    queue_t queue = get_default_queue();
    clk_event_t event;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{
        a[0] = 1;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                       ^{ a[1] = 1; });
    });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, t);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{
        a[2] = t[0] > 0;
        a[3] = t[1] > t[0];
    });
    release_event(event);
}

// Blocks that are called are functions.
kernel void calls(global int *a)
{
    const int base = 10 * (int)get_global_id(0);
    int (^sum)(int, int) = ^(int x, int y) { return base + x + y; };
    a[get_global_id(0)] = sum(1, 2) + ^(int z) { return 100 * z; }(3);
}
