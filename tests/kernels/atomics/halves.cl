// Atomics of halves, cl_ext_float_atomics: each counts as one access, of its scope and order, and a plain one beside it races.
//
// $ clerk kernel halves.cl -k sums -g 16 -l 8 -a 'buf:half[3]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel halves.cl -k sums -g 16 -l 8 -a 'buf:half[3]=0' --build -cl-std=CL2.0 --print 0
// $ clerk kernel halves.cl -k sums -g 16 -l 8 -a 'buf:half[3]=0' --build -cl-std=CLC++ --print 0
// $ clerk kernel halves.cl -k extremes -g 16 -l 8 -a 'buf:half[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel halves.cl -k spaces -g 16 -l 8 -a 'buf:half[3]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel halves.cl -k not_a_number -g 2 -l 2 -a 'buf:half[4]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel halves.cl -k rounded -g 4 -l 4 -a 'buf:half[1]=2048' --build -cl-std=CL3.0 --print 0
// $ clerk kernel halves.cl -k global_sum -g 4 -l 4 -a 'buf:half[1]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel halves.cl -k passed -g 4 -l 2 -a 'buf:half[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 2
// $ clerk kernel halves.cl -k narrow_scope -g 16 -l 8 -a 'buf:half[1]=0' --build -cl-std=CL3.0
// $ clerk kernel halves.cl -k relaxed -g 4 -l 2 -a 'buf:half[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel halves.cl -k plain_beside -g 2 -l 2 -a 'buf:half[1]=0' --build -cl-std=CL3.0
// $ clerk kernel halves.cl -k odd_place -g 1 -l 1 -a 'buf:char[4]=0' --build -cl-std=CL3.0
// $ clerk kernel halves.cl -k undefined_sum -g 8 -l 8 -a 'buf:half[1]=0' --build -cl-std=CL3.0
// $ clerk kernel halves.cl -k sums -g 4 -l 2 -a 'buf:half[3]=0' --build -cl-std=CL3.0 --personality big-endian --print 0
// $ clerk kernel halves.cl -k passed -g 2 -l 1 -a 'buf:half[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#if !defined(__opencl_c_ext_fp16_global_atomic_load_store) || !defined(__opencl_c_ext_fp16_local_atomic_load_store) || \
    !defined(__opencl_c_ext_fp16_global_atomic_add) || !defined(__opencl_c_ext_fp16_local_atomic_add) || \
    !defined(__opencl_c_ext_fp16_global_atomic_min_max) || !defined(__opencl_c_ext_fp16_local_atomic_min_max)
#error the macros of cl_ext_float_atomics
#endif

kernel void sums(global atomic_half *h)
{
    atomic_fetch_add_explicit(&h[0], 0.75h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&h[1], 0.25h, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_sub(&h[2], (half)get_global_id(0));
}

kernel void extremes(global atomic_half *h)
{
    const half i = get_global_id(0);
    atomic_fetch_min_explicit(&h[0], 4.5h - i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(&h[1], i - 4.5h);
}

kernel void spaces(global atomic_half *out)
{
    local atomic_half sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 1.0h);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_half *place = get_local_id(0) % 2 ? (atomic_half *)&sum : (atomic_half *)&out[2];
    atomic_fetch_add_explicit(place, 1.0h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&sum, 2.0h, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub_explicit(&sum, 1.0h, memory_order_relaxed);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store(&out[get_group_id(0)], atomic_exchange(&sum, 0.0h) + atomic_load(&sum));
}

// A number wins over a NaN, whichever comes first; a sum with a NaN is one.
kernel void not_a_number(global atomic_half *h)
{
    const half value = get_local_id(0) ? 2.0h : (half)NAN;
    atomic_fetch_max_explicit(&h[0], value, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&h[1], value, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&h[2], get_local_id(0) ? 65504.0h : 16.0h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&h[3], 0x1p-24h, memory_order_relaxed, memory_scope_device);
}

// Each sum is rounded: 2048 and one is 2048.
kernel void rounded(global atomic_half *h)
{
    atomic_fetch_add_explicit(&h[0], 1.0h, memory_order_relaxed, memory_scope_device);
}

// The place is a constant of the module.
global atomic_half sum_of_program[2];

kernel void global_sum(global half *out)
{
    atomic_fetch_add(&sum_of_program[1], 1.5h);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = atomic_load(&sum_of_program[1]);
}

kernel void passed(global atomic_half *flag, global int *data, global int *out)
{
    if (get_local_id(0) != 0)
        return;
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_fetch_add_explicit(flag, 1.0h, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1.0h) {
        out[0] = data[0];
    }
}

kernel void narrow_scope(global atomic_half *sum)
{
    atomic_fetch_add_explicit(sum, 1.0h, memory_order_relaxed, memory_scope_work_group);
}

kernel void relaxed(global atomic_half *flag, global int *data, global int *out)
{
    if (get_local_id(0) != 0)
        return;
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_fetch_add_explicit(flag, 1.0h, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1.0h) {
        out[0] = data[0];
    }
}

kernel void plain_beside(global half *h)
{
    if (get_local_id(0) == 0)
        h[0] = 1.5h;
    else
        atomic_fetch_add_explicit((global atomic_half *)h, 0.5h, memory_order_relaxed, memory_scope_device);
}

kernel void odd_place(global char *bytes)
{
    atomic_fetch_add((global atomic_half *)(bytes + 1), 0.5h);
}

kernel void undefined_sum(global half *out)
{
    local atomic_half sum;
    atomic_fetch_add_explicit(&sum, 1.0h, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}

// covers: D8
