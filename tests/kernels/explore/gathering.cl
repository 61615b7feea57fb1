// What functions of work-groups give depends on what all bring there, and nothing is ordered by them.
//
// $ clerk kernel gathering.cl -k sums -g 6 -l 3 -a 'buf:int[6]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k votes -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k tells -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k rounds -g 2 -l 2 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k unordered -g 2 -l 2 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k disagrees -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k apart -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore

#define ID get_global_id(0)
#define LOCAL get_local_id(0)
#define TAKE(place) atomic_fetch_add_explicit(place, 1, memory_order_relaxed, memory_scope_device)

// 1, 2, 3 of each group: the sum, those before, those up to here.
kernel void sums(global int *out)
{
    const int own = LOCAL + 1;
    out[ID] = work_group_reduce_add(own) * 100 + work_group_scan_exclusive_add(own) * 10 +
              work_group_scan_inclusive_max(own);
}

// One of the two comes first, and all know that somebody did.
kernel void votes(global atomic_int *first, global int *out)
{
    const int mine = TAKE(first);
    out[ID] = work_group_any(mine == 0) * 10 + work_group_all(mine == 0);
}

// Which of them is told to both.
kernel void tells(global atomic_int *next, global int *out)
{
    out[ID] = work_group_broadcast(TAKE(next), 1);
}

// They agree when to end.
kernel void rounds(global atomic_int *x)
{
    int mine;
    do {
        mine = TAKE(x);
    } while (!work_group_any(mine >= 3));
}

// As if nothing were there.
kernel void unordered(global int *x, global int *out)
{
    x[ID] = 1;
    if (work_group_all(1))
        out[ID] = x[1 - ID];
}

kernel void disagrees(global int *out)
{
    out[ID] = work_group_broadcast((int)ID, ID);
}

kernel void apart(global int *out)
{
    if (ID == 0)
        out[ID] = work_group_all(1);
}

// Functions of sub-groups, of four work-items and two; of two and two in the others. To those that are not uniform not all
// need to come.
//
// $ clerk kernel gathering.cl -k lanes -g 6 -l 6 -a 'buf:int[6]=0' --build -cl-std=CL3.0 --explore --sub-group-size 4
// $ clerk kernel gathering.cl -k lane_votes -g 4 -l 4 -a 'buf:int[2]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore --sub-group-size 2
// $ clerk kernel gathering.cl -k lane_tells -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int2[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k lane_rounds -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k lanes_unordered -g 2 -l 2 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k lanes_disagree -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel gathering.cl -k lanes_apart -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
#define LANE get_sub_group_local_id()

kernel void lanes(global int *out)
{
    const int own = LANE + 1;
    out[ID] = sub_group_reduce_add(own) * 100 + sub_group_scan_exclusive_add(own) * 10 +
              sub_group_scan_inclusive_max(own);
}

kernel void lane_votes(global atomic_int *first, global int *out)
{
    const int mine = TAKE(&first[get_sub_group_id()]);
    out[ID] = sub_group_any(mine == 0) * 10 + sub_group_all(mine == 0);
}

kernel void lane_tells(global atomic_int *next, global int2 *out)
{
    out[ID] = sub_group_broadcast((int2)(TAKE(next), LANE), 1);
}

kernel void lane_rounds(global atomic_int *x, global int *out)
{
    int rounds = 0;
    while (sub_group_all(TAKE(x) < 3))
        rounds++;
    out[ID] = rounds;
}

kernel void lanes_unordered(global int *x, global int *out)
{
    x[ID] = 1;
    if (sub_group_all(1))
        out[ID] = x[1 - ID];
}

kernel void lanes_disagree(global int *out)
{
    out[ID] = sub_group_broadcast((int)ID, ID);
}

kernel void lanes_apart(global int *out)
{
    if (ID == 0)
        out[0] = sub_group_all(1);
    else
        out[1] = sub_group_any(1);
}
