// One work-item passes a value to another by a flag. Every execution is looked at: the reader that comes first, the
// one that comes last, and for the flag that orders nothing the reader that sees it before the value.
// covers: E2 C6 I5
//
// $ clerk kernel passing.cl -k pass -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel passing.cl -k wait -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel passing.cl -k wait -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel passing.cl -k relaxed_load -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel passing.cl -k relaxed_load -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --choices w0.0.1.0.0
// $ clerk kernel passing.cl -k relaxed_load -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --choices w0.9
// $ clerk kernel passing.cl -k narrow -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel passing.cl -k narrow -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel passing.cl -k plain_flag -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel passing.cl -k volatile_flag -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore --json

#define WRITER (get_global_id(0) == 0)

kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}

// Three work-items: two readers, that race for `out`.
kernel void wait(global int *data, global atomic_int *flag, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
            ;
        out[0] = data[0];
    }
}

kernel void relaxed_load(global int *data, global atomic_int *flag, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}

kernel void narrow(global int *data, global atomic_int *flag, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 1) {
        out[0] = data[0];
    }
}

kernel void volatile_flag(global int *data, global volatile int *flag, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[0] = data[0];
    }
}

// Nothing says that the loop waits: it goes round as long as there is room for what it reads.
kernel void plain_flag(global int *data, global int *flag, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[0] = data[0];
    }
}
