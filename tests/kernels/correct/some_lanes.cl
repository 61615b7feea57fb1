// Lanes of which some are active: what others would reach does not count, and what they reach does.
//
// $ clerk kernel some_lanes.cl -k edges -g 32,32 -l 16,16 -a 'buf:int[1024]=iota' -a 'buf:int[1024]=7' -a int=32 --assert 'all i: out[i] == (i < 32 || i > 991 || i % 32 == 0 || i % 32 == 31) * i'
// $ clerk kernel some_lanes.cl -k edges -g 32,32 -l 16,16 -a 'buf:int[1023]=iota' -a 'buf:int[1024]=7' -a int=32
// $ clerk kernel some_lanes.cl -k edges -g 32,32 -l 16,16 -a 'buf:int[1024]' -a 'buf:int[1024]=7' -a int=32
// $ clerk kernel some_lanes.cl -k inside -g 32,32 -l 16,16 -a 'buf:int[900]=iota' -a 'buf:int2[900]' -a int=30 --assert 'all i: out[i].x == i' --assert 'all i: out[i].y == i % 30'
// $ clerk kernel some_lanes.cl -k inside -g 32,32 -l 16,16 -a 'buf:int[900]=iota' -a 'buf:int2[899]' -a int=30
// $ clerk kernel some_lanes.cl -k chase -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[64]=7' -a int=60 --print 1
// $ clerk kernel some_lanes.cl -k chase -g 64 -l 64 -a 'buf:int[63]=iota' -a 'buf:int[64]=7' -a int=60
// $ clerk kernel some_lanes.cl -k members -g 64 -l 64 -a 'buf:int[64]=0' -a int=8 --print 0
// $ clerk kernel some_lanes.cl -k members -g 64 -l 64 -a 'buf:int[64]=0' -a int=9
// $ clerk kernel some_lanes.cl -k before -g 64 -l 64 -a 'buf:int[64]=iota' -a 'buf:int[64]=0' -a uint=3 --print 1

// Those at the edge read nothing beside them.
kernel void edges(global const int *in, global int *out, int n)
{
    const int x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4 * in[i];
}

// Of those outside nobody reads or writes.
kernel void inside(global const int *in, global int2 *out, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n)
        out[y * n + x] = (int2)(in[y * n + x], x);
}

// A few lanes go on.
kernel void chase(global const int *next, global int *out, int from)
{
    int i = get_global_id(0), steps = 0;
    while (i >= from) {
        i = next[i] - 1;
        ++steps;
    }
    out[get_global_id(0)] = steps;
}

// Only some lanes' subscripts are in range, and only theirs count.
struct pair {
    int first[8];
    int second[8];
};
kernel void members(global int *out, int limit)
{
    local struct pair pair;
    const int i = get_local_id(0);
    if (i < 8)
        pair.first[i] = i;
    if (i < limit)
        pair.second[i + 8 - limit] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 9)
        out[i] = pair.first[i - (i > 7)] + pair.second[i % 8];
}

// A number without a sign that wraps where nobody looks.
kernel void before(global const int *in, global int *out, uint distance)
{
    const uint i = get_local_id(0);
    if (i >= distance)
        out[i] = in[i - distance];
}
