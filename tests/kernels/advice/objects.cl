// What is shared by atomic operations and fences, and how: as races.cl.
//
// $ clerk kernel objects.cl --build -cl-std=CL3.0 -k own -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel objects.cl --build -cl-std=CL3.0 -k own_advised -g 4 -l 4 -a 'buf:int[4]=0' --print 0
// $ clerk kernel objects.cl --build -cl-std=CL3.0 -k two_sizes -g 4 -l 2 -a 'buf:ulong[1]=0'
// $ clerk kernel objects.cl --build -cl-std=CL3.0 -k two_sizes_advised -g 4 -l 2 -a 'buf:ulong[1]=0' --print 0
// $ clerk kernel objects.cl --build -cl-std=CL3.0 -k image_scope -g 4 -l 4 -a 'image2d:r:unsigned_int8[5x1]=iota'
// $ clerk kernel objects.cl --build -cl-std=CL3.0 -k image_scope_advised -g 4 -l 4 -a 'image2d:r:unsigned_int8[5x1]=iota' --print 0

kernel void own(global int *out)
{
    atomic_int mine;
    atomic_init(&mine, 5);
    for (uint i = 0; i < get_local_id(0); i++)
        atomic_fetch_add_explicit(&mine, 1, memory_order_relaxed, memory_scope_device);
    out[get_global_id(0)] = get_local_id(0) + 5;
}

kernel void own_advised(global int *out)
{
    int mine = 5;
    for (uint i = 0; i < get_local_id(0); i++)
        mine++;
    out[get_global_id(0)] = mine;
}

/* Odd work-items count in the lower half. */
kernel void two_sizes(global ulong *a)
{
    if (get_global_id(0) % 2)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1u, memory_order_relaxed,
                                  memory_scope_device);
    else
        atomic_fetch_add_explicit((global atomic_ulong *)a, 1ul, memory_order_relaxed,
                                  memory_scope_device);
}

kernel void two_sizes_advised(global ulong *a)
{
    atomic_fetch_add_explicit((global atomic_ulong *)a, 1ul, memory_order_relaxed,
                              memory_scope_device);
}

/* Each texel moves one to the left. */
kernel void image_scope(read_write image2d_t image)
{
    const int x = get_global_id(0);
    const uint4 right = read_imageui(image, (int2)(x + 1, 0));
    work_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_device);
    write_imageui(image, (int2)(x, 0), right);
}

kernel void image_scope_advised(read_write image2d_t image)
{
    const int x = get_global_id(0);
    const uint4 right = read_imageui(image, (int2)(x + 1, 0));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imageui(image, (int2)(x, 0), right);
}
