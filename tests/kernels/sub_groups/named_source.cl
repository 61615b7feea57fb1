// Named barriers by OpenCL C's functions, as named.spvasm has them by instructions: sub-groups 0 and 1 exchange numbers through
// local memory, and 2 and 3, each two by a barrier of their own.
//
// $ clerk kernel named_source.cl -k pairs -g 16 -l 16 -a buf:int[16] --build -cl-std=CL3.0 --print 0 --sub-group-size 4
// $ clerk kernel named_source.cl -k pairs -g 16 -l 16 -a buf:int[16] --build -cl-std=CL2.0 --print 0 --sub-group-size 4
// $ clerk kernel named_source.cl -k pairs -g 16 -l 16 -a buf:int[16] --build -cl-std=CLC++2021 --print 0 --sub-group-size 4
// $ clerk kernel named_source.cl -k unfenced -g 16 -l 16 -a buf:int[16] --build -cl-std=CL3.0 --sub-group-size 4
// $ clerk kernel named_source.cl -k other_fence -g 16 -l 16 -a buf:int[16] --build -cl-std=CL3.0 --sub-group-size 4
// $ clerk kernel named_source.cl -k handing -g 16 -l 16 -a 'buf:int[16]=0' --build -cl-std=CL3.0 --print 0 --sub-group-size 4
// $ clerk kernel named_source.cl -k called -g 16 -l 16 -a buf:int[16] --build -cl-std=CL3.0 --print 0 --sub-group-size 4
// $ clerk kernel named_source.cl -k lonely -g 16 -l 16 -a buf:int[16] --build -cl-std=CL3.0 --sub-group-size 4
// $ clerk kernel named_source.cl -k never_made -g 8 -l 8 -a buf:int[8] --build -cl-std=CL3.0 --sub-group-size 8
// $ clerk kernel named_source.cl -k looked_at -g 4 -l 4 -a buf:int[4] --build -cl-std=CL3.0 --sub-group-size 4

kernel void pairs(global int *out)
{
#ifndef cl_khr_subgroup_named_barrier
#error cl_khr_subgroup_named_barrier
#endif
    local int numbers[16];
    local NamedBarrier_t *first = named_barrier_init(2);
    local NamedBarrier_t *second = named_barrier_init(2);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    if (get_sub_group_id() < 2)
        work_group_named_barrier(first, CLK_LOCAL_MEM_FENCE);
    else
        work_group_named_barrier(second, CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[id] = numbers[id ^ 4];
}

kernel void unfenced(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *all = named_barrier_init(4);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    work_group_named_barrier(all, 0);
    out[id] = numbers[id ^ 4];
}

kernel void other_fence(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *all = named_barrier_init(4);
    const int id = get_local_id(0);
    numbers[id] = id * id;
    work_group_named_barrier(all, CLK_GLOBAL_MEM_FENCE);
    out[id] = numbers[id ^ 4];
}

// Sub-group 0 hands three numbers to sub-group 1, one after the other; the others have ended by then.
kernel void handing(global int *out)
{
    local int box;
    local NamedBarrier_t *both = named_barrier_init(2);
    const int id = get_local_id(0);
    if (get_sub_group_id() > 1)
        return;
    for (int i = 0; i < 3; i++) {
        if (id == 0)
            box = i + 10;
        work_group_named_barrier(both, CLK_LOCAL_MEM_FENCE);
        if (get_sub_group_id() == 1)
            out[id] += box;
        work_group_named_barrier(both, CLK_LOCAL_MEM_FENCE);
    }
}

void meet(local NamedBarrier_t *barrier)
{
    work_group_named_barrier(barrier, CLK_LOCAL_MEM_FENCE);
}

kernel void called(global int *out)
{
    local int numbers[16];
    local NamedBarrier_t *barriers[2];
    for (int i = 0; i < 2; i++)
        barriers[i] = i ? named_barrier_init(3) : named_barrier_init(1);
    const int id = get_local_id(0);
    numbers[id] = id;
    meet(barriers[get_sub_group_id() > 0]);
    out[id] = get_sub_group_id() > 0 ? numbers[19 - id] : 0;
}

// A barrier for more sub-groups than there are.
kernel void lonely(global int *out)
{
    work_group_named_barrier(named_barrier_init(5), CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

kernel void never_made(global int *out)
{
    local NamedBarrier_t *barrier;
    work_group_named_barrier(barrier, CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

// It leads nowhere.
kernel void looked_at(global int *out)
{
    out[get_local_id(0)] = *(local int *)named_barrier_init(1);
}

// covers: D8
