// The first work-group that needs a table makes it, the others wait until it is there.
//
// $ clerk kernel once.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel once.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel once.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed'
// $ clerk kernel once.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed' --explore
// $ clerk kernel once.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DTWO_STEPS'
// $ clerk kernel once.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DTWO_STEPS' --explore
// $ clerk kernel once.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY'
// $ clerk kernel once.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY' --explore
// $ clerk kernel once.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DNO_WAIT'
// $ clerk kernel once.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DNO_WAIT' --explore
#define DEVICE memory_scope_device
#ifndef LOOK
#define LOOK memory_order_acquire
#endif
enum { NOBODY, SOMEBODY, MADE };

kernel void use(global atomic_int *state, global int *table, global int *out)
{
    const uint group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    int found = atomic_load_explicit(state, LOOK, DEVICE);
#ifdef TWO_STEPS
    if (found == NOBODY) {
        table[0] = 7;
        atomic_store_explicit(state, MADE, memory_order_release, DEVICE);
    }
#else
    if (found == NOBODY && atomic_compare_exchange_strong_explicit(state, &found, SOMEBODY,
                                                  memory_order_acquire, memory_order_acquire, DEVICE)) {
#ifdef EARLY
        atomic_store_explicit(state, MADE, memory_order_release, DEVICE);
        table[0] = 7;
#else
        table[0] = 7;
        atomic_store_explicit(state, MADE, memory_order_release, DEVICE);
#endif
        found = MADE;
    }
#ifndef NO_WAIT
    while (found != MADE)
        found = atomic_load_explicit(state, memory_order_acquire, DEVICE);
#endif
#endif
    out[group] = table[0];
}
