// Children that wait for a work-group alone begin when it has ended, beside the other work-groups.
//
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k answered -g 4 -l 2 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k answered -g 4 -l 2 -a buf:int[1]=0 -a buf:int[1]=0 --print 1 --schedule seed:1
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k answered -g 4 -l 2 -a buf:int[1]=0 -a buf:int[1]=0 --print 1 --schedule turns:1
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k waits_for_its_own -g 2 -l 1 -a buf:int[1]=0 -a buf:int[1]=0
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k own_bytes -g 8 -l 2 -a buf:int[8]=0 --schedule seed:1 --print 0
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k next_bytes -g 8 -l 2 -a buf:int[8]=0 --schedule seed:1
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k tickets -g 4 -l 1 -a buf:int[1]=0 -a buf:int[8]=0 --print 1 --schedule asc
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k tickets -g 4 -l 1 -a buf:int[1]=0 -a buf:int[8]=0 --print 1 --schedule desc
// $ clerk kernel groups.cl --build -cl-std=CL3.0 -k tickets -g 4 -l 1 -a buf:int[1]=0 -a buf:int[8]=0 --print 1 --schedule seed:1
//
// covers: G20 G21

#define GET(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define SET(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define TAKE(p) atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device)
#define BEHIND_GROUP(...)                                                                                              \
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1, 1), __VA_ARGS__)

// The child of work-group 0 answers work-group 1.
kernel void answered(global atomic_int *flag, global int *data)
{
    if (get_global_id(0) == 0) {
        data[0] = 6;
        BEHIND_GROUP(^{
            data[0] += 1;
            SET(flag, 1);
        });
    }
    if (get_group_id(0) == 1 && get_local_id(0) == 0) {
        while (GET(flag) == 0)
            ;
        data[0] *= 2;
    }
}

// A work-group cannot wait for what waits for it.
kernel void waits_for_its_own(global atomic_int *flag, global int *data)
{
    if (get_group_id(0) == 0) {
        BEHIND_GROUP(^{ SET(flag, 1); });
        while (GET(flag) == 0)
            ;
        data[0] = 1;
    }
}

// Each child reads what its work-group wrote,
kernel void own_bytes(global int *data)
{
    const int i = get_global_id(0);
    data[i] = i;
    if (get_local_id(0) == 0)
        BEHIND_GROUP(^{ data[i] = 10 * data[i + 1]; });
}

// or what the next one does.
kernel void next_bytes(global int *data)
{
    const int i = get_global_id(0);
    data[i] = i;
    if (i == 0)
        BEHIND_GROUP(^{ data[0] = data[2]; });
}

kernel void tickets(global atomic_int *next, global int *out)
{
    const int i = get_global_id(0);
    out[i] = TAKE(next);
    BEHIND_GROUP(^{ out[4 + i] = TAKE(next); });
}
