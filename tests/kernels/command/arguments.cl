// What clerk kernel says when it is not told enough, or too much.
//
// $ clerk kernel arguments.cl -g 8
// $ clerk kernel arguments.cl -k scale -g 8
// $ clerk kernel arguments.cl -k scale -l 4
// $ clerk kernel arguments.cl
// $ clerk kernel arguments.cl -k absent
// $ clerk kernel arguments.cl -k scale -g 18446744073709551615 -a buf:int[8] -a int=3 -a local:int[4]
// $ clerk kernel arguments.cl -k scale -g 8 -a buf:int[-1] -a int=3 -a local:int[4]
// $ clerk kernel arguments.cl --build -DBROKEN -g 8
// $ clerk kernel garbage.spv -g 8
// $ clerk kernel arguments.cl -k scale -g 8 -l 4,4
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a int=1 -a int=2 -a local:int[4]
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a float=2 -a local:int[4]
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a int:3 -a local:int[4]
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a number=3 -a local:int[4]
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a int=3 -a local:int[4] --print 1
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a int=3 -a local:int[4] --print 0
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a int=3 -a local:int[4] --print 0 --json
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a int=3 -a local:int[4] --schedule up
// $ clerk kernel arguments.cl -k scale -g 8 -l 4 -a buf:int[8]=iota -a int=3 -a local:int[4] --schedule seed:3
// $ clerk kernel arguments.cl -k scale -g 4 --offset 4 -a buf:int[8]=iota -a int=3 -a local:int[4] --print 0
// $ clerk kernel arguments.cl -k vectors -g 2 -a buf:float4[2]=iota -a float4=1,2,3,0.5 --print 0
// $ clerk kernel arguments.cl -k scale -g 12 -l 8 -a buf:int[12]=iota -a int=3 -a local:int[4]
// $ clerk kernel arguments.cl -k nothing -g 8
// $ clerk kernel arguments.cl -k tickets -g 4 -l 1 -a buf:int[1]=0 -a buf:int[4] --print 1
// $ clerk kernel arguments.cl -k absent -g 8
// $ clerk kernel absent.cl -g 8
// $ clerk kernel order.litmus -g 8

kernel void scale(global int *a, int factor, local int *unused)
{
    a[get_global_id(0)] *= factor;
}

kernel void vectors(global float4 *a, float4 b)
{
    a[get_global_id(0)] *= b;
}

/* No race, and yet the outcome is the order of work-groups. */
kernel void tickets(global int *counter, global int *out)
{
    out[get_global_id(0)] = atomic_inc(counter);
}

#ifdef BROKEN
kernel void broken(global int *a)
{
    a[0] = absent_here;
}
#endif
