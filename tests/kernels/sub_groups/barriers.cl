// Sub-group barriers: what they order, between whom, and who must come to them.
//
// $ clerk kernel barriers.cl -k tree -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[2]' --print 1 --sub-group-size 8 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k tree -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[2]' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k read_then_write -g 8 -l 8 -a 'buf:int[1]=7' -a 'buf:int[8]' -a int=0 --print 0 --print 1 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k read_then_write -g 8 -l 8 -a 'buf:int[1]=7' -a 'buf:int[8]' -a int=1 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k wrong_flags -g 8 -l 8 -a 'buf:int[8]' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k right_flags -g 8 -l 8 -a 'buf:int[8]' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k some_sub_groups -g 12 -l 12 -a 'buf:int[12]' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k each_its_own -g 80 -l 80 -a 'buf:int[80]' --print 0 --sub-group-size 16 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k half_of_one -g 8 -l 8 -a 'buf:int[8]' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k rounds -g 8 -l 8 -a 'buf:int[8]' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k of_two_kinds -g 8 -l 8 -a 'buf:int[8]' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k published -g 128 -l 128 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --schedule asc --print 1 --sub-group-size 64 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k published_narrowly -g 128 -l 128 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --schedule asc --sub-group-size 64 --build -cl-std=CL3.0
// $ clerk kernel barriers.cl -k published_by_default -g 128 -l 128 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --schedule asc --sub-group-size 64 --build -cl-std=CL3.0

// The last steps of a reduction, of one sub-group: right as long as one sub-group has them all.
kernel void tree(global const int *in, global int *out)
{
    local int part[8];
    int id = get_local_id(0);
    part[id] = in[get_global_id(0)];
    for (int step = 4; step > 0; step /= 2) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (id < step)
            part[id] += part[id + step];
    }
    if (id == 0)
        out[get_group_id(0)] = part[0];
}

// Who wrote has seen that its own sub-group has read.
kernel void read_then_write(global int *a, global int *out, int writer)
{
    int value = 0;
    if (get_sub_group_id() == 0)
        value = *a;
    out[get_local_id(0)] = value;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_id() == writer && get_sub_group_local_id() == 1)
        *a = 8;
}

kernel void wrong_flags(global int *out)
{
    local int part[8];
    int id = get_local_id(0);
    part[id] = id;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = part[id ^ 1];
}

kernel void right_flags(global int *out)
{
    local int part[8];
    int id = get_local_id(0);
    part[id] = id;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[id] = part[id ^ 1];
}

// A sub-group barrier is the business of one sub-group.
kernel void some_sub_groups(global int *out)
{
    local int part[12];
    int id = get_local_id(0), value = 10 * id;
    part[id] = id;
    if (get_sub_group_id() != 1) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        value += part[id ^ 1];
    } else {
        value = -value;
    }
    out[id] = value;
}

// Each sub-group goes round as often as its number; what a work-item holds outlives that.
kernel void each_its_own(global int *out)
{
    local int part[80];
    int id = get_local_id(0), kept = 1000 * id, sum = 0;
    for (uint i = 0; i < get_sub_group_id(); i++) {
        part[id] = id + i;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        sum += part[id ^ 1];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[id] = kept + sum;
}

kernel void half_of_one(global int *out)
{
    int id = get_local_id(0);
    if (id != 6)
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = id;
}

kernel void rounds(global int *out)
{
    int id = get_local_id(0);
    for (int i = 0; i < 3 + id / 7; i++)
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = id;
}

kernel void of_two_kinds(global int *out)
{
    int id = get_local_id(0);
    if (id < 6)
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    else
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = id;
}

// The fences of a sub-group barrier reach as far as its scope says: with the relaxed flag behind them to the other
// sub-groups, or to none.
#define PUBLISH(...)                                                                                                   \
    global atomic_int *flag = (global atomic_int *)(a + 1);                                                            \
    const bool first = get_sub_group_local_id() == 0;                                                                  \
    if (get_sub_group_id() == 0) {                                                                                     \
        if (first)                                                                                                     \
            a[0] = 42;                                                                                                 \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE __VA_ARGS__);                                                           \
        if (first)                                                                                                     \
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);                             \
    } else {                                                                                                           \
        const int seen = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group);                    \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE __VA_ARGS__);                                                           \
        if (first && seen)                                                                                             \
            out[0] = a[0];                                                                                             \
    }

kernel void published(global int *a, global int *out)
{
    PUBLISH(, memory_scope_work_group)
}

kernel void published_narrowly(global int *a, global int *out)
{
    PUBLISH(, memory_scope_sub_group)
}

// As narrowly: "For the sub_group_barrier variant that does not take a memory scope, the scope is memory_scope_sub_group."
kernel void published_by_default(global int *a, global int *out)
{
    PUBLISH()
}
// covers: A8 F8 D5
