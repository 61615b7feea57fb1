// What the work-items of a sub-group tell each other: who they are, votes, ballots, shuffles, rotations, broadcasts; against
// local memory, in each type, of all and of some of them. Work-items print what they find wrong, and count what
// they looked at.
//
// $ clerk kernel values.cl -k who -g 8 -l 6 -a 'buf:int8[8]' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel values.cl -k who_requires -g 3 -l 3 -a 'buf:int4[3]' --print 0 --build -cl-std=CL3.0
// $ clerk kernel values.cl -k moves -g 90 -l 45 -a 'buf:int[1]=0' --print 0 --sub-group-size 4 --build '-cl-std=CL3.0 -DCLUSTER=2'
// $ clerk kernel values.cl -k moves -g 71 -l 71 -a 'buf:int[1]=0' --print 0 --sub-group-size 64 --build '-cl-std=CL3.0 -DCLUSTER=16'
// $ clerk kernel values.cl -k vectors -g 45 -l 45 -a 'buf:int[1]=0' --print 0 --sub-group-size 8 --build '-cl-std=CL3.0 -DCLUSTER=1'
// $ clerk kernel values.cl -k votes -g 45 -l 45 -a 'buf:int[1]=0' --print 0 --sub-group-size 8 --build '-cl-std=CL3.0 -DCLUSTER=1'
// $ clerk kernel values.cl -k votes -g 100 -l 100 -a 'buf:int[1]=0' --print 0 --sub-group-size 64 --build '-cl-std=CL3.0 -DCLUSTER=1'
// $ clerk kernel values.cl -k ballots -g 6 -l 6 -a 'buf:uint4[6]' -a 'buf:uint8[6]' --print 0 --print 1 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel values.cl -k masks -g 70 -l 70 -a 'buf:uint4[5]' --print 0 --sub-group-size 64 --build -cl-std=CL3.0
// $ clerk kernel values.cl -k loop -g 6 -l 6 -a 'buf:int[6]' --print 0 --sub-group-size 4 --build -cl-std=CL3.0

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifndef CLUSTER
#define CLUSTER 1
#endif

// The last group has two work-items.
kernel void who(global int8 *out)
{
    out[get_global_id(0)] = (int8)(get_sub_group_size(), get_max_sub_group_size(), get_num_sub_groups(),
                                   get_enqueued_num_sub_groups(), get_sub_group_id(), get_sub_group_local_id(), 0, 0);
}

__attribute__((intel_reqd_sub_group_size(2))) kernel void who_requires(global int4 *out)
{
    out[get_global_id(0)] = (int4)(get_sub_group_size(), get_max_sub_group_size(), get_num_sub_groups(),
                                   get_sub_group_local_id());
}

