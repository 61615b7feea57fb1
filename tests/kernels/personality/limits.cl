/* Sizes and floats: what a kernel can rely on is the same everywhere, what it merely finds is not. */

// $ clerk kernel limits.cl -k sums -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1
// $ clerk kernel limits.cl -k sums -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --personality sub-group=8
/* One sum for each sub-group is added: however many there are. */
#ifdef __opencl_c_subgroups
kernel void sums(global const int *in, global int *total)
{
    const int sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        atomic_add(total, sum);
}
#endif

// $ clerk kernel limits.cl -k first_only -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1
// $ clerk kernel limits.cl -k first_only -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --personality sub-group=8
/* Written for sub-groups of 32. */
#ifdef __opencl_c_subgroups
kernel void first_only(global const int *in, global int *total)
{
    const int sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_global_id(0) % 32 == 0)
        atomic_add(total, sum);
}
#endif

// $ clerk kernel limits.cl -k steps -g 1 -a 'buf:float[1]=0x1p-120' -a 'buf:int[1]' --print 1
// $ clerk kernel limits.cl -k steps -g 1 -a 'buf:float[1]=0x1p-120' -a 'buf:int[1]' --print 1 --personality ftz
/* How often a number can be halved. */
kernel void steps(global const float *x, global int *count)
{
    int steps = 0;
    for (float y = x[0]; y > 0; y *= 0.5f)
        steps++;
    *count = steps;
}

// $ clerk kernel limits.cl -k steps -g 4 -l 4 -a 'buf:float[1]=1' -a 'buf:int[1]' --personality minimum
// $ clerk kernel limits.cl -k steps -g 1 -a 'buf:float[1]=1' -a 'buf:int[1]' --personality sub-group=5
// $ clerk kernel limits.cl -k big_tile -g 1 -a 'buf:int[1]' --build -cl-std=CL3.0 --personality embedded
kernel void big_tile(global int *out)
{
    local int tile[512];
    tile[0] = 1;
    out[0] = tile[0];
}
