struct pair {
    float first;
    int counts[2];
};

float square(float x)
{
    float y = x * x;
    return y;
}

kernel void scale(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    struct pair both;
    both.first = in[i];
    both.counts[0] = (int)i;
    float4 vector = (float4)(1, 2, 3, 4) * in[i];
    float acc = 0;
    for (int j = 0; j < 3; j++)
        acc += square(both.first) * j;
    if (i == 5)
        printf("five: %d\n", (int)acc);
    out[i] = acc + vector.x * 0;
}
