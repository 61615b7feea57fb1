// Two words that readers take without a lock: if the number is even, and the same before and after,
// they belong together. What a missing fence leads to no schedule shows.
//
// $ clerk kernel sequence_lock.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel sequence_lock.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel sequence_lock.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DPLAIN'
// $ clerk kernel sequence_lock.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DPLAIN' --explore
// $ clerk kernel sequence_lock.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DONE_NUMBER'
// $ clerk kernel sequence_lock.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DONE_NUMBER' --explore
// $ clerk kernel sequence_lock.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_AGAIN'
// $ clerk kernel sequence_lock.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNOT_AGAIN' --explore
// $ clerk kernel sequence_lock.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNO_WRITE_FENCE'
// $ clerk kernel sequence_lock.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNO_WRITE_FENCE' --explore
// $ clerk kernel sequence_lock.cl -g 8 -l 4 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNO_READ_FENCE'
// $ clerk kernel sequence_lock.cl -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -DNO_READ_FENCE' --explore
#define DEVICE memory_scope_device
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, DEVICE)
#ifdef PLAIN
#define WORDS global int
#define SET(word, value) (*(word) = (value))
#define GET(word) (*(word))
#else
#define WORDS global atomic_int
#define SET(word, value) atomic_store_explicit(word, value, memory_order_relaxed, DEVICE)
#define GET(word) atomic_load_explicit(word, memory_order_relaxed, DEVICE)
#endif

// `torn` counts readers that took what does not belong together.
kernel void update(global atomic_int *number, WORDS *words, global atomic_int *torn)
{
    if (get_global_id(0) == 0) {
#ifndef ONE_NUMBER
        atomic_store_explicit(number, 1, memory_order_relaxed, DEVICE);
#ifndef NO_WRITE_FENCE
        FENCE(memory_order_release);
#endif
#endif
        SET(&words[0], 7);
        SET(&words[1], 7);
        atomic_store_explicit(number, 2, memory_order_release, DEVICE);
    } else {
        const int before = atomic_load_explicit(number, memory_order_acquire, DEVICE);
        const int first = GET(&words[0]);
        const int second = GET(&words[1]);
#ifndef NO_READ_FENCE
        FENCE(memory_order_acquire);
#endif
#ifdef NOT_AGAIN
        const int after = before;
#else
        const int after = atomic_load_explicit(number, memory_order_relaxed, DEVICE);
#endif
        if (before == after && before % 2 == 0 && first != second)
            atomic_fetch_add_explicit(torn, 1, memory_order_relaxed, DEVICE);
    }
}
