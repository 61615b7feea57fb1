// Pointers that lead nowhere, come back, or end too early for what is read by them.
//
// $ clerk kernel pointers.cl -k null_pointer -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k null_fixed -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k wild -g 4 -l 4 -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k leaves -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0 --print 1
// $ clerk kernel pointers.cl -k vectors -g 4 -l 4 -a 'buf:int[11]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k vectors -g 4 -l 4 -a 'buf:int[12]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0 --print 1
// $ clerk kernel pointers.cl -k copies -g 4 -l 4 -a 'buf:int[6]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k copies -g 4 -l 4 -a 'buf:int[8]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0 --print 1
// $ clerk kernel pointers.cl -k constants -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k constants_fixed -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[4]' --build -cl-std=CL3.0 --print 1
// $ clerk kernel pointers.cl -k given_local -g 4 -l 4 -a 'local:int[3]' -a 'buf:int[4]' --build -cl-std=CL3.0
// $ clerk kernel pointers.cl -k given_local -g 4 -l 4 -a 'local:int[4]' -a 'buf:int[4]' --build -cl-std=CL3.0 --print 1

struct node {
    int value;
    global struct node *next;
};

kernel void null_pointer(global int *out)
{
    struct node last = {3, 0};
    out[get_global_id(0)] = last.next->value;
}

kernel void null_fixed(global int *out)
{
    struct node last = {3, 0};
    out[get_global_id(0)] = last.next ? last.next->value : last.value;
}

kernel void wild(global int *out)
{
    global int *made = (global int *)(ulong)0x123456789000;
    out[get_global_id(0)] = made[0];
}

/* Where a pointer is on the way does not matter: it is not read by before it is back. */
kernel void leaves(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    global const int *p = in + 1000;
    p -= 2000;
    p += 1000;
    global const int *end = in + 4;
    out[i] = p[i] + *(end - 1 - i);
}

kernel void vectors(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int3 v = vload3(i, in);
    out[i] = v.x + v.y + v.z;
}

kernel void copies(global const int *in, global int *out)
{
    local int tile[4];
    event_t done = async_work_group_strided_copy(tile, in, 4, 2, 0);
    wait_group_events(1, &done);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

constant int table[3] = {5, 6, 7};

kernel void constants(constant int *given, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = given[i + 1] + table[i];
}

kernel void constants_fixed(constant int *given, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = given[i] + table[i % 3];
}

kernel void given_local(local int *tile, global int *out)
{
    size_t l = get_local_id(0);
    tile[l] = (int)l;
    out[l] = tile[l];
}
