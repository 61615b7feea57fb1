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
