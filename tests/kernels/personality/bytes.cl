/* The order of bytes: what the appendix "Portability" of the OpenCL API has of both orders. Its vectors are
 * written as in memory here, element 0 first. The portable kernels give the same on both devices. */

// $ clerk kernel bytes.cl -k vector_loads -g 1 -a 'buf:uchar[16]=iota' -a 'buf:uint4[1]=1,2,3,4' -a 'buf:uint[8]' --print 2
// $ clerk kernel bytes.cl -k vector_loads -g 1 -a 'buf:uchar[16]=iota' -a 'buf:uint4[1]=1,2,3,4' -a 'buf:uint[8]' --print 2 --personality big-endian
/* Elements are numbered as in memory, whatever their bytes are; but bytes that are taken for a uint4 are a pun. */
kernel void vector_loads(global const uchar *bytes, global const uint4 *vectors, global uint *out)
{
    const uint4 a = *(global const uint4 *)bytes;
    vstore4(a, 0, out);
    vstore4(vectors[0].wzyx, 1, out);
}

// $ clerk kernel bytes.cl -k casts -g 1 -a 'buf:float[4]=iota' -a 'buf:uint[4]' -a 'buf:ushort[8]' --print 1 --print 2
// $ clerk kernel bytes.cl -k casts -g 1 -a 'buf:float[4]=iota' -a 'buf:uint[4]' -a 'buf:ushort[8]' --print 1 --print 2 --personality big-endian
/* z.z is 0 on a little-endian device and 0x3f80 (16256) on a big-endian one. */
kernel void casts(global const float *x, global uint *same_size, global ushort *other_size)
{
    const float4 v = vload4(0, x);
    const uint4 y = as_uint4(v);
    const ushort8 z = as_ushort8(v);
    vstore4(y, 0, same_size);
    vstore8(z, 0, other_size);
}

// $ clerk kernel bytes.cl -k halves -g 1 -a 'buf:uchar[8]=iota' -a 'buf:uchar[8]=16' -a 'buf:ushort[8]' -a 'buf:ushort[8]' --print 2 --print 3
// $ clerk kernel bytes.cl -k halves -g 1 -a 'buf:uchar[8]=iota' -a 'buf:uchar[8]=16' -a 'buf:ushort[8]' -a 'buf:ushort[8]' --print 2 --print 3 --personality big-endian
kernel void halves(global const uchar *low, global const uchar *high, global ushort *paired, global ushort *portable)
{
    const uchar8 lo = vload8(0, low);
    const uchar8 hi = vload8(0, high);
    uchar16 both;
    both.even = lo;
    both.odd = hi;
    vstore8(as_ushort8(both), 0, paired);
    vstore8(upsample(hi, lo), 0, portable);
}

// $ clerk kernel bytes.cl -k interleave -g 1 -a 'buf:uint[8]=iota' -a 'buf:uint[8]=7' -a 'buf:uint[16]' --print 2
// $ clerk kernel bytes.cl -k interleave -g 1 -a 'buf:uint[8]=iota' -a 'buf:uint[8]=7' -a 'buf:uint[16]' --print 2 --personality big-endian
kernel void interleave(global const uint *left, global const uint *right, global uint *out)
{
    uint16 both;
    both.even = vload8(0, left);
    both.odd = vload8(0, right);
    vstore16(both, 0, out);
}

// $ clerk kernel bytes.cl -k puns -g 1 -a 'buf:uint[5]' -a 'buf:int[3]=7' --print 0 --print 1
// $ clerk kernel bytes.cl -k puns -g 1 -a 'buf:uint[5]' -a 'buf:int[3]=7' --print 0 --print 1 --personality big-endian
/* A union, constant, private, local and global memory; and atomics, which are not puns. */
constant uint table[2] = {1, 0x01020304};
kernel void puns(global uint *out, global int *counters)
{
    local uint shared;
    union {
        uint whole;
        uchar bytes[4];
    } number;
    uint held = 0x05060708;
    const size_t i = get_global_id(0);
    number.whole = 0x090a0b0c;
    shared = 0x0d0e0f10;
    out[0] = number.bytes[i];
    out[1] = ((constant uchar *)&table[1])[i];
    out[2] = *(ushort *)((uchar *)&held + i);
    out[3] = *((local uchar *)&shared + i);
    out[4] = ((global uchar *)&out[3])[i];
    atomic_add(&counters[0], 5);
    atomic_max(&counters[0], 11);
    atomic_or(&counters[1], 8);
    atomic_cmpxchg(&counters[2], 7, 258);
}

// $ clerk kernel bytes.cl -k same_values -g 2 -l 2 -a 'buf:int[1]=0' --schedule asc --personality big-endian
kernel void same_values(global int *out)
{
    out[0] = 258;
}

// $ clerk kernel bytes.cl -k race -g 2 -l 2 -a 'buf:int[1]=0' --schedule asc --personality big-endian
// $ clerk kernel bytes.cl -k race -g 2 -l 2 -a 'buf:int[1]=0' --explore --personality big-endian
/* A report tells values, not bytes; explored executions would tell bytes. */
kernel void race(global int *out)
{
    out[0] = (int)get_global_id(0) + 258;
}
