// Before OpenCL C 2.0 there is no CLK_IMAGE_MEM_FENCE: CLK_GLOBAL_MEM_FENCE is for images too.

kernel void twice(write_only image2d_t image)
{
    const int x = (int)get_global_id(0);
    write_imageui(image, (int2)(x, 0), (uint4)(1));
    barrier(CLK_GLOBAL_MEM_FENCE);
    write_imageui(image, (int2)(3 - x, 0), (uint4)(2));
}
// $ clerk kernel texels.cl -k twice -g 4 -l 4 --build -cl-std=CL1.2 -a 'image2d:r:unsigned_int8[4x1]=0' --print 0
// $ clerk kernel texels.cl -k twice -g 4 -l 4 --build -cl-std=CL2.0 -a 'image2d:r:unsigned_int8[4x1]=0' --print 0

kernel void twice_local(write_only image2d_t image)
{
    const int x = (int)get_global_id(0);
    write_imageui(image, (int2)(x, 0), (uint4)(1));
    barrier(CLK_LOCAL_MEM_FENCE);
    write_imageui(image, (int2)(3 - x, 0), (uint4)(2));
}
// $ clerk kernel texels.cl -k twice_local -g 4 -l 4 --build -cl-std=CL1.2 -a 'image2d:r:unsigned_int8[4x1]=0'
