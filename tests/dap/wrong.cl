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

kernel void nans(global float *out)
{
    int i = (int)get_global_id(0);
    float zero = out[i] * 0;
    out[i] = zero / zero;
}
