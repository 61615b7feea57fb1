// Work-groups, local and private memory that the usual device does not have: what is found there is found of any
// work-item, and right kernels stay right.

// The first and the last work-item.
kernel void ends(global int *out)
{
    local int value;
    const uint last = get_local_size(0) - 1;
    if (get_local_id(0) == last)
        value = 5;
    if (get_local_id(0) == 0)
        out[0] = value;
}
// $ clerk kernel sizes.cl -k ends -g 4096 -l 4096 --build -cl-std=CL3.0 -a 'buf:int[1]=0'
// $ clerk kernel sizes.cl -k ends -g 4096 -l 4096 --build -cl-std=CL3.0 -a 'buf:int[1]=0' --personality max-work-group=4096
// $ clerk kernel sizes.cl -k ends -g 65536 -l 65536 --build -cl-std=CL3.0 -a 'buf:int[1]=0' --personality max-work-group=65536 --schedule asc

// Each step is a barrier: of vectors beyond the 64th too nothing races, and the sum is right.
kernel void sum(global uint *out, local uint *values)
{
    const uint i = get_local_id(0);
    values[i] = i;
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < half_size)
            values[i] += values[i + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == get_local_size(0) - 1)
        out[0] = values[0];
}
// $ clerk kernel sizes.cl -k sum -g 16384 -l 16384 --build -cl-std=CL3.0 -a 'buf:uint[1]=0' -a 'local:uint[16384]' --print 0 --personality max-work-group=16384
// $ clerk kernel sizes.cl -k sum -g 16384 -l 16384 --build -cl-std=CL3.0 -a 'buf:uint[1]=0' -a 'local:uint[16384]' --print 0 --personality max-work-group=16384,local-memory=65535

kernel void skips(local uint *values)
{
    if (get_local_id(0) != 4000)
        barrier(CLK_LOCAL_MEM_FENCE);
    values[0] = 0;
}
// $ clerk kernel sizes.cl -k skips -g 4096 -l 4096 --build -cl-std=CL3.0 -a 'local:uint[1]' --personality max-work-group=4096 --schedule asc

// A flag from the last work-item to the first, and the same without an order.
kernel void passes(global int *data, global atomic_int *flag, int ordered)
{
    const uint i = get_local_id(0);
    if (i == get_local_size(0) - 1) {
        data[0] = 42;
        if (ordered)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
        else
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (i == 0) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group))
            ;
        data[1] = data[0];
    }
}
// $ clerk kernel sizes.cl -k passes -g 16384 -l 16384 --build -cl-std=CL3.0 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=1 --print 0 --personality max-work-group=16384 --schedule asc
// $ clerk kernel sizes.cl -k passes -g 16384 -l 16384 --build -cl-std=CL3.0 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a int=0 --personality max-work-group=16384 --schedule asc

// Collective functions, sub-groups and asynchronous copies.
kernel void together(global uint *out, global const uint *in, local uint *values)
{
    const uint i = get_local_id(0);
    event_t copied = async_work_group_copy(values, in, get_local_size(0), 0);
    wait_group_events(1, &copied);
    const uint all = work_group_reduce_add(values[i]);
    const uint last = work_group_broadcast(i, get_local_size(0) - 1);
    const uint before = work_group_scan_exclusive_add(1u);
    const uint of_sub_group = sub_group_reduce_max(i);
    if (i == get_local_size(0) - 2) {
        out[0] = all;
        out[1] = last;
        out[2] = before;
        out[3] = of_sub_group;
        out[4] = get_sub_group_id();
        out[5] = get_num_sub_groups();
        out[6] = get_enqueued_local_size(0);
        out[7] = get_local_linear_id();
    }
}
// $ clerk kernel sizes.cl -k together -g 8192 -l 8192 --build -cl-std=CL3.0 -a 'buf:uint[8]=0' -a 'buf:uint[8192]=iota' -a 'local:uint[8192]' --print 0 --personality max-work-group=8192 --schedule asc

// Sub-groups that wait for themselves do not order the others.
kernel void rows(global uint *out, local uint *values)
{
    const uint i = get_local_id(0);
    values[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = values[i ^ 1] + values[i ^ 32];
}
// $ clerk kernel sizes.cl -k rows -g 8192 -l 8192 --build -cl-std=CL3.0 -a 'buf:uint[8192]=0' -a 'local:uint[8192]' --personality max-work-group=8192 --schedule asc --sub-group-size 32

// Of each work-item's own texel.
kernel void texels(read_write image2d_t image)
{
    const int2 at = (int2)((int)get_global_id(0), 0);
    write_imageui(image, at, (uint4)(1));
    if (get_global_id(0) == 3000)
        write_imageui(image, at, read_imageui(image, at) + (uint4)(1));
}
// $ clerk kernel sizes.cl -k texels -g 4096 -l 4096 --build -cl-std=CL3.0 -a 'image2d:rg:unsigned_int8[4096x1]=0' --personality max-work-group=4096 --schedule asc

// 288 MiB of private memory in a work-group that waits.
kernel void own(global uint *out)
{
    uint values[18432];
    values[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 4095)
        out[0] = values[4095];
}
// $ clerk kernel sizes.cl -k own -g 4096 -l 4096 --build -cl-std=CL3.0 -a 'buf:uint[1]=0' --print 0 --personality max-work-group=4096 --schedule asc
// $ clerk kernel sizes.cl -k own -g 16384 -l 16384 --build -cl-std=CL3.0 -a 'buf:uint[1]=0' --personality max-work-group=16384
