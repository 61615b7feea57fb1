// A barrier of all work-groups, each of which then reads what the next one wrote. OpenCL does not
// promise that they all run at once, which it needs: there is a warning.
//
// $ clerk kernel grid_barrier.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build -cl-std=CL3.0
// $ clerk kernel grid_barrier.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel grid_barrier.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DARRIVE=memory_order_relaxed'
// $ clerk kernel grid_barrier.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DARRIVE=memory_order_relaxed' --explore
// $ clerk kernel grid_barrier.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DWAIT=memory_order_relaxed'
// $ clerk kernel grid_barrier.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DWAIT=memory_order_relaxed' --explore
// $ clerk kernel grid_barrier.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DNOT_TOGETHER'
// $ clerk kernel grid_barrier.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DNOT_TOGETHER' --explore
// $ clerk kernel grid_barrier.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DONE_ROUND'
// $ clerk kernel grid_barrier.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DONE_ROUND' --explore
// $ clerk kernel grid_barrier.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DBEGUN_ANEW'
// $ clerk kernel grid_barrier.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DBEGUN_ANEW' --explore
#define DEVICE memory_scope_device
#ifndef ARRIVE
#define ARRIVE memory_order_acq_rel
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif

static void wait_for_all(global atomic_int *arrived, int round)
{
    const int count = get_num_groups(0);
#ifndef NOT_TOGETHER
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (get_local_id(0) == 0) {
#ifdef BEGUN_ANEW
        // The last one begins the next round before all have seen the end of this one.
        if (atomic_fetch_add_explicit(arrived, 1, ARRIVE, DEVICE) == count - 1)
            atomic_store_explicit(arrived, 0, memory_order_release, DEVICE);
        else
            while (atomic_load_explicit(arrived, WAIT, DEVICE) != 0)
                ;
#else
        atomic_fetch_add_explicit(arrived, 1, ARRIVE, DEVICE);
        while (atomic_load_explicit(arrived, WAIT, DEVICE) < round * count)
            ;
#endif
    }
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void turn(global atomic_int *arrived, global int *data)
{
    const int all = get_global_size(0);
    const int me = get_global_id(0);
    data[me] = me;
    wait_for_all(arrived, 1);
    const int next = data[(me + 1) % all];
#ifndef ONE_ROUND
    wait_for_all(arrived, 2);
#endif
    data[me] = next;
}
