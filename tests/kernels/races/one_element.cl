// Every work-item writes the same element: each its own id, all the same value, or one of them alone.
//
// $ clerk kernel one_element.cl -k different -g 16 -l 8 -a 'buf:int[16]'
// $ clerk kernel one_element.cl -k same -g 16 -l 8 -a 'buf:int[16]'
// $ clerk kernel one_element.cl -k good -g 16 -l 8 -a 'buf:int[16]' --print 0

kernel void different(global int *out)
{
    out[0] = (int)get_global_id(0);
}

kernel void same(global int *out)
{
    out[0] = 7;
}

kernel void good(global int *out)
{
    out[get_global_id(0)] = 7;
}

// covers: D2 D8
