// A lock that is looked at before it is taken by a compare-exchange.
//
// $ clerk kernel compare_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel compare_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel compare_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTAKE=memory_order_relaxed'
// $ clerk kernel compare_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTAKE=memory_order_relaxed' --explore --time 0
// $ clerk kernel compare_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSTALE'
// $ clerk kernel compare_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSTALE' --explore --time 0
// $ clerk kernel compare_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTWO_STEPS'
// $ clerk kernel compare_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTWO_STEPS' --explore --time 0
#define DEVICE memory_scope_device
#ifndef TAKE
#define TAKE memory_order_acquire
#endif

kernel void add(global atomic_int *lock, global int *sum)
{
    if (get_local_id(0) != 0)
        return;
#if defined STALE
    // What was found instead of 0 is what is expected the next time.
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, TAKE, memory_order_relaxed,
                                                    DEVICE))
        ;
#elif defined TWO_STEPS
    while (atomic_load_explicit(lock, memory_order_acquire, DEVICE) != 0)
        ;
    atomic_store_explicit(lock, 1, memory_order_relaxed, DEVICE);
#else
    int expected;
    do {
        while (atomic_load_explicit(lock, memory_order_relaxed, DEVICE) != 0)
            ;
        expected = 0;
    } while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, TAKE,
                                                      memory_order_relaxed, DEVICE));
#endif
    *sum += 1;
    atomic_store_explicit(lock, 0, memory_order_release, DEVICE);
}
