// Work-groups that wait for each other and go on by turns: what each has done before it waits still counts.
//
// $ clerk kernel across.cl -k spin -g 4 -l 2 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --print 0 --checks race
// $ clerk kernel across.cl -k spin_relaxed_lock -g 4 -l 2 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --schedule asc --checks race
// $ clerk kernel across.cl -k spin_relaxed_unlock -g 4 -l 2 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --schedule asc --checks race
// $ clerk kernel across.cl -k spin_work_group -g 4 -l 2 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --schedule asc --checks race
// $ clerk kernel across.cl -k ticket -g 4 -l 1 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --print 0 --checks race
// $ clerk kernel across.cl -k ticket_relaxed -g 4 -l 1 -a 'buf:int[3]=0' --build -cl-std=CL3.0 --schedule asc --checks race
// $ clerk kernel across.cl -k look_back -g 256 -l 64 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 1
// $ clerk kernel across.cl -k look_back_relaxed -g 256 -l 64 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --schedule desc
// $ clerk kernel across.cl -k all_meet -g 192 -l 64 -a 'buf:int[6]=0' -a 'buf:int[192]=iota' --build -cl-std=CL3.0 --checks race
// $ clerk kernel across.cl -k all_meet_relaxed_arrival -g 192 -l 64 -a 'buf:int[6]=0' -a 'buf:int[192]=iota' --build -cl-std=CL3.0 --checks race --schedule asc
// $ clerk kernel across.cl -k all_meet_relaxed_wait -g 192 -l 64 -a 'buf:int[6]=0' -a 'buf:int[192]=iota' --build -cl-std=CL3.0 --checks race --schedule asc
// $ clerk kernel across.cl -k all_meet_local_barrier -g 192 -l 64 -a 'buf:int[6]=0' -a 'buf:int[192]=iota' --build -cl-std=CL3.0 --checks race --schedule asc
// $ clerk kernel across.cl -k all_meet_work_group -g 192 -l 64 -a 'buf:int[6]=0' -a 'buf:int[192]=iota' --build -cl-std=CL3.0 --checks race --schedule asc
// $ clerk kernel across.cl -k local_kept -g 6 -l 2 -a 'buf:int[1]=0' -a 'buf:int[6]=0' --build -cl-std=CL3.0 --print 1 --checks race
// $ clerk kernel across.cl -k local_unordered -g 6 -l 2 -a 'buf:int[1]=0' -a 'buf:int[6]=0' --build -cl-std=CL3.0 --checks race
// $ clerk kernel across.cl -k copy_kept -g 6 -l 2 -a 'buf:int[1]=0' -a 'buf:int[6]=iota' --build -cl-std=CL3.0 --print 1 --checks race
// $ clerk kernel across.cl -k copy_used_early -g 6 -l 2 -a 'buf:int[1]=0' -a 'buf:int[6]=iota' --build -cl-std=CL3.0 --checks race
// $ clerk kernel across.cl -k never_orders -g 4 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --checks race --schedule asc
#define AT(i)     ((global atomic_int *)(a + (i)))
#define IS_FIRST  (get_local_id(0) == 0)
#define GROUPS    ((int)get_num_groups(0))

/* All groups have come here, which orders nothing. */
void meet(global atomic_int *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(count, memory_order_relaxed, memory_scope_device) < (int)get_num_groups(0))
        ;
}

/* a[0] is guarded by the lock a[1]; who has it first keeps it until all have tried it. */
#define SPIN(LOCKING, UNLOCKING, SCOPE)                                                                                \
    if (!IS_FIRST)                                                                                                     \
        return;                                                                                                        \
    atomic_fetch_add_explicit(AT(2), 1, memory_order_relaxed, memory_scope_device);                                    \
    int expected = 0;                                                                                                  \
    while (!atomic_compare_exchange_strong_explicit(AT(1), &expected, 1, LOCKING, memory_order_relaxed, SCOPE))        \
        expected = 0;                                                                                                  \
    a[0] += 1;                                                                                                         \
    while (atomic_load_explicit(AT(2), memory_order_relaxed, memory_scope_device) < GROUPS)                            \
        ;                                                                                                              \
    a[0] += 1;                                                                                                         \
    atomic_store_explicit(AT(1), 0, UNLOCKING, SCOPE)

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

/* The last one to come is served first. */
#define TICKET(UNLOCKING)                                                                                              \
    const int mine = atomic_fetch_add_explicit(AT(1), 1, memory_order_relaxed, memory_scope_device);                   \
    while (atomic_load_explicit(AT(2), memory_order_acquire, memory_scope_device) != GROUPS - 1 - mine)                \
        ;                                                                                                              \
    a[0] += mine;                                                                                                      \
    atomic_store_explicit(AT(2), GROUPS - mine, UNLOCKING, memory_scope_device)

kernel void ticket(global int *a)
{
    TICKET(memory_order_release);
}

