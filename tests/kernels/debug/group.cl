// Steps of a whole group: of two vectors that wait for each other, and of one after the other.
// $ clerk debug group.cl -k waits -g 128 -l 128 -a 'buf:int[128]' --batch group.commands
// $ clerk debug group.cl -k alone -g 128 -l 128 -a 'buf:int[128]' --batch group.alone

kernel void waits(global int *out)
{
    local int shared[128];
    int l = get_local_id(0);
    int sum = 0;
    if (l % 2)
        shared[l] = 1;
    else
        shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = shared[127 - l];
    for (int i = 0; i < l % 3; i++)
        sum += i;
    out[get_global_id(0)] = sum;
}

kernel void alone(global int *out)
{
    int i = get_global_id(0);
    out[i] = i;
    out[i] += 2;
}
