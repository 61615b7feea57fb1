// A work-item puts tasks on one end of its list and takes them from there; others steal from the
// other end. Without the fences both may have the last task, which no schedule shows. With TOP relaxed
// nothing is wrong either.
//
// $ clerk kernel stealing.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel stealing.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --time 0
// $ clerk kernel stealing.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DPUT=memory_order_relaxed'
// $ clerk kernel stealing.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DPUT=memory_order_relaxed' --explore --time 0
// $ clerk kernel stealing.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DNO_DUEL'
// $ clerk kernel stealing.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DNO_DUEL' --explore --time 0
// $ clerk kernel stealing.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DNO_FENCE'
// $ clerk kernel stealing.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DNO_FENCE' --explore --time 0
// $ clerk kernel stealing.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DTOP=memory_order_relaxed'
// $ clerk kernel stealing.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build '-cl-std=CL3.0 -DTOP=memory_order_relaxed' --explore --time 0
#define DEVICE memory_scope_device
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, DEVICE)
#ifndef TOP
#define TOP memory_order_acquire
#endif
#ifndef PUT
#define PUT memory_order_release
#endif
enum { NONE = -1 };

static int take(global atomic_int *top, global atomic_int *bottom)
{
    const int last = atomic_load_explicit(bottom, memory_order_relaxed, DEVICE) - 1;
    atomic_store_explicit(bottom, last, memory_order_relaxed, DEVICE);
#ifndef NO_FENCE
    FENCE(memory_order_seq_cst);
#endif
    int first = atomic_load_explicit(top, TOP, DEVICE);
    if (first < last)
        return last;
#ifdef NO_DUEL
    const bool won = first == last;
#else
    // One is left, if any: whoever moves the top has it.
    const bool won = first == last && atomic_compare_exchange_strong_explicit(top, &first,
                                                          first + 1, memory_order_seq_cst, TOP, DEVICE);
#endif
    atomic_store_explicit(bottom, last + 1, memory_order_relaxed, DEVICE);
    return won ? last : NONE;
}

static int steal(global atomic_int *top, global atomic_int *bottom)
{
    int first = atomic_load_explicit(top, memory_order_acquire, DEVICE);
#ifndef NO_FENCE
    FENCE(memory_order_seq_cst);
#endif
    if (first >= atomic_load_explicit(bottom, memory_order_acquire, DEVICE))
        return NONE;
    return atomic_compare_exchange_strong_explicit(top, &first, first + 1, memory_order_seq_cst,
                                                   memory_order_relaxed, DEVICE) ? first : NONE;
}

kernel void work(global atomic_int *top, global atomic_int *bottom, global int *tasks)
{
    int task;
    if (get_global_id(0) == 0) {
        for (int i = 0; i < 2; i++) {
            tasks[i] = i + 1;
            atomic_store_explicit(bottom, i + 1, PUT, DEVICE);
        }
        for (int i = 0; i < 2; i++)
            if ((task = take(top, bottom)) != NONE)
                tasks[task] *= 10;
    } else if ((task = steal(top, bottom)) != NONE) {
        tasks[task] *= 10;
    }
}
