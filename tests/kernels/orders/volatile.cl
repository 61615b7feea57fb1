// A volatile flag is not an atomic one: both the flag and the data race. (In OpenCL C before 2.0 mem_fence orders only
// the accesses of the work-item that calls it, so that there is no right way across work-groups.)
//
// $ clerk kernel volatile.cl -k flag -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel volatile.cl -k fenced -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL1.2
// $ clerk kernel volatile.cl -k initialised -g 2 -l 2 -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel volatile.cl -k initialised_late -g 2 -l 2 -a 'buf:int[1]=0' --build -cl-std=CL3.0

kernel void flag(global int *data, global int *out)
{
    global volatile int *up = data + 1;
    if (get_global_id(0) == 0) {
        data[0] = 42;
        *up = 1;
    } else if (*up == 1) {
        out[0] = data[0];
    }
}

kernel void fenced(global int *data, global int *out)
{
    global volatile int *up = data + 1;
    if (get_global_id(0) == 0) {
        data[0] = 42;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        *up = 1;
    } else if (*up == 1) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        out[0] = data[0];
    }
}

#if __OPENCL_C_VERSION__ >= 200
/* An atomic object is initialised by a plain write, which has to come first. */
kernel void initialised(global int *out)
{
    local atomic_int count;
    if (get_local_id(0) == 0)
        atomic_init(&count, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&count, 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = atomic_load(&count);
}

kernel void initialised_late(global int *out)
{
    local atomic_int count;
    if (get_local_id(0) == 0)
        atomic_init(&count, 0);
    atomic_fetch_add(&count, 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = atomic_load(&count);
}
#endif
// covers: C15 H2
