// What headers of compilers claim for every device whose code is SPIR-V, and this one does not offer: 0 of each.
//
// $ clerk kernel claims.cl -g 1 -a 'buf:int[5]' --print 0 --build -cl-std=CL1.2
// $ clerk kernel claims.cl -g 1 -a 'buf:int[5]' --print 0 --build -cl-std=CL3.0

kernel void claims(global int *out)
{
    for (int i = 0; i < 5; i++)
        out[i] = 0;
#ifdef cl_khr_kernel_clock
    out[0] = 1;
#endif
#ifdef __opencl_c_kernel_clock_scope_device
    out[1] = 1;
#endif
#ifdef __opencl_c_kernel_clock_scope_work_group
    out[2] = 1;
#endif
#ifdef __opencl_c_kernel_clock_scope_sub_group
    out[3] = 1;
#endif
#ifdef cl_ext_image_raw10_raw12
    out[4] = 1;
#endif
}
