// Returns before a barrier: named where they alone keep work-items from it.
//
// $ clerk kernel returns.cl -k statement -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k called -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k second -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k in_loop -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k many -g 256 -l 256 -a 'buf:int[256]=iota' -a int=200 --schedule asc
// $ clerk kernel returns.cl -k two -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6
// $ clerk kernel returns.cl -k macro -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k behind -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k behind_in_call -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k arms -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k last -g 8 -l 8 -a 'buf:int[8]=iota' -a int=6 --schedule asc
// $ clerk kernel returns.cl -k all_return -g 8 -l 8 -a 'buf:int[8]=iota' -a int=0 --print 0

kernel void statement(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}

void work(global int *a, int n)
{
    int i[2] = {get_global_id(0), n};
    if (i[0] >= i[1])
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i[0]] += 1;
}

kernel void called(global int *a, int n)
{
    work(a, n);
}

kernel void second(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i > 100)
        return;
    if (i >= n) {
        a[i] = 0;
        return;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}

kernel void in_loop(global int *a, int n)
{
    const int i = get_global_id(0);
    for (int round = 0; round < 4; round++) {
        const int next = round + 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i + next == 9)
            return;
    }
    a[i] += 1;
}

/* Of several vectors. */
kernel void many(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}

/* One mistake, whichever work-item comes first. */
kernel void two(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i == 0)
        return;
    if (i >= n)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}

/* ---- not named ---- */

#define LEAVE_IF(condition) if (condition) return

kernel void macro(global int *a, int n)
{
    const int i = get_global_id(0);
    LEAVE_IF(i >= n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}

/* Work-item 7 returns, but had missed the barrier before. */
kernel void behind(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = 1;
    }
    if (i >= n)
        return;
    else
        a[i] += 1;
}

void finish(global int *a, int n)
{
    if (get_global_id(0) >= n)
        return;
    a[get_global_id(0)] = 3;
}

kernel void behind_in_call(global int *a, int n)
{
    if (get_global_id(0) < n)
        barrier(CLK_GLOBAL_MEM_FENCE);
    finish(a, n);
}

kernel void arms(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i >= n) {
        a[i] = 1;
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void last(global int *a, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = 1;
    return;
}

/* ---- what is right ---- */

kernel void all_return(global int *a, int n)
{
    const int i = get_global_id(0);
    if (n == 0) {
        a[i] = 9;
        return;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1;
}
