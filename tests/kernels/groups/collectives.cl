// Work-group functions: what they give, also in groups of several lane vectors, in ones at the edge of a range
// that they do not divide, in loops; and what they cannot be used for.
//
// $ clerk kernel collectives.cl -k votes -g 200 -l 100 -a 'buf:int[2]' -a int=150 --print 0 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k sums -g 70 -l 66 -a 'buf:int[70]=iota' -a 'buf:int[70]' -a 'buf:int[70]' --print 0 --print 1 --print 2 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k extremes -g 6 -l 3 -a 'buf:long[6]=iota' -a 'buf:long[24]' --print 1 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k floating -g 4 -l 4 -a 'buf:float[4]=16777216' -a 'buf:double[4]=iota' -a 'buf:float[4]' -a 'buf:double[8]' --print 2 --print 3 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k halves -g 4 -l 4 -a 'buf:float[4]=iota' -a 'buf:float[12]' --print 1 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k broadcasts -g 4,3,2 -l 4,3,2 -a 'buf:int[24]' --print 0 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k loop -g 70 -l 70 -a 'buf:int[1]' --print 0 --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k undefined -g 4 -l 4 -a 'buf:int[4]' -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k no_fence -g 4 -l 4 -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k no_local_fence -g 4 -l 4 -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k local_fence -g 4 -l 4 -a 'buf:int[4]' --build -cl-std=CL3.0 --print 0
// $ clerk kernel collectives.cl -k in_if -g 4 -l 4 -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k either -g 4 -l 4 -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k many_sources -g 100 -l 100 -a 'buf:int[100]' --build -cl-std=CL3.0
// $ clerk kernel collectives.cl -k no_source -g 10 -l 8 -a 'buf:int[10]' -a int=2 --build -cl-std=CL3.0

kernel void votes(global int *out, int limit)
{
    int id = get_global_id(0);
    int all = work_group_all(id < limit), any = work_group_any(id == limit);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = 10 * all + any;
}

// In place: results and arguments may share rows.
kernel void sums(global int *in, global int *inclusive, global int *exclusive)
{
    size_t id = get_global_id(0);
    int value = in[id];
    in[id] = work_group_reduce_add(value);
    inclusive[id] = work_group_scan_inclusive_add(value);
    exclusive[id] = work_group_scan_exclusive_add(value);
}

kernel void extremes(global const long *in, global long *out)
{
    size_t id = get_global_id(0);
    long value = id % 2 ? in[id] : -in[id];
    out[id] = work_group_reduce_min(value);
    out[6 + id] = work_group_scan_inclusive_max(value);
    out[12 + id] = work_group_scan_exclusive_min(value);
    out[18 + id] = (long)work_group_scan_exclusive_max((uint)value);
}

// Rounded from the first work-item on: ((2^24 + 1) + 1) + 1 in float.
kernel void floating(global const float *a, global const double *b, global float *c, global double *d)
{
    size_t id = get_global_id(0);
    c[id] = work_group_scan_inclusive_add(id == 0 ? a[id] : 1.0f);
    d[id] = work_group_reduce_max(b[id] / 3);
    d[4 + id] = work_group_scan_exclusive_min(-b[id]);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global const float *in, global float *out)
{
    size_t id = get_global_id(0);
    half value = (half)in[id];
    out[id] = work_group_reduce_add(value / 2);
    out[4 + id] = work_group_scan_exclusive_max(value);
    out[8 + id] = work_group_broadcast(value, 2);
}

kernel void broadcasts(global int *out)
{
    int linear = get_local_linear_id();
    int value = work_group_broadcast(linear, 3, 1, 1);
    out[linear] = value * 100 + work_group_broadcast(linear * 2, linear - linear, 2, 0);
}

kernel void loop(global int *out)
{
    int total = 0;
    for (int i = 0; !work_group_all(i >= 3); i++)
        total += work_group_reduce_add((int)get_local_id(0) < i);
    if (get_local_id(0) == 0)
        *out = total;
}

kernel void undefined(global int *in, global int *out)
{
    int id = get_local_id(0), nothing;
    out[id] = work_group_reduce_add(id == 2 ? nothing : 1);
}

// They order no memory.
kernel void no_fence(global int *a)
{
    int id = get_local_id(0);
    a[id] = id;
    int sum = work_group_reduce_add(id);
    if (sum == 6)
        a[id] = a[id ^ 1];
}

kernel void no_local_fence(global int *out)
{
    local int tile[4];
    int id = get_local_id(0);
    tile[id] = id;
    if (work_group_all(id < 4))
        out[id] = tile[3 - id];
}

kernel void local_fence(global int *out)
{
    local int tile[4];
    int id = get_local_id(0);
    tile[id] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work_group_all(id < 4))
        out[id] = tile[3 - id];
}

kernel void in_if(global int *out)
{
    int id = get_local_id(0);
    if (id < 3)
        out[id] = work_group_reduce_add(id);
}

kernel void either(global int *out)
{
    int id = get_local_id(0);
    if (id < 3)
        out[id] = work_group_reduce_add(id);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void many_sources(global int *out)
{
    int id = get_local_id(0);
    out[id] = work_group_broadcast(id, id < 70 ? 1 : 2);
}

// The group at the edge has two work-items.
kernel void no_source(global int *out, int source)
{
    out[get_global_id(0)] = work_group_broadcast((int)get_global_id(0), source);
}

// covers: A7 A15 F7
