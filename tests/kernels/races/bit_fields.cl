/* OpenCL C has no bit-fields, but programs write them by hand: neighbours in one int are one memory location,
 * so to change the one races with changing the other; bytes of their own are their own. */

// covers: D2 D8
// $ clerk kernel bit_fields.cl -k neighbours -g 2 -l 2 -a buf:uint[1]=0 --schedule asc
kernel void neighbours(global uint *fields)
{
    const uint shift = 8 * (uint)get_global_id(0);
    fields[0] = (fields[0] & ~(0xffu << shift)) | 7u << shift;
}

// $ clerk kernel bit_fields.cl -k atomically -g 2 -l 2 -a buf:uint[1]=0 --print 0
kernel void atomically(volatile global uint *fields)
{
    const uint shift = 8 * (uint)get_global_id(0);
    atomic_and(&fields[0], ~(0xffu << shift));
    atomic_or(&fields[0], 7u << shift);
}

// $ clerk kernel bit_fields.cl -k bytes -g 2 -l 2 -a buf:uint[1]=0 --print 0
kernel void bytes(global uint *fields)
{
    ((global uchar *)fields)[get_global_id(0)] = 7;
}
