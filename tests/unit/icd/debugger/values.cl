/* Every printf of this program is judged: the debugger says what it will print. The first arguments of functions tell
 * apart where something lies: in rows, in private, local and global memory. */
typedef struct {
    int id;
    char tag;
    struct {
        short low, high;
    } part;
    int list[3];
} record;

typedef union {
    int whole;
    float real;
    uchar bytes[4];
} overlay;

enum colour { RED, GREEN = 5, BLUE };

constant int table[4] = {10, 20, 30, 40};

int sum_of(int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
        printf("%d\n", sum);
        printf("%d\n", values[i]);
    }
    printf("%d\n", values[count - 1] * 2);
    return sum;
}

float scale(float value, float factor)
{
    float result = value * factor;
    printf("%d\n", (int)result);
    if (factor > 2) {
        float result = value - factor;
        printf("%d\n", (int)result);
        result += 1;
        printf("%d\n", (int)result);
    }
    printf("%d\n", (int)result);
    return result;
}

kernel void values(global int *out, local int *shared, int n)
{
    int i = (int)get_global_id(0);
    shared[i] = i * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i != 5)
        return;
    int array[4];
    printf("%d\n", n);
    for (int k = 0; k < 4; k++) {
        array[k] = k * n - i;
        printf("%d\n", array[k]);
    }
    printf("%d\n", sum_of(array, 4) * 0 + array[2]);
    record r;
    r.id = i;
    r.tag = 'x';
    printf("%d\n", r.id);
    printf("%d\n", r.tag);
    r.part.low = -3;
    r.part.high = 1000;
    printf("%d\n", r.part.low);
    printf("%d\n", r.part.high - r.part.low);
    for (int k = 0; k < 3; k++)
        r.list[k] = shared[k];
    printf("%d\n", r.list[1] + r.list[2]);
    record copy = r;
    copy.id++;
    printf("%d\n", copy.id);
    printf("%d\n", r.id);
    record *p = n > 3 ? &copy : &r;
    printf("%d\n", p->id);
    p->part.low = 77;
    printf("%d\n", p->part.low);
    printf("%d\n", copy.part.low);
    overlay o;
    o.real = 1.0f;
    printf("%d\n", o.whole);
    printf("%d\n", o.bytes[3]);
    float4 v = (float4)(1, 2, 3, 4);
    v.yw = v.xz * 2;
    printf("%d\n", (int)v.y);
    printf("%d\n", (int)v.w);
    printf("%d\n", (int)v.s3 + (int)v.x);
    int3 t = (int3)(i, n, 9);
    t.z += t.x;
    printf("%d\n", t.z);
    enum colour c = GREEN;
    printf("%d\n", c + BLUE);
    uchar small = 250;
    small += 10;
    printf("%d\n", small);
    long wide = 1L << 40;
    printf("%d\n", (int)(wide >> 35));
    uint bits = 0xF0F0u;
    printf("%d\n", (int)((bits >> 4) ^ 0xFF));
    printf("%d\n", (int)scale(3.5f, 3.0f) * 0 + i);
    printf("%d\n", shared[2]);
    out[i] = n * i;
    global int *q = out + i;
    printf("%d\n", *q);
    *q = -1;
    printf("%d\n", out[i]);
    printf("%d\n", q[0] + table[2] * 0);
    int x = 1;
    {
        int x = 2;
        printf("%d\n", x);
        x = 3;
        printf("%d\n", x);
    }
    printf("%d\n", x);
    int before = x;
    x = x < 5 ? 40 : 50;
    printf("%d\n", x - before);
    switch (n) {
    case 4:
        x = 100;
        printf("%d\n", x);
        /* fall through */
    case 5:
        x++;
        printf("%d\n", x);
        break;
    default:
        x = 0;
    }
    while (x > 98) {
        x--;
        printf("%d\n", x);
    }
    bool flag = x == 98;
    printf("%d\n", flag);
    double d = x / 4.0;
    printf("%d\n", (int)(d * 8));
    printf("%d\n", !flag || i == 5);
    /* What C leaves open is what the device does. */
    float huge = 1e10f * n;
    printf("%d\n", (int)huge);
    printf("%d\n", (int)-huge);
    printf("%d\n", (char)huge);
    printf("%d\n", (uchar)-huge);
    printf("%d\n", (int)((uint)huge >> 4));
    printf("%d\n", (int)(huge / 0));
    printf("%d\n", (ushort)(0.0f * (huge / 0)));
    printf("%d\n", (int)((long)(huge * huge) >> 33));
    printf("%d\n", -7 / (x - 95) + -7 % (x - 95));
    printf("%d\n", 1 << (i + 30));
    printf("%d\n", -1 >> 33);
    printf("%d\n", (int)(1u - x > 1));
    printf("%d\n", (char)(x + 200));
    printf("%d\n", r.tag > 100 ? -r.tag : small);
    printf("%d\n", *(array + 2) - *array);
    printf("%d\n", (int)(&array[3] - array));
    printf("%d\n", p == &copy && p != &r);
    printf("%d\n", ((uchar *)array)[0]);
    printf("%d\n", *(int *)&o + ((char4 *)&o)->w);
    printf("%d\n", (v == v.wzyx).x + (v > 1).y);
    printf("%d\n", any(v.xy > v.zw) + all(t == t.xyz));
    printf("%d\n", as_int(1.5f) ^ as_short2(x).x);
    printf("%d\n", convert_int4(v * 0.75f).w + as_uchar4(bits).y);
    printf("%d\n", (int)(dot(v, v.yzwx * 0.1f) * 1e6f));
    printf("%d\n", (int)(d / 3 * 1e9) + (int)(v.y / 3.0f * 1e8f));
    printf("%d\n", min(i, -n) + max((int)small, n) + clamp(x, 1, 9) + (int)abs(-x));
    printf("%d\n", (int)(fabs(-huge) / 1e6f) + isnan(0.0f / (v.x - 1)) + isinf(huge / 0));
    printf("%d\n", (int)sizeof(record) + (int)sizeof(copy.list) + (int)sizeof(v.xyz));
    printf("%d\n", copy.list[r.list[1] - 2] + r.list[r.id - 4]);
    printf("%d\n", (int)(wide * 3 / 7 % 1000) + (int)(wide >> 38 & 3));
    printf("%d\n", (int)get_local_id(0) + (int)get_num_groups(1) + (int)get_global_size(5));
    printf("%d\n", INT_MAX - x + (flag == true) + (int)(FLT_EPSILON * 1e9f));
}
