// A queue of many who put and many who take: each slot has a number that says whose turn it is.
//
// $ clerk kernel queue.cl -g 8 -l 4 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build -cl-std=CL3.0
// $ clerk kernel queue.cl -g 4 -l 2 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel queue.cl -g 8 -l 4 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DFILLED=memory_order_relaxed'
// $ clerk kernel queue.cl -g 4 -l 2 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DFILLED=memory_order_relaxed' --explore
// $ clerk kernel queue.cl -g 8 -l 4 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed'
// $ clerk kernel queue.cl -g 4 -l 2 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed' --explore
// $ clerk kernel queue.cl -g 8 -l 4 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DCOUNTED'
// $ clerk kernel queue.cl -g 4 -l 2 -a 'buf:uint[1]=0' -a 'buf:uint[1]=0' -a 'buf:uint[2]=iota' -a 'buf:int[2]=0' -a uint=2 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DCOUNTED' --explore
#define DEVICE memory_scope_device
#ifndef FILLED
#define FILLED memory_order_release
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif

static bool put(global atomic_uint *last, global atomic_uint *turns, global int *slots, uint size,
                int value)
{
    uint at = atomic_load_explicit(last, memory_order_relaxed, DEVICE);
    for (;;) {
        const int ahead = atomic_load_explicit(&turns[at % size], LOOK, DEVICE) - at;
        if (ahead < 0)
            return false;
        if (ahead > 0)
            at = atomic_load_explicit(last, memory_order_relaxed, DEVICE);
        else if (atomic_compare_exchange_strong_explicit(last, &at, at + 1, memory_order_relaxed,
                                                         memory_order_relaxed, DEVICE))
            break;
    }
    slots[at % size] = value;
    atomic_store_explicit(&turns[at % size], at + 1, FILLED, DEVICE);
    return true;
}

#ifdef COUNTED
// What was promised is taken for what is there.
static bool take(global atomic_uint *first, global atomic_uint *last, global atomic_uint *turns,
                 global int *slots, uint size, int *value)
{
    uint at = atomic_load_explicit(first, memory_order_relaxed, DEVICE);
    do {
        if (at == atomic_load_explicit(last, memory_order_acquire, DEVICE))
            return false;
    } while (!atomic_compare_exchange_strong_explicit(first, &at, at + 1, memory_order_relaxed,
                                                      memory_order_relaxed, DEVICE));
    *value = slots[at % size];
    atomic_store_explicit(&turns[at % size], at + size, memory_order_release, DEVICE);
    return true;
}
#else
static bool take(global atomic_uint *first, global atomic_uint *last, global atomic_uint *turns,
                 global int *slots, uint size, int *value)
{
    uint at = atomic_load_explicit(first, memory_order_relaxed, DEVICE);
    for (;;) {
        const int ahead = atomic_load_explicit(&turns[at % size], LOOK, DEVICE) - (at + 1);
        if (ahead < 0)
            return false;
        if (ahead > 0)
            at = atomic_load_explicit(first, memory_order_relaxed, DEVICE);
        else if (atomic_compare_exchange_strong_explicit(first, &at, at + 1, memory_order_relaxed,
                                                         memory_order_relaxed, DEVICE))
            break;
    }
    *value = slots[at % size];
    atomic_store_explicit(&turns[at % size], at + size, memory_order_release, DEVICE);
    return true;
}
#endif

kernel void pass(global atomic_uint *first, global atomic_uint *last, global atomic_uint *turns,
                 global int *slots, uint size, global int *out)
{
    const uint me = get_global_id(0);
    if (me % 2 == 0) {
        put(last, turns, slots, size, 7);
    } else {
        int value;
        if (take(first, last, turns, slots, size, &value))
            out[me] = value;
    }
}
