// Accesses outside, or of what cannot be accessed so: as races.cl.
//
// $ clerk kernel memory.cl -k global_end -g 8 -a 'buf:int[6]=iota' -a int=6
// $ clerk kernel memory.cl -k global_end_advised -g 8 -a 'buf:int[6]=iota' -a int=6 --print 0
// $ clerk kernel memory.cl -k local_end -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel memory.cl -k local_end_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel memory.cl -k private_end -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel memory.cl -k private_end_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel memory.cl -k constant_end -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel memory.cl -k constant_end_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel memory.cl -k row_end -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel memory.cl -k row_end_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel memory.cl -k component -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel memory.cl -k component_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel memory.cl -k not_to_write -g 4 -a 'buf:int[4]=iota:ro'
// $ clerk kernel memory.cl -k not_to_write_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel memory.cl -k not_to_read -g 4 -a 'buf:int[4]=iota:wo'
// $ clerk kernel memory.cl -k not_to_read_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel memory.cl -k misaligned -g 1 -a 'buf:float[8]=iota'
// $ clerk kernel memory.cl -k misaligned_advised -g 1 -a 'buf:float[8]=iota' --print 0
// $ clerk kernel memory.cl -k outside -g 4 -a 'image2d:rgba:unsigned_int8[4x1]=0'
// $ clerk kernel memory.cl -k outside_advised -g 4 -a 'image2d:rgba:unsigned_int8[4x1]=0' --print 0

kernel void global_end(global int *a, int n)
{
    int i = get_global_id(0);
    a[i] = 2 * i;
}

kernel void global_end_advised(global int *a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] = 2 * i;
}

kernel void local_end(global int *a)
{
    local int room[8];
    int l = get_local_id(0);
    room[l + 1] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l > 0)
        a[l] = room[l];
}

kernel void local_end_advised(global int *a)
{
    local int room[8];
    int l = get_local_id(0);
    if (l + 1 < 8)
        room[l + 1] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l > 0)
        a[l] = room[l];
}

kernel void private_end(global int *a)
{
    int squares[4] = {0, 1, 4, 9}, i = get_global_id(0);
    a[i] = squares[i + 1];
}

kernel void private_end_advised(global int *a)
{
    int squares[4] = {0, 1, 4, 9}, i = get_global_id(0);
    a[i] = i + 1 < 4 ? squares[i + 1] : 16;
}

constant int cubes[4] = {0, 1, 8, 27};

kernel void constant_end(global int *a)
{
    int i = get_global_id(0);
    a[i] = cubes[i + 1];
}

kernel void constant_end_advised(global int *a)
{
    int i = get_global_id(0);
    a[i] = i + 1 < 4 ? cubes[i + 1] : 64;
}

kernel void row_end(global int *a)
{
    int rows[2][4], i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        rows[0][k] = k;
    a[i] = rows[1][i];
}

kernel void row_end_advised(global int *a)
{
    int rows[2][4], i = get_global_id(0);
    int *all = &rows[0][0];
    for (int k = 0; k < 8; k++)
        all[k] = k;
    a[i] = rows[1][i];
}

kernel void component(global int *a)
{
    int4 squares = (int4)(0, 1, 4, 9);
    int i = get_global_id(0);
    a[i] = squares[i + 1];
}

kernel void component_advised(global int *a)
{
    int4 squares = (int4)(0, 1, 4, 9);
    int i = get_global_id(0);
    a[i] = i + 1 < 4 ? squares[i + 1] : 16;
}

kernel void not_to_write(global int *a)
{
    a[get_global_id(0)] = 3;
}

kernel void not_to_write_advised(global int *a)
{
    a[get_global_id(0)] = 3;
}

kernel void not_to_read(global int *a)
{
    a[get_global_id(0)] += 3;
}

kernel void not_to_read_advised(global int *a)
{
    a[get_global_id(0)] += 3;
}

kernel void misaligned(global float *a)
{
    *(global float4 *)(a + 1) = (float4)(9);
}

kernel void misaligned_advised(global float *a)
{
    vstore4((float4)(9), 0, a + 1);
}

kernel void outside(write_only image2d_t image)
{
    int i = get_global_id(0) + 1;
    write_imageui(image, (int2)(i, 0), (uint4)(i));
}

kernel void outside_advised(write_only image2d_t image)
{
    int i = get_global_id(0) + 1;
    if (i < get_image_width(image))
        write_imageui(image, (int2)(i, 0), (uint4)(i));
}
