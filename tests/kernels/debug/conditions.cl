// Conditions of breakpoints, of each kind of number and each way to write them.
// $ clerk debug conditions.cl -g 2 -a 'buf:long[2]' -a 'buf:float[1]=1.25' --batch conditions.commands
typedef int counter; __kernel void count(__global long *out, __global const float *in)
{
    long total = -3;
    uint bits = 0;
    float weight = in[0];
    double precise = weight;
    char small = -2;
    counter unset;
    for (int i = 0; i < 6; ++i) {
        if (i == 4)
            unset = i;
        total += 1;
        bits = bits * 2 + 0x80000001u;
        weight -= 1.5f;
        precise = weight * 2;
        small += 1;
    }
    out[get_global_id(0)] = total + bits + (long)precise + small + unset;
}
