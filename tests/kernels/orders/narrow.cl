// seq_cst fences that do not reach the other work-item: both may read what was there before.
// clang-format off
// $ clerk kernel narrow.cl --build -cl-std=CL3.0 -k enter -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0'
// $ clerk kernel narrow.cl --build -cl-std=CL3.0 -k enter -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --explore
// $ clerk kernel narrow.cl --build -cl-std=CL3.0 -k enter -g 2 -l 2 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --checks race
// $ clerk kernel narrow.cl --build '-cl-std=CL3.0 -DSCOPE=memory_scope_device' -k enter -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --checks race
// $ clerk kernel narrow.cl --build '-cl-std=CL3.0 -DORDER=memory_order_seq_cst' -k enter -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --checks race
// $ clerk kernel narrow.cl --build -cl-std=CL3.0 -k apart -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --checks fence-scope-narrow
// clang-format on
#ifndef SCOPE
#define SCOPE memory_scope_work_group
#endif
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

kernel void enter(global atomic_int *wants, global int *others)
{
    const int me = get_global_id(0);
    atomic_store_explicit(&wants[me], 1, ORDER, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, SCOPE);
    others[me] = atomic_load_explicit(&wants[1 - me], ORDER, memory_scope_device);
}

// Each work-group for itself; but the first ones of both look at one more.
kernel void apart(global atomic_int *wants, global int *others)
{
    const int me = get_global_id(0);
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
    others[me] = atomic_load_explicit(&wants[me ^ 1], memory_order_relaxed, memory_scope_device);
    if (me == 0)
        others[me] += atomic_load_explicit(&wants[2], memory_order_relaxed, memory_scope_device);
}
