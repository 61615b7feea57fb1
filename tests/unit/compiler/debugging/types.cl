// -cl-std=CL2.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef enum { RED, GREEN = 5, BLUE = -2 } colour;
enum tagged { ONE = 1, LARGE = 0x80000000 };
typedef struct inner {
    char c;
    short s;
    float4 v;
    float3 three;
} inner_t;
union bits {
    int i;
    float f;
    uchar4 bytes;
};
struct list {
    int value;
    struct list *next;
};
typedef struct outer {
    inner_t in[3];
    union bits u;
    uint one;
    int m[2][4];
    colour col;
    bool flag;
    struct {
        int anonymous;
        union {
            long deep;
            double number;
        };
    };
    const volatile int *restrict p;
    struct list l;
    half h;
    half2 h2;
} outer;
typedef int row_t[4];
kernel void members(global outer *o, constant struct list *c, float16 wide, global row_t *rows)
{
    outer s;
    struct list lists[5];
    enum tagged t = LARGE;
    volatile uchar uc = 3;
    const ulong ul = 4;
    bool b = true;
    size_t st = sizeof(s);
    void *nothing = 0;
    local half *lh = 0;
    private int *pi = 0;
    generic int *gi = pi;
    int(*pointer_to_array)[4] = 0;
    struct unknown *u = 0;
    s.one = 1;
    s.deep = (long)ul;
    lists[0].value = uc + t + b + st + rows[0][1] + wide.s5;
    o[0] = s;
}
