// Built-ins with results in memory, in every address space; special values; lengths that neither
// overflow nor vanish.
//
// $ clerk kernel numbers.cl -k pointers -g 2 -l 2 -a 'buf:float[2]=random:5' -a 'buf:float[36]=0' -a 'buf:int[12]=0' --print 1 --print 2 --build -cl-std=CL3.0
// $ clerk kernel numbers.cl -k generic_pointers -g 1 -a 'buf:double[8]=0' -a 'buf:int[4]=0' --print 0 --print 1 --build -cl-std=CL3.0
// $ clerk kernel numbers.cl -k vectors -g 1 -a 'buf:float[12]=0' -a 'buf:int[8]=0' --print 0 --print 1 --build -cl-std=CL3.0
// $ clerk kernel numbers.cl -k specials -g 1 --build -cl-std=CL3.0
// $ clerk kernel numbers.cl -k lengths -g 1 --build -cl-std=CL3.0
// $ clerk kernel numbers.cl -k common -g 1 --build -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void pointers(global const float *in, global float *out, global int *whole)
{
    const int g = (int)get_global_id(0);
    const float x = (g == 0 ? 1000.75f : -17.125f) + in[g] * 0.0f;
    local float tile[16];
    local int counts[8];
    private float mine[8];
    private int number[4];
    global float *o = out + 18 * g;
    global int *n = whole + 6 * g;
    o[0] = fract(x, o + 1);
    o[2] = modf(x, o + 3);
    o[4] = sincos(x, o + 5);
    o[6] = frexp(x, n);
    o[7] = remquo(x, 3.0f, n + 1);
    o[8] = lgamma_r(x, n + 2);
    o[9] = fract(x, tile + 4 * g);
    o[10] = tile[4 * g];
    o[11] = modf(x, tile + 4 * g + 1);
    o[12] = frexp(x, counts + 2 * g);
    n[3] = counts[2 * g];
    o[13] = remquo(x, -0.75f, counts + 2 * g + 1);
    n[4] = counts[2 * g + 1];
    o[14] = fract(x, mine + 1);
    o[15] = mine[1];
    o[16] = sincos(x, mine + 2) - sin(x) + mine[2] - cos(x);
    o[17] = lgamma_r(x, number + 3);
    n[5] = number[3];
}

double any_fract(double x, double *whole)
{
    return fract(x, whole);
}

kernel void generic_pointers(global double *out, global int *exponent)
{
    double mine;
    local double ours;
    local int count;
    out[0] = any_fract(2.75, out + 1);
    out[2] = any_fract(-2.75, &mine);
    out[3] = mine;
    out[4] = any_fract(-0x1p-60, &ours);
    out[5] = ours;
    int *where = &count;
    out[6] = frexp(48.0, where);
    exponent[0] = count;
    where = exponent + 1;
    out[7] = remquo(100.0, 7.0, where);
    exponent[2] = ilogb(0.0);
    exponent[3] = ilogb(0x1p-1074);
}

kernel void vectors(global float *out, global int *n)
{
    const float4 x = (float4)(1.5f, -2.25f, 100.0f, -0.0f);
    float4 whole;
    int4 part;
    vstore4(fract(x, &whole), 0, out);
    vstore4(whole, 1, out);
    vstore4(frexp(x, &part), 2, out);
    vstore4(part, 0, n);
    vstore4(ilogb(x), 1, n);
}

kernel void specials(void)
{
    const float infinity = INFINITY;
    float whole;
    printf("%d %d %d %d\n", ilogb(0.0f), ilogb(NAN), ilogb(infinity), ilogb(0x1p-149f));
    printf("%08x %08x %d\n", as_uint(nan(0x1234u)), as_uint(nan(0u)), as_uint(-nan(1u)) == 0x7fc00000);
    printf("%a %a %a\n", fract(-0x1p-30f, &whole), pow(-infinity, -3.0f), pown(-0.0f, -3));
    printf("%a %a %a\n", rootn(-27.0f, 3), powr(4.0f, 0.5f), fdim(infinity, infinity));
    printf("%a %a %a\n", fmax(NAN, 1.0f), fmin(2.0f, NAN), fmod(-6.0f, 3.0f));
    printf("%a %a %a\n", nextafter(0.0f, -1.0f), nextafter(1.0, 2.0), ldexp(0x1.8p0f, -149));
    printf("%a %a %a\n", maxmag(-3.0f, 3.0f), minmag(-3.0f, 3.0f), copysign(2.0, -0.0));
    printf("%a %a %a\n", tgamma(5.0f), lgamma(-0.5f), erfc(10.0f));
    printf("%a %a %a\n", sinpi(1e30f), cospi(0.5f), tanpi(0.25f));
    printf("%a %a %a\n", remainder(5.0f, 2.0f), rint(2.5f), round(-2.5f));
    printf("%a %a %a\n", exp10(-40.0f), exp2(-149.0f), log1p(-1.0f));
}

kernel void lengths(void)
{
    const float4 big = (float4)(0x1p127f, 0x1p126f, 0.0f, 0.0f), small = (float4)(0x1p-149f);
    printf("%a %a\n", length(big), length(small));
    printf("%v4hla\n%v4hla\n", normalize(big), normalize(small));
    printf("%v4hla\n", normalize((float4)(INFINITY, 1.0f, -INFINITY, -0.0f)));
    printf("%v4hla\n", normalize((float4)(INFINITY, NAN, 1.0f, 1.0f)));
    printf("%v4hla\n", normalize((float4)(0.0f, -0.0f, 0.0f, 0.0f)));
    printf("%a %a\n", distance(big, -big), fast_distance(big, big));
    const double2 wide = (double2)(0x1p1023, 0x1p1020), narrow = (double2)(0x1.8p-1073, 0x1p-1072);
    printf("%a %a\n", length(wide), length(narrow));
    printf("%.2v2la %.2v2la\n", normalize(wide), normalize(narrow));
    printf("%a %a\n", length(-3.0f), normalize(-3.0f));
    printf("%v3hla\n", cross((float3)(1, 2, 3), (float3)(4, 5, 6)));
}

kernel void common(void)
{
    printf("%a %a %a %a\n", sign(-2.0f), sign(-0.0f), sign(0.0f), sign(NAN));
    printf("%a %a %a\n", degrees(1.0f), radians(180.0f), degrees(0x1p-149f));
    printf("%a %a\n", degrees(1.0), radians(180.0));
    printf("%a %a\n", step(1.0f, 1.0f), step(1.0f, 0.5f));
    printf("%a %a %a\n", smoothstep(1.0f, 3.0f, 1.5f), smoothstep(1.0f, 3.0f, 0.0f), smoothstep(1.0f, 3.0f, 9.0f));
    printf("%a %a\n", mix(1.0f, 5.0f, 0.25f), clamp(7.0f, -1.0f, 2.0f));
}
