// Addresses and indices that come from ids, in all the ways that test_affine.c runs with rows of terms and without.
#define ARGUMENTS global uint *out, global const uint *in, uint size, int a, int b, long c, uint d

uint place(void)
{
    return (uint)get_global_linear_id();
}

kernel void sums(ARGUMENTS)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    const long at = (long)(x * a + y * b - (int)get_global_id(2)) + c;
    if (at >= 0 && at < size)
        out[place()] = in[at] + (uint)(x << 3 | 5);
}

kernel void unguarded(ARGUMENTS)
{
    const uint x = (uint)get_global_id(0);
    const uint y = (uint)get_local_id(1);
    out[place()] = in[x * d + y] ^ in[(int)(x * (uint)a) - (int)d];
}

kernel void narrow(ARGUMENTS)
{
    const short x = (short)(get_global_id(0) * (uint)a);
    const uchar y = (uchar)(get_local_linear_id() + d);
    const ushort z = (ushort)(-x * 3);
    out[place()] = (uint)(x + y * 7) * 31 + (uint)((int)(short)(z << 2)) + (uint)((long)x >> 3) + in[y];
}

kernel void strided_loop(ARGUMENTS)
{
    uint sum = 0;
    for (uint i = (uint)get_global_id(0); i < size / 2; i += (uint)get_global_size(0))
        sum = sum * 3 + in[i * 2 | 1] + in[i];
    out[place()] = sum;
}

kernel void rounds(ARGUMENTS)
{
    int i = (int)get_global_id(0) * 2;
    int last = 0;
    uint sum = 0;
    for (int k = 0; k < b % 5 + 6; k++) {
        last = i;
        i += a % 3 + (int)get_local_id(0);
        if (i > 40)
            continue;
        sum += in[i & 127] + (uint)last;
    }
    out[place()] = sum + (uint)last * 5 + (uint)i;
}

kernel void left_apart(ARGUMENTS)
{
    int i = (int)get_local_id(0) + (int)(d % 7);
    int j = 0;
    while (in[i & 255] % 5 != 0 && j < 9) {
        i += 3;
        j++;
    }
    out[place()] = (uint)(i * 100 + j);
}

kernel void divergent(ARGUMENTS)
{
    const int x = (int)get_global_id(0);
    int v;
    if (in[x & 255] & 1)
        v = x * a + 1;
    else
        v = x - b;
    if (x < a % 50 + 20)
        out[place()] = (uint)v + in[(x * 3 + b % 4 + 8) & 255];
    if ((uint)x >= d % 70)
        out[place()] += in[(uint)x % size];
    if (x * 4 <= a)
        out[place()] *= 3;
}

kernel void exchanged(ARGUMENTS)
{
    local uint tile[1024];
    const uint i = (uint)get_local_linear_id();
    const uint count = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    uint turned[4];
    tile[i] = in[i & 255] + (uint)get_local_id(0) * d;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 4; k++)
        turned[k] = tile[count - 1 - i] + k * i;
    out[place()] = turned[d & 3] + tile[(i + d % 3) % count];
}

kernel void together(ARGUMENTS)
{
    const uint x = (uint)get_global_id(0);
    const uint y = (uint)get_global_id(1);
    vstore2((uint2)(x * d, x + y), place(), out);
    atomic_add(&out[x & 31], y + 1);
}

kernel void undefined(ARGUMENTS)
{
    const int x = (int)get_global_id(0);
    uint values[3];
    int u;
    if (b & 1)
        u = x;
    if (a & 1)
        values[1] = d;
    out[place()] = (uint)(u * 2 + x) + in[(x + (int)values[1]) & 255];
}

kernel void subscripts(ARGUMENTS)
{
    local struct {
        int first;
        uint rows[9][40];
    } tile;
    const int x = (int)get_local_id(0);
    const int y = (int)get_local_id(1);
    tile.rows[y][x] = in[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place()] = tile.rows[y + (int)(d % 2)][x * (b % 3 + 1)] + tile.rows[(d >> 1) % 12][y];
}
