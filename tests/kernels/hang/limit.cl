// A launch that does not end within the operations that are set for it is ended, and told where its work-items are.
// These loops change what they read, and so are not known to wait for ever.
//
// $ clerk kernel limit.cl -k waits_for_flag -g 128 -l 64 -a 'buf:int[1]=0' --operation-limit 100000
// $ clerk kernel limit.cl -k waits_for_flag -g 128 -l 64 -a 'buf:int[1]=0' --operation-limit 100000 --schedule asc --checks race
// $ clerk kernel limit.cl -k waits_for_flag -g 128 -l 64 -a 'buf:int[1]=0' --operation-limit 100000 --schedule desc --checks none
// $ clerk kernel limit.cl -k waits_for_flag -g 128 -l 64 -a 'buf:int[1]=1' --operation-limit 100000
// $ clerk kernel limit.cl -k one_is_late -g 128 -l 128 -a 'buf:int[1]=0' --operation-limit 5000 --schedule asc
// $ clerk kernel limit.cl -k many_places -g 65 -l 65 -a 'buf:int[1]=0' --operation-limit 5000 --schedule asc
// $ clerk kernel limit.cl -k long_sum -g 1 -l 1 -a 'buf:int[1]=0' --operation-limit 1000 --schedule asc
// $ clerk kernel limit.cl -k long_sum -g 1 -l 1 -a 'buf:int[1]=0' --operation-limit 0 --schedule asc --print 0
// $ clerk kernel limit.cl -k long_sum -g 1 -l 1 -a 'buf:int[1]=0' --operation-limit much

kernel void waits_for_flag(volatile global int *flag)
{
    while ((atomic_xor(flag, 2) & 1) == 0)
        ;
}

kernel void one_is_late(volatile global int *flag)
{
    if (get_local_id(0) == 70)
        while ((atomic_xor(flag, 2) & 1) == 0)
            ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(flag);
}

/* More places than are told. */
kernel void many_places(volatile global int *flag)
{
#define WAIT(n) case n: barrier(CLK_LOCAL_MEM_FENCE); break
    switch (get_local_id(0)) {
        WAIT(0); WAIT(1); WAIT(2); WAIT(3); WAIT(4);
        WAIT(5); WAIT(6); WAIT(7); WAIT(8); WAIT(9);
    case 64:
        while ((atomic_xor(flag, 2) & 1) == 0)
            ;
    }
}

kernel void long_sum(global int *sum)
{
    for (int i = 0; i < 100000; i++)
        *sum += i % 3;
}
