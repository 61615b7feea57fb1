/* Prints what the debugger is to print at the same line: debug.sh makes its commands of these lines. */
#define SHOW(format, value)                                                                        \
    if (get_global_id(0) == 5)                                                                     \
    printf("%d " #value ": " format "\n", __LINE__, value)

struct part {
    short low;
    float ratio;
    int many[3];
};

int fold(int from, int *rest)
{
    int sum = from;
    while (sum > 20) {
        SHOW("%d", sum);
        *rest += sum % 7;
        sum /= 2;
        SHOW("%d", *rest);
    }
    SHOW("%d", sum + from);
    return sum;
}

kernel void judged(global int *out, int n)
{
    const int id = get_global_id(0);
    struct part p = {.low = -3, .ratio = 0.5f};
    int4 v = (int4)(id, 1, 2, 3);
    double real = 1;
    uchar small = 250;
    long wide = 1;
    int rest = 0;
    for (int i = 0; i < n; i++) {
        int x = i * id;
        SHOW("%d", x);
        if (i & 1) {
            int x = -i;
            v.yz += x;
            SHOW("%d", x);
        } else {
            p.ratio *= 1.5f;
            SHOW("%f", p.ratio);
        }
        const int at = i % 3;
        p.many[at] = x + v.y;
        p.low += p.many[at];
        small += 3;
        wide = wide * 37 + x;
        real = real / 3 + v.z;
        SHOW("%d", p.low);
        SHOW("%d", p.many[at]);
        SHOW("%d", v.y);
        SHOW("%d", v.x + v.w);
        SHOW("%d", small);
        SHOW("%ld", wide);
        SHOW("%f", real);
        x = fold(x * 9, &rest);
        SHOW("%d", rest);
        SHOW("%d", x);
    }
    SHOW("%d", p.many[1]);
    out[id] = p.low + v.y + small + rest + (int)wide + (int)real;
    SHOW("%d", out[id]);
}
