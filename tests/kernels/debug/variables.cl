// Variables that lie in memory: each type can be changed, which is done again whenever the moment is passed; they have
// addresses, and their reads can be watched. Those that are held as values can do neither, and say so.
// $ clerk debug variables.cl -g 3 -a 'buf:float[4]=0' -a int=4 --variables memory --batch variables.commands
// $ clerk debug variables.cl -g 3 -a 'buf:float[4]=0' -a int=4 --batch variables.values
typedef struct {
    short small;
    uchar list[2];
} part;

float plus(float a, float b)
{
    return a + b;
}

kernel void variables(global float *out, int n)
{
    int item = get_global_id(0), *to = &item;
    bool on = false;
    part it = {1, {2, 3}};
    float4 four = (float4)(1, 2, 3, 4);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += four.y;
        if (on)
            sum += *to + it.small + it.list[1];
    }
    out[item] = plus(sum, n);
}
