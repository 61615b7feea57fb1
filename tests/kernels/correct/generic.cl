// Where a generic pointer leads, and work-item functions beyond the last dimension.
//
// $ clerk kernel generic.cl -k lead -g 3 -l 3 -a buf:int[15]=0 -a buf:int[3]=7 -a local:int[3] --print 0 --print 1 --build -cl-std=CL3.0
// $ clerk kernel generic.cl -k beyond -g 6 -l 3 --offset 4 -a buf:ulong[10]=9 -a uint=3 --print 0 --build -cl-std=CL3.0
// $ clerk kernel generic.cl -k beyond -g 6 -l 3 --offset 4 -a buf:ulong[10]=9 -a uint=0 --print 0 --build -cl-std=CL3.0

kernel void lead(global int *out, global int *memory, local int *shared)
{
    int own = 1;
    size_t i = get_local_id(0);
    shared[i] = 7;
    generic int *p = i == 0 ? (generic int *)&own : i == 1 ? (generic int *)(memory + i) : (generic int *)(shared + i);
    global int *a = to_global(p);
    local int *b = to_local(p);
    private int *c = to_private(p);
    if (a)
        *a = 10;
    if (b)
        *b = 20;
    if (c)
        *c = 30;
    out += 5 * i;
    out[0] = get_fence(p) == CLK_GLOBAL_MEM_FENCE;
    out[1] = get_fence(p) == CLK_LOCAL_MEM_FENCE;
    out[2] = own;
    out[3] = shared[i];
    out[4] = to_global((generic int *)0) == 0 && to_local((generic int *)0) == 0;
}

kernel void beyond(global ulong *o, uint d)
{
    if (get_global_id(0) != 4)
        return;
    o[0] = get_global_id(3);
    o[1] = get_global_id(d);
    o[2] = get_global_size(d);
    o[3] = get_local_size(17);
    o[4] = get_global_offset(d);
    o[5] = get_enqueued_local_size(d);
    o[6] = get_num_groups(5);
    o[7] = get_local_id(4);
    o[8] = get_group_id(d);
    o[9] = get_global_size(1);
}
