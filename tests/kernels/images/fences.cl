// The same texel by two work-items, with a barrier of global memory between: before OpenCL C 2.0 there is no other flag
// for texels, and from then on it is not for them.
// covers: F2 C7
//
// $ clerk kernel fences.cl -g 2 -l 2 --build -cl-std=CL1.2 -a 'image2d:r:unsigned_int8[1x1]=0' --print 0
// $ clerk kernel fences.cl -g 2 -l 2 --build -cl-std=CL3.0 -a 'image2d:r:unsigned_int8[1x1]=0'

kernel void in_turn(write_only image2d_t image)
{
    if (get_global_id(0) == 0)
        write_imageui(image, (int2)(0, 0), (uint4)(1));
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        write_imageui(image, (int2)(0, 0), (uint4)(2));
}
