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
// $ clerk kernel mailbox.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DVOLATILE'
// $ clerk kernel mailbox.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DVOLATILE' --explore
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
#ifdef VOLATILE
#define FLAG volatile int
#define IS_POSTED(flag) (*(flag) != 0)
#define SET_POSTED(flag) (*(flag) = 1)
#else
#define FLAG atomic_int
#define IS_POSTED(flag) (atomic_load_explicit(flag, LOOK, SCOPE) != 0)
#define SET_POSTED(flag) atomic_store_explicit(flag, 1, POST, SCOPE)
#endif

kernel void pass(global FLAG *posted, global int *messages)
{
    const uint group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    if (group > 0) {
        while (!IS_POSTED(&posted[group - 1]))
            ;
#ifdef FENCED
        atomic_work_item_fence(FENCED, memory_order_acquire, DEVICE);
#endif
    }
#ifdef EARLY
    SET_POSTED(&posted[group]);
    messages[group] = group > 0 ? messages[group - 1] + 1 : 1;
#else
    messages[group] = group > 0 ? messages[group - 1] + 1 : 1;
#ifdef FENCED
    atomic_work_item_fence(FENCED, memory_order_release, DEVICE);
#endif
    SET_POSTED(&posted[group]);
#endif
}
