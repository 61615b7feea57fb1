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

// From OpenCL C 2.0 on, texels have a flag of their own; before, CLK_GLOBAL_MEM_FENCE is for them too.
kernel void shift_unfenced(read_write image2d_t image)
{
    const int x = (int)get_global_id(0);
    const uint4 right = read_imageui(image, (int2)(x + 1, 0));
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    write_imageui(image, (int2)(x, 0), right);
}
// $ clerk kernel race.cl -k shift_unfenced -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:rg:unsigned_int8[5x1]=iota'

kernel void shift(read_write image2d_t image)
{
    const int x = (int)get_global_id(0);
    const uint4 right = read_imageui(image, (int2)(x + 1, 0));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imageui(image, (int2)(x, 0), right);
}
// $ clerk kernel race.cl -k shift -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:rg:unsigned_int8[5x1]=iota' --print 0

// The other way round: what a work-item writes, its neighbour reads.
kernel void hand_over_unfenced(read_write image2d_t image, global uint *out)
{
    const int x = (int)get_global_id(0);
    write_imageui(image, (int2)(x, 0), (uint4)(x));
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[x] = read_imageui(image, (int2)(x ^ 1, 0)).x;
}
// $ clerk kernel race.cl -k hand_over_unfenced -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:r:unsigned_int8[4x1]=0' -a 'buf:uint[4]'

kernel void hand_over(read_write image2d_t image, global uint *out)
{
    const int x = (int)get_global_id(0);
    write_imageui(image, (int2)(x, 0), (uint4)(x));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    out[x] = read_imageui(image, (int2)(x ^ 1, 0)).x;
}
// $ clerk kernel race.cl -k hand_over -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:r:unsigned_int8[4x1]=0' -a 'buf:uint[4]' --print 1

// The flag of texels is not the buffer's.
kernel void shift_buffer(global int *buffer)
{
    const int x = (int)get_global_id(0);
    const int right = buffer[x + 1];
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    buffer[x] = right;
}
// $ clerk kernel race.cl -k shift_buffer -g 4 -l 4 --build -cl-std=CL3.0 -a 'buf:int[5]=iota'

// The fence lets a work-item see its own texel again; it orders nobody else's.
kernel void again(read_write image2d_t image, int step)
{
    const int2 at = (int2)((int)get_global_id(0), 0);
    write_imageui(image, at, (uint4)(at.x));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    const int2 from = (int2)(at.x + step, 0);
    write_imageui(image, at, read_imageui(image, from) + (uint4)(1));
}
// $ clerk kernel race.cl -k again -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:r:unsigned_int8[5x1]=0' -a int=0 --print 0
// $ clerk kernel race.cl -k again -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:r:unsigned_int8[5x1]=0' -a int=1

// Without a fence it need not see it; not in a later iteration either. Nor does a fence that covers buffers help,
// or one that somebody else calls.
kernel void unfenced(read_write image2d_t image)
{
    const int2 at = (int2)((int)get_global_id(0), 0);
    write_imageui(image, at, (uint4)(at.x));
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    if (at.x % 2 == 0)
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imageui(image, at, read_imageui(image, at) + (uint4)(1));
}
// $ clerk kernel race.cl -k unfenced -g 4 -l 4 --build -cl-std=CL3.0 -a 'image2d:r:unsigned_int8[4x1]=0' --print 0 --schedule asc

kernel void unfenced_loop(read_write image1d_t image, int fence)
{
    const int x = (int)get_global_id(0);
    for (int i = 0; i < 3; i++) {
        write_imageui(image, x, read_imageui(image, x) + (uint4)(1));
        if (fence || i == 1)
            atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel,
                                   memory_scope_work_item);
    }
}
// $ clerk kernel race.cl -k unfenced_loop -g 8 -l 4 --build -cl-std=CL3.0 -a 'image1d:r:unsigned_int8[8]=0' -a int=0 --schedule asc
// $ clerk kernel race.cl -k unfenced_loop -g 8 -l 4 --build -cl-std=CL3.0 -a 'image1d:r:unsigned_int8[8]=0' -a int=1 --print 0

// A barrier with the flag is a fence, of the group or the sub-group.
kernel void barriers(read_write image1d_t image)
{
    const int x = (int)get_global_id(0);
    write_imageui(image, x, (uint4)(x));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imageui(image, x, read_imageui(image, x) + (uint4)(1));
    sub_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imageui(image, x, read_imageui(image, x) + (uint4)(1));
}
// $ clerk kernel race.cl -k barriers -g 8 -l 4 --build -cl-std=CL3.0 -a 'image1d:r:unsigned_int8[8]=0' --print 0

// covers: C7 E15 F2 D8
