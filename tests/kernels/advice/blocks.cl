// Blocks of cl_intel_subgroups, and what it says of them: as races.cl.
//
// $ clerk kernel blocks.cl --sub-group-size 8 -k partial -g 12 -l 12 -a 'buf:uint[64]=iota' -a 'buf:uint[64]'
// $ clerk kernel blocks.cl --sub-group-size 8 -k partial_advised -g 16 -l 16 -a 'buf:uint[64]=iota' -a 'buf:uint[64]=0' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k part_by_element -g 12 -l 12 -a 'buf:uint[64]=iota' -a 'buf:uint[64]=0'
// $ clerk kernel blocks.cl --sub-group-size 8 -k part_by_element_advised -g 12 -l 12 -a 'buf:uint[64]=iota' -a 'buf:uint[64]=0' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k from_odd -g 8 -l 8 -a 'buf:ushort[64]=iota' -a 'buf:ushort[8]'
// $ clerk kernel blocks.cl --sub-group-size 8 -k from_odd_advised -g 8 -l 8 -a 'buf:ushort[64]=iota' -a 'buf:ushort[8]' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k to_odd -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[16]=0'
// $ clerk kernel blocks.cl --sub-group-size 8 -k to_odd_advised -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[16]=0' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k wide_texels -g 8 -l 8 -a 'image2d:rgba:float[8x2]=1' -a 'buf:uint[8]'
// $ clerk kernel blocks.cl --sub-group-size 8 -k wide_texels_advised -g 8 -l 8 -a 'image2d:r:unsigned_int32[8x2]=1' -a 'buf:uint[8]' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k texels_as_columns -g 8 -l 8 -a 'image2d:rgba:unsigned_int8[16x1]=1'
// $ clerk kernel blocks.cl --sub-group-size 8 -k texels_as_columns_advised -g 8 -l 8 -a 'image2d:rgba:unsigned_int8[16x1]=1' --print 0
// $ clerk kernel blocks.cl --sub-group-size 8 -k beyond_row -g 8 -l 8 -a 'image2d:r:unsigned_int8[32x4]=1' -a 'buf:uint[8]'
// $ clerk kernel blocks.cl --sub-group-size 8 -k beyond_row_advised -g 8 -l 8 -a 'image2d:r:unsigned_int8[32x4]=1' -a 'buf:uint[8]' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k overlap -g 16 -l 16 -a 'buf:uint[16]=0'
// $ clerk kernel blocks.cl --sub-group-size 8 -k overlap_advised -g 16 -l 16 -a 'buf:uint[16]=0' --print 0
// $ clerk kernel blocks.cl --sub-group-size 8 -k places -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[8]'
// $ clerk kernel blocks.cl --sub-group-size 8 -k places_advised -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[8]' --print 1
// $ clerk kernel blocks.cl --sub-group-size 8 -k some -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[8]=0'
// $ clerk kernel blocks.cl --sub-group-size 8 -k some_advised -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[8]=0' --print 1

#define START (get_sub_group_id() * get_max_sub_group_size())

kernel void partial(const global uint *in, global uint *out)
{
    intel_sub_group_block_write(out + START, 2 * intel_sub_group_block_read(in + START));
}

/* In a larger launch. */
kernel void partial_advised(const global uint *in, global uint *out)
{
    intel_sub_group_block_write(out + START, 2 * intel_sub_group_block_read(in + START));
}

kernel void part_by_element(const global uint *in, global uint *out)
{
    intel_sub_group_block_write(out + START, 2 * intel_sub_group_block_read(in + START));
}

kernel void part_by_element_advised(const global uint *in, global uint *out)
{
    const uint i = START + get_sub_group_local_id();
    if (get_sub_group_size() == get_max_sub_group_size())
        intel_sub_group_block_write(out + START, 2 * intel_sub_group_block_read(in + START));
    else
        out[i] = 2 * in[i];
}

kernel void from_odd(const global ushort *in, global ushort *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read_us(in + 3);
}

kernel void from_odd_advised(const global ushort *in, global ushort *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read_us(in + 4);
}

kernel void to_odd(const global uint *in, global uint *out)
{
    intel_sub_group_block_write(out + 1, in[get_global_id(0)]);
}

kernel void to_odd_advised(const global uint *in, global uint *out)
{
    intel_sub_group_block_write(out + 4, in[get_global_id(0)]);
}

kernel void wide_texels(read_only image2d_t image, global uint *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read(image, (int2)(0, 1));
}

kernel void wide_texels_advised(read_only image2d_t image, global uint *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read(image, (int2)(0, 1));
}

kernel void texels_as_columns(write_only image2d_t image)
{
    intel_sub_group_block_write(image, (int2)(2, 0), get_sub_group_local_id());
}

kernel void texels_as_columns_advised(write_only image2d_t image)
{
    intel_sub_group_block_write(image, (int2)(2 * 4, 0), get_sub_group_local_id());
}

kernel void beyond_row(read_only image2d_t image, global uint *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read(image, (int2)(4, 1));
}

kernel void beyond_row_advised(read_only image2d_t image, global uint *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read(image, (int2)(0, 1));
}

kernel void overlap(global uint *out)
{
    intel_sub_group_block_write(out + get_sub_group_id() * 4, get_sub_group_local_id());
}

kernel void overlap_advised(global uint *out)
{
    intel_sub_group_block_write(out + START, get_sub_group_local_id());
}

kernel void places(const global uint *in, global uint *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read(in + get_sub_group_local_id());
}

kernel void places_advised(const global uint *in, global uint *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read(in + START);
}

kernel void some(const global uint *in, global uint *out)
{
    if (get_sub_group_local_id() < 5)
        out[get_global_id(0)] = intel_sub_group_block_read(in);
}

kernel void some_advised(const global uint *in, global uint *out)
{
    const uint read = intel_sub_group_block_read(in);
    if (get_sub_group_local_id() < 5)
        out[get_global_id(0)] = read;
}
