// A structure or union that is passed by value is the callee's own: what it writes there the caller does not
// see, and the other way round. What is undefined in it is so in the copy, and to copy it is no use of it.
//
// $ clerk kernel by_value.cl -k own -g 2 -a buf:int[24] --print 0 --build -cl-std=CL3.0
// $ clerk kernel by_value.cl -k parts -g 1 -a buf:int[12] -a buf:int[4] --print 0 --build -cl-std=CL3.0
// $ clerk kernel by_value.cl -k assigned -g 1 -a buf:int[7] --print 0 --build -cl-std=CL3.0
// $ clerk kernel by_value.cl -k undefined -g 1 -a buf:int[2] --build -cl-std=CL3.0

typedef struct {
    char tag;
    int a;
    int v[3];
} item;

int write_member(item s)
{
    s.a = 777;
    return s.tag;
}

int write_element(item s, int i)
{
    s.v[i] += s.a;
    return s.v[i];
}

/* The caller's is written while the callee has its copy. */
int write_other(item s, item *p)
{
    p->a = 99;
    return s.a;
}

item change(item s)
{
    s.a *= 2;
    return s;
}

item change_twice(item s)
{
    item t = change(change(s));
    s.a = 1;
    return t;
}

constant item fixed = {5, 6, {7, 8, 9}};

kernel void own(global int *out)
{
    local item shared;
    item s = {1, 2, {3, 4, 5}};
    out += get_global_id(0) * 12;
    out[0] = write_member(s);
    out[1] = s.a;
    out[2] = write_element(s, 1);
    out[3] = s.v[1];
    out[4] = write_other(s, &s);
    out[5] = s.a;
    const item t = change_twice(s);
    out[6] = t.a;
    out[7] = s.a;
    out[8] = write_element(fixed, 2);
    out[9] = fixed.v[2];
    if (get_local_id(0) == 0) {
        shared = s;
        out[10] = write_member(shared) + write_element(shared, 0);
        out[11] = shared.a;
    } else {
        int (^block)(item) = ^(item b) {
          b.a = 3;
          return b.a;
        };
        out[10] = block(s);
        out[11] = s.a;
    }
}

typedef union {
    int number;
    uchar bytes[4];
    struct {
        char c;
        int i;
    } pair;
} bits;

typedef struct {
    item inner;
    bits u;
    global int *there;
    private int *here;
    float4 f;
} all;

int write_bits(bits u)
{
    u.bytes[1] = 7;
    return u.number;
}

int write_parts(all x)
{
    x.inner.a = 5;
    x.there[1] = x.inner.v[0];
    *x.here = 77;
    x.f.y = 3;
    return write_bits(x.u) + (int)x.f.y;
}

kernel void parts(global int *out, global int *there)
{
    int here = 3;
    bits u = {.pair = {1, 8}};
    out[0] = write_bits(u);
    out[1] = u.pair.i;
    out[2] = u.bytes[1];
    all x = {.inner = fixed, .u = {0x01020304}, .there = there, .here = &here, .f = 1};
    out[3] = write_parts(x);
    out[4] = x.inner.a;
    out[5] = x.u.number;
    out[6] = there[1];
    out[7] = here;
    out[8] = (int)x.f.y;
    for (int i = 0; i < 3; i++) /* one copy for each call */
        out[9 + i] = write_element(x.inner, i);
}

typedef struct {
    short h;
    item in, other;
    float4 f;
} nest;
typedef union {
    uint word;
    ushort halves[2];
    uchar bytes[4];
} pun;

kernel void assigned(global int *out)
{
    const int id = get_global_id(0);
    nest x = {.h = 1, .in = {1, id, {2, 3, 4}}, .f = 5};
    item s = x.in;
    x.other = s;
    x.in.v[1] = 9;
    nest y = x;
    y.in = y.other;
    out[0] = s.a + x.in.v[1] * 10 + y.in.v[1] * 100 + (int)y.f.z * 1000 + y.h * 10000;
    item a = {1, 1, {1, 1, 1}};
    item b = {2, 2, {2, 2, 2}};
    for (int i = 0; i <= id + 4; i++) { /* swapped each time round */
        const item t = a;
        a = b;
        b = t;
        b.v[0] += i;
    }
    out[1] = a.v[0] * 100 + b.v[0];
    out[2] = a.tag * 10 + b.a;
    pun p;
    p.word = 0x01020304;
    pun q = p;
    q.bytes[2] = 7;
    p = q;
    out[3] = p.halves[1];
    item choice = id > 0 ? a : b;
    choice = choice;
    out[4] = choice.a;
    item index = x.other;
    out[5] = index.v[id + 1];
    item first = *&index;
    item chain = first;
    item last = chain;
    out[6] = last.v[2] + last.tag;
}

int read(item s) { return s.v[2]; }

kernel void undefined(global int *out)
{
    item s;
    s.tag = 1;
    out[0] = write_member(s);
    if (read(s) == 3)
        out[1] = 1;
}
