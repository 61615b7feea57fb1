// A message that goes from work-group to work-group, each of which adds something to it.
//
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPOST=memory_order_relaxed -DLOOK=memory_order_relaxed -DFENCED=CLK_GLOBAL_MEM_FENCE'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPOST=memory_order_relaxed -DLOOK=memory_order_relaxed -DFENCED=CLK_GLOBAL_MEM_FENCE' --explore
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPOST=memory_order_relaxed'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPOST=memory_order_relaxed' --explore
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed' --explore
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group' --explore
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY' --explore
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPOST=memory_order_relaxed -DLOOK=memory_order_relaxed -DFENCED=CLK_LOCAL_MEM_FENCE'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPOST=memory_order_relaxed -DLOOK=memory_order_relaxed -DFENCED=CLK_LOCAL_MEM_FENCE' --explore
#define DEVICE memory_scope_device
#ifndef SCOPE
#define SCOPE memory_scope_device
#endif
#ifndef POST
#define POST memory_order_release
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif

kernel void pass(global atomic_int *posted, global int *messages)
{
    const uint group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    if (group > 0) {
        while (atomic_load_explicit(&posted[group - 1], LOOK, SCOPE) == 0)
            ;
#ifdef FENCED
        atomic_work_item_fence(FENCED, memory_order_acquire, DEVICE);
#endif
    }
#ifdef EARLY
    atomic_store_explicit(&posted[group], 1, POST, SCOPE);
    messages[group] = group > 0 ? messages[group - 1] + 1 : 1;
#else
    messages[group] = group > 0 ? messages[group - 1] + 1 : 1;
#ifdef FENCED
    atomic_work_item_fence(FENCED, memory_order_release, DEVICE);
#endif
    atomic_store_explicit(&posted[group], 1, POST, SCOPE);
#endif
}
