struct pair { int a; float b; };
float twice(float v)
{
    float w = v * 2.0f;
    return w;
}
kernel void steps(global int *out, int n)
{
    int i = get_global_id(0);
    int sum = 0;
    struct pair p;
    for (int j = 0; j < n; j++) {
        sum += j * i;
        p.b = twice(sum);
    }
    int u;
    if (i == 3)
        u = 7;
    out[i] = sum + (int)p.b;
}
kernel void meet(global int *out, local int *tile)
{
    int l = get_local_id(0);
    if (l < 10)
        tile[l] = l;
    else
        tile[l] = 2 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 1];
    if (get_global_id(0) == 100)
        out[1000] = 1;
}

kernel void endless(global int *out)
{
    int rounds = 0;
    out[0] = 1;
    while (out[0] != 0)
        rounds++;
    out[1] = rounds;
}
