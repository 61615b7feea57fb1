kernel void bounds(global int *out)
{
    int i = (int)get_global_id(0);
    out[i + 1] = i;
}

kernel void endless(global int *out)
{
    int rounds = 0;
    while (out[0] != 0)
        rounds++;
    out[0] = rounds;
}

kernel void longer(global int *out, int rounds)
{
    int i = (int)get_global_id(0);
    out[i] = i;
    for (int r = 0; r < rounds; r++)
        out[i + 64] += r;
    out[i + 128] = 1;
}

kernel void nans(global float *out)
{
    int i = (int)get_global_id(0);
    float zero = out[i] * 0;
    out[i] = zero / zero;
}

kernel void guesses(global int *out)
{
    int ways[2];
    if (ways[get_global_id(0) & 1])
        out[0] = 1;
}
