// Versions of OpenCL C, and build options, all correct: nothing is reported, and the values are those of PoCL.
//
// $ clerk kernel versions.cl --build=-cl-std=CL2.0 -k generic2 -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel versions.cl --build=-cl-std=CL3.0 -k plain3 -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel versions.cl --build=-cl-std=CL2.0 -k atomics2 -g 64 -l 16 -a 'buf:int[64]=iota' -a 'buf:int[4]=0' --print 1
// $ clerk kernel versions.cl --build=-cl-std=CL1.2 -k old -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel versions.cl --build=-cl-std=CL2.0 -k wgbarrier -g 32 -l 16 -a 'buf:int[32]=iota' -a 'buf:int[32]' --print 1
// $ clerk kernel versions.cl --build=-cl-std=CL3.0 -k linear_ids -g 8,4 -l 4,2 -a 'buf:int[32]' --print 0
// $ clerk kernel versions.cl --build='-cl-std=CL1.2 -DN=4 -cl-fast-relaxed-math -cl-mad-enable -w' -k old -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1
// $ clerk kernel versions.cl --build='-cl-std=CL1.2 -cl-opt-disable -Werror' -k old -g 16 -l 8 -a 'buf:int[16]=iota' -a 'buf:int[16]' --print 1

#ifndef N
#define N 3
#endif
#if __OPENCL_C_VERSION__ >= 200
#if __OPENCL_C_VERSION__ == 200
int sum3(const int *p)
{
    return p[0] + p[1] + p[2];
}

void bump(int *p, int by)
{
    *p += by;
}

constant int offsets[3] = {1, 2, 3};
global int scratch_counter = 7;
kernel void generic2(global int *in, global int *out)
{
    local int s[8];
    int mine[3] = {1, 2, 3};
    int i = get_global_id(0), l = get_local_id(0);
    s[l] = in[i];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int *p = mine;
    if (!(i & 1))
        p = l < 6 ? &s[l] : &s[0];
    bump(mine + 1, i);
    out[i] = sum3(p) + sum3(in + (i & 7)) + offsets[i % 3] + scratch_counter;
}

kernel void atomics2(global int *in, global atomic_int *bins)
{
    local atomic_int h;
    if (get_local_id(0) == 0)
        atomic_init(&h, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&h, in[get_global_id(0)], memory_order_relaxed,
                              memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit(
            &bins[get_group_id(0)],
            atomic_load_explicit(&h, memory_order_relaxed, memory_scope_work_group),
            memory_order_relaxed);
}

kernel void wgbarrier(global int *a, global int *b)
{
    int l = get_local_id(0), g = get_global_id(0);
    b[g] = a[g] + 1;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    a[g] = b[g - l + 15 - l];
}
#endif
kernel void plain3(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] * N;
}

kernel void linear_ids(global int *out)
{
    out[get_global_linear_id()] =
        get_local_linear_id() * 100 + get_enqueued_local_size(0) + get_group_id(1);
}
#else
kernel void old(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = mad24(in[i], N, (int)i) + (int)get_local_size(0);
}
#endif