#define LOOK(what, wanted)                                                                                             \
    {                                                                                                                  \
        checked++;                                                                                                     \
        if (any((what) != (wanted)))                                                                                   \
            printf("work-item %d: %s is wrong\n", id, #what);                                                          \
    }
#define COUNT() atomic_fetch_add_explicit((global atomic_int *)count, checked, memory_order_relaxed, memory_scope_device)

#define BEGIN                                                                                                          \
    local ulong memory[128 * 16];                                                                                      \
    int id = get_local_linear_id(), lane = get_sub_group_local_id(), size = get_sub_group_size();                      \
    int first = id - lane, checked = 0, most = get_max_sub_group_size();

#define HERE(i)     ((i) >= 0 && (i) < size && (first + (i)) % 3 != 1)
#define VALUES(T, VALUE)                                                                                               \
    local T *values = (local T *)memory;                                                                               \
    T own = VALUE;                                                                                                     \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
    values[id] = own;                                                                                                  \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
// A result that comes from nobody is not looked at.
#define FROM(what, source)                                                                                             \
    {                                                                                                                  \
        int from = source, got = what;                                                                                 \
        if (HERE(from))                                                                                                \
            LOOK(got, (int)values[first + from])                                                                       \
    }

#define MOVES(T)                                                                                                       \
    {                                                                                                                  \
        VALUES(T, (T)(id * 37 % 11))                                                                                   \
        if (HERE(lane)) {                                                                                              \
            FROM(sub_group_shuffle(own, (lane * 5 + 1) % size), (lane * 5 + 1) % size)                                 \
            FROM(sub_group_shuffle_xor(own, 3), lane ^ 3)                                                              \
            FROM(sub_group_shuffle_up(own, 2), lane - 2)                                                               \
            FROM(sub_group_shuffle_down(own, 3), lane + 3)                                                             \
            FROM(sub_group_rotate(own, 5), (lane + 5) % most)                                                          \
            FROM(sub_group_rotate(own, -1), (lane + most - 1) % most)                                                  \
            FROM(sub_group_clustered_rotate(own, -1, CLUSTER), lane / CLUSTER * CLUSTER + (lane + CLUSTER - 1) % CLUSTER) \
            FROM(sub_group_non_uniform_broadcast(own, 2), 2)                                                           \
            FROM(sub_group_broadcast_first(own), first % 3 == 1)                                                       \
        }                                                                                                              \
        LOOK(sub_group_broadcast(own, size - 1), values[first + size - 1])                                             \
    }

kernel void moves(global int *count)
{
    BEGIN
    MOVES(char)
    MOVES(uchar)
    MOVES(short)
    MOVES(ushort)
    MOVES(int)
    MOVES(uint)
    MOVES(long)
    MOVES(ulong)
    MOVES(half)
    MOVES(float)
    MOVES(double)
    COUNT();
}

#define VECTORS(T)                                                                                                     \
    {                                                                                                                  \
        VALUES(T, (T)(1) * (T)(id))                                                                                    \
        LOOK(sub_group_broadcast(own, size / 2), values[first + size / 2])                                             \
        if (HERE(lane) && HERE(2))                                                                                     \
            LOOK(sub_group_non_uniform_broadcast(own, 2), values[first + 2])                                           \
    }

kernel void vectors(global int *count)
{
    BEGIN
    VECTORS(char2)
    VECTORS(uchar3)
    VECTORS(short4)
    VECTORS(ushort8)
    VECTORS(int16)
    VECTORS(uint3)
    VECTORS(long2)
    VECTORS(ulong4)
    VECTORS(float16)
    VECTORS(double3)
    COUNT();
}

#define EQUAL(T)                                                                                                       \
    LOOK(sub_group_non_uniform_all_equal((T)(id < 20)), first >= 20 || first + size <= 20 || !mixed)                   \
    LOOK(sub_group_non_uniform_all_equal((T)7), 1)

kernel void votes(global int *count)
{
    BEGIN
    LOOK(sub_group_all(id < 20), first + size <= 20)
    LOOK(sub_group_any(id < 20), first < 20)
    if (HERE(lane)) {
        int all = 1, any_of = 0, lowest = size;
        for (int i = size - 1; i >= 0; i--)
            if (HERE(i)) {
                all &= first + i < 20;
                any_of |= first + i < 20;
                lowest = i;
            }
        int mixed = any_of && !all;
        LOOK(sub_group_elect(), lane == lowest)
        LOOK(sub_group_non_uniform_all(id < 20), all)
        LOOK(sub_group_non_uniform_any(id < 20), any_of)
        EQUAL(char)
        EQUAL(ushort)
        EQUAL(int)
        EQUAL(ulong)
        EQUAL(half)
        EQUAL(float)
        EQUAL(double)
        LOOK(sub_group_non_uniform_all_equal(NAN), 0)
    }
    COUNT();
}

// The ballot of those with an odd id; then what can be asked of any four words.
kernel void ballots(global uint4 *ballots, global uint8 *answers)
{
    uint id = get_local_id(0);
    ballots[id] = (uint4)(0);
    if (id != 1)
        ballots[id] = sub_group_ballot(id & 1);
    uint4 bits = (uint4)(0xf5, 1, 1, 1); // only the lowest four count
    answers[id] = (uint8)(sub_group_inverse_ballot(bits), sub_group_ballot_bit_extract(bits, 1),
                          sub_group_ballot_bit_count(bits), sub_group_ballot_inclusive_scan(bits),
                          sub_group_ballot_exclusive_scan(bits), sub_group_ballot_find_lsb(bits << 1),
                          sub_group_ballot_find_msb(bits), 0);
}

kernel void masks(global uint4 *out)
{
    if (get_local_id(0) == 33) {
        out[0] = get_sub_group_eq_mask();
        out[1] = get_sub_group_ge_mask();
        out[2] = get_sub_group_gt_mask();
        out[3] = get_sub_group_le_mask();
        out[4] = get_sub_group_lt_mask();
    }
}

// Sub-groups go round as often as each of them likes.
kernel void loop(global int *out)
{
    int id = get_local_id(0), rounds = 0;
    while (sub_group_reduce_add(rounds) < 8 * (int)get_sub_group_id() + 3)
        rounds++;
    out[id] = rounds;
}
