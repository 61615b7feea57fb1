// Sub-groups whose work-items wait in loops: lanes of a vector then go their own ways, and what they hold stays.
//
// $ clerk kernel waiting.cl -k turns -g 12 -l 12 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[12]' -a int=0 --print 1 --print 2 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel waiting.cl -k turns -g 12 -l 12 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[12]' -a int=2 --print 1 --print 2 --sub-group-size 4 --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel waiting.cl -k behind_a_barrier -g 4 -l 4 -a 'buf:int[1]=0' --sub-group-size 4 --build -cl-std=CL3.0

// One sub-group after the other, from `first` on.
kernel void turns(global atomic_int *turn, global int *sum, global int *out, int first)
{
    int id = get_local_id(0), mine = (get_sub_group_id() + get_num_sub_groups() - first) % get_num_sub_groups();
    int kept = 100 * id, together = sub_group_reduce_add(id);
    if (get_sub_group_local_id() == 0) {
        while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_work_group) != mine)
            ;
        *sum += together;
        atomic_store_explicit(turn, mine + 1, memory_order_release, memory_scope_work_group);
    }
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = kept + sub_group_broadcast(together, 1u) + sub_group_scan_exclusive_add(1);
}

// Who is waited for waits for the one that waits.
kernel void behind_a_barrier(global atomic_int *flag)
{
    if (get_sub_group_local_id() == 0)
        while (atomic_load(flag) == 0)
            ;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_local_id() == 1)
        atomic_store(flag, 1);
}

// covers: A5 A8
