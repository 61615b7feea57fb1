// Results that the specification leaves open, where something depends on them; and where nothing does.
//
// $ clerk kernel open.cl -k divides -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]=0' --print 1
// $ clerk kernel open.cl -k divides_fixed -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]=0' --print 1
// $ clerk kernel open.cl -k least -g 2 -l 2 -a 'buf:char[4]=-128' -a 'buf:int[4]=0'
// $ clerk kernel open.cl -k remainder_by -g 4 -l 4 -a uint=0 -a 'buf:uint[4]=0'
// $ clerk kernel open.cl -k remainder_by -g 4 -l 4 -a uint=3 -a 'buf:uint[4]=0'
// $ clerk kernel open.cl -k converts -g 1 -l 1 -a float=300 -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k converts -g 1 -l 1 -a float=255.75 -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k converts -g 1 -l 1 -a float=-0.75 -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k converts -g 1 -l 1 -a float=nan -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k saturates -g 1 -l 1 -a float=300 -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k edges -g 1 -l 1 -a 'float2=-2147483648,4294967040' -a 'double2=-2147483648.9,4294967295.9' -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k edges -g 1 -l 1 -a 'float2=-2147483904,0' -a 'double2=0,0' -a 'buf:int[1]=0'
// $ clerk kernel open.cl -k index -g 1 -l 1 -a float=9 -a 'buf:int[4]=0'
// $ clerk kernel open.cl -k chosen -g 1 -l 1 -a 'int4=0,1,2,3' -a 'buf:int4[1]' --print 1
// $ clerk kernel open.cl -k component -g 4 -l 4 -a int=4 -a 'buf:int[4]=0'
// $ clerk kernel open.cl -k component -g 4 -l 4 -a int=3 -a 'buf:int[4]=0'

kernel void divides(global const int *by, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 12 / by[i];
}

kernel void divides_fixed(global const int *by, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = by[i] != 0 ? 12 / by[i] : 0;
}

kernel void least(global const char *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] / -1; /* a char is an int before it is divided: that fits */
    if ((a[i] << 24) / (a[i] + 127) == 5) /* this does not */
        out[i] = 1;
}

kernel void remainder_by(uint n, global uint *out)
{
    if (get_global_id(0) % n == 1)
        out[get_global_id(0)] = 1;
}

kernel void converts(float value, global int *out)
{
    if ((uchar)value > 7)
        out[0] = 1;
}

kernel void saturates(float value, global int *out)
{
    if (convert_uchar_sat(value) > 7)
        out[0] = 1;
}

kernel void edges(float2 single_, double2 wide, global int *out)
{
    if ((int)single_.x == 1 || (uint)single_.y == 1 || (int)wide.x == 1 || (uint)wide.y == 1)
        out[0] = 1;
}

/* The index is what our device makes of it, and judged as such too. */
kernel void index(float value, global int *out)
{
    out[(uchar)(value * -1)] = 1;
    out[(uchar)(value * 100)] = 1;
}

/* Components are computed all, and then chosen. */
kernel void chosen(int4 by, global int4 *out)
{
    int4 all = 12 / by;
    out[0] = by != 0 ? all : -1;
}

kernel void component(int which, global int *out)
{
    int4 v = (int4)(1, 2, 3, 4);
    if (v[which] == 4)
        out[get_global_id(0)] = 1;
}

// What built-in functions leave open: between limits or edges in the wrong order, and of factors beyond 24 bits.
// $ clerk kernel open.cl -k clamps -g 1 -l 1 -a 'int2=5,3' -a 'float2=1,0.5' -a 'buf:int[2]=0' --schedule asc
// $ clerk kernel open.cl -k clamps -g 1 -l 1 -a 'int2=3,3' -a 'float2=0.5,0.5' -a 'buf:int[2]=0' --schedule asc
// $ clerk kernel open.cl -k smooths -g 1 -l 1 -a 'float4=0.5,0.5,0.5,0' -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel open.cl -k smooths -g 1 -l 1 -a 'float4=0,1,nan,0' -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel open.cl -k smooths -g 1 -l 1 -a 'float4=0,1,0.5,0' -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel open.cl -k multiplies -g 1 -l 1 -a 'int2=-8388609,3' -a 'uint2=16777216,3' -a 'buf:int[1]=0' --schedule asc
// $ clerk kernel open.cl -k multiplies -g 1 -l 1 -a 'int2=-8388608,8388607' -a 'uint2=16777215,3' -a 'buf:int[1]=0' --schedule asc
kernel void clamps(int2 limits, float2 edges, global int *out)
{
    if (clamp(4, limits.x, limits.y) == 4 || clamp((uchar2)4, convert_uchar2(limits.xx), (uchar2)3).y == 4)
        out[0] = 1;
    if (clamp(4.0f, edges.x, edges.y) == 1)
        out[1] = 1;
}

kernel void smooths(float4 f, global int *out)
{
    if (smoothstep(f.x, f.y, f.z) > 0)
        out[0] = 1;
}

kernel void multiplies(int2 a, uint2 b, global int *out)
{
    if (mul24(a.x, a.y) == 3)
        out[0] = 1;
    if (mad24(b.x, b.y, 1u) == 4)
        out[0] = 2;
}
