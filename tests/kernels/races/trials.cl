// What is advised is tried, of kernels of more work-items than are explored. tests/kernels/repairs.py applies each by the letter.
#define DEVICE memory_scope_device

// Both sides of a flag; two races; a scope.
//
// $ clerk kernel trials.cl -k both_sides -g 256 -l 128 -a 'buf:int[128]=0' -a 'buf:int[128]=0' -a 'buf:int[128]=0' --build -cl-std=CL3.0
// $ clerk kernel trials.cl -k both_sides -g 256 -l 128 -a 'buf:int[128]=0' -a 'buf:int[128]=0' -a 'buf:int[128]=0' --build -cl-std=CL3.0 --schedule asc --json
// $ clerk kernel trials.cl -k hands_on -g 384 -l 128 -a 'buf:int[256]=0' -a 'buf:int[256]=0' -a 'buf:int[128]=0' --build -cl-std=CL3.0
// $ clerk kernel trials.cl -k narrow -g 256 -l 128 -a 'buf:int[128]=0' -a 'buf:int[128]=0' -a 'buf:int[128]=0' --build -cl-std=CL3.0

// The flag is read, and means nothing: there is nothing to try. And neither is there for few work-items.
//
// $ clerk kernel trials.cl -k ignores -g 256 -l 128 -a 'buf:int[128]=0' -a 'buf:int[128]=0' -a 'buf:int[128]=0' --build -cl-std=CL3.0
// $ clerk kernel trials.cl -k both_sides -g 2 -l 1 -a 'buf:int[128]=0' -a 'buf:int[128]=0' -a 'buf:int[128]=0' --build -cl-std=CL3.0

kernel void both_sides(global int *data, global atomic_int *flags, global int *out)
{
    const size_t i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = 42;
        atomic_store_explicit(&flags[i], 1, memory_order_relaxed, DEVICE);
    } else if (atomic_load_explicit(&flags[i], memory_order_relaxed, DEVICE) == 1) {
        out[i] = data[i];
    }
}

kernel void hands_on(global int *data, global atomic_int *flags, global int *out)
{
    const size_t i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = 42;
        atomic_store_explicit(&flags[i], 1, memory_order_release, DEVICE);
    } else if (get_group_id(0) == 1) {
        if (atomic_load_explicit(&flags[i], memory_order_relaxed, DEVICE) == 1) {
            data[128 + i] = data[i] + 1;
            atomic_store_explicit(&flags[128 + i], 1, memory_order_relaxed, DEVICE);
        }
    } else if (atomic_load_explicit(&flags[128 + i], memory_order_acquire, DEVICE) == 1) {
        out[i] = data[128 + i];
    }
}

kernel void narrow(global int *data, global atomic_int *flags, global int *out)
{
    const size_t i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = 42;
        atomic_store_explicit(&flags[i], 1, memory_order_release, DEVICE);
    } else if (atomic_load_explicit(&flags[i], memory_order_acquire, memory_scope_work_group) == 1) {
        out[i] = data[i];
    }
}

kernel void ignores(global int *data, global atomic_int *flags, global int *out)
{
    const size_t i = get_local_id(0);
    if (get_group_id(0) == 0) {
        atomic_store_explicit(&flags[i], 1, memory_order_release, DEVICE);
        data[i] = 42;
    } else {
        out[i] = data[i] + atomic_load_explicit(&flags[i], memory_order_acquire, DEVICE);
    }
}
