// Nothing but undefined values, and more of them than are followed.
//
// $ clerk kernel many.cl -g 64 -l 64 -a 'buf:float[64]' -a 'buf:float[64]' --schedule asc
// $ clerk kernel many.cl -g 64 -l 64 -a 'buf:float[64]=1' -a 'buf:float[64]=0' --schedule asc

kernel void add(global const float *from, global float *to)
{
    const size_t item = get_global_id(0);
    for (int i = 0; i < 20000; i++)
        to[item] += from[item];
}
