// What kernels print: work-items in order, each line whole, once though both orders run.
//
// $ clerk kernel printf.cl -k lines -g 4 -l 2 -a buf:float[4]=iota
// $ clerk kernel printf.cl -k lines -g 4 -l 2 -a buf:float[4]=iota --schedule desc
// $ clerk kernel printf.cl -k kinds -g 1 -a float4=1,2.5,-3,1e10
// $ clerk kernel printf.cl -k divergent -g 70 -l 70 --schedule asc
// $ clerk kernel printf.cl -k helper -g 2 -a buf:int[2]

constant char title[] = "title";

kernel void lines(global float *a)
{
    int i = get_global_id(0);
    printf("item %d of %lu: %5.2f %s\n", i, get_global_size(0), a[i] * 0.25f,
           i & 1 ? "odd" : "even");
}

kernel void kinds(float4 v)
{
    printf("%d %i %u %o %x %X %#x %c %%\n", -1, 2, 3u, 8, 255, 255, 255, 'c');
    printf("%f %F %e %E %g %G %a %A\n", 1.5f, -1.5, 1e10, 1e-10f, 1e100, 0.1f, 3.0, 0.5);
    printf("%v4hlf %v4hld %v2hhx %v3hd %v2ld %v8hhd\n", v, (int4)(1, 2, 3, -4), (uchar2)(1, 255),
           (short3)(-3), (long2)(5), (char8)(-8));
    printf("%5d|%-5d|%05d|%+d|%.3d|%hhd|%hd|%ld|\n", 42, 42, 42, 42, 7, (char)42, (short)-7, 1L << 40);
    printf("%s|%8s|%-8s|%.2s|%p\n", title, "right", "left", "cut", (global int *)0);
}

/* Lanes that take other ways print in the order of the code. */
kernel void divergent(void)
{
    int i = get_local_id(0);
    if (i % 32 == 1)
        printf("then %d\n", i);
    else if (i % 32 == 2)
        printf("else %d\n", i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 67)
        printf("behind %d\n", i);
}

int shown(int value)
{
    return printf("%d is shown\n", value);
}

/* printf returns 0. */
kernel void helper(global int *out)
{
    int i = get_global_id(0);
    out[i] = shown(i + 10) == 0 ? i : 100;
    printf("out %d\n", out[i]);
}
