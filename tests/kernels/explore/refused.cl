// What cannot be explored says so. More places in memory than there is room for at first are no reason.
//
// $ clerk kernel refused.cl -k many -g 65 -l 1 -a 'buf:int[300]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k many -g 1 -l 1 -a 'buf:int[300]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k sizes -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k named -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k votes -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k copies -g 2 -l 2 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k picture -g 1 -l 1 -a image2d:r:signed_int32[1x1]=0 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k events -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k wrong_order -g 1 -l 1 -a 'buf:int[1]=0' --build '-cl-std=CL3.0 -w' --explore
// $ clerk kernel refused.cl -k endless -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel refused.cl -k sizes -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --print 0
// $ clerk kernel refused.cl -k sizes -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --schedule asc
// $ clerk kernel refused.cl -k sizes -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --unroll 3
// $ clerk kernel refused.cl -k sizes -g 1 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --choices 0.1

kernel void many(global int *x)
{
    for (int i = 1; i < 300; i++)
        *x = atomic_load_explicit((global atomic_int *)&x[i], memory_order_relaxed, memory_scope_device);
}

kernel void sizes(global int *x)
{
    *x = 1;
    *(global char *)x = 2;
}

kernel void named(global int *x)
{
    x[get_local_id(0)] = work_group_broadcast(1, get_local_id(0));
}

kernel void votes(global int *x)
{
    const size_t i = get_local_id(0);
    x[i] = sub_group_non_uniform_all(x[i]);
}

kernel void copies(global int *x)
{
    local int a[2];
    event_t event = async_work_group_copy(a, x, 2, 0);
    wait_group_events(1, &event);
    x[get_local_id(0)] = a[get_local_id(0)];
}

kernel void picture(read_only image2d_t image, global int *x)
{
    *x = read_imagei(image, (int2)(0, 0)).x;
}

kernel void events(global int *x)
{
    for (int i = 0; i < 70; i++)
        atomic_inc(x);
}

// Never ends, and accesses nothing.
kernel void endless(global int *x)
{
    for (int i = 0; i >= 0; i ^= 1)
        ;
    *x = 1;
}

kernel void wrong_order(global atomic_int *x)
{
    atomic_load_explicit(x, memory_order_release, memory_scope_device);
}
