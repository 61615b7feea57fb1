// Barriers in a loop with two ways in: the n-th time of one work-item is the n-th time of all.
//
// $ clerk kernel irreducible.cl -k rounds -g 4 -l 4 -a 'buf:int[4]' -a 'local:int[4]' --print 0
// $ clerk kernel irreducible.cl -k rounds -g 96 -l 96 -a 'buf:int[96]' -a 'local:int[96]'
// $ clerk kernel irreducible.cl -k leaves -g 4 -l 4 -a 'buf:int[4]' -a 'local:int[4]'
// $ clerk kernel irreducible.cl -k beside -g 4 -l 4 -a 'buf:int[4]' -a int=1
// $ clerk kernel irreducible.cl -k beside -g 4 -l 4 -a 'buf:int[4]' -a int=0
// $ clerk kernel irreducible.cl -k around -g 4 -l 4 -a 'buf:int[4]' -a int=1
// $ clerk kernel irreducible.cl -k around -g 4 -l 4 -a 'buf:int[4]' -a int=0 --print 0

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

// A cycle with two ways in: from `down` to 0 in steps of 1 and 2.
int count_down(int from, int down)
{
    if (from & 1)
        goto one;
two:
    from -= 2;
one:
    from -= 1;
    if (from > down)
        goto two;
    return from;
}

// A loop of the usual kind, beside such a cycle, counts as it does in every kernel.
kernel void beside(global int *out, int differ)
{
    const int id = get_local_id(0);
    const int left = count_down(id * 4, 1);
    for (int i = 0; i < 3; i++) {
        if (differ && id < 2 ? i != 0 : i != 2)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[id] = left;
}

// So does one around it.
kernel void around(global int *out, int differ)
{
    const int id = get_local_id(0);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += count_down(id * 4 + i, 1);
        if (differ && id < 2 ? i != 0 : i != 2)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[id] = sum;
}
