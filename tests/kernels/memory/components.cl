// A component of a vector is a memory location of its own: storing it leaves its neighbours alone,
// and reading it reads nothing else. Compilers write loads and stores of whole vectors for both.
//
// $ clerk kernel components.cl -k by_index -g 4 -l 4 -a 'buf:int4[1]=9' --print 0
// $ clerk kernel components.cl -k by_index_of_three -g 4 -l 4 -a 'buf:char3[1]=9' -a 'buf:char[4]=0' --print 0 --print 1
// $ clerk kernel components.cl -k by_choice -g 4 -l 4 -a 'buf:int4[1]=iota' -a int=1 --print 0
// $ clerk kernel components.cl -k beyond -g 1 -l 1 -a 'buf:int4[2]=iota' -a 'buf:int[1]' -a int=4 --print 0
// $ clerk kernel components.cl -k only_written -g 1 -l 1 -a 'buf:int4[4]:wo' -a int4=1,2,3,4
// $ clerk kernel components.cl -k apart -g 2 -l 2 -a 'buf:int4[2]=7' -a 'buf:int[2]' --print 0 --print 1
// $ clerk kernel components.cl -k same -g 2 -l 2 -a 'buf:int4[1]=7'
// $ clerk kernel components.cl -k swizzles -g 2 -l 2 -a 'buf:short8[2]=iota' --print 0
// $ clerk kernel components.cl -k wholes -g 2 -l 2 -a 'buf:int4[1]=7'
// $ clerk kernel components.cl -k counted -g 8 -l 8 -a 'buf:double2[4]=0' --print 0
// $ clerk kernel components.cl -k members -g 2 -l 2 -a 'buf:float[16]=1' -a 'buf:half4[1]=1' --print 0
// $ clerk kernel components.cl -k threes -g 2 -l 2 -a 'buf:float3[2]=1' -a 'buf:float[8]=2' --print 0
// $ clerk kernel components.cl -k end_of_three -g 1 -l 1 -a 'buf:float[3]=1' -a 'buf:float[3]' --print 1
// $ clerk kernel components.cl -k tile -g 8 -l 8 -a 'buf:int[8]' --print 0
// $ clerk kernel components.cl -k table -g 4 -l 4 -a 'buf:uint[4]' -a int=9 --print 0
// $ clerk kernel components.cl -k table -g 262144 -l 256 -a 'buf:uint[262144]' -a int=1
// $ clerk kernel components.cl -k table_shared -g 262144 -l 256 -a 'buf:uint[262144]' -a 'buf:uint4[262144]'
// $ clerk kernel components.cl -k any_space -g 4 -l 4 -a 'buf:int4[1]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel components.cl -k volatile_ones -g 2 -l 2 -a 'buf:int4[1]=0' --print 0
// $ clerk kernel components.cl -k kept -g 1 -l 1 -a 'buf:int4[2]=iota' -a 'buf:int[4]' -a int=3 --print 0 --print 1
// $ clerk kernel components.cl -k misaligned -g 1 -l 1 -a 'buf:int[8]=0'
// $ clerk kernel components.cl -k apart -g 2 -l 2 -a 'buf:int4[2]=7' -a 'buf:int[2]' --build -cl-std=CL3.0 --explore

kernel void by_index(global int4 *p)
{
    int i = get_global_id(0);
    p[0][i] = i;
    p[0][i] += p[0][i];
}

kernel void by_index_of_three(global char3 *p, global char *out)
{
    int i = get_global_id(0) % 3;
    if (get_global_id(0) < 3)
        p[0][i] = i;
    out[get_global_id(0)] = p[0][i];
}

kernel void by_choice(global int4 *p, int k)
{
    int i = get_global_id(0);
    int other = p[0][i < 2 && k > 0 ? i : 3 - (k ? 3 - i : 0)] * 2;
    p[0][k ? i : 0] = other;
}

kernel void beyond(global int4 *p, global int *out, int i)
{
    p[0][i] = 3;
    out[0] = p[1][i];
}

kernel void only_written(global int4 *p, int4 v)
{
    p[0].x = 1;
    p[0].yz = v.xy;
    p[1].hi = v.lo;
    p[2].wzyx = v;
    p[3][v.x] = 5;
}

