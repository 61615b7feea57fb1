// A ring between two work-groups, of which one puts and the other takes; who finds it full, or
// empty, goes on.
//
// $ clerk kernel ring.cl -g 8 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel ring.cl -g 4 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel ring.cl -g 8 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPUT=memory_order_relaxed'
// $ clerk kernel ring.cl -g 4 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DPUT=memory_order_relaxed' --explore
// $ clerk kernel ring.cl -g 8 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DROOM=memory_order_relaxed'
// $ clerk kernel ring.cl -g 4 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DROOM=memory_order_relaxed' --explore
// $ clerk kernel ring.cl -g 8 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DONE_TOO_MANY'
// $ clerk kernel ring.cl -g 4 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DONE_TOO_MANY' --explore
// $ clerk kernel ring.cl -g 8 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY'
// $ clerk kernel ring.cl -g 4 -l 2 -a 'buf:uint[2]=0' -a 'buf:uint[2]=0' -a 'buf:int[2]=0' -a uint=1 -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY' --explore
#define DEVICE memory_scope_device
#ifndef PUT
#define PUT memory_order_release
#endif
#ifndef ROOM
#define ROOM memory_order_acquire
#endif
#ifdef ONE_TOO_MANY
#define IS_FULL(put, taken, size) ((put) - (taken) > (size))
#else
#define IS_FULL(put, taken, size) ((put) - (taken) == (size))
#endif

// How many were put into each ring, and how many taken from it. Only one work-item changes either.
kernel void pass(global atomic_uint *puts, global atomic_uint *takes, global int *slots, uint size,
                 global int *out)
{
    const uint ring = get_group_id(0) / 2;
    if (get_local_id(0) != 0)
        return;
    for (uint i = 0; i < 2; i++) {
        if (get_group_id(0) % 2 == 0) {
            const uint put = atomic_load_explicit(&puts[ring], memory_order_relaxed, DEVICE);
            if (IS_FULL(put, atomic_load_explicit(&takes[ring], ROOM, DEVICE), size))
                continue;
#ifdef EARLY
            atomic_store_explicit(&puts[ring], put + 1, PUT, DEVICE);
            slots[ring * size + put % size] = i + 1;
#else
            slots[ring * size + put % size] = i + 1;
            atomic_store_explicit(&puts[ring], put + 1, PUT, DEVICE);
#endif
        } else {
            const uint taken = atomic_load_explicit(&takes[ring], memory_order_relaxed, DEVICE);
            if (taken == atomic_load_explicit(&puts[ring], memory_order_acquire, DEVICE))
                continue;
            out[2 * ring + i] = slots[ring * size + taken % size];
            atomic_store_explicit(&takes[ring], taken + 1, memory_order_release, DEVICE);
        }
    }
}
