// Locks that wait: rounds of their loops that change nothing are left out, so that every execution ends, or it is told
// that some does not.
// covers: E2 E13
//
// $ clerk kernel locks.cl -k spin -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k spin -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k spin_relaxed -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k spin_narrow -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k try_first -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k ticket -g 3 -l 1 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k ticket_relaxed -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k one_order -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k two_orders -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k two_orders -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel locks.cl -k nobody -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k twice -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel locks.cl -k backs_off -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --unroll 2
// $ clerk kernel locks.cl -k remembers -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore

#define LOCK(lock, order, scope)                                                                                     \
    for (int expected = 0;                                                                                           \
         !atomic_compare_exchange_strong_explicit(lock, &expected, 1, order, memory_order_relaxed, scope);           \
         expected = 0)                                                                                               \
        ;
#define UNLOCK(lock, order, scope) atomic_store_explicit(lock, 0, order, scope)

kernel void spin(global atomic_int *lock, global int *data)
{
    LOCK(lock, memory_order_acquire, memory_scope_device)
    *data += 1;
    UNLOCK(lock, memory_order_release, memory_scope_device);
}

kernel void spin_relaxed(global atomic_int *lock, global int *data)
{
    LOCK(lock, memory_order_acquire, memory_scope_device)
    *data += 1;
    UNLOCK(lock, memory_order_relaxed, memory_scope_device);
}

kernel void spin_narrow(global atomic_int *lock, global int *data)
{
    LOCK(lock, memory_order_acquire, memory_scope_work_group)
    *data += 1;
    UNLOCK(lock, memory_order_release, memory_scope_work_group);
}

// Looks before it tries.
kernel void try_first(global atomic_int *lock, global int *data)
{
    do {
        while (atomic_load_explicit(lock, memory_order_relaxed, memory_scope_device) != 0)
            ;
    } while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) != 0);
    *data += 1;
    UNLOCK(lock, memory_order_release, memory_scope_device);
}

// The ticket also says where in `data` to write: an address that depends on what was read.
#define TICKET(order)                                                                                                \
    int mine = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_device);                    \
    while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_device) != mine)                        \
        ;                                                                                                            \
    data[mine] = get_global_id(0);                                                                                   \
    data[3] += 1;                                                                                                    \
    atomic_store_explicit(&lock[1], mine + 1, order, memory_scope_device);

kernel void ticket(global atomic_int *lock, global int *data)
{
    TICKET(memory_order_release)
}

kernel void ticket_relaxed(global atomic_int *lock, global int *data)
{
    TICKET(memory_order_relaxed)
}

#define BOTH(first, second)                                                                                          \
    LOCK(&lock[first], memory_order_acquire, memory_scope_device)                                                    \
    LOCK(&lock[second], memory_order_acquire, memory_scope_device)                                                   \
    *data += 1;                                                                                                      \
    UNLOCK(&lock[first], memory_order_release, memory_scope_device);                                                 \
    UNLOCK(&lock[second], memory_order_release, memory_scope_device);

kernel void one_order(global atomic_int *lock, global int *data)
{
    BOTH(0, 1)
}

// Each may have one lock, and wait for the other for ever.
kernel void two_orders(global atomic_int *lock, global int *data)
{
    BOTH(get_global_id(0), 1 - get_global_id(0))
}

kernel void nobody(global atomic_int *lock, global int *data)
{
    if (get_global_id(0) == 0) {
        while (atomic_load_explicit(&lock[0], memory_order_acquire, memory_scope_device) == 0)
            ;
    }
    data[0] = 1;
}

// The same loop is entered twice, in a loop that is none that waits.
kernel void twice(global atomic_int *lock, global int *data)
{
    for (int i = 0; i < 2; i++) {
        LOCK(lock, memory_order_acquire, memory_scope_device)
        *data += 1;
        UNLOCK(lock, memory_order_release, memory_scope_device);
    }
}

// Gives the first lock back where it does not get the second: nobody need ever get both, so rounds are counted.
kernel void backs_off(global atomic_int *lock, global int *data)
{
    int me = get_global_id(0);
    for (;;) {
        if (atomic_exchange_explicit(&lock[me], 1, memory_order_acquire, memory_scope_device) != 0)
            continue;
        if (atomic_exchange_explicit(&lock[1 - me], 1, memory_order_acquire, memory_scope_device) == 0)
            break;
        UNLOCK(&lock[me], memory_order_release, memory_scope_device);
    }
    *data += 1;
    UNLOCK(&lock[0], memory_order_release, memory_scope_device);
    UNLOCK(&lock[1], memory_order_release, memory_scope_device);
}

// What it waits for stands in private memory.
kernel void remembers(global atomic_int *lock, global int *data)
{
    int held[2] = {0, 1};
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) == held[get_global_size(0) > 1])
        ;
    *data += held[1];
    UNLOCK(lock, memory_order_release, memory_scope_device);
}
