// Asynchronous copies: they move what they should, and what runs beside them must keep off their bytes.
//
// $ clerk kernel copies.cl -k tile -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel copies.cl -k strided -g 4 -l 4 -a 'buf:float2[16]=iota' -a 'buf:float2[16]=0' --print 1
// $ clerk kernel copies.cl -k shared_event -g 4 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[8]' --print 1
// $ clerk kernel copies.cl -k many_events -g 80 -l 80 -a 'buf:int[80]=iota' -a 'buf:int[80]' -a int=2 --print 1
// $ clerk kernel copies.cl -k alone -g 3 -l 1 -a 'buf:int[3]=iota' -a 'buf:int[3]' --print 1
// $ clerk kernel copies.cl -k early_read -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]'
// $ clerk kernel copies.cl -k early_result -g 4 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]' -a int=0
// $ clerk kernel copies.cl -k early_result -g 4 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]' -a int=1 --print 1
// $ clerk kernel copies.cl -k no_barrier -g 4 -l 4 -a 'buf:int[4]'
// $ clerk kernel copies.cl -k barrier_is_no_wait -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]'
// $ clerk kernel copies.cl -k two_into_one -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a int=0
// $ clerk kernel copies.cl -k two_into_one -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a int=1
// $ clerk kernel copies.cl -k other_groups -g 8 -l 4 -a 'buf:int[4]'
// $ clerk kernel copies.cl -k own_arguments -g 4 -l 4 -a 'buf:int[4]=iota'
// $ clerk kernel copies.cl -k lost -g 8 -l 4 -a 'buf:int[4]=iota'
// $ clerk kernel copies.cl -k too_far -g 4 -l 4 -a 'buf:int[3]=iota' -a 'buf:int[4]'
// $ clerk kernel copies.cl -k undefined -g 4 -l 4 -a 'buf:int[4]' -a 'buf:int[4]'

kernel void tile(global const int *in, global int *out)
{
    local int a[4], b[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in + 4 * get_group_id(0), 4, 0);
    prefetch(in, 4);
    wait_group_events(1, &e);
    b[l] = 10 * a[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + 4 * get_group_id(0), b, 4, 0);
    wait_group_events(1, &e);
}

kernel void strided(global const float2 *in, global float2 *out)
{
    local float2 a[4];
    event_t e = async_work_group_strided_copy(a, in, 4, 3, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(out, a, 4, 4, 0);
    wait_group_events(1, &e);
}

// One event stands for both copies.
kernel void shared_event(global const int *in, global int *out)
{
    local int a[8];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in, 4, 0);
    e = async_work_group_copy(a + 4, in + 4, 4, e);
    wait_group_events(1, &e);
    out[l] = a[7 - l];
    out[l + 4] = a[3 - l];
}

// A number of events that is no constant.
kernel void many_events(global const int *in, global int *out, int n)
{
    local int a[80];
    event_t e[2];
    for (int i = 0; i < n; i++)
        e[i] = async_work_group_copy(a + 40 * i, in + 40 * i, 40, 0);
    wait_group_events(n, e);
    out[get_global_id(0)] = a[79 - get_local_id(0)];
}

// A group of one work-item needs no barrier between its own accesses and its copy.
kernel void alone(global const int *in, global int *out)
{
    local int a[1];
    a[0] = in[get_global_id(0)] + 1;
    event_t e = async_work_group_copy(out + get_global_id(0), a, 1, 0);
    wait_group_events(1, &e);
}

kernel void early_read(global const int *in, global int *out)
{
    local int a[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in, 4, 0);
    out[l] = a[l];
    wait_group_events(1, &e);
}

// What a copy writes to global memory is not there before the wait either.
kernel void early_result(global int *out, global int *seen, int waits)
{
    local int a[4];
    int l = get_local_id(0);
    a[l] = 5 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, a, 4, 0);
    if (waits)
        wait_group_events(1, &e);
    seen[l] = out[l ^ 1];
    if (!waits)
        wait_group_events(1, &e);
}

kernel void no_barrier(global int *out)
{
    local int a[4];
    a[get_local_id(0)] = 1;
    event_t e = async_work_group_copy(out, a, 4, 0);
    wait_group_events(1, &e);
}

kernel void barrier_is_no_wait(global const int *in, global int *out)
{
    local int a[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in, 4, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    wait_group_events(1, &e);
}

kernel void two_into_one(global const int *in, global int *out, int waits)
{
    local int a[4];
    event_t e = async_work_group_copy(a, in, 4, 0);
    if (waits)
        wait_group_events(1, &e);
    event_t f = async_work_group_copy(a, in, 2, 0);
    if (!waits)
        wait_group_events(1, &e);
    wait_group_events(1, &f);
    out[get_local_id(0)] = a[get_local_id(0)];
}

kernel void other_groups(global int *out)
{
    local int a[4];
    a[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, a, 4, 0);
    wait_group_events(1, &e);
}

kernel void own_arguments(global const int *in)
{
    local int a[4];
    event_t e = async_work_group_copy(a, in, get_local_id(0), 0);
    wait_group_events(1, &e);
}

kernel void lost(global const int *in)
{
    local int a[4];
    async_work_group_copy(a, in, 4, 0);
}

kernel void too_far(global const int *in, global int *out)
{
    local int a[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in, 4, 0);
    wait_group_events(1, &e);
    out[l] = a[l];
}

kernel void undefined(global const int *in, global int *out)
{
    local int a[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in, 4, 0);
    wait_group_events(1, &e);
    out[l] = a[l] > 0 ? 1 : 2;
}

// covers: A12 A13 F9 F11 D8
