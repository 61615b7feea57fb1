// A sub-group fills a tile in local memory and a row in global memory, and says so; another one uses
// both if they are there.
//
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build -cl-std=CL3.0
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build -cl-std=CL3.0 --explore
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DFENCED=CLK_LOCAL_MEM_FENCE'
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DFENCED=CLK_LOCAL_MEM_FENCE' --explore
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DNO_FENCE'
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DNO_FENCE' --explore
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DNOT_TOGETHER'
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DNOT_TOGETHER' --explore
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_sub_group'
// $ clerk kernel sub_groups.cl -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --sub-group-size 2 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_sub_group' --explore
#ifndef SCOPE
#define SCOPE memory_scope_work_group
#endif
#ifndef FENCED
#define FENCED (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#ifdef NO_FENCE
// The flag is in local memory, and orders no other.
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#define FENCE(order)
#else
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#define FENCE(order) atomic_work_item_fence(FENCED, order, SCOPE)
#endif

kernel void pass(global int *row, global int *out)
{
    local int tile[2];
    local atomic_int there;
    const uint lane = get_sub_group_local_id();
    const uint id = get_local_id(0);
    if (id == 0)
        atomic_store_explicit(&there, 0, memory_order_relaxed, SCOPE);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        tile[lane] = lane + 1;
        row[lane] = lane + 10;
#ifndef NOT_TOGETHER
        sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
        if (lane == 0) {
            FENCE(memory_order_release);
            atomic_store_explicit(&there, 1, RELEASE, SCOPE);
        }
    } else if (atomic_load_explicit(&there, ACQUIRE, SCOPE) == 1) {
        FENCE(memory_order_acquire);
        out[id] = tile[1 - lane] + row[1 - lane];
    }
}
