// What depends on the device: as races.cl.
//
// $ clerk kernel portability.cl --checks portability -k take_apart -g 1 -a 'buf:uint[1]=0x01020304' -a 'buf:uint[1]'
// $ clerk kernel portability.cl --checks portability -k take_apart_advised -g 1 -a 'buf:uint[1]=0x01020304' -a 'buf:uint[1]' --print 1
// $ clerk kernel portability.cl --checks portability -k put_together -g 1 -a 'buf:ushort[2]=iota' -a 'buf:uint[1]'
// $ clerk kernel portability.cl --checks portability -k put_together_advised -g 1 -a 'buf:ushort[2]=iota' -a 'buf:uint[1]' --print 1
// $ clerk kernel portability.cl --checks portability -k swap -g 1 -a 'buf:uint[1]=0x01020304' -a 'buf:uint[1]'
// $ clerk kernel portability.cl --checks portability -k swap_advised -g 1 -a 'buf:uint[1]=0x01020304' -a 'buf:uint[1]' --print 1
// $ clerk kernel portability.cl --checks portability -k low_half -g 1 -a 'buf:uint[1]=0x01020304' -a 'buf:uint[1]'
// $ clerk kernel portability.cl --checks portability -k low_half_advised -g 1 -a 'buf:uint[1]=0x01020304' -a 'buf:uint[1]' --print 1
// $ clerk kernel portability.cl --checks portability -k halved -g 1 -a 'buf:float[1]=0x1p-126' -a 'buf:float[1]'
// $ clerk kernel portability.cl --checks portability -k halved_advised -g 1 -a 'buf:float[1]=0x1p-126' -a 'buf:float[1]' --print 1
// $ clerk kernel portability.cl --checks portability -k compared -g 1 -a 'buf:float[1]=0x1p-126' -a 'buf:float[1]'
// $ clerk kernel portability.cl --checks portability -k compared_advised -g 1 -a 'buf:float[1]=0x1p-126' -a 'buf:float[1]' --print 1
// $ clerk kernel portability.cl --checks race,portability --build -cl-std=CL3.0 --sub-group-size 8 -k sum -g 8 -l 8 -a 'buf:uint[8]=1' -a 'buf:uint[1]=0'
// $ clerk kernel portability.cl --checks race,portability --build -cl-std=CL3.0 --sub-group-size 8 -k sum_advised -g 8 -l 8 -a 'buf:uint[8]=1' -a 'buf:uint[1]=0' --print 1
// $ clerk kernel portability.cl --checks race,portability --build -cl-std=CL3.0 --sub-group-size 8 -k required -g 8 -l 8 -a 'buf:uint[8]=1' -a 'buf:uint[1]=0'
// $ clerk kernel portability.cl --checks race,portability --build -cl-std=CL3.0 --sub-group-size 8 -k required_advised -g 8 -l 8 -a 'buf:uint[8]=1' -a 'buf:uint[1]=0' --print 1

kernel void take_apart(global const uint *in, global uint *out)
{
    *out = as_uchar4(*in).x;
}

kernel void take_apart_advised(global const uint *in, global uint *out)
{
    *out = *in & 0xff;
}

kernel void put_together(global const ushort2 *in, global uint *out)
{
    *out = as_uint(*in);
}

kernel void put_together_advised(global const ushort2 *in, global uint *out)
{
    *out = upsample(in->y, in->x);
}

/* The bytes of a number the other way round. */
kernel void swap(global const uint *in, global uint *out)
{
    *out = as_uint(as_uchar4(*in).wzyx);
}

kernel void swap_advised(global const uint *in, global uint *out)
{
    const uchar4 bytes = (uchar4)(*in & 0xff, *in >> 8 & 0xff, *in >> 16 & 0xff, *in >> 24);
    *out = upsample(upsample(bytes.x, bytes.y), upsample(bytes.z, bytes.w));
}

kernel void low_half(global const uint *in, global uint *out)
{
    *out = *(global const ushort *)in;
}

kernel void low_half_advised(global const uint *in, global uint *out)
{
    *out = *in & 0xffff;
}

kernel void halved(global const float *x, global float *out)
{
    *out = *x / 2 * 0x1p20f;
}

kernel void halved_advised(global const float *x, global float *out)
{
    *out = *x * 0x1p20f / 2;
}

kernel void compared(global const float *x, global float *out)
{
    *out = *x / 2 > 0 ? 1 : 2;
}

kernel void compared_advised(global const float *x, global float *out)
{
    *out = *x > 0 ? 1 : 2;
}

#if __OPENCL_C_VERSION__ >= 200
kernel void sum(global const uint *in, global uint *out)
{
    const uint all = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        *out = all;
}

/* Of each sub-group the first work-item adds what it came to, however large sub-groups are. */
kernel void sum_advised(global const uint *in, global uint *out)
{
    const uint all = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        atomic_add(out, all);
}

kernel void required(global const uint *in, global uint *out)
{
    const uint all = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        *out = all;
}

kernel __attribute__((intel_reqd_sub_group_size(8))) void required_advised(global const uint *in, global uint *out)
{
    const uint all = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        *out = all;
}
#endif
