// Barriers that not all work-items of a group reach together.
//
// $ clerk kernel barriers.cl -k in_if -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k behind_if -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k at_edge -g 11 -l 8 -a 'buf:int[11]' --build -cl-std=CL3.0 --print 0
// $ clerk kernel barriers.cl -k early_return -g 8 -l 8 -a 'buf:int[8]' -a int=5
// $ clerk kernel barriers.cl -k no_return -g 8 -l 8 -a 'buf:int[8]' -a int=5
// $ clerk kernel barriers.cl -k both_arms -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k loop_of_own_length -g 4 -l 4 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k loop_of_one_length -g 4 -l 4 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k two_calls -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k one_call -g 8 -l 8 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k iterations -g 4 -l 4 -a 'buf:int[8]'
// $ clerk kernel barriers.cl -k first_iteration -g 4 -l 4 -a 'buf:int[8]' -a int=2
// $ clerk kernel barriers.cl -k first_iteration -g 4 -l 4 -a 'buf:int[8]' -a int=0
// $ clerk kernel barriers.cl -k first_iteration_then_all -g 4 -l 4 -a 'buf:int[8]'

kernel void in_if(global int *out)
{
    if (get_local_id(0) < 2)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

kernel void behind_if(global int *out)
{
    if (get_local_id(0) < 2)
        out[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

/* The work-group at the edge has fewer work-items. */
kernel void at_edge(global int *out)
{
    local int tile[8];
    tile[get_local_id(0)] = (int)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}

kernel void early_return(global int *out, int n)
{
    if ((int)get_local_id(0) >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

kernel void no_return(global int *out, int n)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((int)get_local_id(0) < n)
        out[get_local_id(0)] = 1;
}

kernel void both_arms(global int *out)
{
    if (get_local_id(0) % 2 == 0) {
        out[get_local_id(0)] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        out[get_local_id(0)] = 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void loop_of_own_length(global int *out)
{
    for (size_t i = 0; i < get_local_id(0); i++)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

kernel void loop_of_one_length(global int *out)
{
    for (size_t i = 0; i < get_local_size(0); i++)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

void synchronise(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void two_calls(global int *out)
{
    if (get_local_id(0) < 4)
        synchronise();
    else
        synchronise();
    out[get_local_id(0)] = 1;
}

kernel void one_call(global int *out)
{
    for (int i = 0; i < 3; i++)
        synchronise();
    out[get_local_id(0)] = 1;
}

/* Every work-item passes the barrier twice, though in different iterations. */
kernel void iterations(global int *out)
{
    for (int i = 0; i < 3; i++) {
        if ((get_local_id(0) < 2) ? i != 0 : i != 2)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_local_id(0)] = 1;
}

/* The first work-items pass the barrier in the first iteration only. */
kernel void first_iteration(global int *out, int first)
{
    for (int i = 0; i < 3; i++) {
        if (i == 0 || (int)get_local_id(0) >= first)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_local_id(0)] = 1;
}

/* And in the last one: a barrier of iteration 2 meets one of iteration 1. */
kernel void first_iteration_then_all(global int *out)
{
    for (int i = 0; i < 3; i++) {
        if (i != 1 || get_local_id(0) >= 2)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_local_id(0)] = 1;
}

// covers: A7 A9 A10
