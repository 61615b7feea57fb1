// -cl-std=CL2.0
constant int table[4] = {1, 2, 3, 4};
global int counter = 7;
struct point {
    float x, y;
};
float helper(struct point p, int n)
{
    float r = p.x;
    for (int i = 0; i < n; i++) {
        float x = r;
        r = x * p.y;
    }
    return r;
}
inline __attribute__((always_inline)) int twice(int q)
{
    int w = q + q;
    return w;
}
inline __attribute__((always_inline)) int thrice(int q)
{
    int x = twice(q);
    return x + q;
}
kernel void shadows(global int *out, local int *scratch)
{
    local int tile[16];
    int x = 1;
    out[0] = x;
    if (out[1] > 0) {
        out[2] = x;
        int x = 2;
        out[3] = x;
        {
            float x = 3;
            out[4] = (int)x;
        }
        out[5] = x;
    }
    for (int x = 0; x < 4; x++)
        tile[x] = table[x] + counter;
    struct point pts[3];
    pts[x].y = 1;
    scratch[0] = helper(pts[0], thrice(x)) + tile[3];
    int mixed[3][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {x, 2, 3}, {8, 7, 6, 5, 4, 3, 2, 1}};
    out[6] = x + mixed[x][x];
}
