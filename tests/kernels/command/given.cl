// What a kernel can be given besides numbers and buffers of its own: structures, no buffer, one of no bytes, one twice.
//
// $ clerk kernel given.cl -k structure -g 1
// $ clerk kernel given.cl -k structure -g 1 -a int=1 -a 'buf:long[4]'
// $ clerk kernel given.cl -k structure -g 1 -a 'struct:24=char=-1 short[2]=2,3 float2=0.5,4 long=-9' -a 'buf:long[4]' --print 1
// $ clerk kernel given.cl -k structure -g 1 -a struct:24=iota -a 'buf:long[4]' --print 1 --json
// $ clerk kernel given.cl -k structure -g 1 -a struct:32=0 -a 'buf:long[4]'
// $ clerk kernel given.cl -k structure -g 1 -a 'struct:8=int=1 double=2' -a 'buf:long[4]'
// $ clerk kernel given.cl -k add -g 4 -a struct:4=0 -a 'buf:int[4]' -a 'buf:int[4]'
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a null -a 'buf:int[4]' --print 2
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a 'buf:int[4]=1' -a null
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a null -a 'buf:int[4]' --print 1
// $ clerk kernel given.cl -k add -g 2 -a int=3 -a null -a 'buf:int[2]' --explore
// $ clerk kernel given.cl -k add -g 4 -a int=0 -a 'buf:int[0]' -a 'buf:int[0]' --print 2 --json
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a 'buf:int[0]' -a 'buf:int[4]'
// $ clerk kernel given.cl -k add -g 2 -a int=3 -a 'buf:int[0]' -a same:1 --explore
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a 'buf:int[4]=iota' -a same:1 --print 1 --print 2
// $ clerk kernel given.cl -k turn -g 4 -a 'buf:int[4]=iota' -a same:0
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a same:2 -a 'buf:int[4]'
// $ clerk kernel given.cl -k add -g 4 -a int=3 -a same:0 -a 'buf:int[4]'

struct all {
    char sign;
    short pair[2];
    float2 parts;
    long last;
};

kernel void structure(struct all all, global long *out)
{
    out[0] = all.sign;
    out[1] = all.pair[0] * 10 + all.pair[1];
    out[2] = all.parts.x * all.parts.y * 10;
    out[3] = all.last;
}

kernel void add(int n, global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = (in ? in[i] : 7) + 1;
}

/* Right for two buffers. */
kernel void turn(global int *out, global const int *in)
{
    out[get_global_id(0)] = in[get_global_size(0) - 1 - get_global_id(0)];
}
