// What atomic operations are applied to: objects of one size that work-items share, and that are initialised
// before.
//
// $ clerk kernel objects.cl -k two_sizes -g 4 -l 2 -a 'buf:ulong[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel objects.cl -k two_sizes_relaxed -g 4 -l 2 -a 'buf:ulong[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel objects.cl -k sizes_in_turn -g 4 -l 4 -a 'buf:ulong[1]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel objects.cl -k side_by_side -g 4 -l 2 -a 'buf:ulong[2]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel objects.cl -k of_its_own -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel objects.cl -k generic_pointer -g 2 -l 2 -a 'buf:int[2]=0' -a int=1 --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel objects.cl -k generic_pointer -g 2 -l 2 -a 'buf:int[2]=0' -a int=2 --build -cl-std=CL3.0 --print 0
// $ clerk kernel objects.cl -k initialised_late -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel objects.cl -k initialised -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]' --build -cl-std=CL3.0 --print 1
// $ clerk kernel objects.cl -k expected_is_shared -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel objects.cl -k expected_is_own -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel objects.cl -k all_devices -g 4 -l 2 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 0
#define ADD_4(at) atomic_fetch_add_explicit((global atomic_uint *)(at), 1u, memory_order_acq_rel, memory_scope_device)
#define ADD_8(at) atomic_fetch_add_explicit((global atomic_ulong *)(at), 1ul, memory_order_acq_rel, memory_scope_device)

kernel void two_sizes(global ulong *a)
{
    if (get_global_id(0) % 2)
        ADD_4(a);
    else
        ADD_8(a);
}

kernel void two_sizes_relaxed(global ulong *a)
{
    const uint i = get_global_id(0);
    if (i == 3)
        atomic_store_explicit((global atomic_uint *)a + 1, i, memory_order_relaxed, memory_scope_device);
    else
        atomic_fetch_max_explicit((global atomic_ulong *)a, (ulong)i, memory_order_relaxed, memory_scope_device);
}

kernel void sizes_in_turn(global ulong *a)
{
    ADD_8(a);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    ADD_4(a);
}

struct counters {
    uint few[2];
    ulong many;
};

kernel void side_by_side(global struct counters *a)
{
    ADD_4(&a->few[get_local_id(0)]);
    ADD_8(&a->many);
}

kernel void of_its_own(global int *out)
{
    atomic_int mine;
    atomic_init(&mine, 5);
    atomic_fetch_add_explicit(&mine, 1, memory_order_relaxed, memory_scope_device);
    out[get_global_id(0)] = 6;
}

/* Work-items from `first` on have one of their own. */
kernel void generic_pointer(global int *out, int first)
{
    int mine = 0;
    int *at = (int)get_global_id(0) < first ? (int *)out : &mine;
    atomic_fetch_add_explicit((atomic_int *)at, 1, memory_order_relaxed, memory_scope_device);
}

/* atomic_init is not atomic. */
kernel void initialised_late(global atomic_int *a, global int *out)
{
    if (get_global_id(0) == 0)
        atomic_init(a, 7);
    out[get_global_id(0)] = atomic_load_explicit(a, memory_order_acquire, memory_scope_device);
}

kernel void initialised(global atomic_int *a, global int *out)
{
    if (get_global_id(0) == 0)
        atomic_init(a, 7);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = atomic_load_explicit(a, memory_order_acquire, memory_scope_device);
}

/* The one that fails writes down what it found, by a plain write. */
kernel void expected_is_shared(global int *a)
{
    atomic_compare_exchange_strong_explicit((global atomic_int *)a, a + 1, 1, memory_order_acq_rel,
                                            memory_order_acquire, memory_scope_device);
}

kernel void expected_is_own(global int *a)
{
    int expected = 0;
    atomic_compare_exchange_strong_explicit((global atomic_int *)a, &expected, 1, memory_order_acq_rel,
                                            memory_order_acquire, memory_scope_device);
}

/* Of a buffer that is not shared virtual memory both scopes are the device's. */
kernel void all_devices(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed,
                              get_global_id(0) % 2 ? memory_scope_device : memory_scope_all_devices);
}
// covers: C5 C11 C14 C15 C16
