/* Variables of all types, in rows and in memory, defined, undefined and in between: conditions on them are decided for
 * all work-items at once, and one by one. */
typedef struct {
    int a;
    float b;
    uchar list[3];
} part;

enum colour { RED, GREEN = 5, BLUE };

constant int table[4] = {10, -20, 30, 40};

kernel void conditions(global int *out, local int *tile, int n)
{
    const int i = get_global_id(0);
    const int lane = get_local_id(0);
    int x;
    int some;
    uchar bytes[4];
    part record[2];
    if (lane % 5 == 3)
        x = lane - 20;
    bytes[lane & 3] = lane;
    tile[lane] = lane * 3 - 50;
    record[0].a = lane;
    record[lane & 1].b = lane * 0.5f;
    record[1].list[lane % 3] = 200;
    for (int j = 0; j < n; j++) {
        const char c = (char)(i * 7 - 100 + j);
        const uchar d = (uchar)(i * 5 + j);
        const short s = (short)(j * 999 - i * 600);
        const ushort t = (ushort)(65535 - i - j);
        const uint u = (uint)i * 0x4000001u - j;
        const long l = ((long)i - 30) << 33;
        const ulong m = (ulong)(j - i);
        const float f = i == 7 ? NAN : i == 9 ? INFINITY : (i - 20) * 0.25f * j;
        const double g = i == 8 ? -INFINITY : i / 3.0 - j;
        const bool b = (i & 3) == j;
        const float4 v = (float4)(f, i, j, -1.5f);
        const int2 w = (int2)(i - j, j - i);
        const enum colour e = i & 1 ? GREEN : BLUE;
        global int *p = i % 7 == 2 ? 0 : out + i;
        const part pair = {i * j, f + 1, {1, 2, 3}};
        some = x | 0x10;
        out[i] = c + d + s + t + (int)u + (int)l + (int)m + (int)g + b + (int)v.y + w.x + e + (p == 0) +
                 pair.a + (int)pair.b;
    }
    out[i] += some + bytes[1] + record[1].a + table[lane & 3];
}
