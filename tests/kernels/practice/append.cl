// Results that are put one behind the other, and read while others still put some: those that are
// counted are there.
//
// $ clerk kernel append.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel append.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel append.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DWAIT=memory_order_relaxed'
// $ clerk kernel append.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DWAIT=memory_order_relaxed' --explore
// $ clerk kernel append.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DIN_NO_ORDER'
// $ clerk kernel append.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DIN_NO_ORDER' --explore
// $ clerk kernel append.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DBEGUN'
// $ clerk kernel append.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DBEGUN' --explore
#define DEVICE memory_scope_device
#ifndef WAIT
#define WAIT memory_order_acquire
#endif

kernel void collect(global atomic_int *begun, global atomic_int *done, global int *results,
                    global int *sum)
{
    const int group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    if (group + 1 < (int)get_num_groups(0)) {
        const int place = atomic_fetch_add_explicit(begun, 1, memory_order_relaxed, DEVICE);
        results[place] = 1;
#ifdef IN_NO_ORDER
        atomic_fetch_add_explicit(done, 1, memory_order_release, DEVICE);
#else
        while (atomic_load_explicit(done, WAIT, DEVICE) != place)
            ;
        atomic_store_explicit(done, place + 1, memory_order_release, DEVICE);
#endif
    } else {
#ifdef BEGUN
        const int count = atomic_load_explicit(begun, memory_order_acquire, DEVICE);
#else
        const int count = atomic_load_explicit(done, memory_order_acquire, DEVICE);
#endif
        for (int i = 0; i < count; i++)
            *sum += results[i];
    }
}
