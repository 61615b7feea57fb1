// A NaN that is made of numbers, work-items that part, and undefined values that decide something.
//
// $ clerk debug catch.cl -k normalise -g 64 -l 64 -a 'buf:float[128]=iota' -a 'buf:float[128]' --batch catch.commands
// $ clerk debug catch.cl -k undefined -g 4 -l 4 -a 'buf:int[8]=iota' --batch undefined.commands

float length_of(float2 v)
{
    return sqrt(v.x * v.x + v.y * v.y - 1);
}

kernel void normalise(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float2 v = vload2(i, in);
    if (i % 3 == 0)
        v = 0;
    float size = length_of(v);
    v /= size;
    v += 1;
    vstore2(v, i, out);
}

kernel void undefined(global int *out)
{
    int i = get_global_id(0);
    int at;
    int sum = 0;
    if (i > 1)
        at = i;
    int other = at;
    if (other < 3)
        sum = 1;
    out[at] = sum;
}
