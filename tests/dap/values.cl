struct pair {
    float2 first;
    int counts[2];
};

kernel void values(global struct pair *pairs, global float4 *out, local int *shared)
{
    int i = get_global_id(0);
    int table[2][2];
    float4 vector;
    vector.xz = (float2)(i, 2);
    for (int k = 0; k < 4; k++)
        table[k >> 1][k & 1] = k + i;
    shared[i] = table[i & 1][0];
    out[i] = 1;
    pairs[i].counts[1] = table[1][i & 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 3)
        out[i].y = shared[i] + pairs[i].counts[1] + vector.x;
    pairs[i].counts[0] = 3;
}
