// Values that nobody wrote, and results that are undefined: as races.cl.
//
// $ clerk kernel values.cl -k unwritten -g 4 -a 'buf:int[4]' -a 'buf:int[4]'
// $ clerk kernel values.cl -k unwritten_advised -g 4 -a 'buf:int[4]=0' -a 'buf:int[4]' --print 1
// $ clerk kernel values.cl -k halo -g 8 -l 8 -a 'buf:int[8]=iota'
// $ clerk kernel values.cl -k halo_advised -g 8 -l 8 -a 'buf:int[8]=iota' --print 0
// $ clerk kernel values.cl -k greatest -g 4 -a 'buf:int[4]=iota' -a int=0
// $ clerk kernel values.cl -k greatest_advised -g 4 -a 'buf:int[4]=iota' -a int=0 --print 0
// $ clerk kernel values.cl -k branches -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel values.cl -k branches_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel values.cl -k places -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel values.cl -k places_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel values.cl -k counts -g 4 -a 'buf:int[1]'
// $ clerk kernel values.cl -k counts_advised -g 4 -a 'buf:int[1]=0' --print 0
// $ clerk kernel values.cl -k counts_in_room -g 4 -l 4 -a 'buf:int[1]'
// $ clerk kernel values.cl -k counts_in_room_advised -g 4 -l 4 -a 'buf:int[1]' --print 0
// $ clerk kernel values.cl -k texels -g 4 -a 'image2d:rgba:unsigned_int8[4x1]' -a 'buf:uint[4]'
// $ clerk kernel values.cl -k texels_advised -g 4 -a 'image2d:rgba:unsigned_int8[4x1]=7' -a 'buf:uint[4]' --print 1
// $ clerk kernel values.cl -k divides -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel values.cl -k divides_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel values.cl -k converts -g 4 -a 'buf:float[4]=300' -a 'buf:uchar[4]'
// $ clerk kernel values.cl -k converts_advised -g 4 -a 'buf:float[4]=300' -a 'buf:uchar[4]' --print 1
// $ clerk kernel values.cl -k clamps -g 4 -a 'buf:int[4]=iota' -a int=2 -a int=1
// $ clerk kernel values.cl -k clamps_advised -g 4 -a 'buf:int[4]=iota' -a int=2 -a int=1 --print 0
// $ clerk kernel values.cl -k steps -g 4 -a 'buf:float[4]=iota' -a float=2 -a float=1
// $ clerk kernel values.cl -k steps_advised -g 4 -a 'buf:float[4]=iota' -a float=2 -a float=1 --print 0
// $ clerk kernel values.cl -k products -g 4 -a 'buf:int[4]=iota' -a int=20000000
// $ clerk kernel values.cl -k products_advised -g 4 -a 'buf:int[4]=iota' -a int=20000000 --print 0

kernel void unwritten(global const int *in, global int *out)
{
    out[get_global_id(0)] = in[get_global_id(0)] > 3 ? 1 : 2;
}

kernel void unwritten_advised(global const int *in, global int *out)
{
    out[get_global_id(0)] = in[get_global_id(0)] > 3 ? 1 : 2;
}

kernel void halo(global int *a)
{
    local int tile[10];
    int l = get_local_id(0);
    tile[l + 1] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = tile[l] + tile[l + 2] > 5 ? 1 : 0;
}

kernel void halo_advised(global int *a)
{
    local int tile[10];
    int l = get_local_id(0);
    tile[l + 1] = a[l];
    if (l == 0) {
        tile[0] = 0;
        tile[9] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = tile[l] + tile[l + 2] > 5 ? 1 : 0;
}

kernel void greatest(global int *a, int n)
{
    int most;
    for (int i = 0; i < n; i++)
        most = i == 0 || a[i] > most ? a[i] : most;
    a[get_global_id(0)] = most;
}

kernel void greatest_advised(global int *a, int n)
{
    int most = -1;
    for (int i = 0; i < n; i++)
        most = i == 0 || a[i] > most ? a[i] : most;
    a[get_global_id(0)] = most;
}

kernel void branches(global int *a)
{
    int odd, i = get_global_id(0);
    if (i % 2 == 1)
        odd = 1;
    if (odd)
        a[i] = -1;
}

kernel void branches_advised(global int *a)
{
    int odd = 0, i = get_global_id(0);
    if (i % 2 == 1)
        odd = 1;
    if (odd)
        a[i] = -1;
}

kernel void places(global int *a)
{
    int to, i = get_global_id(0);
    if (i > 0)
        to = i - 1;
    a[to & 3] = 5;
}

kernel void places_advised(global int *a)
{
    int to = 3, i = get_global_id(0);
    if (i > 0)
        to = i - 1;
    a[to & 3] = 5;
}

kernel void counts(global int *count)
{
    atomic_inc(count);
}

kernel void counts_advised(global int *count)
{
    atomic_inc(count);
}

kernel void counts_in_room(global int *out)
{
    local int count;
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = count;
}

kernel void counts_in_room_advised(global int *out)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = count;
}

kernel void texels(read_only image2d_t image, global uint *out)
{
    int i = get_global_id(0);
    out[i] = read_imageui(image, (int2)(i, 0)).x;
}

kernel void texels_advised(read_only image2d_t image, global uint *out)
{
    int i = get_global_id(0);
    out[i] = read_imageui(image, (int2)(i, 0)).x;
}

kernel void divides(global int *a)
{
    int i = get_global_id(0);
    a[i] = 12 / a[i];
}

kernel void divides_advised(global int *a)
{
    int i = get_global_id(0);
    a[i] = a[i] != 0 ? 12 / a[i] : 0;
}

/* ---- results that are open ---- */

kernel void converts(global const float *a, global uchar *out)
{
    out[get_global_id(0)] = a[get_global_id(0)];
}

kernel void converts_advised(global const float *a, global uchar *out)
{
    out[get_global_id(0)] = convert_uchar_sat(a[get_global_id(0)]);
}

kernel void clamps(global int *a, int high, int low)
{
    a[get_global_id(0)] = clamp(a[get_global_id(0)], high, low);
}

kernel void clamps_advised(global int *a, int high, int low)
{
    a[get_global_id(0)] = clamp(a[get_global_id(0)], low, high);
}

kernel void steps(global float *a, float high, float low)
{
    a[get_global_id(0)] = smoothstep(high, low, a[get_global_id(0)]);
}

kernel void steps_advised(global float *a, float high, float low)
{
    a[get_global_id(0)] = smoothstep(low, high, a[get_global_id(0)]);
}

kernel void products(global int *a, int factor)
{
    a[get_global_id(0)] = mul24(a[get_global_id(0)], factor);
}

kernel void products_advised(global int *a, int factor)
{
    a[get_global_id(0)] = a[get_global_id(0)] * factor;
}
