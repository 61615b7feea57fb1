// A race on the texels of an image that is read and written, and the kernel without: each work-item keeps to
// its own texel.

kernel void neighbour(read_write image2d_t image)
{
    const int x = (int)get_global_id(0);
    const uint4 right = read_imageui(image, (int2)(x + 1, 0));
    write_imageui(image, (int2)(x, 0), right);
}
// $ clerk kernel race.cl -k neighbour -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:rg:unsigned_int8[5x1]=iota'

kernel void own(read_write image2d_t image)
{
    const int2 at = (int2)((int)get_global_id(0), 0);
    write_imageui(image, at, read_imageui(image, at) + (uint4)(1));
}
// $ clerk kernel race.cl -k own -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:rg:unsigned_int8[4x1]=iota' --print 0

kernel void format(read_only image2d_t image, global int *packed)
{
    *packed = get_image_channel_data_type(image) == CLK_UNORM_INT_101010_2;
}
// $ clerk kernel race.cl -k format -g 1 -l 1 --build -cl-std=CL3.0 -a 'image2d:r:float[4x1]=0' -a 'buf:int[1]' --print 1
