// A pool of blocks: a list of free ones, whose first stands in one word with a number that changes
// each time. 0 is none.
//
// $ clerk kernel pool.cl -g 8 -l 4 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=8 --build -cl-std=CL3.0
// $ clerk kernel pool.cl -g 4 -l 2 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=1 --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel pool.cl -g 8 -l 4 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=8 --build '-cl-std=CL3.0 -DGIVE=memory_order_acquire'
// $ clerk kernel pool.cl -g 4 -l 2 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=1 --build '-cl-std=CL3.0 -DGIVE=memory_order_acquire' --explore --time 0
// $ clerk kernel pool.cl -g 8 -l 4 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=8 --build '-cl-std=CL3.0 -DTAKE=memory_order_release -DLOOK=memory_order_relaxed'
// $ clerk kernel pool.cl -g 4 -l 2 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=1 --build '-cl-std=CL3.0 -DTAKE=memory_order_release -DLOOK=memory_order_relaxed' --explore --time 0
// $ clerk kernel pool.cl -g 8 -l 4 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=8 --build '-cl-std=CL3.0 -DUNNUMBERED'
// $ clerk kernel pool.cl -g 4 -l 2 -a 'buf:uint[1]=1' -a 'buf:uint[3]=0,2,0' -a 'buf:int[3]=0' -a uint=1 --build '-cl-std=CL3.0 -DUNNUMBERED' --explore --time 0
#define DEVICE memory_scope_device
#ifndef GIVE
#define GIVE memory_order_acq_rel
#endif
#ifndef TAKE
#define TAKE memory_order_acq_rel
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif
#define BLOCK(head) ((head)&0xffff)
#ifdef UNNUMBERED
#define CHANGED(head, block) (block)
#else
#define CHANGED(head, block) ((((head) & 0xffff0000) + 0x10000) | (block))
#endif

static uint get(global atomic_uint *first, global atomic_uint *next)
{
    uint head = atomic_load_explicit(first, LOOK, DEVICE);
    uint after;
    do {
        if (BLOCK(head) == 0)
            return 0;
        after = atomic_load_explicit(&next[BLOCK(head)], memory_order_relaxed, DEVICE);
    } while (!atomic_compare_exchange_strong_explicit(first, &head, CHANGED(head, after), TAKE,
                                                      LOOK, DEVICE));
    return BLOCK(head);
}

static void give(global atomic_uint *first, global atomic_uint *next, uint block)
{
    uint head = atomic_load_explicit(first, LOOK, DEVICE);
    do
        atomic_store_explicit(&next[block], BLOCK(head), memory_order_relaxed, DEVICE);
    while (!atomic_compare_exchange_strong_explicit(first, &head, CHANGED(head, block), GIVE, LOOK,
                                                    DEVICE));
}

// Some get two blocks, and soon give the first one back.
kernel void use(global atomic_uint *first, global atomic_uint *next, global int *blocks, uint givers)
{
    const bool gives = get_global_id(0) < givers;
    const uint one = get(first, next);
    const uint two = gives ? get(first, next) : 0;
    if (one != 0)
        blocks[one] += 1;
    if (one != 0 && gives)
        give(first, next, one);
    if (two != 0)
        blocks[two] += 1;
}
