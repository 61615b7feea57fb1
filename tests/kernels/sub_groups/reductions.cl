// Reductions and scans of sub-groups against loops over local memory: in each type, of every work-item and of those
// that are there, whole and in clusters, whatever the size of the sub-groups; the last of them is smaller. Work-items
// print what they find wrong, and count what they looked at.
//
// $ clerk kernel reductions.cl -k arithmetic -g 90 -l 45 -a 'buf:int[1]=0' --print 0 --sub-group-size 4 --build '-cl-std=CL3.0 -DCLUSTER=2'
// $ clerk kernel reductions.cl -k arithmetic -g 70 -l 70 -a 'buf:int[1]=0' --print 0 --build '-cl-std=CL3.0 -DCLUSTER=8'
// $ clerk kernel reductions.cl -k arithmetic -g 100 -l 100 -a 'buf:int[1]=0' --print 0 --sub-group-size 64 --build '-cl-std=CL3.0 -DCLUSTER=64'
// $ clerk kernel reductions.cl -k arithmetic -g 3 -l 3 -a 'buf:int[1]=0' --print 0 --sub-group-size 1 --build '-cl-std=CL3.0 -DCLUSTER=1'
// $ clerk kernel reductions.cl -k bits -g 7,5,2 -l 7,5,2 -a 'buf:int[1]=0' --print 0 --sub-group-size 16 --build '-cl-std=CL3.0 -DCLUSTER=4'
// $ clerk kernel reductions.cl -k met -g 90 -l 45 -a 'buf:int[1]=0' --print 0 --sub-group-size 8 --build '-cl-std=CL3.0 -DCLUSTER=1'
// $ clerk kernel reductions.cl -k order -g 4 -l 4 -a 'buf:float[4]' --print 0 --build '-cl-std=CL3.0 -DCLUSTER=1'
// $ clerk kernel reductions.cl -k not_met -g 4 -l 4 -a 'buf:int[4]' --print 0 --build '-cl-std=CL3.0 -DCLUSTER=1'

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define LOOK(what, wanted)                                                                                             \
    {                                                                                                                  \
        checked++;                                                                                                     \
        if ((what) != (wanted))                                                                                        \
            printf("work-item %d: %s is wrong\n", id, #what);                                                          \
    }

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b)  ((a) | (b))
#define XOR(a, b) ((a) ^ (b))

#define VALUES(T, VALUE)                                                                                               \
    local T *values = (local T *)memory;                                                                               \
    T own = VALUE;                                                                                                     \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
    values[id] = own;                                                                                                  \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);

// What work-items `i` of the sub-group for which `condition` holds have together.
#define LOOP(T, name, identity, combine, condition)                                                                    \
    T name = identity;                                                                                                 \
    for (int i = 0; i < size; i++)                                                                                     \
        if (condition)                                                                                                 \
            name = combine(name, values[first + i]);

#define HERE(i) ((first + (i)) % 3 != 1)

