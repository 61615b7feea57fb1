// Hazard pointers: a block is used again only if no reader says that it is in use. Readers say so
// first, and then look whether it is still the current one. A block that is said with less than
// seq_cst may be seen too late, which no schedule shows.
//
// $ clerk kernel hazard.cl -g 8 -l 4 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel hazard.cl -g 4 -l 2 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel hazard.cl -g 8 -l 4 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSAY=memory_order_release'
// $ clerk kernel hazard.cl -g 4 -l 2 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DSAY=memory_order_release' --explore
// $ clerk kernel hazard.cl -g 8 -l 4 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DLEAVE=memory_order_relaxed'
// $ clerk kernel hazard.cl -g 4 -l 2 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DLEAVE=memory_order_relaxed' --explore
// $ clerk kernel hazard.cl -g 8 -l 4 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_AGAIN'
// $ clerk kernel hazard.cl -g 4 -l 2 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_AGAIN' --explore
// $ clerk kernel hazard.cl -g 8 -l 4 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_ASKED'
// $ clerk kernel hazard.cl -g 4 -l 2 -a 'buf:int[1]=1' -a 'buf:int[7]=0' -a 'buf:int[3]=10' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_ASKED' --explore
#define DEVICE memory_scope_device
#ifndef SAY
#define SAY memory_order_seq_cst
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

// Block 1 is the current one at first, block 2 is the next. 0 is none.
kernel void use(global atomic_int *current, global atomic_int *used, global int *blocks,
                global atomic_int *wrong)
{
    const int me = get_global_id(0);
    const int readers = get_global_size(0) - 1;
    if (me < readers) {
        const int block = atomic_load_explicit(current, memory_order_acquire, DEVICE);
        atomic_store_explicit(&used[me], block, SAY, DEVICE);
#ifndef NOT_AGAIN
        if (atomic_load_explicit(current, memory_order_seq_cst, DEVICE) == block)
#endif
            if (blocks[block] != 10 * block)
                atomic_fetch_add_explicit(wrong, 1, memory_order_relaxed, DEVICE);
        atomic_store_explicit(&used[me], 0, LEAVE, DEVICE);
    } else {
        blocks[2] = 20;
        atomic_store_explicit(current, 2, memory_order_seq_cst, DEVICE);
#ifndef NOT_ASKED
        for (int i = 0; i < readers; i++)
            if (atomic_load_explicit(&used[i], memory_order_seq_cst, DEVICE) == 1)
                return;
#endif
        blocks[1] = 30;
    }
}
