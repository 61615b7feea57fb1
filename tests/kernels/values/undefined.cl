// Values that nobody wrote, where they decide something; each with its corrected twin.
//
// $ clerk kernel undefined.cl -k branch -g 4 -l 4 -a 'buf:int[4]' -a int=2
// $ clerk kernel undefined.cl -k branch_fixed -g 4 -l 4 -a 'buf:int[4]' -a int=2
// $ clerk kernel undefined.cl -k address -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel undefined.cl -k address_fixed -g 4 -l 4 -a 'buf:int[4]=0'
// $ clerk kernel undefined.cl -k output -g 4 -l 4 -a 'buf:int[4]'
// $ clerk kernel undefined.cl -k from_buffer -g 4 -l 4 -a 'buf:int[4]' -a 'buf:int[4]'
// $ clerk kernel undefined.cl -k from_buffer -g 4 -l 4 -a 'buf:int[4]=1' -a 'buf:int[4]'
// $ clerk kernel undefined.cl -k from_local -g 4 -l 4 -a 'buf:int[4]'
// $ clerk kernel undefined.cl -k copied_only -g 4 -l 4 -a 'buf:int[4]=1' -a 'buf:int[4]' --print 1
// $ clerk kernel undefined.cl -k passed_on -g 100 -l 50 -a 'buf:int2[100]' -a 'buf:int[100]'
// $ clerk kernel undefined.cl -k passed_on -g 100 -l 50 -a 'buf:int2[100]=1' -a 'buf:int[100]'

kernel void branch(global int *out, int n)
{
    int limit;
    if (n > 2)
        limit = n;
    int i = (int)get_global_id(0);
    if (i < limit)
        out[i] = 1;
}

kernel void branch_fixed(global int *out, int n)
{
    int limit = 0;
    if (n > 2)
        limit = n;
    int i = (int)get_global_id(0);
    if (i < limit)
        out[i] = 1;
}

kernel void address(global int *out)
{
    int next;
    out[next] = 2;
}

kernel void address_fixed(global int *out)
{
    int next = (int)get_global_id(0);
    out[next] = 2;
}

kernel void output(global int *out)
{
    int value;
    out[get_global_id(0)] = value;
}

kernel void from_buffer(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] > 0)
        out[i] = 1;
}

kernel void from_local(global int *out)
{
    local int tile[4];
    size_t l = get_local_id(0);
    if (l > 0)
        tile[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile[0] == 1)
        out[l] = 1;
}

/* A variable that starts undefined is not a concern where every path writes it. */
kernel void copied_only(global const int *a, global int *out)
{
    int spare;
    int used = 3;
    if (a[0] == 1)
        spare = used;
    else
        spare = 0;
    out[get_global_id(0)] = spare;
}

/* By way of local memory, where all that was there is defined. */
kernel void passed_on(global const int2 *in, global int *out)
{
    local int2 tile[50];
    size_t i = get_global_id(0);
    size_t l = get_local_id(0);
    tile[l] = 7;
    tile[l] = in[i];
    if (tile[l].y > 0)
        out[i] = 1;
}

// covers: B15
