// Functions that a sub-group executes as one, blocks that it reads and writes, and named barriers: as races.cl.
//
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k one_left -g 8 -l 8 -a 'buf:int[8]=0'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k one_left_advised -g 8 -l 8 -a 'buf:int[8]=0' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k two_calls -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k two_calls_advised -g 4 -l 4 -a 'buf:int[4]=0' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k other_ids -g 8 -l 8 -a 'buf:int[8]=0'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k other_ids_advised -g 8 -l 8 -a 'buf:int[8]=0' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k no_such_id -g 6 -l 6 -a 'buf:int[6]=0'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k no_such_id_advised -g 6 -l 6 -a 'buf:int[6]=0' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k clusters -g 8 -l 8 -a 'buf:int[8]=0'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k clusters_advised -g 8 -l 8 -a 'buf:int[8]=0' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k absent -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k absent_advised -g 4 -l 4 -a 'buf:int[4]=0' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k named -g 16 -l 16 -a 'buf:int[16]'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k named_advised -g 16 -l 16 -a 'buf:int[16]' --print 0
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k named_by_some -g 16 -l 16 -a 'buf:int[16]'
// $ clerk kernel sub_groups.cl --build -cl-std=CL3.0 --sub-group-size 4 -k named_by_some_advised -g 16 -l 16 -a 'buf:int[16]' --print 0

kernel void one_left(global int *out)
{
    const int id = get_local_id(0);
    if (id == 5)
        return;
    out[id] = sub_group_reduce_add(id);
}

kernel void one_left_advised(global int *out)
{
    const int id = get_local_id(0);
    const int sum = sub_group_reduce_add(id == 5 ? 0 : id);
    if (id != 5)
        out[id] = sum;
}

kernel void two_calls(global int *out)
{
    const int id = get_local_id(0);
    if (id < 2)
        out[id] = sub_group_any(id == 0);
    else
        out[id] = 2 * sub_group_any(id == 0);
}

kernel void two_calls_advised(global int *out)
{
    const int id = get_local_id(0);
    const int any = sub_group_any(id == 0);
    if (id < 2)
        out[id] = any;
    else
        out[id] = 2 * any;
}

/* Of each sub-group the number of its second work-item is meant. */
kernel void other_ids(global int *out)
{
    const int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, id % 4 == 3 ? 2u : 1u);
}

kernel void other_ids_advised(global int *out)
{
    const int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, 1u);
}

/* The second sub-group has two work-items. */
kernel void no_such_id(global int *out)
{
    const int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, 3u);
}

kernel void no_such_id_advised(global int *out)
{
    const int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, get_sub_group_size() - 1);
}

kernel void clusters(global int *out)
{
    const int id = get_local_id(0);
    out[id] = sub_group_clustered_reduce_add(id, 8);
}

kernel void clusters_advised(global int *out)
{
    const int id = get_local_id(0);
    out[id] = get_max_sub_group_size() < 8 ? sub_group_clustered_reduce_add(id, 4)
                                           : sub_group_clustered_reduce_add(id, 8);
}

kernel void absent(global int *out)
{
    const int id = get_local_id(0);
    if (id != 2) {
        const int other = sub_group_shuffle(id, (uint)(id ^ 1));
        if (other > 0)
            out[id] = other;
    }
}

kernel void absent_advised(global int *out)
{
    const int id = get_local_id(0);
    if (id != 2) {
        const int other = sub_group_shuffle(id, (uint)(id ^ 1));
        if ((id ^ 1) != 2 && other > 0)
            out[id] = other;
    }
}

kernel void named(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *all = named_barrier_init(5);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE);
    out[id] = numbers[15 - id];
}

kernel void named_advised(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *all = named_barrier_init(4);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE);
    out[id] = numbers[15 - id];
}

kernel void named_by_some(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *all = named_barrier_init(4);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    if (get_sub_group_id() > 0)
        work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE);
    out[id] = id < 4 ? 0 : numbers[19 - id];
}

kernel void named_by_some_advised(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *all = named_barrier_init(4);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE);
    out[id] = id < 4 ? 0 : numbers[19 - id];
}
