// Where work-groups are no larger than sub-groups, each is a single one: "In this degenerate case all sub-group scope
// functions are equivalent to their work-group level equivalents" (OpenCL API 3.0, 3.2.1).
//
// $ clerk kernel one_sub_group.cl -k same --personality sub-group=64,max-work-group=64 -g 128 -l 64 -a 'buf:int[128]=random:3' -a 'buf:int[1]=0' --print 1 --build -cl-std=CL3.0
// $ clerk kernel one_sub_group.cl -k same --personality sub-group=64,max-work-group=64 -g 80 -l 40 -a 'buf:int[80]=random:3' -a 'buf:int[1]=0' --print 1 --build -cl-std=CL3.0
// $ clerk kernel one_sub_group.cl -k same --personality sub-group=8,max-work-group=8 -g 8,2 -l 4,2 -a 'buf:int[16]=random:3' -a 'buf:int[1]=0' --print 1 --build -cl-std=CL3.0
// $ clerk kernel one_sub_group.cl -k same --personality sub-group=32 -g 64 -l 64 -a 'buf:int[64]=random:3' -a 'buf:int[1]=0' --print 1 --build -cl-std=CL3.0
// $ clerk kernel one_sub_group.cl -k turned --personality sub-group=64,max-work-group=64 -g 128 -l 64 -a 'buf:int[128]=iota' --build -cl-std=CL3.0
// $ clerk kernel one_sub_group.cl -k turned --personality sub-group=32 -g 128 -l 64 -a 'buf:int[128]=iota' --build -cl-std=CL3.0

// How many answers of the sub-group are not those of the work-group: none.
kernel void same(global const int *in, global int *unlike)
{
    const int own = in[get_global_linear_id()] % 1000;
    const int last = (int)get_local_linear_id();
    int count = get_num_sub_groups() != 1;
    count += get_sub_group_size() != get_local_size(0) * get_local_size(1);
    count += get_sub_group_local_id() != get_local_linear_id();
    count += sub_group_all(own > 0) != work_group_all(own > 0);
    count += sub_group_any(own > 900) != work_group_any(own > 900);
    count += sub_group_reduce_add(own) != work_group_reduce_add(own);
    count += sub_group_reduce_min(own) != work_group_reduce_min(own);
    count += sub_group_scan_exclusive_max(own) != work_group_scan_exclusive_max(own);
    count += sub_group_scan_inclusive_add(own) != work_group_scan_inclusive_add(own);
    count += sub_group_broadcast(last, 0) != work_group_broadcast(last, 0, 0);
    atomic_fetch_add_explicit((global atomic_int *)unlike, count, memory_order_relaxed, memory_scope_device);
}

// The barrier of the sub-group is one of the work-group.
kernel void turned(global int *a)
{
    local int row[64];
    const int id = get_local_id(0);
    row[id] = a[get_global_id(0)];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = row[63 - id];
}
