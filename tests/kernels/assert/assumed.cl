// __builtin_assume and __builtin_expect: what a compiler takes for granted, and what is only likely.

// A compiler may leave out the test that the assumption contradicts; the work-items that it is false for end.
//
// $ clerk kernel assumed.cl -k assumes -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]=0' --print 1 --schedule asc
// $ clerk kernel assumed.cl -k assumes -g 2 -l 1 -a 'buf:int[2]=iota' -a 'buf:int[2]=0' --explore
kernel void assumes(global const int *in, global int *out)
{
    const size_t i = get_global_id(0);
    const int value = in[i];
    __builtin_assume(value < 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = value < 1 ? 1 : 2;
}

// It holds, in a loop and in a function; so does what is not a comparison. What is expected need not hold.
//
// $ clerk kernel assumed.cl -k holds -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]=0' --print 1
// $ clerk kernel assumed.cl -k holds -g 4 -l 1 -a 'buf:int[4]=iota' -a 'buf:int[4]=0' --print 1 --personality minimum
int half_of(int value)
{
    __builtin_assume(value >= 0);
    return value / 2;
}

kernel void holds(global const int *in, global int *out)
{
    const size_t i = get_global_id(0);
    for (int n = 0; n < 3; n++) {
        __builtin_assume(n < 3 && i < 4);
        out[i] += half_of(in[i]);
    }
    if (__builtin_expect(in[i] == 7, 1))
        out[i] = -1;
}
