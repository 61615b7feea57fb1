// Pointers to private and local memory that another work-item, work-group or launch finds in memory.
//
// $ clerk kernel foreign.cl -k neighbour -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k neighbour_fixed -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel foreign.cl -k as_number -g 128 -l 128 -a 'buf:int[128]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k broadcast -g 4 -l 2 -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k some -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --schedule asc --print 0
// $ clerk kernel foreign.cl -k writes -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k other_group -g 4 -l 2 -a 'buf:int[4]=0' -a 'buf:ulong[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel foreign.cl -k argument -g 4 -l 2 -a 'local:int[2]' -a 'buf:int[4]=0' -a 'buf:ulong[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel foreign.cl -k structure -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k fetch -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k many -g 17000000 -l 64 -a 'buf:int[64]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel foreign.cl -k own -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel foreign.cl -k group_own -g 128 -l 64 -a 'local:int[64]' -a 'buf:int[128]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k compared -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel foreign.cl -k walked -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel foreign.cl -k generic_own -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel foreign.cl -k bounds -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k before -g 1 -l 1 -a uint=0 -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k copied -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 1
// $ clerk kernel foreign.cl -k rows -g 8,16 -l 8,16 -a 'buf:int[128]=0' --build -cl-std=CL3.0 --print 0
// $ clerk kernel foreign.cl -k as_data -g 4 -l 2 -a 'buf:ulong[4]=0' --build -cl-std=CL3.0
// $ clerk kernel foreign.cl -k space -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0 --print 0

// Each work-item reads its neighbour's variable.
kernel void neighbour(global int *out)
{
    local ulong at[4];
    const int i = get_local_id(0);
    int x = i;
    int *p = &x;
    ((int * local *)at)[i] = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = *((int * local *)at)[i ^ 1];
}

