// Work-items that wait for each other in loops: whoever goes round lets the others of its work-group run on.
//
// $ clerk kernel locks.cl -k lock -g 130 -l 130 -a 'buf:int[2]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k lock_in_loop -g 65 -l 65 -a 'buf:int[2]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k exchange -g 130 -l 130 -a 'buf:int[2]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k test_first -g 130 -l 130 -a 'buf:int[2]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k tickets -g 130 -l 130 -a 'buf:int[3]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k in_turn -g 130 -l 130 -a 'buf:int[2]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k two_ways -g 128 -l 128 -a 'buf:int[1]=0' -a 'buf:int[128]=0' --print 1 --checks hang
// $ clerk kernel locks.cl -k tries -g 2 -l 2 -a 'buf:int[2]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k queue -g 2 -l 2 -a 'buf:int[4]=0' --print 0 --checks hang
// $ clerk kernel locks.cl -k barrier_behind -g 130 -l 130 -a 'buf:int[2]=0' --print 0 --checks hang

kernel void lock(volatile global int *a)
{
    while (atomic_cmpxchg(&a[0], 0, 1) != 0)
        ;
    a[1] = a[1] + 1;
    atomic_xchg(&a[0], 0);
}

/* What is counted after the lock counts for each work-item, wherever the others are. */
kernel void lock_in_loop(volatile global int *a)
{
    int sum = 0;
    for (int i = 1; i <= 3; i++) {
        const int twice = i * 2;
        while (atomic_cmpxchg(&a[0], 0, 1) != 0)
            ;
        a[1] = a[1] + twice;
        atomic_xchg(&a[0], 0);
        sum += twice;
    }
    if (sum != 12)
        atomic_add(&a[1], 1000000);
}

kernel void exchange(volatile global int *a)
{
    while (atomic_xchg(&a[0], 1))
        ;
    a[1] = a[1] + 1;
    atomic_xchg(&a[0], 0);
}

kernel void test_first(volatile global int *a)
{
    do
        while (a[0] != 0)
            ;
    while (atomic_cmpxchg(&a[0], 0, 1) != 0);
    a[1] = a[1] + 1;
    atomic_xchg(&a[0], 0);
}

kernel void tickets(volatile global int *a)
{
    const int mine = atomic_inc(&a[0]);
    while (atomic_add(&a[1], 0) != mine)
        ;
    a[2] = a[2] + 1;
    atomic_inc(&a[1]);
}

/* The last work-item is the first to go. */
kernel void in_turn(volatile global int *a)
{
    const int mine = get_global_size(0) - 1 - get_global_id(0);
    while (atomic_add(&a[0], 0) != mine)
        ;
    a[1] = a[1] * 3 + 1;
    atomic_inc(&a[0]);
}

/* Each half waits for what the other does. */
kernel void two_ways(volatile global int *a, global int *out)
{
    const int i = get_global_id(0);
    const int here = i * 2;
    if (i < 64) {
        atomic_inc(&a[0]);
        while (a[0] < 128)
            ;
        out[i] = here;
    } else {
        while (a[0] < 64)
            ;
        atomic_inc(&a[0]);
        out[i] = -here;
    }
}

/* It looks a hundred thousand times, and then gives up: it need not. */
kernel void tries(volatile global int *a)
{
    if (get_global_id(0) == 0) {
        for (int i = 0; i < 100000 && a[0] == 0; i++)
            ;
        a[1] = a[0];
    } else {
        a[0] = 7;
    }
}

/* The lock is free whenever it is tried; what the loop waits for is something else. */
kernel void queue(volatile global int *a)
{
    if (get_global_id(0) == 0) {
        int got = 0;
        while (!got) {
            while (atomic_cmpxchg(&a[0], 0, 1) != 0)
                ;
            if (a[1] > 0) {
                a[1] = a[1] - 1;
                got = 1;
            }
            atomic_xchg(&a[0], 0);
        }
        a[2] = 5;
    } else {
        a[1] = 1;
    }
}

kernel void barrier_behind(volatile global int *a)
{
    while (atomic_cmpxchg(&a[0], 0, 1) != 0)
        ;
    a[1] = a[1] + 1;
    atomic_xchg(&a[0], 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (a[1] != (int)get_local_size(0))
        a[0] = 99;
}
