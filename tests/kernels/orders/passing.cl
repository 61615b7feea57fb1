// One work-item writes a value and then a flag; one of another work-group reads the flag and, if it is up, the
// value. What makes that safe, and what does not.
//
// $ clerk kernel passing.cl -k pass -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1
// $ clerk kernel passing.cl -k relaxed_store -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel passing.cl -k relaxed_load -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel passing.cl -k narrow -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel passing.cl -k narrow -g 2 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel passing.cl -k unequal -g 2 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --scope-rule 3.0
// $ clerk kernel passing.cl -k unequal -g 2 -l 2 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel passing.cl -k unequal -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel passing.cl -k by_default -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel passing.cl -k late -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0

#define FLAG ((global atomic_int *)(data + 1))
#define WRITER (get_global_id(0) == 0)

kernel void pass(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(FLAG, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(FLAG, memory_order_acquire, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}

kernel void relaxed_store(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(FLAG, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(FLAG, memory_order_acquire, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}

kernel void relaxed_load(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(FLAG, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(FLAG, memory_order_relaxed, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}

/* Enough within a work-group. */
kernel void narrow(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(FLAG, 1, memory_order_release, memory_scope_work_group);
    } else if (atomic_load_explicit(FLAG, memory_order_acquire, memory_scope_work_group) == 1) {
        out[0] = data[0];
    }
}

kernel void unequal(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(FLAG, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(FLAG, memory_order_acquire, memory_scope_work_group) == 1) {
        out[0] = data[0];
    }
}

/* Without _explicit both are seq_cst, of device scope. */
kernel void by_default(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store(FLAG, 1);
    } else if (atomic_load(FLAG) == 1) {
        out[0] = data[0];
    }
}

/* The flag says more than was written before it. */
kernel void late(global int *data, global int *out)
{
    if (WRITER) {
        atomic_store_explicit(FLAG, 1, memory_order_release, memory_scope_device);
        data[0] = 42;
    } else if (atomic_load_explicit(FLAG, memory_order_acquire, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}
// covers: C6 C9 D8 E1 E2
