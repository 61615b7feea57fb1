// Assertions that do not hold, and the kernels in which what gives the values was mended.

// What depends on the schedule should be one atomic operation, and is two.
//
// $ clerk kernel claims.cl -k counts -g 4 -l 1 -a 'buf:int[1]=0' --assert 'sum == 4' --print 0
kernel void counts(volatile global int *sum)
{
    const int old = atomic_add(sum, 0);
    atomic_xchg(sum, old + 1);
}

// $ clerk kernel claims.cl -k counts_advised -g 4 -l 1 -a 'buf:int[1]=0' --assert 'sum == 4' --print 0
kernel void counts_advised(volatile global int *sum)
{
    atomic_inc(sum);
}

// What is assumed is not so.
//
// $ clerk kernel claims.cl -k assumes -g 6 -l 2 -a 'buf:int[6]=iota' -a uint=5 --print 0
#include <clerk.h>
kernel void assumes(global int *data, uint n)
{
    clerk_assume(n % get_local_size(0) == 0);
    if (get_global_id(0) < n)
        data[get_global_id(0)] *= 2;
}

// $ clerk kernel claims.cl -k assumes_advised -g 6 -l 2 -a 'buf:int[6]=iota' -a uint=5 --print 0
kernel void assumes_advised(global int *data, uint n)
{
    if (get_global_id(0) < n)
        data[get_global_id(0)] *= 2;
}

// assumption-false: the kernel is given what it may assume.
//
// $ clerk kernel claims.cl -k promises -g 4 -l 2 -a 'buf:int[4]=iota' -a int=-1 --print 0
// $ clerk kernel claims.cl -k promises_advised -g 4 -l 2 -a 'buf:int[4]=iota' -a int=1 --print 0
kernel void promises(global int *data, int offset)
{
    __builtin_assume(offset >= 0);
    data[get_global_id(0)] += offset / 2;
}

kernel void promises_advised(global int *data, int offset)
{
    __builtin_assume(offset >= 0);
    data[get_global_id(0)] += offset / 2;
}
