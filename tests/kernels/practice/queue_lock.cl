// A lock that hands itself on to who waits next in a list; work-groups count from 1, 0 is nobody.
//
// $ clerk kernel queue_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel queue_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel queue_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DHAND_ON=memory_order_relaxed'
// $ clerk kernel queue_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DHAND_ON=memory_order_relaxed' --explore --time 0
// $ clerk kernel queue_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOBODY_SEEN'
// $ clerk kernel queue_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOBODY_SEEN' --explore --time 0
// $ clerk kernel queue_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DWAITS_LATE'
// $ clerk kernel queue_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[5]=0' -a 'buf:int[5]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DWAITS_LATE' --explore --time 0
#define DEVICE memory_scope_device
#ifndef HAND_ON
#define HAND_ON memory_order_release
#endif

kernel void add(global atomic_int *last, global atomic_int *next, global atomic_int *waits,
                global int *sum)
{
    if (get_local_id(0) != 0)
        return;
    const int me = get_group_id(0) + 1;
    const int before = atomic_exchange_explicit(last, me, memory_order_acq_rel, DEVICE);
    if (before != 0) {
#ifndef WAITS_LATE
        atomic_store_explicit(&waits[me], 1, memory_order_relaxed, DEVICE);
#endif
        atomic_store_explicit(&next[before], me, memory_order_release, DEVICE);
#ifdef WAITS_LATE
        atomic_store_explicit(&waits[me], 1, memory_order_relaxed, DEVICE);
#endif
        while (atomic_load_explicit(&waits[me], memory_order_acquire, DEVICE) != 0)
            ;
    }

    *sum += 1;

    int after = atomic_load_explicit(&next[me], memory_order_acquire, DEVICE);
#ifdef NOBODY_SEEN
    if (after == 0) {
        atomic_store_explicit(last, 0, memory_order_release, DEVICE);
        return;
    }
#else
    if (after == 0) {
        int expected = me;
        if (atomic_compare_exchange_strong_explicit(last, &expected, 0, memory_order_release,
                                                    memory_order_relaxed, DEVICE))
            return;
        while ((after = atomic_load_explicit(&next[me], memory_order_acquire, DEVICE)) == 0)
            ;
    }
#endif
    atomic_store_explicit(&next[me], 0, memory_order_relaxed, DEVICE);
    atomic_store_explicit(&waits[after], 0, HAND_ON, DEVICE);
}
