// Locks: a work-item of each work-group adds to a number that a lock guards.
//
// $ clerk kernel locks.cl -k spin -g 4 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel locks.cl -k spin_relaxed_lock -g 4 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel locks.cl -k spin_relaxed_unlock -g 4 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel locks.cl -k spin_work_group -g 4 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel locks.cl -k ticket -g 4 -l 1 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel locks.cl -k ticket_relaxed -g 4 -l 1 -a 'buf:int[3]=0' --build -cl-std=CL3.0
// $ clerk kernel locks.cl -k test_first -g 4 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel locks.cl -k counter -g 64 -l 8 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel locks.cl -k seq_cst_work_group -g 4 -l 1 -a 'buf:int[2]=0' --build -cl-std=CL3.0

#define LOCK ((global atomic_int *)(a + 1))
#define SPIN(LOCKING, UNLOCKING, SCOPE)                                                                                \
    int expected = 0;                                                                                                  \
    while (!atomic_compare_exchange_strong_explicit(LOCK, &expected, 1, LOCKING, memory_order_relaxed, SCOPE))         \
        expected = 0;                                                                                                  \
    a[0] += 1;                                                                                                         \
    atomic_store_explicit(LOCK, 0, UNLOCKING, SCOPE)

kernel void spin(global int *a)
{
    SPIN(memory_order_acquire, memory_order_release, memory_scope_device);
}

kernel void spin_relaxed_lock(global int *a)
{
    SPIN(memory_order_relaxed, memory_order_release, memory_scope_device);
}

kernel void spin_relaxed_unlock(global int *a)
{
    SPIN(memory_order_acquire, memory_order_relaxed, memory_scope_device);
}

kernel void spin_work_group(global int *a)
{
    SPIN(memory_order_acquire, memory_order_release, memory_scope_work_group);
}

#define TICKET(UNLOCKING)                                                                                              \
    global atomic_int *next = LOCK;                                                                                    \
    global atomic_int *serving = next + 1;                                                                             \
    const int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);                    \
    while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != mine)                           \
        ;                                                                                                              \
    a[0] += 1;                                                                                                         \
    atomic_store_explicit(serving, mine + 1, UNLOCKING, memory_scope_device)

kernel void ticket(global int *a)
{
    TICKET(memory_order_release);
}

kernel void ticket_relaxed(global int *a)
{
    TICKET(memory_order_relaxed);
}

/* Looks before it tries. */
kernel void test_first(global int *a)
{
    do {
        while (atomic_load_explicit(LOCK, memory_order_relaxed, memory_scope_device) != 0)
            ;
    } while (atomic_exchange_explicit(LOCK, 1, memory_order_acquire, memory_scope_device) != 0);
    a[0] += 1;
    atomic_store_explicit(LOCK, 0, memory_order_release, memory_scope_device);
}

/* No lock: the default order is seq_cst. */
kernel void counter(global int *a)
{
    atomic_fetch_add((global atomic_int *)a, 1);
}

/* The strongest order does not help where the scope is too narrow. */
kernel void seq_cst_work_group(global int *a)
{
    atomic_fetch_add_explicit((global atomic_int *)a, 1, memory_order_seq_cst, memory_scope_work_group);
}
// covers: C14 E1 E2 E11
