// What the user changes, and who is told of it.
// $ clerk debug change.cl -g 8 -l 8 -a 'buf:int[32]' -a 'buf:float[32]' -a local:int[8] --batch change.commands

struct pair {
    float2 first;
    int counts[2];
};

kernel void sets(global struct pair *pairs, global float4 *out, local int *shared)
{
    int i = get_global_id(0);
    int table[4];
    for (int k = 0; k < 4; k++)
        table[k] = k + i;
    shared[i] = table[i & 3];
    out[i] = 1;
    pairs[i].counts[1] = table[(i + 1) & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i].y = shared[i] + pairs[i].counts[1];
}
