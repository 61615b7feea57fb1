// What another schedule shows, and each kernel as it should be.
// clang-format off
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns -g 4 -l 4 -a 'buf:int[9]=0' --print 0 --schedule items
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns -g 4 -l 4 -a 'buf:int[9]=0' --print 0 --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns -g 4 -l 4 -a 'buf:int[9]=0' --print 0 --schedule items:seed:3
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns_of_sub_groups -g 4 -l 4 -a 'buf:int[5]=0' --print 0 --schedule items:desc --sub-group-size 2
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k together -g 140 -l 70 -a 'buf:int[4]=0' --print 0 --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k not_all -g 70 -l 70 -a 'buf:int[70]=0' --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k heeded -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k heeded -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule items:up
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k steps -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[12]=0' --print 1 --schedule turns:1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k steps -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[12]=0' --print 1 --schedule turns:2
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k together -g 140 -l 70 -a 'buf:int[4]=0' --print 0 --schedule turns:3
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 0 --checks race --json
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k awaited -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k awaited -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k queue -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a int=10
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k queue_updated -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a int=10
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k tiles -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[36]=0' -a int=8 -a int=1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k tiles -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[36]=0' -a int=8 -a int=0
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k look_back -g 4 -l 1 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a int=0
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k look_back -g 4 -l 1 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a int=1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k never -g 2 -l 1 -a 'buf:int[1]=0' --schedule turns:1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k long_way -g 64 -l 64 -a 'buf:int[1]=0' -a int=9 --operation-limit 500
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k long_way -g 64 -l 64 -a 'buf:int[1]=0' -a int=9
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k steps -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[12]=0' --print 1 --schedule pct:1:1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k steps -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[12]=0' --print 1 --schedule pct:4:8
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k steps -g 70 -l 35 -a 'buf:int[1]=0' -a 'buf:int[210]=0' --print 0 --schedule pct:4:8
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k together -g 140 -l 70 -a 'buf:int[4]=0' --print 0 --schedule pct:3:1
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k in_between -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k in_between -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedules 15
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedules 0
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedules 0 --schedule asc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k tiles -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[36]=0' -a int=8 -a int=0 --schedules 3
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k awaited -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedules 4
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k never -g 3 -l 1 -a 'buf:int[1]=0' --checks hang --schedule pct:3:2
// clang-format on
#define LOAD(a) atomic_load_explicit(a, memory_order_acquire, memory_scope_device)
#define STORE(a, value) atomic_store_explicit(a, value, memory_order_release, memory_scope_device)

// In which order work-items come, before and behind a barrier.
kernel void turns(global int *turns)
{
    turns[1 + atomic_inc(turns)] = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    turns[1 + atomic_inc(turns)] = get_local_id(0);
}

kernel void turns_of_sub_groups(global int *turns)
{
    turns[1 + atomic_inc(turns)] = sub_group_broadcast((int)get_local_id(0), 1);
}

// What all work-items of a group make together, in several vectors.
kernel void together(global int *out)
{
    const int sum = work_group_reduce_add((int)get_local_id(0));
    const int last = work_group_broadcast((int)get_local_id(0), 69);
    if (get_local_id(0) == 65) {
        out[2 * get_group_id(0)] = sum;
        out[2 * get_group_id(0) + 1] = last;
    }
}

kernel void not_all(global int *out)
{
    if (get_local_id(0) != 66)
        barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

// The flag is read, and what it says does not matter.
kernel void ignored(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1);
    } else {
        (void)LOAD(flag);
        *out = *data;
    }
}

kernel void heeded(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1);
    } else if (LOAD(flag)) {
        *out = *data;
    }
}

kernel void awaited(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1);
    } else {
        while (!LOAD(flag))
            ;
        *out = *data;
    }
}

// Who takes which turn: three for each work-item.
kernel void steps(global atomic_int *count, global int *out)
{
    for (int i = 0; i < 3; i++) {
        const int step = atomic_fetch_add_explicit(count, 1, memory_order_relaxed,
                                                   memory_scope_device);
        out[step] = get_global_id(0);
    }
}

// A queue of numbers, of which the first group took all.
kernel void queue(global atomic_int *head, global int *sum, int n)
{
    int i;
    while ((i = atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_device)) < n)
        *sum += i;
}

kernel void queue_updated(global atomic_int *head, global atomic_int *sum, int n)
{
    int i;
    while ((i = atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_device)) < n)
        atomic_fetch_add_explicit(sum, i, memory_order_relaxed, memory_scope_device);
}

// Persistent groups that take tiles from a counter, and with a halo write into the next tile, too.
kernel void tiles(global atomic_int *next, global int *out, int n, int halo)
{
    local int tile;
    for (;;) {
        if (get_local_id(0) == 0)
            tile =
                atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int mine = tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine >= n)
            return;
        out[mine * get_local_size(0) + get_local_id(0)] += 1;
        if (halo && get_local_id(0) == 0)
            out[(mine + 1) * get_local_size(0)] += 1;
    }
}

// A scan that looks back: 1 = the sum of the group is there, 2 = that of all before it, too.
kernel void look_back(global const int *in, global int *out, global atomic_int *status,
                      global int *own, global int *all, int released)
{
    const int group = get_group_id(0);
    int sum = in[group];
    own[group] = sum;
    if (released)
        STORE(&status[group], 1);
    else
        atomic_store_explicit(&status[group], 1, memory_order_relaxed, memory_scope_device);
    for (int i = group - 1; i >= 0;) {
        const int found = LOAD(&status[i]);
        sum += found == 2 ? all[i] : found == 1 ? own[i] : 0;
        i = found == 2 ? -1 : i - found;
    }
    all[group] = sum;
    STORE(&status[group], 2);
    out[group] = sum;
}

kernel void never(global atomic_int *flag)
{
    while (!LOAD(flag))
        ;
}

kernel void long_way(global int *count, int n)
{
    int x = atomic_inc(count);
    for (int i = 0; i < n; i++)
        x = x * 3 + i;
    if (x == 1)
        atomic_inc(count);
}

// Only who comes between the two stores, with four reads at once, sees it.
kernel void in_between(global int *data, global atomic_int *first, global atomic_int *second,
                       global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(first, 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(second, 1, memory_order_relaxed, memory_scope_device);
    } else {
        (void)LOAD(first);
        (void)LOAD(first);
        if (LOAD(first) && !LOAD(second))
            *out = *data;
    }
}