kernel void neighbour_fixed(global int *out)
{
    local int at[4];
    const int i = get_local_id(0);
    at[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = at[i ^ 1];
}

// The address as an integer, of a part of an array, by work-items of another vector.
kernel void as_number(global int *out)
{
    local uintptr_t at[128];
    const int i = get_local_id(0);
    int x[4] = {i, i + 1, i + 2, i + 3};
    at[i] = (uintptr_t)&x[i & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = *(int *)(at[127 - i]);
}

kernel void broadcast(global int *out)
{
    int x = get_global_id(0);
    int *p = &x;
    p = (int *)work_group_broadcast((ulong)p, 0);
    out[get_global_id(0)] = *p;
}

// Work-items 0 and 1 read what is their own, the others do not.
kernel void some(global int *out)
{
    local uintptr_t at[4];
    const int i = get_local_id(0);
    int x = 10 + i;
    at[i] = (uintptr_t)&x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = *(int *)at[i < 2 ? i : 5 - i];
}

kernel void writes(global int *out)
{
    local uintptr_t at[2];
    const int i = get_local_id(0);
    int x = 0;
    at[i] = (uintptr_t)&x;
    barrier(CLK_LOCAL_MEM_FENCE);
    *(int *)at[!i] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = x;
}

// Local memory of the group before.
kernel void other_group(global int *out, volatile global atomic_ulong *at)
{
    local int tile[2];
    const int i = get_global_id(0);
    tile[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong before = 0;
    atomic_compare_exchange_strong_explicit(at, &before, (ulong)tile, memory_order_relaxed, memory_order_relaxed,
                                            memory_scope_device);
    local int *p = before == 0 ? tile : (local int *)before;
    out[i] = p[get_local_id(0)];
}

kernel void argument(local int *tile, global int *out, volatile global atomic_ulong *at)
{
    const int i = get_global_id(0);
    tile[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong before = 0;
    atomic_compare_exchange_strong_explicit(at, &before, (ulong)tile, memory_order_relaxed, memory_order_relaxed,
                                            memory_scope_device);
    if (get_group_id(0) == 1)
        out[i] = atomic_inc((volatile local int *)before);
}

struct node {
    int value;
    struct node *next;
};

kernel void structure(global int *out)
{
    local struct node nodes[2];
    const int i = get_local_id(0);
    struct node mine = {i, 0};
    nodes[i].next = &mine;
    nodes[i].value = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct node copy = nodes[!i];
    out[i] = copy.value + copy.next->value;
}

// Program-scope memory keeps what one group left for the next.
global uintptr_t kept;
kernel void fetch(global int *out)
{
    const int i = get_local_id(0);
    int x = i;
    if (i == 0)
        kept = (uintptr_t)&x;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 1)
        out[0] = *(int *)kept;
    else
        out[1] = *(int *)kept;
}

// More variables than there are numbers for.
kernel void many(global int *out)
{
    local uintptr_t at[64];
    const size_t i = get_local_id(0);
    int x = i;
    at[i] = (uintptr_t)&x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) == 17)
        out[i] = *(int *)at[i ^ 1];
    else if (*(int *)at[i] != i)
        out[i] = 0;
}

// ---- what is right ----

// Work-items use pointers to their own variables, wherever these were.
kernel void own(global int *out)
{
    local uintptr_t at[4];
    const int i = get_local_id(0);
    int x[3] = {i, 10 * i, 0};
    union {
        int *p;
        ulong bits;
    } both;
    at[i] = (uintptr_t)&x[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = (int *)at[i];
    p[1] = *p + 1;
    both.bits = at[i];
    both.p[-1] = 3;
    int *table[2] = {x, both.p};
    out[i] = x[2] + table[i & 1][0] * 1000;
}

// A group's local memory is there for all of its work-items.
kernel void group_own(local int *given, global int *out)
{
    local int tile[64];
    local ulong at[2];
    const int i = get_local_id(0);
    if (i == 0) {
        at[0] = (ulong)tile;
        at[1] = (ulong)given;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ((local int *)at[0])[i] = i;
    ((local int *)at[1])[63 - i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[i] + given[i];
}

// Equal pointers are equal, in memory and out of it.
kernel void compared(global int *out)
{
    local uintptr_t at[4];
    const int i = get_local_id(0);
    int x[4] = {1, 2, 3, 4};
    int y = 0;
    at[i] = (uintptr_t)&x[2];
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = (int *)at[i];
    int *q = i & 1 ? x : &y;
    out[i] = (p == &x[2]) + 10 * (p == x) + 100 * (int)(p - x) + 1000 * (q == p - 2) + 10000 * (q == &y) +
             100000 * ((uintptr_t)p == at[i]) + 1000000 * (p > &x[1]);
}

kernel void walked(global int *out)
{
    int x[4] = {1, 2, 3, 4};
    int sum = 0;
    for (int *p = x; p != x + 4; p++)
        sum += *p;
    int *volatile last = x + 4;
    for (int *p = x; p < last; p++)
        sum += 10 * *p;
    out[get_global_id(0)] = sum;
}

int through(int *p, int **other)
{
    *other = p + 1;
    return to_private(p) == p && !to_local(p);
}

kernel void generic_own(global int *out)
{
    local int tile[4];
    int x[4] = {1, 2, 3, 4};
    int *next[2];
    const int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int is = through(x, &next[i & 1]) + 10 * (to_local(next[i & 1]) == 0);
    int *p = i & 1 ? (int *)&tile[i] : next[i & 1];
    int **volatile at = &p;
    out[i] = is + 100 * **at + 10000 * (to_local(*at) != 0);
}

// What is beyond a variable is told as such.
kernel void bounds(global int *out)
{
    int x[4] = {1, 2, 3, 4};
    int *volatile p = x;
    out[0] = p[4];
}

kernel void before(uint i, global int *out)
{
    local uintptr_t at;
    int x[4] = {1, 2, 3, 4};
    at = (uintptr_t)x;
    out[0] = ((int *)at)[i - 1];
}

kernel void copied(global const int *in, global int *out)
{
    local int tile[4];
    local int *volatile kept = tile;
    event_t event = async_work_group_copy(tile, in, 4, 0);
    wait_group_events(1, &event);
    event = async_work_group_copy(kept, in, 4, 0);
    wait_group_events(1, &event);
    out[get_local_id(0)] = kept[3 - get_local_id(0)] + tile[0];
}

// Rows of a group of two dimensions, and lanes that are not there.
kernel void rows(global int *out)
{
    local uintptr_t at[16][8];
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    int a[4] = {x, y, 0, 7};
    at[y][x] = (uintptr_t)a;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = (int *)at[y][x];
    p[2] = p[x & 1] + p[y & 1];
    if ((x + y) % 3 != 0)
        p[3] = p[2] * 10;
    out[y * 8 + x] = a[2] + a[3];
}

// A pointer that is stored is the same in all orders of execution.
kernel void as_data(global ulong *out)
{
    local int tile[1];
    int x = 0;
    int *p = &x;
    out[get_global_id(0)] = (ulong)tile ^ (ulong)p;
}

// To ask which address space a pointer leads to is not an access.
kernel void space(global int *out)
{
    local ulong at[4];
    const int i = get_local_id(0);
    int x = i;
    ((int * local *)at)[i] = &x;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = ((int * local *)at)[i ^ 1];
    out[get_global_id(0)] = (to_private(p) != NULL) + 2 * (to_local(p) != NULL);
}
