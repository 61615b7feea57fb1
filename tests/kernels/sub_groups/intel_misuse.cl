// What cl_intel_subgroups leaves undefined is found: blocks of partial sub-groups, misaligned ones, blocks of images that are
// not for them, shuffles from nobody. After each the nearest that is right.
//
// $ clerk kernel intel_misuse.cl -k copy -g 12 -l 12 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=0 -a uint=0 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k copy -g 16 -l 16 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=0 -a uint=4 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k copy -g 16 -l 16 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=1 -a uint=16 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k copy_short -g 8 -l 8 -a 'buf:ushort[64]=iota' -a 'buf:ushort[64]' -a uint=1 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k copy_short -g 8 -l 8 -a 'buf:ushort[64]=iota' -a 'buf:ushort[64]' -a uint=2 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k copy -g 16 -l 16 -a 'buf:uint[64]=iota' -a 'buf:uint[12]' -a uint=0 -a uint=0 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k overlap -g 16 -l 16 -a 'buf:uint[64]' -a uint=4 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k overlap -g 16 -l 16 -a 'buf:uint[64]' -a uint=8 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k places -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=1 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k places -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=0 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k some -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=5 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k some -g 8 -l 8 -a 'buf:uint[64]=iota' -a 'buf:uint[64]' -a uint=8 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k image -g 8 -l 8 -a 'image2d:rgba:float[16x4]=1' -a 'buf:uint[8]' -a int=0 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k image -g 8 -l 8 -a 'image2d:r:unsigned_int8[32x4]=1' -a 'buf:uint[8]' -a int=4 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k image -g 8 -l 8 -a 'image2d:r:unsigned_int8[32x4]=1' -a 'buf:uint[8]' -a int=0 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k image_write -g 8 -l 8 -a 'image2d:rgba:unsigned_int8[16x4]=1' -a int=2 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k image_write -g 8 -l 8 -a 'image2d:rgba:unsigned_int8[16x4]=1' -a int=8 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k image_write -g 12 -l 12 -a 'image2d:rgba:unsigned_int8[16x4]=1' -a int=8 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k shuffle -g 8 -l 8 -a 'buf:uint[8]' -a uint=8 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k shuffle -g 8 -l 8 -a 'buf:uint[8]' -a uint=7 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k down -g 8 -l 8 -a 'buf:uint[8]' -a uint=9 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k down -g 8 -l 8 -a 'buf:uint[8]' -a uint=8 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k down -g 12 -l 12 -a 'buf:uint[12]' -a uint=1 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k lower_half -g 8 -l 8 -a 'buf:uint[8]' -a uint=4 --sub-group-size 8
// $ clerk kernel intel_misuse.cl -k lower_half -g 8 -l 8 -a 'buf:uint[8]' -a uint=2 --sub-group-size 8

kernel void copy(const global uint *in, global uint *out, uint from, uint to)
{
    const uint start = get_sub_group_id() * get_max_sub_group_size();
    intel_sub_group_block_write(out + to / 4 + start, intel_sub_group_block_read(in + from + start));
}

kernel void copy_short(const global ushort *in, global ushort *out, uint from)
{
    intel_sub_group_block_write_us(out, intel_sub_group_block_read_us(in + from));
}

// Of two sub-groups, the second `distance` behind the first.
kernel void overlap(global uint *out, uint distance)
{
    intel_sub_group_block_write(out + get_sub_group_id() * distance, get_sub_group_local_id());
}

kernel void places(const global uint *in, global uint *out, uint step)
{
    out[get_global_id(0)] = intel_sub_group_block_read(in + get_sub_group_local_id() * step);
}

kernel void some(const global uint *in, global uint *out, uint count)
{
    if (get_sub_group_local_id() < count)
        out[get_global_id(0)] = intel_sub_group_block_read(in);
}

kernel void image(read_only image2d_t image, global uint *out, int column)
{
    out[get_global_id(0)] = intel_sub_group_block_read(image, (int2)(column, 1));
}

kernel void image_write(write_only image2d_t image, int column)
{
    intel_sub_group_block_write(image, (int2)(column, 1), get_sub_group_local_id());
}

kernel void shuffle(global uint *out, uint from)
{
    if (intel_sub_group_shuffle(get_sub_group_local_id(), from) > 3)
        out[get_global_id(0)] = 1;
}

// The last work-item's index is 7 + delta; below 16 there is a source.
kernel void down(global uint *out, uint delta)
{
    const uint id = get_sub_group_local_id();
    if (intel_sub_group_shuffle_down(id, id + 100, delta) > 3)
        out[get_global_id(0)] = 1;
}

// Half of the work-items come, those with a small id.
kernel void lower_half(global uint *out, uint mask)
{
    const uint id = get_sub_group_local_id();
    if (id < 4 && intel_sub_group_shuffle_xor(id, mask) > 3)
        out[get_global_id(0)] = 1;
}
