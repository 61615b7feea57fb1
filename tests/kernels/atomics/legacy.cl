// Atomic functions of OpenCL 1.2: counters that all work-groups share, and what breaks them.
//
// $ clerk kernel legacy.cl -k histogram -g 64 -l 16 -a 'buf:uint[64]=iota' -a 'buf:uint[4]=0' --print 1
// $ clerk kernel legacy.cl -k mixed -g 64 -l 16 -a 'buf:uint[1]=0' -a 'buf:uint[64]'
// $ clerk kernel legacy.cl -k in_turn -g 16 -l 16 -a 'buf:uint[1]=0' -a 'buf:uint[16]' --print 1
// $ clerk kernel legacy.cl -k own_slot -g 64 -l 16 -a 'buf:uint[1]=0' -a 'buf:uint[64]' --schedule asc
// $ clerk kernel legacy.cl -k initialised -g 16 -l 16 -a 'buf:uint[1]'
// $ clerk kernel legacy.cl -k uninitialised -g 16 -l 16 -a 'buf:uint[1]'

kernel void histogram(global const uint *in, global uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)] % 4]);
}

kernel void mixed(global uint *counter, global uint *out)
{
    atomic_inc(counter);
    out[get_global_id(0)] = *counter;
}

kernel void in_turn(global uint *counter, global uint *out)
{
    atomic_inc(counter);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = *counter;
}

/* Each slot has one owner, whoever that is. */
kernel void own_slot(global uint *counter, global uint *out)
{
    out[atomic_inc(counter)] = get_local_id(0);
}

kernel void initialised(global uint *out)
{
    local uint sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = sum;
}

kernel void uninitialised(global uint *out)
{
    local uint sum;
    if (get_local_id(0) == 0)
        sum = 0;
    atomic_add(&sum, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = sum;
}

// covers: C10 D8
