// A lock that serves in the order in which tickets were drawn.
//
// $ clerk kernel ticket_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel ticket_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel ticket_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DWAIT=memory_order_relaxed'
// $ clerk kernel ticket_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DWAIT=memory_order_relaxed' --explore --time 0
// $ clerk kernel ticket_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNEXT=memory_order_relaxed'
// $ clerk kernel ticket_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNEXT=memory_order_relaxed' --explore --time 0
// $ clerk kernel ticket_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSAME_TICKET'
// $ clerk kernel ticket_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSAME_TICKET' --explore --time 0
// $ clerk kernel ticket_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DEARLY'
// $ clerk kernel ticket_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DEARLY' --explore --time 0
#define DEVICE memory_scope_device
#ifndef WAIT
#define WAIT memory_order_acquire
#endif
#ifndef NEXT
#define NEXT memory_order_release
#endif

kernel void add(global atomic_int *drawn, global atomic_int *served, global int *sum)
{
    if (get_local_id(0) != 0)
        return;
#ifdef SAME_TICKET
    const int ticket = atomic_load_explicit(drawn, memory_order_relaxed, DEVICE);
    atomic_store_explicit(drawn, ticket + 1, memory_order_relaxed, DEVICE);
#else
    const int ticket = atomic_fetch_add_explicit(drawn, 1, memory_order_relaxed, DEVICE);
#endif
    while (atomic_load_explicit(served, WAIT, DEVICE) != ticket)
        ;
#ifdef EARLY
    atomic_store_explicit(served, ticket + 1, NEXT, DEVICE);
    *sum += 1;
#else
    *sum += 1;
    atomic_store_explicit(served, ticket + 1, NEXT, DEVICE);
#endif
}
