// A lock that is taken by an exchange, by one work-item of each work-group.
//
// $ clerk kernel spin_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel spin_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel spin_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DFREE=memory_order_relaxed'
// $ clerk kernel spin_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DFREE=memory_order_relaxed' --explore
// $ clerk kernel spin_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTAKE=memory_order_relaxed'
// $ clerk kernel spin_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTAKE=memory_order_relaxed' --explore
// $ clerk kernel spin_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group'
// $ clerk kernel spin_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group' --explore
// $ clerk kernel spin_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTRIED_ONCE'
// $ clerk kernel spin_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DTRIED_ONCE' --explore
// $ clerk kernel spin_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DEVERYBODY'
// $ clerk kernel spin_lock.cl -g 4 -l 4 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DEVERYBODY' --explore
#ifndef TAKE
#define TAKE memory_order_acquire
#endif
#ifndef FREE
#define FREE memory_order_release
#endif
#ifndef SCOPE
#define SCOPE memory_scope_device
#endif

kernel void add(global atomic_int *lock, global int *sum)
{
#ifndef EVERYBODY
    if (get_local_id(0) != 0)
        return;
#endif
#ifdef TRIED_ONCE
    (void)atomic_exchange_explicit(lock, 1, TAKE, SCOPE);
#else
    while (atomic_exchange_explicit(lock, 1, TAKE, SCOPE) != 0)
        ;
#endif
    *sum += 1;
    atomic_store_explicit(lock, 0, FREE, SCOPE);
}
