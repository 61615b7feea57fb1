/* The least that an OpenCL 3.0 device has: relaxed atomic operations, fences that are not seq_cst, and no scope wider
 * than the work-group's. A program that wants more asks for the feature first. */

// covers: C13
// $ clerk kernel atomics.cl -k order -g 1 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -D ORDER' --personality minimum
// $ clerk kernel atomics.cl -k scope -g 1 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -D SCOPE' --personality minimum
// $ clerk kernel atomics.cl -k fence -g 1 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -D FENCE' --personality minimum
// $ clerk kernel atomics.cl -k met -g 1 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -D MET' --personality minimum
// $ clerk kernel atomics.cl -k by_default -g 1 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -D BY_DEFAULT' --personality minimum
// $ clerk kernel atomics.cl -k asked -g 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 0 --personality minimum
// $ clerk kernel atomics.cl -k asked -g 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel atomics.cl -k legacy -g 2 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL1.2 --print 0 --personality minimum
// $ clerk kernel atomics.cl -k pointers -g 1 -a 'buf:float[4]=0' --build -cl-std=CL1.2 --print 0 --personality minimum
// $ clerk kernel atomics.cl -k pointers -g 1 -a 'buf:float[4]=0' --build -cl-std=CL2.0 --print 0 --personality minimum
// $ clerk kernel atomics.cl -k pointers -g 1 -a 'buf:float[4]=0' --build -cl-std=CL3.0 --print 0 --personality minimum
#define COUNTER ((global atomic_int *)a)

#ifdef ORDER
kernel void order(global int *a)
{
    atomic_fetch_add_explicit(COUNTER, 1, memory_order_acq_rel, memory_scope_work_group);
}
#endif

#ifdef SCOPE
kernel void scope(global int *a)
{
    atomic_fetch_add_explicit(COUNTER, 1, memory_order_relaxed, memory_scope_device);
}
#endif

#ifdef FENCE
kernel void fence(global int *a)
{
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
}
#endif

#ifdef MET
kernel void met(global int *a)
{
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
}
#endif

/* Without _explicit it would be seq_cst, of device scope: there is no such function. */
#ifdef BY_DEFAULT
kernel void by_default(global int *a)
{
    atomic_fetch_add(COUNTER, 1);
}
#endif

#if __OPENCL_C_VERSION__ >= 300
kernel void asked(global int *a)
{
#if defined(__opencl_c_atomic_order_seq_cst) && defined(__opencl_c_atomic_scope_device)
    atomic_fetch_add(COUNTER, 2);
#else
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    atomic_fetch_add_explicit(COUNTER, 1, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
}
#endif

/* The functions of OpenCL C 1.2 have neither order nor scope. */
#if __OPENCL_C_VERSION__ < 200
kernel void legacy(volatile global int *a)
{
    atomic_inc(a);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
#endif

/* Functions with pointers are there in each version, though the device has no generic address space. */
kernel void pointers(global float *a)
{
    float cosine;
    const float sine = sincos(a[0], &cosine);
    vstore4((float4)(sine, cosine, 2, 3), 0, a);
}
