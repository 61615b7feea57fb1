// Variables whose lifetime has ended, by a return or at the end of a block; what begins anew in a loop is undefined.
//
// $ clerk kernel lifetimes.cl -k returned -g 2 -l 2 -a 'buf:int[2]'
// $ clerk kernel lifetimes.cl -k returned_fixed -g 2 -l 2 -a 'buf:int[2]'
// $ clerk kernel lifetimes.cl -k parameter -g 2 -l 2 -a 'buf:int[2]'
// $ clerk kernel lifetimes.cl -k left -g 2 -l 2 -a 'buf:int[2]'
// $ clerk kernel lifetimes.cl -k left_fixed -g 2 -l 2 -a 'buf:int[2]'
// $ clerk kernel lifetimes.cl -k some -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel lifetimes.cl -k kept -g 2 -l 2 -a 'buf:int[2]=0'
// $ clerk kernel lifetimes.cl -k anew -g 1 -l 1 -a 'buf:int[3]'
// $ clerk kernel lifetimes.cl -k anew_in_memory -g 1 -l 1 -a 'buf:int[3]=0'
// $ clerk kernel lifetimes.cl -k anew_fixed -g 1 -l 1 -a 'buf:int[3]=0'
// $ clerk kernel lifetimes.cl -k jumps -g 2 -l 2 -a int=1 -a 'buf:int[2]'
// $ clerk kernel lifetimes.cl -k ways_out -g 8 -l 8 -a 'buf:int[8]' --print 0
// $ clerk kernel lifetimes.cl -k behind -g 4 -l 4 -a int=4 -a 'buf:int[4]=0' -a 'buf:int[1]' --print 1
// $ clerk kernel lifetimes.cl -k back -g 1 -l 1 -a 'buf:int[1]' --print 0

int *address(int a)
{
    int x = a;
    int *p = &x; // clang warns of the plain address
    return p;
}

int *hand_on(int *p)
{
    int **at = &p;
    return *at;
}

kernel void returned(global int *out)
{
    out[get_global_id(0)] = *address(3);
}

kernel void returned_fixed(global int *out)
{
    int x = 3;
    out[get_global_id(0)] = *hand_on(&x);
}

typedef struct {
    int a[2];
} pair;

int *inside(pair p)
{
    int *at = &p.a[1];
    return at;
}

kernel void parameter(global int *out)
{
    const pair p = {{1, 2}};
    out[get_global_id(0)] = *inside(p);
}

kernel void left(global int *out)
{
    int *p;
    {
        int x = 5;
        p = &x;
    }
    *p = 6;
    out[get_global_id(0)] = 1;
}

kernel void left_fixed(global int *out)
{
    int *p;
    int x = 5;
    {
        p = &x;
    }
    *p = 6;
    out[get_global_id(0)] = x;
}

// Work-items 0 and 1 leave the block before they use what is in it.
kernel void some(global int *out)
{
    const int i = get_global_id(0);
    int *p = 0;
    int other = 2;
    for (int k = 0; k < 2; k++) {
        int x[2] = {i, i};
        p = i < 2 ? x : &other;
        if (k == 1)
            break;
    }
    out[i] = *p;
}

// A pointer that outlives what it led to is not a mistake until it is used.
kernel void kept(global int *out)
{
    int *p[2];
    for (int k = 0; k < 2; k++) {
        int x = k;
        p[k] = &x;
        out[get_global_id(0)] += *p[k];
    }
    p[0] = p[1];
}

kernel void anew(global int *out)
{
    for (int k = 0; k < 3; k++) {
        int x;
        if (k == 0)
            x = 7;
        out[k] = x;
    }
}

kernel void anew_in_memory(global int *out)
{
    for (int k = 0; k < 3; k++) {
        int x[4];
        for (int j = 0; j < 4 && k == 0; j++)
            x[j] = 7;
        out[k] = x[out[0] & 3];
    }
}

kernel void anew_fixed(global int *out)
{
    int x[4];
    for (int k = 0; k < 3; k++) {
        int y = k;
        for (int j = 0; j < 4 && k == 0; j++)
            x[j] = 7;
        out[k] = x[out[0] & 3] + y;
    }
}

// A declaration that is jumped over: the variable lives from the start of its block.
kernel void jumps(int which, global int *out)
{
    int rounds = 0;
    int *p = 0;
    switch (which) {
        int x;
    case 0:
        x = 1;
        p = &x;
        out[get_global_id(0)] = *p;
        break;
    default:
        x = 2;
        p = &x;
        out[get_global_id(0)] = *p;
    }
    {
    again:;
        int y;
        if (rounds == 0)
            y = 3;
        p = &y;
        out[get_global_id(0)] = *p;
        if (rounds++ < 0)
            goto again;
    }
}

// Blocks that are left in many ways, with variables in all of them.
kernel void ways_out(global int *out)
{
    const int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        int a = k + i;
        int *p = &a;
        if (a % 3 == 0)
            continue;
        {
            int b[2] = {a, *p};
            if (b[i & 1] == 7)
                break;
            switch (b[k & 1]) {
            case 2: {
                int c = 100;
                sum += c;
                break;
            }
            case 9:
                goto out;
            default:
                sum += b[1];
            }
            if (sum > 400) {
                out[i] = -1;
                return;
            }
        }
        sum += *p;
    }
out:
    out[i] = sum;
}

// What is done right behind the end of a block that is left in several ways: a value is read.
kernel void behind(int last, global int *out, volatile global int *other)
{
    const int i = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        {
            int y = i + k;
            int *p = &y;
            if (*p == 2)
                continue;
            if (*p == last)
                break;
            out[i] += *p;
        }
        *other;
    }
    const int z = i < 2 ? ({
        int y = i + 10;
        int *p = &y;
        if (*p == 11)
            return;
        *p;
    })
                        : 100;
    out[i] += z;
}

// C, not C++: x lives from the start of its block, also where a goto leads to before its declaration.
kernel void back(global int *out)
{
    int *p = 0;
    int rounds = 0;
    {
    again:
        if (p)
            *p += 3;
        out[0] = p ? *p : 0;
        int x = rounds;
        p = &x;
        if (rounds++ < 2)
            goto again;
    }
}
