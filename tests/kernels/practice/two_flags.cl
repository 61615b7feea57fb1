// Two work-groups keep each other out by a flag each, and a word on whose turn it is where both want
// in. Any other order than seq_cst breaks it, and no schedule shows that.
//
// $ clerk kernel two_flags.cl -g 4 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel two_flags.cl -g 4 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel two_flags.cl -g 4 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DONE_WAY'
// $ clerk kernel two_flags.cl -g 4 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DONE_WAY' --explore
// $ clerk kernel two_flags.cl -g 4 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DPOLITE_FIRST'
// $ clerk kernel two_flags.cl -g 4 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DPOLITE_FIRST' --explore
#define DEVICE memory_scope_device
#ifdef ONE_WAY
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#endif

kernel void add(global atomic_int *wants, global atomic_int *turn, global int *sum)
{
    const int me = get_group_id(0);
    const int other = 1 - me;
    if (get_local_id(0) != 0)
        return;
#ifdef POLITE_FIRST
    atomic_store_explicit(turn, other, STORE, DEVICE);
    atomic_store_explicit(&wants[me], 1, STORE, DEVICE);
#else
    atomic_store_explicit(&wants[me], 1, STORE, DEVICE);
    atomic_store_explicit(turn, other, STORE, DEVICE);
#endif
    while (atomic_load_explicit(&wants[other], LOAD, DEVICE) != 0 && atomic_load_explicit(turn, LOAD, DEVICE) == other)
        ;
    *sum += 1;
    atomic_store_explicit(&wants[me], 0, memory_order_release, DEVICE);
}
