// A sequence lock: the number is odd while the data change, and a reader that finds an even number before and the same
// behind has read one state. The data must be atomic; then `out` is 0 0 or 1 1.
// covers: E9 D10
//
// $ clerk kernel sequence.cl -k atomic_data -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel sequence.cl -k waiting -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel sequence.cl -k no_fence -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel sequence.cl -k plain_data -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore

#define LOAD(p, order) atomic_load_explicit(p, order, memory_scope_device)
#define STORE(p, value, order) atomic_store_explicit(p, value, order, memory_scope_device)
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device)

void change(global atomic_int *number, global atomic_int *data)
{
    STORE(number, 1, memory_order_relaxed);
    FENCE(memory_order_release);
    STORE(&data[0], 1, memory_order_relaxed);
    STORE(&data[1], 1, memory_order_relaxed);
    STORE(number, 2, memory_order_release);
}

kernel void atomic_data(global atomic_int *number, global atomic_int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        change(number, data);
        return;
    }
    int before = LOAD(number, memory_order_acquire);
    int a = LOAD(&data[0], memory_order_relaxed);
    int b = LOAD(&data[1], memory_order_relaxed);
    FENCE(memory_order_acquire);
    if (before % 2 == 0 && LOAD(number, memory_order_relaxed) == before) {
        out[0] = a;
        out[1] = b;
    }
}

// Tries until it has one state.
kernel void waiting(global atomic_int *number, global atomic_int *data, global int *out)
{
    int before, a, b;
    if (get_global_id(0) == 0) {
        change(number, data);
        return;
    }
    do {
        before = LOAD(number, memory_order_acquire);
        a = LOAD(&data[0], memory_order_relaxed);
        b = LOAD(&data[1], memory_order_relaxed);
        FENCE(memory_order_acquire);
    } while (before % 2 != 0 || LOAD(number, memory_order_relaxed) != before);
    out[0] = a;
    out[1] = b;
}

// The second look at the number may come before the data are read: `out` may be 0 1.
kernel void no_fence(global atomic_int *number, global atomic_int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        change(number, data);
        return;
    }
    int before = LOAD(number, memory_order_acquire);
    int a = LOAD(&data[0], memory_order_relaxed);
    int b = LOAD(&data[1], memory_order_relaxed);
    if (before % 2 == 0 && LOAD(number, memory_order_relaxed) == before) {
        out[0] = a;
        out[1] = b;
    }
}

kernel void plain_data(global atomic_int *number, global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        STORE(number, 1, memory_order_relaxed);
        FENCE(memory_order_release);
        data[0] = 1;
        data[1] = 1;
        STORE(number, 2, memory_order_release);
        return;
    }
    int before = LOAD(number, memory_order_acquire);
    int a = data[0];
    int b = data[1];
    FENCE(memory_order_acquire);
    if (before % 2 == 0 && LOAD(number, memory_order_relaxed) == before) {
        out[0] = a;
        out[1] = b;
    }
}
