// Where the specification leaves something open, an explored kernel follows the same switches as a litmus test.
// covers: C6 E3 E4
//
// $ clerk kernel rules.cl -k unequal -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=7' --build -cl-std=CL3.0 --explore --scope-rule 3.0
// $ clerk kernel rules.cl -k unequal -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=7' --build -cl-std=CL3.0 --explore --scope-rule 3.1
// $ clerk kernel rules.cl -k local_flag -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=7' --build -cl-std=CL3.0 --explore --seq-cst-rule one
// $ clerk kernel rules.cl -k local_flag -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=7' --build -cl-std=CL3.0 --explore --seq-cst-rule both
// $ clerk kernel rules.cl -k narrow -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --seq-cst-scope all
// $ clerk kernel rules.cl -k narrow -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --seq-cst-scope inclusive --json

#define ID get_global_id(0)

// The scopes of the flag are wide enough, and not equal.
kernel void unequal(global int *data, global atomic_int *flag, global int *out)
{
    if (ID == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group)) {
        *out = *data;
    }
}

// The flag is in local memory, the data is in global memory.
kernel void local_flag(global int *data, global int *out)
{
    local atomic_int flag;
    if (ID == 0)
        atomic_init(&flag, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (ID == 0) {
        *data = 1;
        atomic_store_explicit(&flag, 1, memory_order_seq_cst, memory_scope_work_group);
    } else if (atomic_load_explicit(&flag, memory_order_seq_cst, memory_scope_work_group)) {
        *out = *data;
    }
}

// Across two work-groups, with fences of one.
kernel void narrow(global atomic_int *x, global int *out)
{
    atomic_store_explicit(&x[ID], 1, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
    out[ID] = atomic_load_explicit(&x[1 - ID], memory_order_relaxed, memory_scope_device);
}
