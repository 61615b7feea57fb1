// What memory an explored kernel may touch: local memory of each work-group, addresses that depend on what was read,
// components of vectors, members of structures, numbers of every type; and what cannot be touched.
// covers: F1 B1 A9
//
// $ clerk kernel places.cl -k exchange -g 4 -l 2 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k exchange_early -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k rounds -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k some -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k elsewhere -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k pairs -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --sub-group-size 2 --explore
// $ clerk kernel places.cl -k pairs -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --sub-group-size 1 --explore
// $ clerk kernel places.cl -k takes -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[3]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k takes -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k takes -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel places.cl -k late -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k vectors -g 2 -l 1 -a 'buf:float4[2]=1' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k structures -g 2 -l 1 -a 'buf:int[4]=iota' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k types -g 1 -l 1 -a 'buf:uchar[1]=0' -a 'buf:short[1]=0' -a 'buf:ulong[1]=0' -a 'buf:double[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel places.cl -k types -g 1 -l 1 -a 'buf:uchar[1]=0' -a 'buf:short[1]=0' -a 'buf:ulong[1]=0' -a 'buf:double[1]=0' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel places.cl -k sums -g 2 -l 1 -a 'buf:int[40]=iota' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore

// Local memory as two work-items hand it to each other.
kernel void exchange(global int *out)
{
    local int a[2];
    a[get_local_id(0)] = get_global_id(0) + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[1 - get_local_id(0)];
}

kernel void exchange_early(global int *out)
{
    local int a[2];
    a[get_local_id(0)] = get_global_id(0) + 1;
    out[get_global_id(0)] = a[1 - get_local_id(0)];
}

// A barrier in a loop: the second round must wait for the first to be read.
kernel void rounds(global int *out)
{
    local int a[2];
    int me = get_local_id(0), sum = 0;
    for (int i = 1; i < 3; i++) {
        a[me] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += a[1 - me];
    }
    out[me] = sum;
}

kernel void some(global int *out)
{
    if (get_local_id(0) == 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

kernel void elsewhere(global int *out)
{
    if (get_local_id(0) == 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

// Two work-items of a sub-group hand local memory to each other; alone in their sub-groups they race.
kernel void pairs(global int *out)
{
    local int a[4];
    int me = get_local_id(0);
    a[me] = me + 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[me] = a[me ^ 1];
}

// Three work-items take numbers: two elements are too few.
kernel void takes(global int *count, global int *out)
{
    out[atomic_inc(count)] = get_global_id(0);
}

// Only in weak executions: both flags may be down.
kernel void late(global atomic_int *flags, global int *out)
{
    int me = get_global_id(0);
    atomic_store_explicit(&flags[me], 1, memory_order_relaxed, memory_scope_device);
    int other = atomic_load_explicit(&flags[1 - me], memory_order_relaxed, memory_scope_device);
    int before = atomic_fetch_add_explicit(&flags[1], 2 - other, memory_order_relaxed, memory_scope_device);
    out[me + before / 3] = 1;
}

kernel void vectors(global float4 *v)
{
    if (get_global_id(0) == 0)
        v[0] = (float4)(0.5f, 1, 1e30f, -0.0f);
    else
        v[1].xz = v[0].yw;
}

struct pair {
    int a, b;
};

kernel void structures(global struct pair *p)
{
    if (get_global_id(0) == 0)
        p[1] = p[0];
    else
        p[1].b = 7;
}

kernel void types(global uchar *a, global short *b, global ulong *c, global double *d)
{
    *a = 255;
    *b = -2;
    *c = 1;
    *d = 0.0 / *d;
}

// What is only read is not an event.
kernel void sums(global const int *in, global int *out)
{
    int sum = 0;
    for (int i = 0; i < 40; i++)
        sum += in[i];
    out[get_global_id(0)] = sum;
}