kernel void ticket_relaxed(global int *a)
{
    TICKET(memory_order_relaxed);
}

/* A sum over groups, each of which adds to what the one before it has published. */
#define LOOK_BACK(PUBLISHING)                                                                                          \
    const int group = get_group_id(0);                                                                                 \
    int sum = group + 1;                                                                                               \
    if (!IS_FIRST)                                                                                                     \
        return;                                                                                                        \
    if (group > 0) {                                                                                                   \
        while (atomic_load_explicit(AT(group - 1), memory_order_acquire, memory_scope_device) == 0)                    \
            ;                                                                                                          \
        sum += sums[group - 1];                                                                                        \
    }                                                                                                                  \
    sums[group] = sum;                                                                                                 \
    atomic_store_explicit(AT(group), 1, PUBLISHING, memory_scope_device)

kernel void look_back(global int *a, global int *sums)
{
    LOOK_BACK(memory_order_release);
}

kernel void look_back_relaxed(global int *a, global int *sums)
{
    LOOK_BACK(memory_order_relaxed);
}

/* A barrier of all groups: each work-item of group 0 looks after one other group. a[g] says that group g has
 * come, a[3 + g] that it may go. Then all read what the next group has written. */
#define ALL_MEET(FLAGS, ARRIVING, WAITING, SCOPE)                                                                      \
    const int group = get_group_id(0);                                                                                 \
    const int i = get_global_id(0);                                                                                    \
    data[i] = data[i] * 2;                                                                                             \
    work_group_barrier(FLAGS);                                                                                         \
    if (group != 0 && IS_FIRST) {                                                                                      \
        atomic_store_explicit(AT(group), 1, ARRIVING, SCOPE);                                                          \
        while (atomic_load_explicit(AT(3 + group), WAITING, SCOPE) == 0)                                               \
            ;                                                                                                          \
    } else if (group == 0 && i != 0 && i < GROUPS) {                                                                   \
        while (atomic_load_explicit(AT(i), WAITING, SCOPE) == 0)                                                       \
            ;                                                                                                          \
    }                                                                                                                  \
    work_group_barrier(FLAGS);                                                                                         \
    if (group == 0 && i != 0 && i < GROUPS)                                                                            \
        atomic_store_explicit(AT(3 + i), 1, ARRIVING, SCOPE);                                                          \
    const int got = data[(i + 64) % (64 * GROUPS)];                                                                    \
    if (got != (i + 64) % (64 * GROUPS) * 2)                                                                           \
        atomic_store_explicit(AT(0), 99, memory_order_relaxed, memory_scope_device)

kernel void all_meet(global int *a, global int *data)
{
    ALL_MEET(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_order_acquire, memory_scope_device);
}

kernel void all_meet_relaxed_arrival(global int *a, global int *data)
{
    ALL_MEET(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, memory_order_acquire, memory_scope_device);
}

kernel void all_meet_relaxed_wait(global int *a, global int *data)
{
    ALL_MEET(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_order_relaxed, memory_scope_device);
}

kernel void all_meet_local_barrier(global int *a, global int *data)
{
    ALL_MEET(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_order_acquire, memory_scope_device);
}

kernel void all_meet_work_group(global int *a, global int *data)
{
    ALL_MEET(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_order_acquire, memory_scope_work_group);
}

/* Local memory is each group's own, whichever runs between. */
kernel void local_kept(global int *a, global int *out)
{
    local int tile[2];
    const int l = get_local_id(0);
    tile[l] = get_global_id(0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        meet(AT(0));
    out[get_global_id(0)] = tile[1 - l];
}

kernel void local_unordered(global int *a, global int *out)
{
    local int tile[2];
    const int l = get_local_id(0);
    tile[l] = get_global_id(0);
    if (l == 0)
        meet(AT(0));
    out[get_global_id(0)] = tile[1 - l];
}

/* So are its copies. */
kernel void copy_kept(global int *a, global int *data)
{
    local int tile[2];
    const int l = get_local_id(0);
    event_t copied = async_work_group_copy(tile, data + 2 * get_group_id(0), 2, 0);
    if (l == 0)
        meet(AT(0));
    wait_group_events(1, &copied);
    data[get_global_id(0)] = tile[1 - l];
}

kernel void copy_used_early(global int *a, global int *data)
{
    local int tile[2];
    const int l = get_local_id(0);
    event_t copied = async_work_group_copy(tile, data + 2 * get_group_id(0), 2, 0);
    if (l == 0)
        meet(AT(0));
    const int got = tile[l];
    wait_group_events(1, &copied);
    data[get_global_id(0)] = got;
}

/* No operation of the kernel acquires or releases anything. */
kernel void never_orders(global int *a)
{
    if (get_global_id(0) == 1)
        a[0] = 5;
    if (IS_FIRST)
        meet(AT(1));
    if (get_global_id(0) == 2)
        a[0] = 6;
}
// covers: D8 E1 E2 E11 F2 F4
