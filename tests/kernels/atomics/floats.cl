// Atomics of floating-point numbers, cl_ext_float_atomics: each counts as one access, and a plain one beside it races.
//
// $ clerk kernel floats.cl -k sums -g 16 -l 8 -a 'buf:float[2]=0' -a 'buf:double[2]=0' --build -cl-std=CL3.0 --print 0 --print 1
// $ clerk kernel floats.cl -k extremes -g 16 -l 8 -a 'buf:float[2]=0' -a 'buf:double[2]=0' --build -cl-std=CL3.0 --print 0 --print 1
// $ clerk kernel floats.cl -k spaces -g 16 -l 8 -a 'buf:float[3]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel floats.cl -k not_a_number -g 2 -l 2 -a 'buf:float[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel floats.cl -k plain_sum -g 16 -l 8 -a 'buf:float[2]=0' --build -cl-std=CL3.0
// $ clerk kernel floats.cl -k plain_beside -g 2 -l 2 -a 'buf:double[1]=0' --build -cl-std=CL3.0

#if !defined(__opencl_c_ext_fp32_global_atomic_load_store) || !defined(__opencl_c_ext_fp32_local_atomic_add) || \
    !defined(__opencl_c_ext_fp64_global_atomic_min_max) || !defined(__opencl_c_ext_fp64_local_atomic_load_store) || \
    !defined(__opencl_c_ext_fp32_global_atomic_min_max) || !defined(__opencl_c_ext_fp64_local_atomic_add)
#error the macros of cl_ext_float_atomics
#endif

kernel void sums(global atomic_float *f, global atomic_double *d)
{
    atomic_fetch_add_explicit(&f[0], 0.75f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&f[1], 0.25f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&d[0], 0x1.0000000001p0, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&d[1], 0.5, memory_order_relaxed, memory_scope_device);
}

kernel void extremes(global atomic_float *f, global atomic_double *d)
{
    const float i = get_global_id(0);
    atomic_fetch_min_explicit(&f[0], 4.5f - i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&f[1], i - 4.5f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&d[0], i - 3.25, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&d[1], 3.25 - i, memory_order_relaxed, memory_scope_device);
}

kernel void spaces(global atomic_float *out)
{
    local atomic_float sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_float *place = get_local_id(0) % 2 ? (atomic_float *)&sum : (atomic_float *)&out[2];
    atomic_fetch_add_explicit(place, 1.0f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&sum, 2.0f, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store_explicit(&out[get_group_id(0)],
                              atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_device),
                              memory_order_relaxed, memory_scope_device);
}

// A number wins over a NaN, whichever comes first; a sum with a NaN is one.
kernel void not_a_number(global atomic_float *f)
{
    const float value = get_local_id(0) ? 2.0f : NAN;
    atomic_fetch_max_explicit(&f[0], value, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&f[1], value, memory_order_relaxed, memory_scope_device);
}

kernel void plain_sum(global float *f)
{
    f[0] += 0.75f;
}

kernel void plain_beside(global double *d)
{
    if (get_local_id(0) == 0)
        d[0] = 1.5;
    else
        atomic_fetch_add_explicit((global atomic_double *)d, 0.5, memory_order_relaxed, memory_scope_device);
}

// covers: D8
