// What counts as a use of an undefined value besides branches and addresses; each with its corrected twin.
//
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k counter -g 8 -l 4 -a 'buf:int[8]'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k counter_fixed -g 8 -l 4 -a 'buf:int[8]'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k total -g 8 -l 4 -a 'buf:int[1]'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k total -g 8 -l 4 -a 'buf:int[1]=0'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k lock -g 1 -l 1 -a 'buf:int[1]'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k lock -g 1 -l 1 -a 'buf:int[1]=0'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k exchange -g 1 -l 1 -a 'buf:int[1]' -a 'buf:int[1]=0'
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k printed -g 2 -l 2 -a int=1
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k printed -g 2 -l 2 -a int=3
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k copied -g 4 -l 4 -a 'buf:int[4]=1' -a int=1
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k copied -g 4 -l 4 -a 'buf:int[4]=1' -a int=3
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k event -g 4 -l 4 -a 'buf:int[4]=1' -a int=0
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k event -g 4 -l 4 -a 'buf:int[4]=1' -a int=1
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k broadcast -g 4 -l 4 -a 'buf:int[4]' -a int=1
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k broadcast -g 4 -l 4 -a 'buf:int[4]' -a int=3
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k image -g 4 -l 4 -a 'image2d:rgba:float[4x4]=1' -a 'buf:float4[4]' -a int=1
// $ clerk kernel uses.cl --build -cl-std=CL3.0 -k image -g 4 -l 4 -a 'image2d:rgba:float[4x4]=1' -a 'buf:float4[4]' -a int=3

kernel void counter(global int *out)
{
    local int count;
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count;
}

kernel void counter_fixed(global int *out)
{
    local int count;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count;
}

kernel void total(volatile global int *sum)
{
    atomic_add(sum, (int)get_global_id(0));
}

kernel void lock(volatile global int *flag)
{
    if (atomic_cmpxchg(flag, 0, 1) == 0)
        atomic_xchg(flag, 0);
}

/* What was there before is only put aside. */
kernel void exchange(volatile global int *place, global int *before)
{
    int old = atomic_xchg(place, 5);
    if (place[0] == 5)
        before[0] = 1;
}

kernel void printed(int n)
{
    int value;
    if (n > 2)
        value = n;
    printf("%d\n", value);
}

kernel void copied(global const int *in, int n)
{
    local int tile[4];
    size_t count;
    if (n > 2)
        count = 4;
    event_t done = async_work_group_copy(tile, in, count, 0);
    wait_group_events(1, &done);
}

kernel void event(global const int *in, int begins)
{
    local int tile[8];
    event_t done;
    if (begins)
        done = async_work_group_copy(tile, in, 4, 0);
    done = async_work_group_copy(tile + 4, in, 4, done);
    wait_group_events(1, &done);
}

kernel void broadcast(global int *out, int n)
{
    size_t from;
    if (n > 2)
        from = 1;
    out[get_global_id(0)] = work_group_broadcast((int)get_global_id(0), from);
}

kernel void image(read_only image2d_t picture, global float4 *out, int n)
{
    int2 at;
    at.x = (int)get_global_id(0);
    if (n > 2)
        at.y = 1;
    out[at.x] = read_imagef(picture, at);
}
