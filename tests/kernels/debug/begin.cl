// What is known where a launch begins; conditions that cannot be evaluated; where the stepped item ends; what gdb has.
// $ clerk debug begin.cl -g 4 -l 2 -a 'buf:float[4]' -a 'buf:float[4]=iota' -a 'local:float[2]' -a float=nan -a 'float4=1,2,3,4' --batch begin.commands
__kernel void begin(__global float *out, __global const float *in, __local float *shared, float bound, float4 weights)
{
    size_t item = get_global_id(0);
    shared[get_local_id(0)] = in[item];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[item] = fmin(shared[1 - get_local_id(0)] * weights.y, bound);
}
