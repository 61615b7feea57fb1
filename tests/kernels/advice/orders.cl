// As races.cl, of OpenCL C with memory orders.
//
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k lock -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k lock_advised -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 1
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k last -g 4 -l 1 -a 'buf:int[4]' -a 'buf:int[1]=4'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k last_advised -g 4 -l 1 -a 'buf:int[4]' -a 'buf:int[1]=4' --print 0
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k acquires -g 4 -l 1 -a 'buf:int[4]' -a 'buf:int[1]=4'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k acquires_advised -g 4 -l 1 -a 'buf:int[4]' -a 'buf:int[1]=4' --print 0
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k relaxed_store -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k relaxed_store_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k relaxed_load -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k relaxed_load_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k narrow -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k narrow_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k early_flag -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k early_flag_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k flag -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=1'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k flag_advised -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=1' --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k spin -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k spin_advised -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[1]=0' --print 0
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k others -g 8 -l 4 -a 'buf:int[4]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k others_advised -g 8 -l 4 -a 'buf:int[4]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k by_another -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k by_another_advised -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule asc --print 2
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k both_store -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --explore
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k both_store_advised -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --explore
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k both_store_fenced -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --explore
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k both_store_fenced_advised -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --explore
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k sum -g 8 -l 4 -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k sum_advised -g 8 -l 4 -a 'buf:int[1]=0' --print 0
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k largest -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k largest_advised -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=0' --print 1
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k found -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k found_advised -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=0' --print 1
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k local_sum -g 8 -l 4 -a 'buf:int[2]'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k local_sum_advised -g 8 -l 4 -a 'buf:int[2]' --print 0
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k bytes_told -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:uchar[1]=0'
// $ clerk kernel orders.cl --build -cl-std=CL3.0 -k bytes_told_advised -g 8 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[1]=0' --print 1

kernel void lock(global atomic_int *lock, global int *all)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device))
        ;
    *all += get_group_id(0);
    atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}

kernel void lock_advised(global atomic_int *lock, global int *all)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    *all += get_group_id(0);
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

kernel void last(global int *parts, global atomic_int *left)
{
    parts[get_global_id(0)] = 5;
    if (atomic_fetch_sub_explicit(left, 1, memory_order_release, memory_scope_device) == 1)
        for (int i = 0; i < 4; i++)
            parts[i] = 0;
}

kernel void last_advised(global int *parts, global atomic_int *left)
{
    parts[get_global_id(0)] = 5;
    if (atomic_fetch_sub_explicit(left, 1, memory_order_acq_rel, memory_scope_device) == 1)
        for (int i = 0; i < 4; i++)
            parts[i] = 0;
}

kernel void acquires(global int *parts, global atomic_int *left)
{
    parts[get_global_id(0)] = 5;
    if (atomic_fetch_sub_explicit(left, 1, memory_order_acquire, memory_scope_device) == 1)
        for (int i = 0; i < 4; i++)
            parts[i] = 0;
}

kernel void acquires_advised(global int *parts, global atomic_int *left)
{
    parts[get_global_id(0)] = 5;
    if (atomic_fetch_sub_explicit(left, 1, memory_order_acq_rel, memory_scope_device) == 1)
        for (int i = 0; i < 4; i++)
            parts[i] = 0;
}

kernel void relaxed_store(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void relaxed_store_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void relaxed_load(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void relaxed_load_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void narrow(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group))
            ;
        *out = *data;
    }
}

kernel void narrow_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void early_flag(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        *data = 7;
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void early_flag_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

kernel void flag(global int *data, volatile global int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        *flag = 1;
    } else if (*flag) {
        *out = *data == 7;
    }
}

kernel void flag_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
        *out = *data == 7;
    }
}

kernel void spin(global int *data, volatile global int *flag)
{
    int i = get_global_id(0);
    if (i == 0) {
        *data = 7;
        *flag = 1;
    } else {
        while (!*flag)
            ;
        data[i] = *data;
    }
}

