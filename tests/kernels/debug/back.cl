// Going back: by steps, to stops, to positions; and to work-items that do not run any more.
// $ clerk debug back.cl -g 256 -l 128 -a 'buf:int[256]=iota' -a 'buf:int[256]' --batch back.commands
// $ clerk debug back.cl -g 256 -l 128 -a 'buf:int[256]=iota' -a 'buf:int[255]' --batch back.finding

int twice(int x)
{
    int y = x + x;
    return y;
}

kernel void back(global int *in, global int *out)
{
    local int shared[128];
    int l = get_local_id(0);
    int sum = 0;
    shared[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 3; j++) {
        sum += twice(shared[l ^ 1]);
    }
    if (get_global_id(0) == 130)
        printf("sum %d\n", sum);
    out[get_global_id(0)] = sum;
}
