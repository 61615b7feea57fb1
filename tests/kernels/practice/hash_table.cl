// A hash table: a key is put by a compare-exchange, and its value is there once its slot says so. 0
// is no key.
//
// $ clerk kernel hash_table.cl -g 8 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build -cl-std=CL3.0
// $ clerk kernel hash_table.cl -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel hash_table.cl -g 8 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DTWO_STEPS'
// $ clerk kernel hash_table.cl -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DTWO_STEPS' --explore
// $ clerk kernel hash_table.cl -g 8 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DRELAXED'
// $ clerk kernel hash_table.cl -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DRELAXED' --explore
// $ clerk kernel hash_table.cl -g 8 -l 4 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DBY_KEY'
// $ clerk kernel hash_table.cl -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a uint=4 -a 'buf:int[8]=0' --build '-cl-std=CL3.0 -DBY_KEY' --explore
#define DEVICE memory_scope_device

kernel void put_and_get(global atomic_int *keys, global atomic_int *filled, global int *values,
                        uint size, global int *out)
{
    const uint me = get_global_id(0);
    const int mine = me / 2 + 1;
    uint slot = 0;
    if (me % 2 == 0) {
        for (;; slot = (slot + 1) % size) {
#ifdef TWO_STEPS
            if (atomic_load_explicit(&keys[slot], memory_order_relaxed, DEVICE) == 0) {
                atomic_store_explicit(&keys[slot], mine, memory_order_relaxed, DEVICE);
                break;
            }
#else
            int expected = 0;
            if (atomic_compare_exchange_strong_explicit(&keys[slot], &expected, mine,
                                                    memory_order_relaxed, memory_order_relaxed, DEVICE))
                break;
#endif
        }
        values[slot] = 10 * mine;
#ifdef RELAXED
        atomic_store_explicit(&filled[slot], 1, memory_order_relaxed, DEVICE);
#else
        atomic_store_explicit(&filled[slot], 1, memory_order_release, DEVICE);
#endif
    } else {
        for (; slot < size; slot++)
            if (atomic_load_explicit(&keys[slot], memory_order_acquire, DEVICE) == mine)
                break;
#ifdef BY_KEY
        if (slot < size)
#else
        if (slot < size && atomic_load_explicit(&filled[slot], memory_order_acquire, DEVICE) == 1)
#endif
            out[me] = values[slot];
    }
}
