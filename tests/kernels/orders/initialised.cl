// What a work-item does to an atomic object by plain writes before it releases it: an acquire that reads the release does
// not race with them, in the order in which it does; another operation does.
// covers: C15 D8 E2
//
// $ clerk kernel initialised.cl -k acquired -g 2 -l 1 -a 'buf:int[1]' -a 'buf:int[1]' --build -cl-std=CL3.0 --schedule asc --print 1
// $ clerk kernel initialised.cl -k relaxed -g 2 -l 1 -a 'buf:int[1]' -a 'buf:int[1]' --build -cl-std=CL3.0 --schedule asc

kernel void acquired(global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_init(flag, 0);
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        *out = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    }
}

kernel void relaxed(global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_init(flag, 0);
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        *out = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
    }
}
