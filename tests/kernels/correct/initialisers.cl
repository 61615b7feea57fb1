// Initialisers that are not constant, but have parts that are: these are copied from constants of the
// compiler's own. Each time control comes there, all is given its value anew.
//
// $ clerk kernel initialisers.cl -k shapes -g 2 -a buf:int[28] --print 0
// $ clerk kernel initialisers.cl -k again -g 1 -a buf:int[10] --print 0
// $ clerk kernel initialisers.cl -k large -g 1 -a buf:int[4] --print 0
// $ clerk kernel initialisers.cl -k shapes -g 2 -a buf:int[28] --print 0 --personality 32-bit

typedef struct {
    int a, b;
    int v[16];
} item;

typedef union {
    item s;
    float f[20];
} bits;

typedef struct {
    short first;
    item in[2];
    float4 q[3];
    char name[24];
    bits u;
} all;

kernel void shapes(global int *out)
{
    const int x = (int)get_global_id(0) + 5;
    out += get_global_id(0) * 14;
    item s = {1, x, {1, 2, 3, 4, 5}};
    out[0] = s.a + s.b + s.v[4] + s.v[5];
    all t = {x,
             {{1, x, {9, 8, 7, 6, 5}}, {x, 2, {[3] = 4, 5, 6, 7, 8}}},
             {(float4)1, (float4)(1, 2, 3, x), (float4)5},
             "a name with some length",
             {{x, 1, {1, 2, 3, 4, 5, 6, 7, 8}}}};
    out[1] = t.first + t.in[0].v[3] + t.in[1].v[7] + t.in[1].a + t.in[1].v[2];
    out[2] = t.q[1].w + t.q[2].x;
    out[3] = t.name[x];
    out[4] = t.u.s.v[x] + t.u.s.a;
    item a[3] = {
        {1, x, {1, 2, 3, 4, 5}}, {2, x, {2, 3, 4, 5, 6}}, {3, 4, {1, 1, 1, 1, 1, 1, 1}}};
    for (int i = 0; i < 3; i++)
        out[5 + i] = a[i].v[4] + a[i].b;
    int m[3][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {x, 2, 3}, {8, 7, 6, 5, 4, 3, 2, 1}};
    out[8] = m[0][x - 2] + m[1][0] + m[2][x];
    out[9] = ((item){1, x, {1, 2, 3, 4, 5}}).v[x - 4];
    struct {
        uchar c;
        float f[12];
    } z = {.c = x, .f = {[10] = 1.5f, 2.5f}};
    out[10] = (int)(z.f[10] * 2 + z.f[11] + z.f[3]) + z.c;
    struct {
        int a;
        global int *there[6];
    } p = {x, {out, out, out, out, out}};
    p.there[2][11] = x;
    out[12] = p.there[5] == 0;
    item plain = {1, x, {0}};
    out[13] = plain.b + plain.v[15];
}

int change(int x)
{
    item s = {1, x, {1, 2, 3, 4, 5}};
    s.v[0]++;
    s.b += s.v[0] + s.v[4];
    return s.b;
}

kernel void again(global int *out)
{
    const int x = (int)get_global_id(0) + 5;
    out[0] = change(x);
    out[1] = change(x);
    for (int i = 0; i < 8; i++) {
        item s = {i, x, {1, 2, 3, 4, 5}};
        s.v[1] += i + s.v[0]++;
        out[2 + i] = s.v[1];
    }
}

kernel void large(global int *out)
{
    const int x = (int)get_global_id(0) + 1;
    int a[1000] = {[997] = x};
    struct {
        int n;
        int v[500];
    } b = {x, {1, 2, 3, 4, 5, 6, [499] = 7}};
    out[0] = a[x] + a[997];
    out[1] = b.v[x * 5] + b.v[499 * x];
    out[2] = b.v[6 * x];
    out[3] = b.n;
}