kernel void spin_advised(global int *data, global atomic_int *flag)
{
    int i = get_global_id(0);
    if (i == 0) {
        *data = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        data[i] = *data;
    }
}

/* The one that tells of them does not know what the others of its group wrote. */
kernel void others(global int *data, global atomic_int *flag, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = 7;
        if (l == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (l == 0) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        for (int i = 0; i < 4; i++)
            out[i] = data[i];
    }
}

kernel void others_advised(global int *data, global atomic_int *flag, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = 7;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (l == 0) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        for (int i = 0; i < 4; i++)
            out[i] = data[i];
    }
}

/* The barrier is a release fence as well, for what its work-item knows of. */
kernel void by_another(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0)
        *data = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (get_global_id(0) == 1)
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    if (get_global_id(0) == 2 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
        *out = *data;
}

kernel void by_another_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0)
        *data = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    if (get_global_id(0) == 2 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
        *out = *data;
}

/* At least one of the two is to see what the other has stored. */
kernel void both_store(global atomic_int *x, global int *out)
{
    const int i = get_global_id(0);
    atomic_store_explicit(&x[i], 1, memory_order_release, memory_scope_device);
    out[i] = atomic_load_explicit(&x[1 - i], memory_order_acquire, memory_scope_device);
}

kernel void both_store_advised(global atomic_int *x, global int *out)
{
    const int i = get_global_id(0);
    atomic_store_explicit(&x[i], 1, memory_order_seq_cst, memory_scope_device);
    out[i] = atomic_load_explicit(&x[1 - i], memory_order_seq_cst, memory_scope_device);
}

kernel void both_store_fenced(global atomic_int *x, global int *out)
{
    const int i = get_global_id(0);
    atomic_store_explicit(&x[i], 1, memory_order_release, memory_scope_device);
    out[i] = atomic_load_explicit(&x[1 - i], memory_order_acquire, memory_scope_device);
}

kernel void both_store_fenced_advised(global atomic_int *x, global int *out)
{
    const int i = get_global_id(0);
    atomic_store_explicit(&x[i], 1, memory_order_release, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    out[i] = atomic_load_explicit(&x[1 - i], memory_order_acquire, memory_scope_device);
}

/* ---- functions of the language version: those before are for one work-group ---- */

kernel void sum(global int *all)
{
    *all += get_global_id(0);
}

kernel void sum_advised(global atomic_int *all)
{
    atomic_fetch_add_explicit(all, (int)get_global_id(0), memory_order_relaxed, memory_scope_device);
}

kernel void largest(global const int *a, global int *out)
{
    if (a[get_global_id(0)] > *out)
        *out = a[get_global_id(0)];
}

kernel void largest_advised(global const int *a, global atomic_int *out)
{
    atomic_fetch_max_explicit(out, a[get_global_id(0)], memory_order_relaxed, memory_scope_device);
}

kernel void found(global const int *a, global int *out)
{
    if (a[get_global_id(0)] > 4)
        *out = 1;
}

kernel void found_advised(global const int *a, global atomic_int *out)
{
    if (a[get_global_id(0)] > 4)
        atomic_store_explicit(out, 1, memory_order_relaxed, memory_scope_device);
}

kernel void local_sum(global int *out)
{
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

kernel void local_sum_advised(global int *out)
{
    local atomic_int sum;
    if (get_local_id(0) == 0)
        atomic_store_explicit(&sum, 0, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, (int)get_global_id(0), memory_order_relaxed,
                              memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] =
            atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}

kernel void bytes_told(global const int *a, global uchar *out)
{
    if (a[get_global_id(0)] > 4)
        *out = 1;
}

kernel void bytes_told_advised(global const int *a, global atomic_int *out)
{
    if (a[get_global_id(0)] > 4)
        atomic_store_explicit(out, 1, memory_order_relaxed, memory_scope_device);
}
