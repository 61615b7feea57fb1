// What a race writes is told in the type of the memory.
//
// $ clerk kernel floating.cl -k singles -g 2 -l 2 -a 'buf:float[1]'
// $ clerk kernel floating.cl -k doubles -g 2 -l 2 -a 'buf:double[1]'
// $ clerk kernel floating.cl -k same -g 2 -l 2 -a 'buf:float[1]'
// $ clerk kernel floating.cl -k words -g 2 -l 2 -a 'buf:int[1]'

kernel void singles(global float *a)
{
    a[0] = 0.1f * (get_local_id(0) + 1) + 32;
}

kernel void doubles(global double *a)
{
    a[0] = 1e100 / (get_local_id(0) + 3);
}

kernel void same(global float *a)
{
    a[0] = 0.1f;
}

kernel void words(global int *a)
{
    a[0] = 32 + (int)get_local_id(0);
}
