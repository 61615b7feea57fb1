// Vectors of which some components are undefined, or left open, leave a kernel: each is looked at by itself. The
// fourth component that compilers give a vector of three is nobody's.
//
// $ clerk kernel vectors.cl -k converts -g 1 -l 1 -a 'buf:uchar4[1]' -a float4=300,300,300,1
// $ clerk kernel vectors.cl -k converts -g 1 -l 1 -a 'buf:uchar4[1]' -a float4=255,0,3,1
// $ clerk kernel vectors.cl -k divides -g 2 -l 2 -a 'buf:int4[2]' -a int4=1,1,0,1
// $ clerk kernel vectors.cl -k divides -g 2 -l 2 -a 'buf:int4[2]' -a int4=1,1,2,1
// $ clerk kernel vectors.cl -k half_given -g 2 -l 2 -a 'buf:float4[2]'
// $ clerk kernel vectors.cl -k half_given_fixed -g 2 -l 2 -a 'buf:float4[2]'
// $ clerk kernel vectors.cl -k both -g 2 -l 2 -a 'buf:int4[2]' -a int=0
// $ clerk kernel vectors.cl -k elsewhere -g 2 -l 2 -a 'buf:int4[2]' -a 'buf:int[4]=1' -a int=1
// $ clerk kernel vectors.cl -k threes -g 2 -l 2 -a 'buf:float3[8]=1' -a 'buf:float4[8]' -a 'buf:char3[2]' -a int=1
// $ clerk kernel vectors.cl -k three_of_three -g 2 -l 2 -a 'buf:float3[2]'
// $ clerk kernel vectors.cl -k look_at_fourth -g 2 -l 2 -a 'buf:float3[2]=1' -a 'buf:int[2]=0'
// $ clerk kernel vectors.cl -k fourth_given -g 1 -l 1 -a 'buf:int[4]' -a 'buf:uint4[2]' -a int3=1,2,3
// $ clerk kernel vectors.cl -k stores -g 2 -l 2 -a 'buf:float[8]'
// $ clerk kernel vectors.cl -k picture -g 1 -l 1 -a 'image2d:r:float[1x1]'
// $ clerk kernel vectors.cl -k picture -g 1 -l 1 -a 'image2d:rg:float[1x1]'
// $ clerk kernel vectors.cl -k picture -g 1 -l 1 -a 'image2d:rgba:float[1x1]'

kernel void converts(global uchar4 *out, float4 given)
{
    out[0] = convert_uchar4(given);
}

kernel void divides(global int4 *out, int4 by)
{
    out[get_global_id(0)] = 12 / by;
}

kernel void half_given(global float4 *out)
{
    float4 v;
    v.x = 1;
    v.y = 2;
    out[get_global_id(0)] = v;
}

kernel void half_given_fixed(global float4 *out)
{
    float4 v;
    v.xy = 1;
    v.wz = 2;
    out[get_global_id(0)] = v;
}

kernel void both(global int4 *out, int by)
{
    int4 v;
    v.xy = 3 / by;
    v.z = 1;
    out[get_global_id(0)] = v;
}

/* By way of memory: the component that was not stored. */
kernel void elsewhere(global int4 *out, global const int *in, int n)
{
    int4 v[2];
    v[n].xyz = in[0];
    v[0] = in[1];
    out[get_global_id(0)] = v[in[2]];
}

struct body {
    float3 at;
    int n;
};

kernel void threes(global float3 *a, global float4 *b, global char3 *c, int n)
{
    int i = get_global_id(0);
    float3 v = a[i];
    float3 many[2] = {v, (float3)(1, 2, 3)};
    float4 four = as_float4(v);
    float4 fours[2];
    struct body body = {v, 5};
    global struct body *bodies = (global struct body *)(a + 4);
    fours[n] = as_float4(many[n]);
    a[i] = many[n & 1] * 2;
    a[i + 2] = n > 1 ? v : many[0];
    bodies[i] = body;
    b[i] = four;
    b[i + 2] = fours[n];
    b[i + 4] = as_float4(cross(v, v));
    c[i] = convert_char3(v);
    c[i].x += 1;
}

kernel void three_of_three(global float3 *out)
{
    float3 v;
    v.xy = 1;
    out[get_global_id(0)] = v;
}

kernel void look_at_fourth(global const float3 *in, global int *out)
{
    if (as_float4(in[0]).w > 1)
        out[get_global_id(0)] = 1;
}

kernel void stores(global float *out)
{
    float4 v;
    v.yzw = 1;
    vstore4(v, get_global_id(0), out);
}

/* A texel keeps what its image has. */
kernel void picture(write_only image2d_t image)
{
    float4 color;
    color.x = 1;
    write_imagef(image, (int2)(0, 0), color);
}

// The fourth that as_type adds is undefined. Who stores it by name is told, who stores all four is not: that is how
// compilers store a vector of three, too.
kernel void fourth_given(global int *out, global uint4 *four, int3 three)
{
    const int4 all = as_int4(three);
    four[0] = as_uint4(all);
    vstore3(all.xyz, 0, out);
    out[3] = all.w;
    four[1].w = as_uint4(three).w;
}
