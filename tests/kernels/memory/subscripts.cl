// Subscripts beyond a row or a member, where the access stays in the object; pointers that walk over rows name none.
//
// $ clerk kernel subscripts.cl -k tile -g 8,4 -l 8,4 -a 'buf:float[32]'
// $ clerk kernel subscripts.cl -k tile_fixed -g 8,4 -l 8,4 -a 'buf:float[32]'
// $ clerk kernel subscripts.cl -k constant_index -g 1 -l 1 -a 'buf:int[1]'
// $ clerk kernel subscripts.cl -k constant_index_fixed -g 1 -l 1 -a 'buf:int[1]' --print 0
// $ clerk kernel subscripts.cl -k member -g 5 -l 5 -a 'buf:int[60]=0'
// $ clerk kernel subscripts.cl -k member_fixed -g 5 -l 5 -a 'buf:int[60]=0'
// $ clerk kernel subscripts.cl -k before -g 2 -l 2 -a int=-1 -a 'buf:int[2]'
// $ clerk kernel subscripts.cl -k before -g 2 -l 2 -a int=1 -a 'buf:int[2]'
// $ clerk kernel subscripts.cl -k updates -g 1 -l 1 -a uint=4 -a 'buf:int[16]=0'
// $ clerk kernel subscripts.cl -k structures -g 3 -l 3 -a 'buf:int[12]=iota'
// $ clerk kernel subscripts.cl -k three -g 1 -l 1 -a int=2 -a 'buf:float[1]'
// $ clerk kernel subscripts.cl -k component -g 4 -l 4 -a int=4 -a 'buf:int[4]'
// $ clerk kernel subscripts.cl -k component -g 4 -l 4 -a int=3 -a 'buf:int[4]'
// $ clerk kernel subscripts.cl -k outermost -g 9 -l 9 -a 'buf:int[9]'
// $ clerk kernel subscripts.cl -k walks -g 1 -l 1 -a 'buf:int[32]' -a 'buf:int[8]=0'
// $ clerk kernel subscripts.cl -k no_component -g 6 -l 6 -a 'buf:int4[1]=1' -a local:int4[1] --print 0

typedef struct {
    int size;
    int v[3];
    int last;
} S;

typedef struct {
    int size;
    int rest[1];
} open;

kernel void tile(global float *out)
{
    local float t[4][8];
    const int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y < 3)
        out[y * 8 + x] = t[y][x + 1];
}

kernel void tile_fixed(global float *out)
{
    local float t[4][8];
    const int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x + 1 < 8)
        out[y * 8 + x] = t[y][x + 1];
}

kernel void constant_index(global int *out)
{
    int m[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = 10 * i + j;
    *out = m[0][4];
}

kernel void constant_index_fixed(global int *out)
{
    int m[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = 10 * i + j;
    *out = m[1][0];
}

kernel void member(global S *s)
{
    s[get_local_id(0)].v[get_local_id(0)] = 1;
}

kernel void member_fixed(global S *s)
{
    if (get_local_id(0) < 3)
        s[get_local_id(0)].v[get_local_id(0)] = 1;
}

kernel void before(int which, global int *out)
{
    local int t[2][2];
    t[1][get_local_id(0)] = t[0][get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = t[1][which];
}

kernel void updates(uint which, global int (*rows)[4])
{
    atomic_inc(&rows[1][which]);
}

// Copied whole: three elements of five numbers.
kernel void structures(global const int *in)
{
    S rows[2][2];
    const int i = get_local_id(0);
    for (int j = 0; j < 4; j++)
        rows[j / 2][j % 2].size = in[j];
    rows[0][i] = rows[1][0];
}

kernel void three(int which, global float *out)
{
    float3 v[2][2];
    v[1][0] = v[0][0] = 1;
    v[0][which] = 2;
    *out = v[1][0].z;
}

kernel void component(int which, global int *out)
{
    int4 v = (int4)(1, 2, 3, 4);
    v[which] = 5;
    out[get_local_id(0)] = v[which] + v.x;
}

// All of the object: its own bounds tell.
kernel void outermost(global int *out)
{
    local int t[8];
    t[get_local_id(0)] = 1;
    out[get_local_id(0)] = 1;
}

int sum(const int *p, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
        all += p[i];
    return all;
}

kernel void walks(global open *list, global int *out)
{
    int m[3][4];
    int *p = &m[0][0];
    for (int i = 0; i < 12; i++)
        p[i] = i;
    out[0] = sum(m[0], 12) + *(m[0] + 7) + *(&m[2][4] - 1);
    out[1] = p[11] + ((int *)m)[5] + ((char *)m[0])[20];
    const int4 both = vload4(0, &m[0][2]);
    out[2] = both.w;
    for (int i = 0; i < 31; i++) // one element at the end is room for as many as there are
        list->rest[i] = i;
    const union {
        int4 v;
        int a[4];
    } u = {.v = both};
    for (int i = 0; i < 4; i++)
        out[3 + i] = u.a[i];
}

// What names no component is not written, nor anything else, and no component that nobody named races.
kernel void no_component(global int4 *out, local int4 *tile)
{
    const int i = get_local_id(0);
    if (i == 0)
        tile[0] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 2)
        tile[0][i + 1] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 3)
        out[0][0] = tile[0].s3;
    if (i > 0)
        out[0][i] = 3;
}
