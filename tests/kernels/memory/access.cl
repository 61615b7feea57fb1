// Pointers that may not be used so: read-only and write-only buffers, and misaligned ones. What is
// wrong is said, and done.
//
// $ clerk kernel access.cl -k writes -g 4 -l 4 -a 'buf:int[4]=iota:ro' --print 0
// $ clerk kernel access.cl -k writes -g 4 -l 4 -a 'buf:int[4]=iota'
// $ clerk kernel access.cl -k reads -g 4 -l 4 -a 'buf:int[4]=iota:wo' -a 'buf:int[4]' --print 1
// $ clerk kernel access.cl -k counts -g 4 -l 4 -a 'buf:int[1]=0:ro' --print 0
// $ clerk kernel access.cl -k reads -g 4 -l 4 -a 'buf:int[4]=iota:ro' -a 'buf:int[4]:wo'
// $ clerk kernel access.cl -k misaligned -g 1 -l 1 -a 'buf:char[8]=iota' -a 'buf:int[1]'
// $ clerk kernel access.cl -k misaligned_halves -g 1 -l 1 -a 'buf:char[24]=iota' -a 'buf:float4[2]'

kernel void writes(global int *a)
{
    a[get_global_id(0)] = 1;
}

kernel void reads(global const int *a, global int *out)
{
    out[get_global_id(0)] = a[get_global_id(0)];
}

kernel void counts(global int *a)
{
    atomic_inc(a);
}

kernel void misaligned(global const char *a, global int *out)
{
    out[0] = *(global const int *)(a + 1);
}

// vload_half4 takes any half's address, vloada_half4 that of a half4.
kernel void misaligned_halves(global const char *a, global float4 *out)
{
    out[0] = vload_half4(0, (global const half *)(a + 2));
    out[1] = vloada_half4(0, (global const half *)(a + 2));
}
