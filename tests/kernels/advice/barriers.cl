// Barriers that not all work-items reach, and copies nobody waits for: as races.cl.
//
// $ clerk kernel barriers.cl -k early -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6
// $ clerk kernel barriers.cl -k early_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --print 0
// $ clerk kernel barriers.cl -k early_twice -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6
// $ clerk kernel barriers.cl -k early_twice_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --print 0
// $ clerk kernel barriers.cl -k in_round -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6
// $ clerk kernel barriers.cl -k in_round_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --print 0
// $ clerk kernel barriers.cl -k in_if -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6
// $ clerk kernel barriers.cl -k in_if_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --print 0
// $ clerk kernel barriers.cl -k both_arms -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel barriers.cl -k both_arms_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel barriers.cl -k rounds -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel barriers.cl -k rounds_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel barriers.cl --build -cl-std=CL3.0 -k sources -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel barriers.cl --build -cl-std=CL3.0 -k sources_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel barriers.cl --build -cl-std=CL3.0 -k no_source -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel barriers.cl --build -cl-std=CL3.0 -k no_source_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel barriers.cl -k lost -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=0'
// $ clerk kernel barriers.cl -k lost_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=0' --print 1
// $ clerk kernel barriers.cl -k stride -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=0'
// $ clerk kernel barriers.cl -k stride_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=0' --print 1

/* Adds the first element to the others that there are. */
kernel void early(global int *a, int n)
{
    local int first;
    int i = get_global_id(0);
    if (i >= n)
        return;
    if (get_local_id(0) == 0)
        first = a[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] += first;
}

kernel void early_advised(global int *a, int n)
{
    local int first;
    int i = get_global_id(0);
    if (i < n && get_local_id(0) == 0)
        first = a[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        a[i] += first;
}

/* Of the elements that there are and that are not 0. */
kernel void early_twice(global int *a, int n)
{
    local int last;
    int i = get_global_id(0);
    if (i >= n)
        return;
    if (a[i] == 0)
        return;
    if (i == n - 1)
        last = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] += last;
}

kernel void early_twice_advised(global int *a, int n)
{
    local int last;
    int i = get_global_id(0);
    if (i < n && a[i] != 0 && i == n - 1)
        last = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n && a[i] != 0)
        a[i] += last;
}

/* Adds the neighbour's, until there is none. */
kernel void in_round(global int *a, int n)
{
    int i = get_global_id(0);
    for (int round = 1; round < 3; round++) {
        if (i + round >= n)
            return;
        int next = a[i + round];
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] += next;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void in_round_advised(global int *a, int n)
{
    int i = get_global_id(0);
    for (int round = 1; round < 3; round++) {
        int next = 0;
        if (i + round < n)
            next = a[i + round];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i + round < n)
            a[i] += next;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void in_if(global int *a, int n)
{
    local int first;
    int i = get_global_id(0);
    if (i < n) {
        if (i == 0)
            first = a[i] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] += first;
    }
}

kernel void in_if_advised(global int *a, int n)
{
    local int first;
    int i = get_global_id(0);
    if (i < n)
        if (i == 0)
            first = a[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        a[i] += first;
}

kernel void both_arms(global int *a)
{
    local int room[8];
    int l = get_local_id(0);
    if (l < 4) {
        room[l] = a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        room[l] = -a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[l] = room[7 - l];
}

kernel void both_arms_advised(global int *a)
{
    local int room[8];
    int l = get_local_id(0);
    if (l < 4)
        room[l] = a[l];
    else
        room[l] = -a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = room[7 - l];
}

/* Each adds what the one before it had. */
kernel void rounds(global int *a)
{
    int l = get_local_id(0);
    for (int i = 0; i < l % 3; i++) {
        int before = a[(l + 7) % 8];
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[l] += before;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void rounds_advised(global int *a)
{
    int l = get_local_id(0);
    for (int i = 0; i < 2; i++) {
        int before = a[(l + 7) % 8];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i < l % 3)
            a[l] += before;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

#if __OPENCL_C_VERSION__ >= 200
kernel void sources(global int *a)
{
    int l = get_local_id(0);
    a[l] = work_group_broadcast(a[l], (size_t)l / 4);
}

kernel void sources_advised(global int *a)
{
    int l = get_local_id(0);
    a[l] = work_group_broadcast(a[l], (size_t)1);
}

kernel void no_source(global int *a)
{
    a[get_local_id(0)] = work_group_broadcast(a[get_local_id(0)], (size_t)8);
}

kernel void no_source_advised(global int *a)
{
    a[get_local_id(0)] = work_group_broadcast(a[get_local_id(0)], get_local_size(0) - 1);
}
#endif

kernel void lost(global const int *a, global int *out)
{
    local int room[8];
    int l = get_local_id(0);
    async_work_group_copy(room, a, 8, 0);
    out[l] = 2 * l;
}

kernel void lost_advised(global const int *a, global int *out)
{
    local int room[8];
    int l = get_local_id(0);
    event_t event = async_work_group_copy(room, a, 8, 0);
    out[l] = 2 * l;
    wait_group_events(1, &event);
}

kernel void stride(global const int *a, global int *out)
{
    local int room[8];
    room[get_local_id(0)] = a[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_strided_copy(out, room, 8, 0, 0);
    wait_group_events(1, &event);
}

kernel void stride_advised(global const int *a, global int *out)
{
    local int room[8];
    room[get_local_id(0)] = a[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_strided_copy(out, room, 8, 1, 0);
    wait_group_events(1, &event);
}
