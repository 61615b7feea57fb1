// Stencils and pictures, all correct: nothing is reported, and the values are those of PoCL.
//
// $ clerk kernel picture.cl -k stencil_halo -g 64 -l 16 -a 'buf:float[64]=iota' -a 'buf:float[64]' -a 'local:float[18]' -a int=64 --print 1
// $ clerk kernel picture.cl -k stencil2d -g 16,16 -l 8,8 -a 'buf:float[256]=iota' -a 'buf:float[256]' -a int=16 -a int=16
// $ clerk kernel picture.cl -k conv -g 16,16 -a 'buf:float[256]=iota' -a 'buf:float[256]' -a int=16 -a int=16
// $ clerk kernel picture.cl -k mandelbrot -g 32,16 -a 'buf:uchar4[512]' -a int=40
// $ clerk kernel picture.cl -k gray -g 64 -a 'buf:uchar4[64]=iota' -a 'buf:uchar[64]' --print 1
// $ clerk kernel picture.cl -k sobel -g 16,8 -a 'buf:uchar[128]=iota' -a 'buf:uchar[128]'
// $ clerk kernel picture.cl -k life -g 16,16 -l 4,4 -a 'buf:uchar[256]=iota' -a 'buf:uchar[256]'
// $ clerk kernel picture.cl -k vol -g 8,8,8 -l 4,2,2 -a 'buf:float[512]=iota' -a 'buf:float[512]'
// $ clerk kernel picture.cl -k median -g 14,6 --offset 1,1 -a 'buf:int[128]=iota' -a 'buf:int[128]=0'

kernel void stencil_halo(global const float *in, global float *out, local float *t, int n)
{
    int g = get_global_id(0), l = get_local_id(0), ls = get_local_size(0);
    t[l + 1] = in[g];
    if (l == 0)
        t[0] = g > 0 ? in[g - 1] : 0.0f;
    if (l == ls - 1)
        t[ls + 1] = g + 1 < n ? in[g + 1] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = (t[l] + t[l + 1] + t[l + 2]) * 0.25f;
}

kernel void stencil2d(global const float *in, global float *out, int w, int h)
{
    local float t[10][10];
    int x0 = get_group_id(0) * 8 - 1, y0 = get_group_id(1) * 8 - 1;
    for (int i = get_local_id(1) * 8 + get_local_id(0); i < 100; i += 64) {
        int x = clamp(x0 + i % 10, 0, w - 1), y = clamp(y0 + i / 10, 0, h - 1);
        t[i / 10][i % 10] = in[y * w + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_local_id(0) + 1, y = get_local_id(1) + 1;
    out[get_global_id(1) * w + get_global_id(0)] =
        t[y][x] * 4 - t[y - 1][x] - t[y + 1][x] - t[y][x - 1] - t[y][x + 1];
}

__constant float mask[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
kernel void conv(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (x + dx < 0 || x + dx >= w || y + dy < 0 || y + dy >= h)
                continue;
            s += in[(y + dy) * w + x + dx] * mask[(dy + 1) * 3 + dx + 1];
        }
    out[y * w + x] = s / 16.0f;
}

kernel void mandelbrot(global uchar4 *out, int limit)
{
    int x = get_global_id(0), y = get_global_id(1);
    float cr = -2.0f + 3.0f * x / get_global_size(0), ci = -1.0f + 2.0f * y / get_global_size(1);
    float zr = 0, zi = 0;
    int i;
    for (i = 0; i < limit; i++) {
        float r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0f)
            break;
        zi = fma(2.0f * zr, zi, ci);
        zr = fma(zr, zr, -(i2)) + cr;
    }
    uchar v = convert_uchar_sat(i * 255 / limit);
    out[y * get_global_size(0) + x] = (uchar4)(v, v ^ 0xff, i & 7, 255);
}

kernel void gray(global const uchar4 *in, global uchar *out)
{
    size_t i = get_global_id(0);
    float4 f = convert_float4(in[i]);
    out[i] = convert_uchar_sat_rte(0.299f * f.x + 0.587f * f.y + 0.114f * f.z);
}

kernel void sobel(global const uchar *in, global uchar *out)
{
    int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[y * w + x] = 0;
        return;
    }
    global const uchar *p = in + (y - 1) * w + x - 1;
    int gx = p[2] - p[0] + 2 * (p[w + 2] - p[w]) + p[2 * w + 2] - p[2 * w];
    int gy = p[2 * w] - p[0] + 2 * (p[2 * w + 1] - p[1]) + p[2 * w + 2] - p[2];
    out[y * w + x] = (uchar)min((uint)(abs(gx) + abs(gy)), 255u);
}

kernel void life(global const uchar *in, global uchar *out)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
#define AT(X, Y) (in[(((Y) + 16) % 16) * 16 + ((X) + 16) % 16] >> 2 & 1)
    n = AT(x - 1, y - 1) + AT(x, y - 1) + AT(x + 1, y - 1) + AT(x - 1, y) + AT(x + 1, y) +
        AT(x - 1, y + 1) + AT(x, y + 1) + AT(x + 1, y + 1);
    out[y * 16 + x] = n == 3 || (n == 2 && AT(x, y));
}

kernel void vol(global const float *in, global float *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    size_t j = (x * 8 + y) * 8 + z;
    out[j] = in[i] + get_local_id(2) + get_num_groups(0) * 10 + get_work_dim();
}

kernel void median(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), v[9], n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            v[n++] = in[(y + dy) * 16 + x + dx] * 73 % 101;
    for (int i = 1; i < 9; i++) {
        int key = v[i], j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
    out[y * 16 + x] = v[4] + (int)get_global_offset(0);
}
