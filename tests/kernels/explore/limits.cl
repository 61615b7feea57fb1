// What is not looked at is told, and is not a verdict: loops that are cut, executions that memory is too small for, reads that depend on
// what is written behind them.
//
// $ clerk kernel limits.cl -k turns -g 2 -l 2 -a int=400 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --memory 1
// $ clerk kernel limits.cl -k turns -g 2 -l 2 -a int=200 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel limits.cl -k late_race -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel limits.cl -k early_race -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel limits.cl -k late_race -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel limits.cl -k buffers -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel limits.cl -k buffers_orderly -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel ../../litmus/load-buffering.litmus --explore
// $ clerk kernel ../../litmus/load-buffering.litmus --explore --json
// $ clerk kernel ../../litmus/load-buffering-release-acquire.litmus --explore
// $ clerk kernel ../../litmus/load-buffering-not-needed.litmus --explore
// $ clerk kernel ../../litmus/store-buffering.litmus
// $ clerk kernel ../../litmus/store-buffering-seq-cst.litmus
// $ clerk kernel ../../litmus/barrier-both-memories.litmus
// $ clerk kernel limits.litmus --explore
// $ clerk kernel limits.litmus --explore --json
// $ clerk kernel limits.litmus --explore --unroll 7
// $ clerk kernel apart.litmus --explore
// $ clerk kernel limits.cl -k late_race -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --format github
// $ clerk kernel limits.cl -k early_race -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --format sarif

#define ID get_global_id(0)

// All meet at each barrier; that there is no memory for all rounds is not a fault of the kernel's.
kernel void turns(int count, global int *out)
{
    for (int i = 0; i < count; i++)
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (ID == 0)
        *out = count;
}

#define TEN(x) x x x x x x x x x x
#define ADD atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);

// One work-item alone does more than 64 things; the other one races with what comes behind them, or before.
kernel void late_race(global atomic_int *x, global int *out)
{
    if (ID == 0) {
        TEN(ADD ADD ADD ADD ADD ADD ADD)
    }
    *out = (int)ID;
}

kernel void early_race(global atomic_int *x, global int *out)
{
    *out = (int)ID;
    if (ID == 0) {
        TEN(ADD ADD ADD ADD ADD ADD ADD)
    }
}

// Both may read 1.
kernel void buffers(global atomic_int *x, global int *out)
{
    out[ID] = atomic_load_explicit(&x[ID], memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&x[1 - ID], 1, memory_order_relaxed, memory_scope_device);
}

kernel void buffers_orderly(global atomic_int *x, global int *out)
{
    out[ID] = atomic_load_explicit(&x[ID], memory_order_acquire, memory_scope_device);
    atomic_store_explicit(&x[1 - ID], 1, memory_order_release, memory_scope_device);
}
