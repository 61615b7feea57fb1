// Races that a read hides on whose value nothing depends. The other schedules find none of these:
// who is the writer depends on the order.
// clang-format off
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k unread -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0'
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k unread -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --schedule hold:0:2
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k unread -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --schedule hold:0:3
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k unread -g 128 -l 64 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --checks race-global
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k unread -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --schedules 0
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k fenced -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --json --checks race
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k counted -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --checks race-global
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k heeded -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --checks race-global
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k by_another -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --checks race-global
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k weakly -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0'
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k weakly -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --explore
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k looked_before -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0'
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k held -g 4 -l 4 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --print 1 --schedule hold:1:1
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k held -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --print 1 --schedule hold:1:2
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k held -g 4 -l 4 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --print 1 --schedule hold:9:1
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k awaited -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 1 --schedule hold:0:1
// $ clerk kernel predicted.cl --build -cl-std=CL3.0 -k never -g 2 -l 1 -a 'buf:int[1]=0' --checks hang --schedule hold:0:1
// clang-format on
#define LOAD(a, order) atomic_load_explicit(a, memory_order_##order, memory_scope_device)
#define STORE(a, value, order)                                                                     \
    atomic_store_explicit(a, value, memory_order_##order, memory_scope_device)
#define ADD(a, order) atomic_fetch_add_explicit(a, 1, memory_order_##order, memory_scope_device)

kernel void unread(global int *data, global atomic_int *flag, global atomic_int *tickets,
                   global int *out)
{
    const int mine = ADD(tickets, relaxed);
    if (mine == 0) {
        *data = 1;
        STORE(flag, 1, release);
    } else if (mine == 1) {
        out[0] = LOAD(flag, acquire);
        out[1] = *data;
    }
}

kernel void fenced(global int *data, global atomic_int *flag, global atomic_int *tickets,
                   global int *out)
{
    const int mine = ADD(tickets, relaxed);
    if (mine == 0) {
        *data = 1;
        STORE(flag, 1, release);
    } else {
        LOAD(flag, relaxed);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        out[1] = *data;
    }
}

// Updates that are counted and never looked at.
kernel void counted(global int *data, global atomic_int *flag, global atomic_int *tickets,
                    global int *out)
{
    const int mine = ADD(tickets, relaxed);
    if (mine == 0)
        *data = 1;
    atomic_fetch_add(flag, 1);
    if (mine == 2)
        out[0] = *data;
}

kernel void heeded(global int *data, global atomic_int *flag, global atomic_int *tickets,
                   global int *out)
{
    const int mine = ADD(tickets, relaxed);
    if (mine == 0) {
        *data = 1;
        STORE(flag, 1, release);
    } else if (LOAD(flag, acquire) == 1) {
        out[0] = *data;
    }
}

// It is another work-item that says that this one has done its part.
kernel void by_another(global int *data, global atomic_int *flag, global atomic_int *tickets,
                       global int *out)
{
    local int group;
    if (get_local_id(0) == 0)
        group = ADD(tickets, relaxed);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (group == 0 && get_local_id(0) == 0)
        *data = 1;
    if (group == 1 && get_local_id(0) == 1) {
        for (int i = 0; i < 8; i++)
            ADD(tickets, relaxed);
        out[0] = LOAD(flag, acquire);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (group == 0 && get_local_id(0) == 1)
        STORE(flag, 1, release);
    if (group == 1 && get_local_id(0) == 0)
        out[1] = *data;
}

// Only devices that read in another order than written show it.
kernel void weakly(global int *data, global atomic_int *flag, global atomic_int *other,
                   global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1, release);
        STORE(other, 1, relaxed);
    } else {
        while (LOAD(other, relaxed) == 0)
            ;
        out[0] = LOAD(flag, acquire);
        out[1] = *data;
    }
}

// What was read before keeps the second read from an older value.
kernel void looked_before(global int *data, global atomic_int *flag, global atomic_int *other,
                          global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1, release);
    } else {
        while (LOAD(flag, relaxed) == 0)
            ;
        LOAD(flag, acquire);
        out[1] = *data;
    }
}

// In which order work-items come, before and behind a barrier.
kernel void held(global atomic_int *count, global int *out)
{
    out[ADD(count, relaxed)] = 10 + get_global_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[ADD(count, relaxed)] = 20 + get_global_id(0);
}

kernel void awaited(global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0)
        STORE(flag, 1, release);
    else
        while (LOAD(flag, acquire) == 0)
            ;
    if (get_global_id(0) == 1)
        *out = 1;
}

kernel void never(global atomic_int *flag)
{
    while (!LOAD(flag, acquire))
        ;
}
