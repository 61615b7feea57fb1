// Groups at the edge of an NDRange that their size does not divide: they are narrower, so their vectors hold other work-items,
// and what native code remembers of an access by others does not hold of theirs.
//
// $ clerk kernel edges.cl -k linear -g 24,44 -l 16,22 -a buf:int[3168] --build -cl-std=CL3.0
// $ clerk kernel edges.cl -k copies -g 24,44 -l 16,22 -a buf:int[1056]=iota -a buf:int[1056] -a buf:int[1]=0 --print 2 --build -cl-std=CL3.0

kernel void linear(global int *data)
{
    const size_t at = get_global_linear_id();
    for (int d = 0; d < 3; d++)
        data[at * 3 + d] = d;
}

kernel void copies(global const int *from, global int *to, global atomic_int *wrong)
{
    const size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    for (int d = 0; d < 2; d++)
        to[at] = from[at] + d;
    if (to[at] != (int)at + 1)
        atomic_fetch_add_explicit(wrong, 1, memory_order_relaxed, memory_scope_device);
}
