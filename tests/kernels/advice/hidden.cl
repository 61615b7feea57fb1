// What is advised where a read hides a race, or a fence is too narrow.
// clang-format off
// $ clerk kernel hidden.cl --build -cl-std=CL3.0 -k unread -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel hidden.cl --build -cl-std=CL3.0 -k unread_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 3
// $ clerk kernel hidden.cl --build -cl-std=CL3.0 -k weakly -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel hidden.cl --build -cl-std=CL3.0 -k weakly_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 3
// $ clerk kernel hidden.cl --build -cl-std=CL3.0 -k enter -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0'
// $ clerk kernel hidden.cl --build -cl-std=CL3.0 -k enter_advised -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --print 1
// clang-format on
#define DEVICE memory_scope_device
#define LOAD(a, order) atomic_load_explicit(a, memory_order_##order, DEVICE)
#define STORE(a, value, order) atomic_store_explicit(a, value, memory_order_##order, DEVICE)

kernel void unread(global int *data, global atomic_int *flag, global atomic_int *tickets,
                   global int *out)
{
    if (atomic_fetch_add_explicit(tickets, 1, memory_order_relaxed, DEVICE) == 0) {
        *data = 1;
        STORE(flag, 1, release);
    } else {
        LOAD(flag, acquire);
        *out = *data;
    }
}

kernel void unread_advised(global int *data, global atomic_int *flag, global atomic_int *tickets,
                           global int *out)
{
    if (atomic_fetch_add_explicit(tickets, 1, memory_order_relaxed, DEVICE) == 0) {
        *data = 1;
        STORE(flag, 1, release);
    } else {
        while (LOAD(flag, acquire) == 0)
            ;
        *out = *data;
    }
}

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
        LOAD(flag, acquire);
        *out = *data;
    }
}

kernel void weakly_advised(global int *data, global atomic_int *flag, global atomic_int *other,
                           global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1, release);
        STORE(other, 1, relaxed);
    } else {
        while (LOAD(other, relaxed) == 0)
            ;
        while (LOAD(flag, acquire) == 0)
            ;
        *out = *data;
    }
}

// How many have entered; both cannot.
global atomic_int entered = ATOMIC_VAR_INIT(0);

kernel void enter(global atomic_int *wants, global int *wrong)
{
    const int me = get_global_id(0);
    STORE(&wants[me], 1, relaxed);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
    if (!LOAD(&wants[1 - me], relaxed) &&
        atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed, DEVICE) == 1)
        *wrong = 1;
}

kernel void enter_advised(global atomic_int *wants, global int *wrong)
{
    const int me = get_global_id(0);
    STORE(&wants[me], 1, relaxed);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    if (!LOAD(&wants[1 - me], relaxed) &&
        atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed, DEVICE) == 1)
        *wrong = 1;
}
