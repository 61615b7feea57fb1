/* What depends on the device, and what does the same without: the group portability, which is not among the usual
 * rules. */

// $ clerk kernel notes.cl -k cast -g 1 -a 'buf:uint[1]=7' -a 'buf:uint[1]' --schedule asc --checks portability
kernel void cast(global const uint *in, global uint *out)
{
    *out = as_uchar4(*in).x;
}

// $ clerk kernel notes.cl -k cast_portably -g 1 -a 'buf:uint[1]=7' -a 'buf:uint[1]' --schedule asc --checks portability
kernel void cast_portably(global const uint *in, global uint *out)
{
    *out = (*in & 0xff) + as_uint(as_float(*in));
}

// $ clerk kernel notes.cl -k swizzle -g 1 -a 'buf:uint[1]=7' -a 'buf:uint[1]' --schedule asc --checks portability
kernel void swizzle(global const uint *in, global uint *out)
{
    *out = as_uint(as_uchar4(*in).wzyx);
}

// $ clerk kernel notes.cl -k swizzle_portably -g 1 -a 'buf:uint[2]=7' -a 'buf:uint[2]' --schedule asc --checks portability
kernel void swizzle_portably(global const uint2 *in, global uint2 *out)
{
    uint2 both;
    both.even = in->y;
    both.odd = in->x;
    *out = both.yx;
}

// $ clerk kernel notes.cl -k pun -g 1 -a 'buf:uint[1]=7' -a 'buf:uint[1]' --schedule asc --checks portability
kernel void pun(global const uint *in, global uint *out)
{
    *out = *(global const ushort *)in;
}

// $ clerk kernel notes.cl -k pun_portably -g 1 -a 'buf:uint[4]=7' -a 'buf:uint[4]' --schedule asc --checks portability
/* To copy a structure, and to take floats for integers of their size, tells nothing of bytes. */
struct pair {
    uint a[2];
};
kernel void pun_portably(global const uint *in, global uint *out)
{
    struct pair held = *(global const struct pair *)in;
    struct pair copy = held;
    union {
        uint whole;
        float number;
    } same;
    same.number = 1.0f;
    out[0] = copy.a[1] + ((global const uint2 *)in)[1].x + same.whole;
}

// $ clerk kernel notes.cl -k pun_walks -g 4 -a 'buf:uint[4]=7' -a 'buf:uint[4]' --schedule asc --checks portability
/* pyopencl's offsets are bytes. */
kernel void pun_walks(global const uint *in, global uint *out)
{
    global const uint *second = (global const uint *)((global const uchar *)in + sizeof(uint));
    out[get_global_id(0)] = second[get_global_id(0) % 3];
}

// $ clerk kernel notes.cl -k pun_walks_away -g 1 -a 'buf:uint[4]=7' -a 'buf:uint[1]' --schedule asc --checks portability
kernel void pun_walks_away(global const uint *in, global uint *out)
{
    *out = ((global const uchar *)in + sizeof(uint))[1];
}

#ifdef __opencl_c_device_enqueue
// $ clerk kernel notes.cl -k pun_blocks -g 1 -a 'buf:uint[1]' --schedule asc --checks portability --build -cl-std=CL3.0
/* A block is called with what it has captured as void *, and has local arguments that are void *. */
kernel void pun_blocks(global uint *out)
{
    const uint three = 3;
    uint (^triple)(uint) = ^(uint value) { return three * value; };
    *out = triple(14);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                   ^(local void *room) {
                       local uint *number = (local uint *)room;
                       *number = three;
                   },
                   (uint)sizeof(uint));
}
#endif

// $ clerk kernel notes.cl -k pun_and_back -g 4 -a 'buf:uint[4]=7' -a 'buf:uint[4]' --schedule asc --checks portability
/* A pointer that is cast back is not an other one; clang casts so to fill an array with zeros. */
kernel void pun_and_back(global const uint *in, global uint *out)
{
    const uint weights[2][3] = {{0, 1, 0}, {0, 2, 0}};
    const size_t i = get_global_id(0);
    out[i] = ((global const uint *)(global const uchar *)in)[i] * weights[i & 1][i % 3];
}

// $ clerk kernel notes.cl -k pun_atomic -g 1 -a 'buf:ulong[1]=7' -a 'buf:uint[1]' --schedule asc --checks portability
kernel void pun_atomic(global ulong *in, global uint *out)
{
    *out = atomic_inc((global uint *)in);
}

// $ clerk kernel notes.cl -k pun_copied -g 1 -a 'buf:uint[4]=7' -a 'buf:uint[4]' --schedule asc --checks portability
kernel void pun_copied(global const uint *in, global uint *out)
{
    local uchar bytes[16];
    event_t copied = async_work_group_copy(bytes, (global const uchar *)in, 16, 0);
    wait_group_events(1, &copied);
    *out = bytes[0];
}

// $ clerk kernel notes.cl -k copied_portably -g 1 -a 'buf:uint[4]=7' -a 'buf:uint[4]' --schedule asc --checks portability
/* Both sides are taken for bytes, or are mere room. */
struct mixed {
    uint number;
    uchar bytes[12];
};
kernel void copied_portably(global const uint *in, global uint *out)
{
    local struct mixed held;
    local uchar room[16];
    event_t copied = async_work_group_copy((local uint *)&held, (global const uint *)in, 4, 0);
    copied = async_work_group_copy((local uint *)room, in, 4, copied);
    wait_group_events(1, &copied);
    *out = held.number;
}

#ifdef __opencl_c_subgroups
// $ clerk kernel notes.cl -k sub_group -g 8 -a 'buf:uint[8]=7' -a 'buf:uint[8]' --schedule asc --checks portability --build -cl-std=CL3.0
kernel void sub_group(global const uint *in, global uint *out)
{
    out[get_global_id(0)] = sub_group_broadcast(in[get_global_id(0)], 0);
}

// $ clerk kernel notes.cl -k sub_group_asked -g 8 -a 'buf:uint[8]=7' -a 'buf:uint[8]' --schedule asc --checks portability --build -cl-std=CL3.0
kernel void sub_group_asked(global const uint *in, global uint *out)
{
    out[get_global_id(0)] = sub_group_broadcast(in[get_global_id(0)], 0) * get_sub_group_size();
}

// $ clerk kernel notes.cl -k sub_group_required -g 8 -a 'buf:uint[8]=7' -a 'buf:uint[8]' --schedule asc --checks portability --build -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(8))) void sub_group_required(global const uint *in, global uint *out)
{
    out[get_global_id(0)] = sub_group_broadcast(in[get_global_id(0)], 0);
}
#endif

// $ clerk kernel notes.cl -k half_of -g 1 -a 'buf:float[1]=0x1p-126' --schedule asc --checks portability
// $ clerk kernel notes.cl -k half_of -g 1 -a 'buf:float[1]=0x1p-125' --schedule asc --checks portability
kernel void half_of(global float *x)
{
    *x = -*x / 2;
}

// $ clerk kernel notes.cl -k pun -g 1 -a 'buf:uint[1]=7' -a 'buf:uint[1]' --schedule asc
