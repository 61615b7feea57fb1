// Sub-group functions that all work-items of the sub-group must execute, and those that some may.
//
// $ clerk kernel meeting.cl -k one_left -g 8 -l 8 -a 'buf:int[8]=0' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k none_left -g 8 -l 8 -a 'buf:int[8]=0' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k two_calls -g 4 -l 4 -a 'buf:int[4]=0' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k other_ids -g 8 -l 8 -a 'buf:int[8]=0' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k own_ids -g 8 -l 8 -a 'buf:int[8]=0' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k no_such_id -g 6 -l 6 -a 'buf:int[6]=0' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k absent -g 4 -l 4 -a 'buf:int[4]=0' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k present -g 4 -l 4 -a 'buf:int[4]=0' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k edge -g 4 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0' --print 1 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k some -g 8 -l 8 -a 'buf:int[8]=0' --print 0 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k unequal -g 8 -l 8 -a 'buf:int[8]=0' -a 'buf:int[8]=0' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k equal -g 8 -l 8 -a 'buf:int[8]=0' -a 'buf:int[8]=0' --print 1 --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k some -g 8 -l 8 -a 'buf:int[8]=0' --explore --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k no_barrier -g 4 -l 4 -a 'buf:int[4]' --sub-group-size 4 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k clusters -g 8 -l 8 -a 'buf:int[8]=0' --print 0 --sub-group-size 8 --build -cl-std=CL3.0
// $ clerk kernel meeting.cl -k clusters -g 8 -l 8 -a 'buf:int[8]=0' --sub-group-size 4 --build -cl-std=CL3.0

kernel void one_left(global int *out)
{
    int id = get_local_id(0);
    if (id == 5)
        return;
    out[id] = sub_group_reduce_add(id);
}

// A whole sub-group may leave.
kernel void none_left(global int *out)
{
    int id = get_local_id(0);
    if (get_sub_group_id() == 0)
        return;
    out[id] = sub_group_reduce_add(id);
}

kernel void two_calls(global int *out)
{
    int id = get_local_id(0);
    if (id < 2)
        out[id] = sub_group_any(id == 0);
    else
        out[id] = sub_group_any(id == 3);
}

kernel void other_ids(global int *out)
{
    int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, id == 6 ? 1u : 2u);
}

kernel void own_ids(global int *out)
{
    int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, 2 * get_sub_group_id());
}

// The last sub-group has two work-items.
kernel void no_such_id(global int *out)
{
    int id = get_local_id(0);
    out[id] = sub_group_broadcast(id, 2u);
}

kernel void absent(global int *out)
{
    int id = get_local_id(0);
    if (id != 2) {
        int value = sub_group_shuffle(id, 2u);
        if (value > 0)
            out[id] = value;
    }
}

kernel void present(global int *out)
{
    int id = get_local_id(0);
    int value = sub_group_shuffle(id, 2u);
    if (id != 2 && value > 0)
        out[id] = value;
}

// At the edge the value is undefined, but nobody looks at it.
kernel void edge(global int *kept, global int *out)
{
    int id = get_local_id(0);
    int before = sub_group_shuffle_up(id, 1u);
    kept[id] = before;
    out[id] = id > 0 ? before : -1;
}

kernel void some(global int *out)
{
    int id = get_local_id(0);
    if (id % 3 == 0)
        out[id] = sub_group_ballot(1).x;
    else if (sub_group_elect())
        out[id] = -1;
}

// Some may execute these, but all of them with the same index, number of steps or bits.
kernel void unequal(global int *ids, global int *out)
{
    int id = get_local_id(0);
    ids[id] = id;
    if (id != 3)
        out[id] = sub_group_non_uniform_broadcast(id, (uint)ids[id] % 2) + sub_group_rotate(id, ids[id] / 4 * id) +
                  sub_group_inverse_ballot((uint4)(ids[id] == 5 ? 1 : 2, 0, 0, 0));
}

kernel void equal(global int *ids, global int *out)
{
    int id = get_local_id(0);
    ids[id] = id;
    if (id != 3)
        out[id] = sub_group_non_uniform_broadcast(id, (uint)ids[id] / 4) + sub_group_rotate(id, 4 * (ids[id] / 4)) +
                  sub_group_inverse_ballot((uint4)(2, 0, 0, 0));
}

// They order no memory.
kernel void no_barrier(global int *a)
{
    int id = get_local_id(0);
    a[id] = id;
    if (sub_group_all(id < 4))
        a[id] = a[id ^ 1];
}

// Clusters of eight work-items, which smaller sub-groups do not have, and of four.
kernel void clusters(global int *a)
{
    int id = get_local_id(0);
    a[id] = sub_group_clustered_reduce_add(id, 4) + 100 * sub_group_clustered_rotate(id, 1, 8);
}

// covers: A8 A16 A17 F7
