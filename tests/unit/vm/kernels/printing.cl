constant char word[] = "word";

kernel void print(global const int *in, float4 v)
{
    const int i = get_global_id(0);
    if (in[i] % 3 == 0)
        printf("%d: %s %v4hlf\n", in[i], in[i] & 1 ? "odd" : word, v);
    for (int round = 0; round < in[i] % 3; round++)
        printf("%d in round %d, %g\n", i, round, in[i] * 0.5);
}
