/* Pointers and size_t of 32 bits: the same values, other sizes; and both traits at once. */

// $ clerk kernel pointers.cl -k pointers -g 1 -a 'buf:int[8]=0' -a 'buf:int[4]=iota' -a 'local:int[2]' --print 0
// $ clerk kernel pointers.cl -k pointers -g 1 -a 'buf:int[8]=0' -a 'buf:int[4]=iota' -a 'local:int[2]' --print 0 --personality 32-bit
// $ clerk kernel pointers.cl -k pointers -g 1 -a 'buf:int[8]=0' -a 'buf:int[4]=iota' -a 'local:int[2]' --print 0 --personality 32-bit,big-endian
struct node {
    global int *at;
    int count;
};
kernel void pointers(global int *out, global int *data, local int *shared)
{
    global int *table[4];
    local int *near[2];
    int own[2] = {5, 6};
    int *mine[2];
    struct node nodes[2];
    const size_t i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        table[(k + i) % 4] = data + k;
    near[i % 2] = shared;
    near[(i + 1) % 2] = shared + 1;
    mine[i % 2] = own;
    mine[(i + 1) % 2] = own + 1;
    shared[0] = 7;
    shared[1] = 8;
    nodes[i % 2].at = data + 1;
    nodes[i % 2].count = 2;
    nodes[(i + 1) % 2].at = 0;
    nodes[(i + 1) % 2].count = 3;
    out[0] = *table[(2 + i) % 4];
    out[1] = *near[i % 2] + 10 * *near[(i + 1) % 2];
    out[2] = *mine[(i + 1) % 2];
    out[3] = nodes[i].at[1] + nodes[i].count + (nodes[1].at == 0);
    out[4] = sizeof(size_t) * 100 + sizeof(struct node);
    out[5] = *(global int *)((size_t)data + 4);
    out[6] = (global char *)&data[3] - (global char *)data;
    out[7] = (size_t)(data + 2) - (size_t)data;
}

// $ clerk kernel pointers.cl -k cut -g 1 -a 'buf:int[1]=0' -a 'buf:int[4]=iota' --schedule asc
// $ clerk kernel pointers.cl -k cut -g 1 -a 'buf:int[1]=0' -a 'buf:int[4]=iota' --schedule asc --print 0 --personality 32-bit
/* A pointer does not fit into an int everywhere. */
kernel void cut(global int *out, global int *data)
{
    const uint address = (uint)(size_t)(data + 3);
    out[0] = *(global int *)(size_t)address;
}

// $ clerk kernel pointers.cl -k beyond -g 1 -a 'buf:int[1]=0' -a 'buf:int[4]=iota' --schedule asc --personality 32-bit
// $ clerk kernel pointers.cl -k wild -g 1 -a 'buf:int[1]=0' --schedule asc --personality 32-bit
kernel void beyond(global int *out, global int *data)
{
    size_t at[2];
    at[get_global_id(0)] = (size_t)data;
    out[0] = ((global int *)at[0])[4];
}
kernel void wild(global int *out)
{
    out[0] = *(global int *)0x12345678;
}
