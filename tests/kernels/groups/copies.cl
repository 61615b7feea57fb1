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
// $ clerk kernel copies.cl -k fenced -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a uint=1 --print 1
// $ clerk kernel copies.cl -k fenced -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a uint=2
// $ clerk kernel copies.cl -k fenced_chain -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a uint=1 --print 1
// $ clerk kernel copies.cl -k fenced_chain -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a uint=0
// $ clerk kernel copies.cl -k beside_fence -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]'
// $ clerk kernel copies.cl -k through_global -g 4 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]' -a uint=3 --print 1
// $ clerk kernel copies.cl -k through_global -g 4 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]' -a uint=1
// $ clerk kernel copies.cl -k fence_is_no_wait -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]'
// $ clerk kernel copies.cl -k own_fence -g 4 -l 4
// $ clerk kernel copies.cl -k lines -g 4 -l 4 -a 'buf:int[12]=iota' -a 'buf:int[14]=9' -a ulong=4 --print 1
// $ clerk kernel copies.cl -k lines -g 4 -l 4 -a 'buf:int[12]=iota' -a 'buf:int[14]=9' -a ulong=2
// $ clerk kernel copies.cl -k planes -g 4 -l 4 -a 'buf:char[64]=iota' -a 'buf:char[24]=0' -a ulong=12 --print 1
// $ clerk kernel copies.cl -k planes -g 4 -l 4 -a 'buf:char[64]=iota' -a 'buf:char[24]=0' -a ulong=11
// $ clerk kernel copies.cl -k lines_race -g 4 -l 4 -a 'buf:int[12]=iota' -a 'buf:int[4]'
// $ clerk kernel copies.cl -k lines_too_far -g 1 -l 1 -a 'buf:int[12]=iota'
// $ clerk kernel copies.cl -k same_element -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a ulong=0
// $ clerk kernel copies.cl -k same_element -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' -a ulong=1 --print 1
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

// A number of events that is not a constant.
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

// The fence must be for the memory that the copies share.
kernel void fenced(global const int *in, global int *out, uint flags)
{
    local int a[4];
    event_t e = async_work_group_copy(a, in, 4, 0);
    async_work_group_copy_fence(flags);
    event_t f = async_work_group_copy(a, in + 2, 2, 0);
    wait_group_events(1, &f); // of the later one first: the earlier one has ended by then, too
    out[get_local_id(0)] = a[get_local_id(0)];
    wait_group_events(1, &e);
}

// By way of a copy between two fences, which touches other bytes.
kernel void fenced_chain(global const int *in, global int *out, uint flags)
{
    local int a[4], b[4];
    event_t e = async_work_group_copy(a, in, 4, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(b, in, 4, e);
    async_work_group_copy_fence(flags);
    e = async_work_group_copy(a + 1, in, 2, e);
    e = async_work_group_copy(b + 1, in + 1, flags ? 3 : 1, e);
    wait_group_events(1, &e);
    out[get_local_id(0)] = a[get_local_id(0)] + b[get_local_id(0)];
}

// Two copies behind the fence are not ordered by it.
kernel void beside_fence(global const int *in, global int *out)
{
    local int a[4];
    event_t e = async_work_group_copy(a, in, 2, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(a, in, 2, e);
    event_t f = async_work_group_copy(a + 1, in, 3, 0);
    wait_group_events(1, &f);
    wait_group_events(1, &e);
    out[get_local_id(0)] = a[get_local_id(0)];
}

// From local memory to global, and back to the same bytes.
kernel void through_global(global int *through, global int *out, uint flags)
{
    local int a[4];
    a[get_local_id(0)] = 10 + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(through, a, 4, 0);
    async_work_group_copy_fence(flags);
    e = async_work_group_copy(a, through, 4, e);
    wait_group_events(1, &e);
    out[get_local_id(0)] = a[get_local_id(0)];
}

// It orders copies, not what the work-items do.
kernel void fence_is_no_wait(global const int *in, global int *out)
{
    local int a[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(a, in, 4, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    out[l] = a[l];
    wait_group_events(1, &e);
}

kernel void own_fence(void)
{
    async_work_group_copy_fence(get_local_id(0) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);
}

// Two lines of three elements in, and out again elsewhere.
kernel void lines(global const int *in, global int *out, ulong length)
{
    local int a[12];
    event_t e = async_work_group_copy_2D2D(a, 1, in, 2, sizeof(int), 3, 2, length, 6, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_2D2D(out, 1, a, 1, sizeof(int), 3, 2, 6, 8, 0);
    wait_group_events(1, &e);
}

typedef struct __attribute__((packed)) { uchar r, g, b; } pixel;

// Two planes of two lines of two pixels of three bytes.
kernel void planes(global const char *in, global char *out, ulong area)
{
    local char a[40];
    event_t e = async_work_group_copy_3D3D((local pixel *)a, 1, (global const pixel *)in, 0, sizeof(pixel), 2, 2, 2, 4, 8,
                                           3, area / 2, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_3D3D(out, 0, a, 3, 1, 6, 2, 2, 9, 3 * (area / 2), 6, area, 0);
    wait_group_events(1, &e);
}

kernel void lines_race(global const int *in, global int *out)
{
    local int a[12];
    int l = get_local_id(0);
    event_t e = async_work_group_copy_2D2D(a, 0, in, 0, sizeof(int), 2, 3, 2, 4, 0);
    if (l < 3)
        a[4 * l + 2] = l; // between the lines
    out[l] = l < 3 ? a[4 * l + 1] : 0;
    wait_group_events(1, &e);
}

kernel void lines_too_far(global const int *in)
{
    local int a[12];
    event_t e = async_work_group_copy_2D2D(a, 0, in, 0, sizeof(int), 4, 4, 4, 4, 0);
    wait_group_events(1, &e);
}

kernel void same_element(global const int *in, global int *out, ulong stride)
{
    local int a[4];
    int l = get_local_id(0);
    event_t e = async_work_group_strided_copy(a, in, 4, stride, 0);
    wait_group_events(1, &e);
    out[l] = a[l];
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

// covers: A12 A13 F9 F10 F11 D8
