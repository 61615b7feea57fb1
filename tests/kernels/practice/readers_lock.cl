// A lock for one writer or many readers: how many read, or -1 while somebody writes.
//
// $ clerk kernel readers_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel readers_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel readers_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLEAVE=memory_order_relaxed'
// $ clerk kernel readers_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLEAVE=memory_order_relaxed' --explore --time 0
// $ clerk kernel readers_lock.cl -g 8 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DTWO_STEPS'
// $ clerk kernel readers_lock.cl -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DTWO_STEPS' --explore --time 0
#define DEVICE memory_scope_device
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

static void begin_to_read(global atomic_int *lock)
{
#ifdef TWO_STEPS
    while (atomic_load_explicit(lock, memory_order_acquire, DEVICE) < 0)
        ;
    atomic_fetch_add_explicit(lock, 1, memory_order_acquire, DEVICE);
#else
    int readers = atomic_load_explicit(lock, memory_order_relaxed, DEVICE);
    do {
        while (readers < 0)
            readers = atomic_load_explicit(lock, memory_order_relaxed, DEVICE);
    } while (!atomic_compare_exchange_strong_explicit(lock, &readers, readers + 1,
                                                   memory_order_acquire, memory_order_relaxed, DEVICE));
#endif
}

static void begin_to_write(global atomic_int *lock)
{
    int expected;
    do {
        expected = 0;
    } while (!atomic_compare_exchange_strong_explicit(lock, &expected, -1, memory_order_acquire,
                                                      memory_order_relaxed, DEVICE));
}

kernel void update(global atomic_int *lock, global int *data, global int *out)
{
    const uint group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    if (group % 2 == 0) {
        begin_to_write(lock);
        data[0] += 1;
        data[1] += 1;
        atomic_store_explicit(lock, 0, memory_order_release, DEVICE);
    } else {
        begin_to_read(lock);
        out[group] = data[1] - data[0];
        atomic_fetch_sub_explicit(lock, 1, LEAVE, DEVICE);
    }
}
