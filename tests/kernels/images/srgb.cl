// Images in sRGB: a kernel reads and writes linear light, memory holds what a screen shows. Alpha is stored as it is.

#ifndef cl_khr_srgb_image_writes
#error the device has cl_khr_srgb_image_writes
#endif

kernel void ramp(write_only image2d_t image)
{
    const float x[] = {-1.0f, 0.0f, 0.001f, 0.0031308f, 0.2f, 0.5f, 1.0f, NAN};
    const int i = (int)get_global_id(0);
    write_imagef(image, (int2)(i, 0), (float4)(x[i], x[i], x[i], 0.5f));
}
// $ clerk kernel srgb.cl -k ramp --build -cl-std=CL3.0 -g 8 -l 8 -a 'image2d:srgba:unorm_int8[8x1]' --print 0

// Every colour is still there after a kernel has read and written it.
kernel void through(read_only image2d_t from, write_only image2d_t to)
{
    const int2 at = (int2)((int)get_global_id(0), 0);
    write_imagef(to, at, read_imagef(from, at));
}
// $ clerk kernel srgb.cl -k through --build -cl-std=CL3.0 -g 64 -l 64 -a 'image2d:srgba:unorm_int8[64x1]=iota' -a 'image2d:srgba:unorm_int8[64x1]' --print 1

// Light is added, not what the screen shows.
kernel void brighter(read_write image2d_t image)
{
    const int2 at = (int2)((int)get_global_id(0), 0);
    write_imagef(image, at, read_imagef(image, at) * 2.0f);
}
// $ clerk kernel srgb.cl -k brighter --build -cl-std=CL3.0 -g 4 -l 4 -a 'image2d:srgba:unorm_int8[4x1]=iota' --print 0

// Two work-items write one texel.
kernel void both(write_only image2d_t image)
{
    write_imagef(image, (int2)(0, 0), (float4)((float)get_global_id(0)));
}
// $ clerk kernel srgb.cl -k both --build -cl-std=CL3.0 -g 2 -l 2 -a 'image2d:srgba:unorm_int8[1x1]'
