// What fills a pipe before is no launch of the debugger's.
// $ clerk debug pipe.cl --build=-cl-std=CL3.0 -g 4 -a 'pipe:int[4]=iota' -a 'buf:int[4]=random:1' --batch pipe.commands
__kernel void drain(read_only pipe int in, __global int *out)
{
    int value = 7;
    read_pipe(in, &value);
    out[get_global_id(0)] = value;
}
