// Each work-group leaves a sum, and the last one to do so adds them up.
//
// $ clerk kernel last_group.cl -g 8 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel last_group.cl -g 4 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel last_group.cl -g 8 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DCOUNT=memory_order_relaxed'
// $ clerk kernel last_group.cl -g 4 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DCOUNT=memory_order_relaxed' --explore
// $ clerk kernel last_group.cl -g 8 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group'
// $ clerk kernel last_group.cl -g 4 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group' --explore
// $ clerk kernel last_group.cl -g 8 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_TOGETHER'
// $ clerk kernel last_group.cl -g 4 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_TOGETHER' --explore
// $ clerk kernel last_group.cl -g 8 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNO_LOCAL'
// $ clerk kernel last_group.cl -g 4 -l 2 -a 'buf:int[8]=1' -a 'buf:uint[1]=0' -a 'buf:int[8]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNO_LOCAL' --explore
#define DEVICE memory_scope_device
#ifndef COUNT
#define COUNT memory_order_acq_rel
#endif
#ifndef SCOPE
#define SCOPE memory_scope_device
#endif

kernel void add(global const int *in, global atomic_uint *count, global int *sums, global int *sum)
{
    const uint items = get_local_size(0);
    const uint me = get_global_id(0);
    local uint before;
    sums[me] = in[me];
#ifndef NOT_TOGETHER
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (get_local_id(0) == 0)
        before = atomic_fetch_add_explicit(count, 1, COUNT, SCOPE);
#ifdef NO_LOCAL
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#else
    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
#endif
    if (before == get_num_groups(0) - 1 && get_local_id(0) == 0)
        for (uint i = 0; i < get_global_size(0); i++)
            *sum += sums[i];
}
