// Barriers in a loop with two ways in: the n-th time of one work-item is the n-th time of all.
//
// $ clerk kernel irreducible.cl -k rounds -g 4 -l 4 -a 'buf:int[4]' -a 'local:int[4]' --print 0
// $ clerk kernel irreducible.cl -k rounds -g 96 -l 96 -a 'buf:int[96]' -a 'local:int[96]'
// $ clerk kernel irreducible.cl -k leaves -g 4 -l 4 -a 'buf:int[4]' -a 'local:int[4]'

kernel void rounds(global int *out, local int *tile)
{
    const int id = get_local_id(0);
    int sum = 0;
    int round = 0;
    if (id & 1)
        goto second;
first:
    sum += 10;
second:
    tile[id] = sum + id;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[(id + 1) % get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++round < 3)
        goto first;
    out[id] = sum;
}

// Work-item 3 leaves after two rounds.
kernel void leaves(global int *out, local int *tile)
{
    const int id = get_local_id(0);
    int sum = 0;
    int round = 0;
    if (id & 1)
        goto second;
first:
    sum += 10;
second:
    tile[id] = sum + id;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[(id + 1) % get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++round < 3 && !(id == 3 && round == 2))
        goto first;
    out[id] = sum;
}