// Nothing of this is shared.
kernel void apart(global int4 *p, global int *out)
{
    if (get_global_id(0) == 0) {
        p->x = 1;
        p->zw = p[1].zw;
        out[0] = p[1].s0;
    } else {
        p->y = 2;
        p[1].y += 1;
        out[1] = p->y;
    }
}

kernel void same(global int4 *p)
{
    if (get_global_id(0) == 0)
        p->xz = (int2)(1, 2);
    else
        p->w = p->z;
}

kernel void swizzles(global short8 *p)
{
    if (get_global_id(0) == 0) {
        p[0].even = p[1].odd;
        p[0].lo.y = 50;
        p[1].s6 = p[0].s2;
    } else {
        p[0].hi.w = p[1].s0;
        p[0].s53 = p[1].s24;
    }
}

// Vectors as wholes are one access each.
kernel void wholes(global int4 *p)
{
    if (get_global_id(0) == 0) {
        int4 v = *p;
        v.x = 1;
        *p = v;
    } else {
        p->y = 2;
    }
}

kernel void counted(global double2 *p)
{
    int i = get_global_id(0);
    if (i & 1)
        p[i / 2].y += i;
    else
        p[i / 2].x--;
}

struct body {
    int n;
    float3 at;
    float4 speed[2];
};

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void members(global struct body *b, global half4 *h)
{
    if (get_global_id(0) == 0) {
        b->at.x = 2;
        b->speed[1].w = b->at.x;
        h->x = h->w;
    } else {
        b->at.yz = b->speed[0].zw;
        b->speed[1].xyz *= 2;
        h->y = 3;
        b->n = 5;
    }
}

// The fourth component is nobody's: neither written nor read, here the other work-item's.
kernel void threes(global float3 *p, global float *other)
{
    global float *fourth = (global float *)p + 3;
    if (get_global_id(0) == 0) {
        p[0] = p[1];
        p[1].y = p[0].z;
        other[0] = p[1].s2;
    } else {
        fourth[0] = fourth[4] + 5;
    }
}

kernel void end_of_three(global const float3 *p, global float *out)
{
    float3 v = *p;
    vstore3(v, 0, out);
}

kernel void tile(global int *out)
{
    local int4 t[2];
    int i = get_local_id(0);
    t[i / 4][i % 4] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[1 - i / 4][i % 4] + t[0].x;
}

// All is written before it is read, component by component.
kernel void table(global uint *out, int n)
{
    uint4 t[4];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 4; i++) {
            t[i].x = k;
            t[i].y = 1;
            t[i].z = 2;
            t[i][3] = i;
        }
    }
    out[get_global_id(0)] = t[n & 3].x * 10 + t[get_global_id(0) & 3].w + t[1][n & 1];
}

kernel void table_shared(global uint *out, global uint4 *all)
{
    local uint4 t[256];
    size_t i = get_global_id(0);
    size_t l = get_local_id(0);
    t[l].x = all[i].x = l;
    t[l].y = all[i].y = 1;
    t[l].z = all[i].z = 2;
    t[l].w = all[i].w = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[255 - l].x + t[l].w + all[i].z;
}

#if __OPENCL_C_VERSION__ >= 200
void set(int4 *p, int i)
{
    (*p)[i] = i;
    p->s0 = 9;
}

kernel void any_space(global int4 *p)
{
    int4 own = 1;
    set(&own, get_global_id(0));
    if (get_global_id(0) == 3)
        set(p, 3);
    else if (get_global_id(0) == 2)
        p->z = own.s2 + own.x;
}
#endif

kernel void volatile_ones(volatile global int4 *p)
{
    if (get_global_id(0) == 0)
        p->x = 1;
    else
        p->y++;
}

kernel void misaligned(global int *p)
{
    global int4 *v = (global int4 *)(p + 3);
    v->y = 3;
}

// A variable keeps what it was given, whatever becomes of where that came from.
kernel void kept(global int4 *p, global int *out, int i)
{
    local int4 near[2];
    int4 own[2] = {(int4)(1), (int4)(9, 10, 11, 12)};
    near[1] = (int4)(5, 6, 7, 8);
    int4 a = p[0], b = near[i & 1], c = own[i & 1], d = p[1];
    p[0] = 0;
    p[1] = 0;
    near[i & 1] = 0;
    own[i & 1] = 0;
    out[0] = a[i];
    out[1] = b[i];
    out[2] = c[i];
    d[i] = 77;
    p[1] = d;
    out[3] = a[i - 1] + a.y;
}
