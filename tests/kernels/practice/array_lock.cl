// A lock whose waiters each look at a place of their own.
//
// $ clerk kernel array_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[4]=1,0,0,0' -a uint=4 -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel array_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=1,0,0,0' -a uint=4 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel array_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[4]=1,0,0,0' -a uint=4 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DPASS=memory_order_relaxed'
// $ clerk kernel array_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=1,0,0,0' -a uint=4 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DPASS=memory_order_relaxed' --explore --time 0
// $ clerk kernel array_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[4]=1,0,0,0' -a uint=2 -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel array_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=1,0,0,0' -a uint=2 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 0
#define DEVICE memory_scope_device
#ifndef PASS
#define PASS memory_order_release
#endif

// places[0] is 1 at first: who comes first need not wait.
kernel void add(global atomic_int *next, global atomic_int *places, uint count, global int *sum)
{
    if (get_local_id(0) != 0)
        return;
    const uint mine = (uint)atomic_fetch_add_explicit(next, 1, memory_order_relaxed, DEVICE) % count;
    while (atomic_load_explicit(&places[mine], memory_order_acquire, DEVICE) == 0)
        ;
    atomic_store_explicit(&places[mine], 0, memory_order_relaxed, DEVICE);
    *sum += 1;
    atomic_store_explicit(&places[(mine + 1) % count], 1, PASS, DEVICE);
}
