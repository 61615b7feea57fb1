/* What work-items do together, and halves: for the fuzzer. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void collectives(global int *out, global const int *in, int limit)
{
    const size_t i = get_global_id(0), l = get_local_id(0);
    int value = in[i];
    for (int round = 0; round < 2; round++) {
        value += work_group_reduce_add(value ^ (int)l);
        value -= work_group_scan_inclusive_max(value);
        value ^= work_group_scan_exclusive_min(round ? value : (int)l);
    }
    if (work_group_any(value < limit))
        value += work_group_broadcast(value, 3, 1);
    out[i] = value + work_group_all(value != limit);
}

kernel void wide_collectives(global double *d, global long *n, global const float *f)
{
    const size_t i = get_global_id(0) % 16;
    const double sum = work_group_scan_inclusive_add((double)f[i]);
    const long least = work_group_reduce_min((long)i - 7);
    const half whole = work_group_reduce_max((half)f[i]);
    if (get_local_id(0) == 0 && get_local_id(1) == 0)
        d[get_group_id(0)] = sum + (double)least + (double)whole;
    n[i] = work_group_broadcast((long)sum, 1, 0);
}

kernel void copies(global int *out, global const int4 *in, local int4 *tile, int step)
{
    local int line[16];
    const size_t l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in + get_group_id(0), 8, 0);
    e = async_work_group_strided_copy(line, (global const int *)in, 16, 2, e);
    prefetch(in, 4);
    wait_group_events(1, &e);
    line[l % 16] += tile[(l + (size_t)step) % 8].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t events[2];
    events[0] = async_work_group_copy(out, line, 16, 0);
    events[1] = async_work_group_strided_copy(out + 32, line, 8, 3, 0);
    wait_group_events(2, events);
}

kernel void counting(global atomic_int *a, global volatile int *b, global volatile long *c,
                     global int *out)
{
    local atomic_int together;
    const int i = (int)get_global_id(0);
    if (get_local_id(0) == 0 && get_local_id(1) == 0)
        atomic_init(&together, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&together, i, memory_order_relaxed, memory_scope_work_group);
    int expected = i;
    if (!atomic_compare_exchange_strong(a + i % 8, &expected, i + 1))
        out[i % 32] = atomic_exchange_explicit(a + 8, expected, memory_order_acq_rel);
    atomic_fetch_max_explicit(a + 9, i, memory_order_seq_cst, memory_scope_device);
    atomic_store_explicit(a + 10, 1, memory_order_release);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    out[32 + i % 32] = atomic_load_explicit(a + 10, memory_order_acquire);
    atomic_inc(b + i % 4);
    atomic_cmpxchg(b + 4, i, 2);
    atom_add(c, (long)i);
    atom_max(c + 1, (long)i << 33);
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[70] = atomic_load(&together);
}

kernel void halves(global half *out, global const half4 *in, global float *floats, int n)
{
    const size_t i = get_global_id(0) % 16;
    half4 value = in[i] * (half)n + (half)0.5f;
    for (int k = 0; k < 3; k++)
        value = fma(value, sqrt(fabs(value)), (half4)((half)k));
    value.w = isnan(value.x) ? dot(value.xy, value.zw) : sin(value.y);
    value.xy = select(value.xy, convert_half2_rtz(convert_int2_sat(value.zw)),
                      isgreater(value.xy, value.zw));
    vstore4(value, i, out);
    vstore_half_rtp(floats[i], i + 64, out);
    floats[i] = vload_half(i + 32, out) + (float)pown(value.z, 3);
}
