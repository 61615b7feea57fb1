// Each run starts with the program's variables as they are after a build, whatever the run before left there.
//
// $ clerk kernel variables.cl -g 1 -a buf:uint[3] --print 0 --build -cl-std=CL3.0

global uint counter = 7;
global uint table[2];

kernel void count(global uint *out)
{
    static global uint calls;
    out[0] = counter++;
    out[1] = table[1]++;
    out[2] = calls++;
}
