// Loads of all widths and of the shapes that most have, again and again; what they load is added up.
//
// $ clerk kernel usual_loads.cl -k planes -g 64,64 -l 16,16 -a 'buf:uchar[4096]=iota' -a 'buf:ushort[4096]=iota' -a 'buf:uint[4096]=iota' -a 'buf:ulong[4096]=iota' -a 'buf:ulong[4096]=0' --assert 'all i: out[i] == i % 256 + 3 * i + 5 * (i % 64) + 7 * (i / 64) + 9'
// $ clerk kernel usual_loads.cl -k planes -g 64,64 -l 64,4 -a 'buf:uchar[4096]=iota' -a 'buf:ushort[4096]=iota' -a 'buf:uint[4096]=iota' -a 'buf:ulong[4096]=iota' -a 'buf:ulong[4096]=0' --assert 'all i: out[i] == i % 256 + 3 * i + 5 * (i % 64) + 7 * (i / 64) + 9'
// $ clerk kernel usual_loads.cl -k planes -g 64,64 -l 4,64 -a 'buf:uchar[4096]=iota' -a 'buf:ushort[4096]=iota' -a 'buf:uint[4096]=iota' -a 'buf:ulong[4096]=iota' -a 'buf:ulong[4096]=0' --assert 'all i: out[i] == i % 256 + 3 * i + 5 * (i % 64) + 7 * (i / 64) + 9'
// $ clerk kernel usual_loads.cl -k planes -g 64,64 -l 16,16 -a 'buf:uchar[4095]=iota' -a 'buf:ushort[4096]=iota' -a 'buf:uint[4096]=iota' -a 'buf:ulong[4096]=iota' -a 'buf:ulong[4096]=0'
// $ clerk kernel usual_loads.cl -k part_uint -g 64,64 -l 16,16 -a 'buf:uint[4096]=0' -a uint=4096 --assert 'all i: out[i] == i + 1'
// $ clerk kernel usual_loads.cl -k part_uchar -g 64,64 -l 16,16 -a 'buf:uchar[4096]=0' -a uint=4000
// $ clerk kernel usual_loads.cl -k part_ushort -g 64,64 -l 16,16 -a 'buf:ushort[4096]=0' -a uint=4000
// $ clerk kernel usual_loads.cl -k part_uint -g 64,64 -l 16,16 -a 'buf:uint[4096]=0' -a uint=4000
// $ clerk kernel usual_loads.cl -k part_ulong -g 64,64 -l 16,16 -a 'buf:ulong[4096]=0' -a uint=4000
// $ clerk kernel usual_loads.cl -k part_uchar -g 1024 -l 64 -a 'buf:uchar[1024]=0' -a uint=1000
// $ clerk kernel usual_loads.cl -k part_ulong -g 1024 -l 64 -a 'buf:ulong[1024]=0' -a uint=1000
// $ clerk kernel usual_loads.cl -k one -g 512 -l 64 -a 'buf:uint4[8]=iota' -a 'buf:uint[512]=0' -a uint=1 --assert 'all i: out[i] == 2 + 4 * (i / 64 * 4) + 6'
// $ clerk kernel usual_loads.cl -k one -g 512 -l 64 -a 'buf:uint4[8]=iota' -a 'buf:uint[512]=0' -a uint=2
// $ clerk kernel usual_loads.cl -k one -g 512 -l 64 -a 'buf:uint4[8]' -a 'buf:uint[512]=0' -a uint=1
// $ clerk kernel usual_loads.cl -k table -g 256 -l 64 --checks bounds-array -a 'buf:uint[256]=0' -a int=0 --assert 'all i: out[i] == 3 * (i % 64)'
// $ clerk kernel usual_loads.cl -k table -g 256 -l 64 --checks bounds-array -a 'buf:uint[256]=0' -a int=1
// $ clerk kernel usual_loads.cl -k shared_by_rows -g 16,256 -l 16,16 --checks uninitialised -a 'buf:uint[4096]=0' -a uint=256 --assert 'all i: out[i] == i / 16 + 1'
// $ clerk kernel usual_loads.cl -k shared_by_rows -g 16,256 -l 16,16 --checks uninitialised -a 'buf:uint[4096]=0' -a uint=254

// Elements of its own, those of its column and of its row, and one that all have.
kernel void planes(global const uchar *bytes, global const ushort *shorts, global const uint *ints,
                   global const ulong *longs, global ulong *out)
{
    const size_t x = get_global_id(0), y = get_global_id(1), n = get_global_size(0), i = y * n + x;
    const ulong own = bytes[i] + shorts[i] + ints[i] + longs[i];
    const ulong column = bytes[x] + shorts[x] + ints[x] + 2 * longs[x];
    const ulong row = bytes[y] + shorts[y] + ints[y] + 4 * longs[y];
    out[i] = own + column + row + bytes[9];
}

// What some work-items did not write is undefined for them alone.
#define PART(type)                                                                                 \
    kernel void part_##type(global type *out, uint end)                                            \
    {                                                                                              \
        local type cells[320];                                                                     \
        const size_t l = get_local_id(1) * (get_local_size(0) + 4) + get_local_id(0);              \
        const size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);                 \
        if (i < end)                                                                               \
            cells[l] = i;                                                                          \
        out[i] = cells[l] + 1;                                                                     \
    }
PART(uchar)
PART(ushort)
PART(uint)
PART(ulong)

// One of each group's, all its components.
kernel void one(global const uint4 *in, global uint *out, uint step)
{
    const uint4 value = in[get_group_id(0) * step];
    out[get_global_id(0)] = value.x + value.y + value.z + value.w + 2;
}

// Subscripts that one work-item has out of range, though not of the object.
struct pair {
    uint others[64];
    uint cells[64];
};
kernel void table(global uint *out, int less)
{
    local struct pair pair;
    const int l = get_local_id(0);
    pair.others[l] = l;
    pair.cells[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = pair.cells[l - less] + pair.others[l] + pair.cells[l];
}

// One element for each row, of which the last are not written.
kernel void shared_by_rows(global uint *out, uint end)
{
    local uint rows[16];
    const uint x = get_local_id(0), y = get_local_id(1), row = get_global_id(1);
    if (x == 0 && row < end)
        rows[y] = row;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[row * 16 + x] = rows[y] + 1;
}
