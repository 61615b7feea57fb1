// Expressions of what has parts: slices, and what is taken of each of their elements; arrays where C takes them as
// pointers; constants of OpenCL C, which no debug information has; and functions of work-items, in a launch with an offset,
// whose groups at the edge are smaller.
//
// $ clerk debug parts.cl --build=-cl-std=CL3.0 --offset 100,200 -g 10,5 -l 4,5 -a 'buf:int[50]' --batch parts.commands

typedef struct {
    int id;
    float4 at[2];
} particle;

kernel void parts(global int *out)
{
    local particle all[20];
    int squares[4], id = get_global_id(0), next = get_local_linear_id();
    for (int i = 0; i < 4; i++)
        squares[i] = i * i;
    all[next].id = id;
    all[next].at[0] = (float4)(next);
    all[next].at[1].y = 2;
    global int *mine = out + get_global_linear_id();
    int *last = &squares[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    *mine = *last + all[next].id;
}
