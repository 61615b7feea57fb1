// Work-groups that wait for each other: they keep what they have, and run by turns.
//
// $ clerk kernel groups.cl -k look_back -g 256 -l 64 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --print 1
// $ clerk kernel groups.cl -k waits_for_later -g 256 -l 64 -a 'buf:int[5]=0' --print 0 --checks hang
// $ clerk kernel groups.cl -k waits_for_later -g 256 -l 64 -a 'buf:int[5]=0' --schedule desc
// $ clerk kernel groups.cl -k global_barrier -g 256 -l 64 -a 'buf:int[3]=0' -a 'buf:int[256]=iota' -a local:int[64] --print 0
// $ clerk kernel groups.cl -k lock_of_group -g 256 -l 64 -a 'buf:int[2]=0' --print 0
// $ clerk kernel groups.cl -k too_many -g 300 -l 1 -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel groups.cl -k too_many -g 256 -l 1 -a 'buf:int[1]=0' --print 0 --schedule asc
// $ clerk kernel groups.cl -k first_and_last -g 4096 -l 1 -a 'buf:int[3]=0' --print 0 --schedule seed:7

/* A sum over groups, each of which adds to what the one before it has published. */
kernel void look_back(volatile global int *ready, volatile global int *sums)
{
    const int group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    int sum = group + 1;
    if (group > 0) {
        while (atomic_add(&ready[group - 1], 0) == 0)
            ;
        sum += sums[group - 1];
    }
    sums[group] = sum;
    atomic_xchg(&ready[group], 1);
}

kernel void waits_for_later(volatile global int *a)
{
    const int group = get_group_id(0);
    if (group + 1 < (int)get_num_groups(0))
        while (a[group + 1] == 0)
            ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        a[group] = 4 - group;
}

/* Local memory, private values and barriers of a group outlast the time in which others run. */
kernel void global_barrier(volatile global int *a, global int *data, local int *shared)
{
    const int i = get_local_id(0);
    const int mine = data[get_global_id(0)] * 2;
    shared[i] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        atomic_inc(&a[0]);
        while (atomic_add(&a[0], 0) < (int)get_num_groups(0))
            ;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (shared[63 - i] + mine != (int)(256 * get_group_id(0)) + 126)
        atomic_inc(&a[1]);
    atomic_inc(&a[2]);
}

/* It is free whenever a group tries it, since the groups run one after the other. */
kernel void lock_of_group(volatile global int *a)
{
    if (get_local_id(0) == 0) {
        while (atomic_cmpxchg(&a[0], 0, 1) != 0)
            ;
        atomic_inc(&a[1]);
        atomic_xchg(&a[0], 0);
    }
}

/* More groups wait than the device keeps. */
kernel void too_many(volatile global int *a)
{
    atomic_inc(a);
    while (atomic_add(a, 0) < (int)get_num_groups(0))
        ;
}

/* The last group waits for the first, and the first for the second. */
kernel void first_and_last(volatile global int *a)
{
    const uint group = get_group_id(0);
    if (group == get_num_groups(0) - 1) {
        while (atomic_add(&a[0], 0) == 0)
            ;
        a[2] = 3;
    } else if (group == 1) {
        a[1] = 2;
    } else if (group == 0) {
        while (a[1] == 0)
            ;
        atomic_xchg(&a[0], 1);
    }
}
// covers: A4