#define NON_UNIFORM(T, value, name, identity, combine)                                                                 \
    {                                                                                                                  \
        VALUES(T, value)                                                                                               \
        if (HERE(lane)) {                                                                                              \
            LOOP(T, all, identity, combine, HERE(i))                                                                   \
            LOOP(T, to_own, identity, combine, HERE(i) && i <= lane)                                                   \
            LOOP(T, before, identity, combine, HERE(i) && i < lane)                                                    \
            LOOP(T, cluster, identity, combine, HERE(i) && i / CLUSTER == lane / CLUSTER)                              \
            LOOK(sub_group_non_uniform_reduce_##name(own), all)                                                        \
            LOOK(sub_group_non_uniform_scan_inclusive_##name(own), to_own)                                             \
            LOOK(sub_group_non_uniform_scan_exclusive_##name(own), before)                                             \
            LOOK(sub_group_clustered_reduce_##name(own, CLUSTER), cluster)                                             \
        }                                                                                                              \
    }

#define MET(T, name, identity, combine)                                                                                \
    {                                                                                                                  \
        VALUES(T, (T)(id * 37 % 11))                                                                                   \
        LOOP(T, all, identity, combine, true)                                                                          \
        LOOP(T, to_own, identity, combine, i <= lane)                                                                  \
        LOOP(T, before, identity, combine, i < lane)                                                                   \
        LOOK(sub_group_reduce_##name(own), all)                                                                        \
        LOOK(sub_group_scan_inclusive_##name(own), to_own)                                                             \
        LOOK(sub_group_scan_exclusive_##name(own), before)                                                             \
    }

#define BEGIN                                                                                                          \
    local ulong memory[128];                                                                                           \
    int id = get_local_linear_id(), lane = get_sub_group_local_id(), size = get_sub_group_size();                      \
    int first = id - lane, checked = 0;

#define ARITHMETIC(T, value, least, most)                                                                              \
    NON_UNIFORM(T, value, add, 0, ADD)                                                                                 \
    NON_UNIFORM(T, value, mul, 1, MUL)                                                                                 \
    NON_UNIFORM(T, value, min, most, min)                                                                              \
    NON_UNIFORM(T, value, max, least, max)
#define NUMBER  ((id + 5) * 37 % 11)
#define SMALL   (id % 5 == 4 ? 2 : 1) // products are exact

kernel void arithmetic(global int *count)
{
    BEGIN
    ARITHMETIC(char, NUMBER - 5, CHAR_MIN, CHAR_MAX)
    ARITHMETIC(uchar, NUMBER, 0, UCHAR_MAX)
    ARITHMETIC(short, NUMBER - 5, SHRT_MIN, SHRT_MAX)
    ARITHMETIC(ushort, NUMBER, 0, USHRT_MAX)
    ARITHMETIC(int, NUMBER - 5, INT_MIN, INT_MAX)
    ARITHMETIC(uint, NUMBER, 0, UINT_MAX)
    ARITHMETIC(long, NUMBER - 5, LONG_MIN, LONG_MAX)
    ARITHMETIC(ulong, NUMBER, 0, ULONG_MAX)
#define min fmin
#define max fmax
    ARITHMETIC(float, SMALL, -INFINITY, INFINITY)
    ARITHMETIC(double, SMALL, -INFINITY, INFINITY)
#undef min
#undef max
    // fmin and fmax of a half and a constant are ambiguous.
    NON_UNIFORM(half, SMALL, add, 0, ADD)
    NON_UNIFORM(half, SMALL, mul, 1, MUL)
    atomic_fetch_add_explicit((global atomic_int *)count, checked, memory_order_relaxed, memory_scope_device);
}

#define BITS(T)                                                                                                        \
    NON_UNIFORM(T, (T)(id * 0x0123456789abcdefUL), and, (T)~(T)0, AND)                                                 \
    NON_UNIFORM(T, (T)(id * 0x0123456789abcdefUL), or, 0, OR)                                                          \
    NON_UNIFORM(T, (T)(id * 0x0123456789abcdefUL), xor, 0, XOR)

kernel void bits(global int *count)
{
    BEGIN
    BITS(char)
    BITS(uchar)
    BITS(short)
    BITS(ushort)
    BITS(int)
    BITS(uint)
    BITS(long)
    BITS(ulong)
    NON_UNIFORM(int, id % 5 != 3, logical_and, 1, AND)
    NON_UNIFORM(int, id % 7 == 3, logical_or, 0, OR)
    NON_UNIFORM(int, id % 5 == 3, logical_xor, 0, XOR)
    atomic_fetch_add_explicit((global atomic_int *)count, checked, memory_order_relaxed, memory_scope_device);
}

kernel void met(global int *count)
{
    BEGIN
    MET(char, add, 0, ADD)
    MET(uchar, min, UCHAR_MAX, min)
    MET(short, max, SHRT_MIN, max)
    MET(ushort, add, 0, ADD)
    MET(int, add, 0, ADD)
    MET(int, min, INT_MAX, min)
    MET(int, max, INT_MIN, max)
    MET(uint, max, 0, max)
    MET(long, min, LONG_MAX, min)
    MET(ulong, add, 0, ADD)
    MET(float, add, 0, ADD)
    MET(float, min, INFINITY, fmin)
    MET(double, max, -INFINITY, fmax)
    MET(half, add, 0, ADD)
    atomic_fetch_add_explicit((global atomic_int *)count, checked, memory_order_relaxed, memory_scope_device);
}

// Rounded from the first work-item on: ((2^24 + 1) + 1) + 1.
kernel void order(global float *out)
{
    size_t id = get_global_id(0);
    out[id] = sub_group_non_uniform_scan_inclusive_add(id == 0 ? 16777216.0f : 1.0f);
}

// An undefined value spoils what it goes into, and no more.
kernel void not_met(global int *out)
{
    int id = get_local_id(0), nothing;
    int value = id == 2 ? nothing : 1;
    if (sub_group_non_uniform_scan_exclusive_add(value) > 1)
        out[id] = 0;
    if (id != 2 && sub_group_non_uniform_reduce_add(value) > 1)
        out[id] = 1;
}
