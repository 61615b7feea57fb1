// What another schedule shows, and each kernel as it should be.
// clang-format off
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns -g 4 -l 4 -a 'buf:int[9]=0' --print 0 --schedule items
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns -g 4 -l 4 -a 'buf:int[9]=0' --print 0 --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns -g 4 -l 4 -a 'buf:int[9]=0' --print 0 --schedule items:seed:3
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k turns_of_sub_groups -g 4 -l 4 -a 'buf:int[5]=0' --print 0 --schedule items:desc --sub-group-size 2
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k together -g 140 -l 70 -a 'buf:int[4]=0' --print 0 --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k not_all -g 70 -l 70 -a 'buf:int[70]=0' --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k ignored -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k heeded -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule items:desc
// $ clerk kernel schedules.cl --build -cl-std=CL3.0 -k heeded -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --schedule items:up
// clang-format on
#define LOAD(a) atomic_load_explicit(a, memory_order_acquire, memory_scope_device)
#define STORE(a, value) atomic_store_explicit(a, value, memory_order_release, memory_scope_device)

// In which order work-items come, before and behind a barrier.
kernel void turns(global int *turns)
{
    turns[1 + atomic_inc(turns)] = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    turns[1 + atomic_inc(turns)] = get_local_id(0);
}

kernel void turns_of_sub_groups(global int *turns)
{
    turns[1 + atomic_inc(turns)] = sub_group_broadcast((int)get_local_id(0), 1);
}

// What all work-items of a group make together, in several vectors.
kernel void together(global int *out)
{
    const int sum = work_group_reduce_add((int)get_local_id(0));
    const int last = work_group_broadcast((int)get_local_id(0), 69);
    if (get_local_id(0) == 65) {
        out[2 * get_group_id(0)] = sum;
        out[2 * get_group_id(0) + 1] = last;
    }
}

kernel void not_all(global int *out)
{
    if (get_local_id(0) != 66)
        barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

// The flag is read, and what it says does not matter.
kernel void ignored(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1);
    } else {
        (void)LOAD(flag);
        *out = *data;
    }
}

kernel void heeded(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        STORE(flag, 1);
    } else if (LOAD(flag)) {
        *out = *data;
    }
}
