/* A kernel that holds 1200 vectors of 128 bytes at once, 9.4 MiB for 64 work-items: 92101200 + 38400 times the id. */
#define EACH_10(DO, n)  DO(n##0) DO(n##1) DO(n##2) DO(n##3) DO(n##4) DO(n##5) DO(n##6) DO(n##7) DO(n##8) DO(n##9)
#define EACH_100(DO, n)                                                                                                \
    EACH_10(DO, n##0) EACH_10(DO, n##1) EACH_10(DO, n##2) EACH_10(DO, n##3) EACH_10(DO, n##4)                          \
    EACH_10(DO, n##5) EACH_10(DO, n##6) EACH_10(DO, n##7) EACH_10(DO, n##8) EACH_10(DO, n##9)
#define EACH(DO)                                                                                                       \
    EACH_100(DO, 1) EACH_100(DO, 2) EACH_100(DO, 3) EACH_100(DO, 4) EACH_100(DO, 5) EACH_100(DO, 6)                    \
    EACH_100(DO, 7) EACH_100(DO, 8) EACH_100(DO, 9) EACH_100(DO, 10) EACH_100(DO, 11) EACH_100(DO, 12)
#define HOLD(n) const ulong16 held##n = in[4 * (n - 100) + get_global_id(0)];
#define ADD(n)  sum += held##n;

// $ clerk kernel rows.cl -k hold -g 4 -a 'buf:ulong16[4800]=iota' -a 'buf:ulong[4]' --schedule asc --print 1
kernel void hold(global const ulong16 *in, global ulong *out)
{
    ulong16 sum = 0;
    EACH(HOLD)
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(ADD)
    out[get_global_id(0)] = sum.s0 + sum.sf;
}
