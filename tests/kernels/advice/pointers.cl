// Pointers that lead nowhere, or to what is not there for whoever uses them: as races.cl.
//
// $ clerk kernel pointers.cl --build -cl-std=CL3.0 -k neighbour -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel pointers.cl --build -cl-std=CL3.0 -k neighbour_advised -g 4 -l 4 -a 'buf:int[4]=0' --print 0
// $ clerk kernel pointers.cl --build -cl-std=CL3.0 -k other_group -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:ulong[1]=0' -a 'buf:int[2]=0'
// $ clerk kernel pointers.cl --build -cl-std=CL3.0 -k other_group_advised -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:ulong[1]=0' -a 'buf:int[2]=0' --print 0 --schedule asc
// $ clerk kernel pointers.cl -k null -g 4 -a 'buf:int[4]=0'
// $ clerk kernel pointers.cl -k null_advised -g 4 -a 'buf:int[4]=0' --print 0
// $ clerk kernel pointers.cl -k made -g 4 -a 'buf:int[4]=iota'
// $ clerk kernel pointers.cl -k made_advised -g 4 -a 'buf:int[4]=iota' --print 0
// $ clerk kernel pointers.cl -k returned -g 2 -a 'buf:int[2]'
// $ clerk kernel pointers.cl -k returned_advised -g 2 -a 'buf:int[2]' --print 0
// $ clerk kernel pointers.cl -k left -g 2 -a 'buf:int[2]'
// $ clerk kernel pointers.cl -k left_advised -g 2 -a 'buf:int[2]' --print 0

#if __OPENCL_C_VERSION__ >= 200
kernel void neighbour(global int *out)
{
    local uintptr_t at[4];
    const int i = get_local_id(0);
    int mine = 10 * i;
    at[i] = (uintptr_t)&mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = *(int *)at[3 - i];
}

/* The value instead of its address. */
kernel void neighbour_advised(global int *out)
{
    local int at[4];
    const int i = get_local_id(0);
    at[i] = 10 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = at[3 - i];
}

/* The group that comes second reads what the first has left. */
kernel void other_group(global int *out, global atomic_ulong *at, global int *unused)
{
    local int tile;
    const int group = get_group_id(0);
    tile = 7;
    const ulong before =
        atomic_exchange_explicit(at, (ulong)&tile, memory_order_acq_rel, memory_scope_device);
    out[group] = before ? *(local int *)before : 1;
}

kernel void other_group_advised(global int *out, global atomic_ulong *at, global int *tiles)
{
    const int group = get_group_id(0);
    tiles[group] = 7;
    const ulong before =
        atomic_exchange_explicit(at, (ulong)&tiles[group], memory_order_acq_rel, memory_scope_device);
    out[group] = before ? *(global int *)before : 1;
}
#else
struct node {
    int value;
    global struct node *next;
};

kernel void null(global int *out)
{
    struct node last = {3, 0};
    out[get_global_id(0)] = last.value + last.next->value;
}

kernel void null_advised(global int *out)
{
    struct node last = {3, 0};
    out[get_global_id(0)] = last.value + (last.next ? last.next->value : 0);
}

/* The address is marked in a bit that means nothing, as the author thinks. */
kernel void made(global int *a)
{
    const ulong marked = (ulong)a | 1ul << 60;
    ((global int *)marked)[get_global_id(0)] += 1;
}

kernel void made_advised(global int *a)
{
    a[get_global_id(0)] += 1;
}

int *address(int a)
{
    int x = a;
    int *p = &x;
    return p;
}

int *address_advised(int a, int *x)
{
    *x = a;
    int *p = x;
    return p;
}

kernel void returned(global int *out)
{
    out[get_global_id(0)] = *address(3);
}

kernel void returned_advised(global int *out)
{
    int x;
    out[get_global_id(0)] = *address_advised(3, &x);
}

kernel void left(global int *out)
{
    int *p;
    {
        int x = 5;
        p = &x;
    }
    out[get_global_id(0)] = *p;
}

kernel void left_advised(global int *out)
{
    int *p;
    int x;
    {
        x = 5;
        p = &x;
    }
    out[get_global_id(0)] = *p;
}
#endif
