// Each work-item writes one thing and reads another. Nothing races, and yet on devices both may read what was there
// before: no order of the four accesses explains that, and only memory_order_seq_cst excludes it.
// covers: E3 E7 D10
//
// $ clerk kernel buffering.cl -k acq_rel -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k acq_rel -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore --fail-on warning --json
// $ clerk kernel buffering.cl -k seq_cst -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k fences -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k narrow -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k passing -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k coherent -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k writes -g 2 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k readers_acquire -g 4 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k readers_seq_cst -g 4 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel buffering.cl -k readers_acquire -g 4 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --sample 50:1

#define ID ((int)get_global_id(0))

kernel void acq_rel(global atomic_int *x, global int *out)
{
    atomic_store_explicit(&x[ID], 1, memory_order_release, memory_scope_device);
    out[ID] = atomic_load_explicit(&x[1 - ID], memory_order_acquire, memory_scope_device);
}

kernel void seq_cst(global atomic_int *x, global int *out)
{
    atomic_store_explicit(&x[ID], 1, memory_order_seq_cst, memory_scope_device);
    out[ID] = atomic_load_explicit(&x[1 - ID], memory_order_seq_cst, memory_scope_device);
}

kernel void fences(global atomic_int *x, global int *out)
{
    atomic_store_explicit(&x[ID], 1, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    out[ID] = atomic_load_explicit(&x[1 - ID], memory_order_relaxed, memory_scope_device);
}

// In two work-groups: the scopes do not include each other, so that the atomic operations race.
kernel void narrow(global atomic_int *x, global int *out)
{
    atomic_store_explicit(&x[ID], 1, memory_order_seq_cst, memory_scope_work_group);
    out[ID] = atomic_load_explicit(&x[1 - ID], memory_order_seq_cst, memory_scope_work_group);
}

// The second store may be seen before the first.
kernel void passing(global atomic_int *x, global int *out)
{
    if (ID == 0) {
        atomic_store_explicit(&x[0], 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&x[1], 1, memory_order_relaxed, memory_scope_device);
    } else {
        out[1] = atomic_load_explicit(&x[1], memory_order_relaxed, memory_scope_device);
        out[0] = atomic_load_explicit(&x[0], memory_order_relaxed, memory_scope_device);
    }
}

// Two reads of one object never go back.
kernel void coherent(global atomic_int *x, global int *out)
{
    if (ID == 0) {
        atomic_store_explicit(&x[0], 1, memory_order_relaxed, memory_scope_device);
    } else {
        out[0] = atomic_load_explicit(&x[0], memory_order_relaxed, memory_scope_device);
        out[1] = atomic_load_explicit(&x[0], memory_order_relaxed, memory_scope_device);
    }
}

// Both first stores may be the last of their objects.
kernel void writes(global atomic_int *x)
{
    atomic_store_explicit(&x[ID], 1, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&x[1 - ID], 2, memory_order_relaxed, memory_scope_device);
}

// Two readers may see two stores in different orders: `out` is then 1 1.
#define READERS(order_of_load, order_of_store)                                                                       \
    if (ID < 2) {                                                                                                    \
        atomic_store_explicit(&x[ID], 1, order_of_store, memory_scope_device);                                       \
    } else {                                                                                                         \
        int first = atomic_load_explicit(&x[ID - 2], order_of_load, memory_scope_device);                            \
        int second = atomic_load_explicit(&x[3 - ID], order_of_load, memory_scope_device);                           \
        out[ID - 2] = first && !second;                                                                              \
    }

kernel void readers_acquire(global atomic_int *x, global int *out)
{
    READERS(memory_order_acquire, memory_order_release)
}

kernel void readers_seq_cst(global atomic_int *x, global int *out)
{
    READERS(memory_order_seq_cst, memory_order_seq_cst)
}
