// Addresses of parts of variables, as initialisers: numbers, members of structures within structures, components.
//
// $ clerk kernel addresses.cl -g 1 -a 'buf:int[19]' --print 0 --build -cl-std=CL3.0

struct in { short a[3]; int b[4]; };
struct out { char c; struct in i[2]; double d; };
global int t[8] = {0,1,2,3,4,5,6,7};
global struct out o = {1, {{{2,3,4},{5,6,7,8}},{{9,10,11},{12,13,14,15}}}, 2.5};
global int *p1 = &t[3];
global int *p2 = t + 7;
global short *p3 = &o.i[1].a[2];
global int *p4 = &o.i[1].b[1];
global double *p5 = &o.d;
global char *p6 = (global char *)&o.i[0].b[2] + 1;
global struct in *p7 = &o.i[1];
constant int ct[4] = {10,20,30,40};
constant int *constant p8 = &ct[2];
constant char *constant p9 = "hello" + 2;
constant float4 cv[2] = {(float4)(1,2,3,4),(float4)(5,6,7,8)};
constant float4 *constant p10 = &cv[1];
global int2 gv[3] = {(int2)(1,2),(int2)(3,4),(int2)(5,6)};
global int *p11 = (global int *)&gv[1] + 1;
global int (*p12)[4] = &o.i[1].b;
global int *ps[3] = {&t[1], t + 2, &o.i[0].b[3]};
int *g1 = &t[5];
kernel void f(global int *r)
{
    local int l[4];
    int own[4] = {1, 2, 3, 4};
    local int *p13 = &l[0] + 1;
    l[1] = 5;
    r[0] = *p1;
    r[1] = *p2;
    r[2] = *p3;
    r[3] = *p4;
    r[4] = (int)(*p5 * 2);
    r[5] = *p6;
    r[6] = p7->b[3];
    r[7] = *p8;
    r[8] = *p9;
    r[9] = (int)p10->z;
    r[10] = *p11;
    r[11] = (*p12)[2];
    r[12] = *ps[0];
    r[13] = *ps[1];
    r[14] = *ps[2];
    r[15] = *g1;
    r[16] = *p13;
    r[17] = *(&own[0] + 2);
    r[18] = *(&o.i[1].b[0] + 2);
}
