// Orders, scopes and flags that cannot be, and fences and flags of two memories: as races.cl.
//
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k stores -g 1 -a 'buf:int[2]=0'
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k stores_advised -g 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k loads -g 1 -a 'buf:int[2]=0'
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k loads_advised -g 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k exchanges -g 1 -a 'buf:int[2]=0'
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k exchanges_advised -g 1 -a 'buf:int[2]=0' --print 0
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k of_one_item -g 4 -l 2 -a 'buf:int[1]=0'
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k of_one_item_advised -g 4 -l 2 -a 'buf:int[1]=0' --print 0
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k no_memory -g 8 -l 2 -a 'buf:int[4]' -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel atomics.cl --build '-cl-std=CL3.0 -w' -k no_memory_advised -g 8 -l 2 -a 'buf:int[4]' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k local_flag -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k local_flag_advised -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 1
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k other_fences -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0'
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k other_fences_advised -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 1
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k overwritten -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k overwritten_advised -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --print 2 --schedule asc
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k narrow_count -g 8 -l 2 -a 'buf:int[1]=0'
// $ clerk kernel atomics.cl --build -cl-std=CL3.0 -k narrow_count_advised -g 8 -l 2 -a 'buf:int[1]=0' --print 0
// $ clerk kernel atomics.cl -k sums -g 4 -l 2 -a 'buf:int[4]=0'
// $ clerk kernel atomics.cl -k sums_advised -g 4 -l 2 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel atomics.cl -k result_of_copy -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=0'
// $ clerk kernel atomics.cl -k result_of_copy_advised -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:int[8]=0' --print 1

#define COUNT(object, order, scope) \
    atomic_fetch_add_explicit(object, 1, memory_order_##order, memory_scope_##scope)
#define FENCE(flags, order, scope) \
    atomic_work_item_fence(flags, memory_order_##order, memory_scope_##scope)
#define STORE(object, value, order, scope) \
    atomic_store_explicit(object, value, memory_order_##order, memory_scope_##scope)
#define LOAD(object, order, scope) \
    atomic_load_explicit(object, memory_order_##order, memory_scope_##scope)

#if __OPENCL_C_VERSION__ >= 200
kernel void stores(global atomic_int *a)
{
    STORE(a, 1, acquire, device);
}

kernel void stores_advised(global atomic_int *a)
{
    STORE(a, 1, release, device);
}

kernel void loads(global atomic_int *a)
{
    STORE(a, LOAD(a + 1, release, device), relaxed, device);
}

kernel void loads_advised(global atomic_int *a)
{
    STORE(a, LOAD(a + 1, acquire, device), relaxed, device);
}

kernel void exchanges(global atomic_int *a)
{
    int expected = 0;
    atomic_compare_exchange_strong_explicit(a, &expected, 7, memory_order_relaxed,
                                            memory_order_acquire, memory_scope_device);
}

kernel void exchanges_advised(global atomic_int *a)
{
    int expected = 0;
    atomic_compare_exchange_strong_explicit(a, &expected, 7, memory_order_relaxed,
                                            memory_order_relaxed, memory_scope_device);
}

kernel void of_one_item(global atomic_int *a)
{
    COUNT(a, relaxed, work_item);
}

kernel void of_one_item_advised(global atomic_int *a)
{
    COUNT(a, relaxed, device);
}

kernel void no_memory(global int *parts, global atomic_int *done, global int *out)
{
    if (get_local_id(0) != 0)
        return;
    parts[get_group_id(0)] = 3;
    FENCE(0, release, device);
    if (COUNT(done, relaxed, device) == 3) {
        FENCE(0, acquire, device);
        for (int i = 0; i < 4; i++)
            *out += parts[i];
    }
}

kernel void no_memory_advised(global int *parts, global atomic_int *done, global int *out)
{
    if (get_local_id(0) != 0)
        return;
    parts[get_group_id(0)] = 3;
    FENCE(CLK_GLOBAL_MEM_FENCE, release, device);
    if (COUNT(done, relaxed, device) == 3) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        for (int i = 0; i < 4; i++)
            *out += parts[i];
    }
}

/* The second of two work-items to come reads what the first has written. */
#define COMES_SECOND(object, order) (COUNT(object, order, work_group) == 1)
#define LOCAL_COUNT                              \
    local atomic_int count;                      \
    if (get_local_id(0) == 0)                    \
        STORE(&count, 0, relaxed, work_group);   \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);

kernel void local_flag(global int *data, global int *out)
{
    LOCAL_COUNT
    if (get_local_id(0) == 0)
        *data = 42;
    if (COMES_SECOND(&count, acq_rel))
        *out = *data == 42;
}

/* The flag is where the data is. */
kernel void local_flag_advised(global int *data, global atomic_int *out)
{
    if (get_local_id(0) == 0)
        *data = 42;
    if (COMES_SECOND(out, acq_rel))
        STORE(out, *data == 42, relaxed, work_group);
}

kernel void other_fences(global int *data, global int *out)
{
    LOCAL_COUNT
    if (get_local_id(0) == 0)
        *data = 42;
    FENCE(CLK_GLOBAL_MEM_FENCE, release, work_group);
    if (COMES_SECOND(&count, relaxed)) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, work_group);
        *out = *data == 42;
    }
}

kernel void other_fences_advised(global int *data, global int *out)
{
    LOCAL_COUNT
    if (get_local_id(0) == 0)
        *data = 42;
    FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, release, work_group);
    if (COMES_SECOND(&count, relaxed)) {
        FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, acquire, work_group);
        *out = *data == 42;
    }
}

kernel void overwritten(global int *data, global atomic_int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        *data = 42;
        STORE(flag, 1, release, device);
    } else if (get_group_id(0) == 1) {
        STORE(flag, 2, relaxed, device);
    } else if (LOAD(flag, acquire, device) == 2) {
        *out = *data;
    }
}

kernel void overwritten_advised(global int *data, global atomic_int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        *data = 42;
        STORE(flag, 1, release, device);
    } else if (get_group_id(0) == 1) {
        atomic_exchange_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
    } else if (LOAD(flag, acquire, device) == 2) {
        *out = *data;
    }
}

kernel void narrow_count(global int *a)
{
    atomic_inc(a);
}

kernel void narrow_count_advised(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);
}
#else
kernel void sums(global int *a)
{
    a[get_global_id(0)] = get_global_id(0);
    a[get_global_id(0) ^ 2] += 10;
}

/* The second kernel. */
kernel void sums_advised(global int *a)
{
    a[get_global_id(0) ^ 2] += 10;
}

kernel void result_of_copy(global const int *a, global int *out)
{
    local int room[8];
    int l = get_local_id(0);
    room[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_copy(out, room, 8, 0);
    out[l] += 1;
    wait_group_events(1, &event);
}

kernel void result_of_copy_advised(global const int *a, global int *out)
{
    local int room[8];
    int l = get_local_id(0);
    room[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_copy(out, room, 8, 0);
    wait_group_events(1, &event);
    out[l] += 1;
}
#endif
