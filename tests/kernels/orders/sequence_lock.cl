// A sequence lock: the writer counts before and behind its writes, and who reads looks whether the count has stayed
// the same, and even. What it guards is read while it is written, so it must be atomic, too.
//
// $ clerk kernel sequence_lock.cl -k relaxed_data -g 8 -l 2 -a 'buf:int[3]=0' -a 'buf:int[8]=0' --build -cl-std=CL3.0 --schedule asc --print 1
// $ clerk kernel sequence_lock.cl -k relaxed_data -g 8 -l 2 -a 'buf:int[3]=0' -a 'buf:int[8]=0' --build -cl-std=CL3.0 --schedule desc --print 1
// $ clerk kernel sequence_lock.cl -k plain_data -g 8 -l 2 -a 'buf:int[3]=0' -a 'buf:int[8]=0' --build -cl-std=CL3.0 --schedule desc
// $ clerk kernel sequence_lock.cl -k plain_data_once -g 8 -l 2 -a 'buf:int[3]=0' -a 'buf:int[8]=0' --build -cl-std=CL3.0 --schedule asc
#define COUNT ((global atomic_int *)(a + 2))
#define DATA  ((global atomic_int *)a)
#define LOAD(at, order)         atomic_load_explicit(at, memory_order_##order, memory_scope_device)
#define STORE(at, value, order) atomic_store_explicit(at, value, memory_order_##order, memory_scope_device)
#define FENCE(order)            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_##order, memory_scope_device)
#define IS_WRITER (get_global_id(0) == 0)

#define SEQUENCE_LOCK(WRITE, READ)                                                                                     \
    if (IS_WRITER) {                                                                                                   \
        STORE(COUNT, 1, relaxed);                                                                                      \
        FENCE(release);                                                                                                \
        WRITE(0);                                                                                                      \
        WRITE(1);                                                                                                      \
        STORE(COUNT, 2, release);                                                                                      \
    } else {                                                                                                           \
        const int before = LOAD(COUNT, acquire);                                                                       \
        const int sum = READ(0) + READ(1);                                                                             \
        FENCE(acquire);                                                                                                \
        if (before % 2 == 0 && LOAD(COUNT, relaxed) == before)                                                         \
            out[get_global_id(0)] = sum;                                                                               \
    }

#define WRITE_ATOMICALLY(i) STORE(DATA + i, 5, relaxed)
#define READ_ATOMICALLY(i)  LOAD(DATA + i, relaxed)
#define WRITE_PLAINLY(i)    a[i] = 5
#define READ_PLAINLY(i)     a[i]

kernel void relaxed_data(global int *a, global int *out)
{
    SEQUENCE_LOCK(WRITE_ATOMICALLY, READ_ATOMICALLY)
}

kernel void plain_data(global int *a, global int *out)
{
    SEQUENCE_LOCK(WRITE_PLAINLY, READ_PLAINLY)
}

/* The same, read only when the writer has come to its end: a flag. */
kernel void plain_data_once(global int *a, global int *out)
{
    if (IS_WRITER) {
        WRITE_PLAINLY(0);
        STORE(COUNT, 2, release);
    } else if (LOAD(COUNT, acquire) == 2) {
        out[get_global_id(0)] = READ_PLAINLY(0);
    }
}
// covers: D8 E9
