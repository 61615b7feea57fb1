// --assert: what the arguments must hold when the kernel has ended.

// A sum that loses updates under some schedules, without a race.
//
// $ clerk kernel arguments.cl -k lost -g 4 -l 1 -a 'buf:int[1]=0' --assert 'sum == 4'
// $ clerk kernel arguments.cl -k lost -g 2 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --assert 'sum == 2' --assert 'sum >= 1' --explore
// $ clerk kernel arguments.cl -k lost -g 2 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --assert 'sum == 2' --assert 'sum >= 1' --explore --json
// $ clerk kernel arguments.cl -k lost -g 2 -l 1 -a 'buf:int[1]=0' --assert 'sum == 2' --explore --format gcc
kernel void lost(volatile global int *sum)
{
    const int old = atomic_add(sum, 0);
    atomic_xchg(sum, old + 1);
}

// $ clerk kernel arguments.cl -k kept -g 4 -l 1 -a 'buf:int[1]=0' --assert 'sum == 4'
// $ clerk kernel arguments.cl -k kept -g 2 -l 1 -a 'buf:int[1]=0' --assert 'sum == 2' --explore
kernel void kept(volatile global int *sum)
{
    atomic_inc(sum);
}

// Elements, components, scalars and types; what holds, and what does not.
//
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'all i: out[i].x == factor * in[i] && out[i].w < 100' --assert 'factor == 2 && in[7] == 7' --assert 'all i: out[i].s1 != -1.0f' --assert '!(out[0].x > 0)' --assert 'all i: i == 0 || in[i] > in[i - 1]' --assert 'in[1] << 4 == 16 && (float)in[1] / 2 == 0.5 && -1 < 0u == 0 && (in[2] ? in[3] : 1) == 3 && ~in[0] == -1'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'all i: out[i].x == factor * in[i] && (out[i].y == in[i])' --assert 'factor == 3' --assert 'all i: all j: in[i] != in[j] || i == j + 0 && i < 5' --assert '!in[3]' --schedule desc
kernel void doubles(global const int *in, global float4 *out, uint factor)
{
    const size_t i = get_global_id(0);
    out[i] = (float4)(factor * in[i], 2.0f * i, 0.0f, in[i]);
}

// What makes no sense.
//
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'sum == 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'out[0] == 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'out[0].q == 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'in == 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'factor[0] == 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'in[8] == 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'all i: in[0] == i'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'in[0] == '
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'in[0] = 4'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'in[0] / in[0]'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert '*in == 0'
// $ clerk kernel arguments.cl -k doubles -g 8 -l 8 -a 'buf:int[8]=iota' -a 'buf:float4[8]' -a uint=2 --assert 'min(in[0], 1) == 0'
