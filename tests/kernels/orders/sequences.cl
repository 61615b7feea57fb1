// Release sequences: what may come between the store that releases and the load that acquires; and chains over
// more than two work-items. Each work-group is one work-item unless the command says otherwise.
//
// $ clerk kernel sequences.cl -k update -g 3 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --schedule asc
// $ clerk kernel sequences.cl -k same_item -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --schedule asc
// $ clerk kernel sequences.cl -k broken -g 3 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel sequences.cl -k chain -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --schedule asc
// $ clerk kernel sequences.cl -k local_link -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel sequences.cl -k after_barrier -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --schedule asc
// $ clerk kernel sequences.cl -k after_local_barrier -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel sequences.cl -k barrier_releases -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel sequences.cl -k barrier_releases_own -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel sequences.cl -k barrier_of_group -g 4 -l 2 -a 'buf:int[3]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel sequences.cl -k last_one_adds_up -g 64 -l 8 -a 'buf:int[9]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1
// $ clerk kernel sequences.cl -k last_one_acquires -g 64 -l 8 -a 'buf:int[9]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel sequences.cl -k last_one_relaxed -g 64 -l 8 -a 'buf:int[9]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0

#define FLAG ((global atomic_int *)(data + 1))
#define FLAG_2 ((global atomic_int *)(data + 2))
#define STORE(flag, value, order, scope) atomic_store_explicit(flag, value, memory_order_##order, memory_scope_##scope)
#define LOAD(flag, order, scope) atomic_load_explicit(flag, memory_order_##order, memory_scope_##scope)
#define ADD(flag, order, scope) atomic_fetch_add_explicit(flag, 1, memory_order_##order, memory_scope_##scope)

/* A read-modify-write hands on what it found, whatever its own order. */
kernel void update(global int *data, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 42;
        STORE(FLAG, 1, release, device);
    } else if (get_group_id(0) == 1) {
        ADD(FLAG, relaxed, device);
    } else if (LOAD(FLAG, acquire, device) == 2) {
        out[0] = data[0];
    }
}

/* So does a later store of the same work-item. */
kernel void same_item(global int *data, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 42;
        STORE(FLAG, 1, release, device);
        STORE(FLAG, 2, relaxed, device);
    } else if (LOAD(FLAG, acquire, device) == 2) {
        out[0] = data[0];
    }
}

/* Another work-item's store does not. */
kernel void broken(global int *data, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 42;
        STORE(FLAG, 1, release, device);
    } else if (get_group_id(0) == 1) {
        STORE(FLAG, 2, relaxed, device);
    } else if (LOAD(FLAG, acquire, device) == 2) {
        out[0] = data[0];
    }
}

/* Within the work-group by its scope, and on to the next by the device's. */
kernel void chain(global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        data[0] = 42;
        STORE(FLAG, 1, release, work_group);
    } else if (get_global_id(0) == 1) {
        if (LOAD(FLAG, acquire, work_group) == 1)
            STORE(FLAG_2, 1, release, device);
    } else if (get_global_id(0) == 2 && LOAD(FLAG_2, acquire, device) == 1) {
        out[0] = data[0];
    }
}

/* The same with the first flag in local memory, which orders no global memory. */
kernel void local_link(global int *data, global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 0) {
        data[0] = 42;
        STORE(&flag, 1, release, work_group);
    } else if (get_global_id(0) == 1) {
        if (LOAD(&flag, acquire, work_group) == 1)
            STORE(FLAG_2, 1, release, device);
    } else if (get_global_id(0) == 2 && LOAD(FLAG_2, acquire, device) == 1) {
        out[0] = data[0];
    }
}

/* What a barrier has ordered before a release is ordered with it. */
kernel void after_barrier(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        data[0] = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        STORE(FLAG, 1, release, device);
    if (get_global_id(0) == 2 && LOAD(FLAG, acquire, device) == 1)
        out[0] = data[0];
}

kernel void after_local_barrier(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        data[0] = 42;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        STORE(FLAG, 1, release, device);
    if (get_global_id(0) == 2 && LOAD(FLAG, acquire, device) == 1)
        out[0] = data[0];
}

/* The fences of a barrier of device scope release to other work-groups, too; but on its way in, before the
 * work-items have met. */
kernel void barrier_releases(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        data[0] = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (get_global_id(0) == 1)
        STORE(FLAG, 1, relaxed, device);
    if (get_global_id(0) == 2 && LOAD(FLAG, acquire, device) == 1)
        out[0] = data[0];
}

/* By default the scope is the work-group's. */
kernel void barrier_of_group(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        data[0] = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 0)
        STORE(FLAG, 1, relaxed, device);
    if (get_global_id(0) == 2 && LOAD(FLAG, acquire, device) == 1)
        out[0] = data[0];
}

kernel void barrier_releases_own(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        data[0] = 42;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (get_global_id(0) == 0)
        STORE(FLAG, 1, relaxed, device);
    if (get_global_id(0) == 2 && LOAD(FLAG, acquire, device) == 1)
        out[0] = data[0];
}

/* The work-group that finishes last adds up what all have left: one counter, to which everybody releases and
 * from which the last one acquires. */
kernel void last_one_adds_up(global int *data, global int *out)
{
    global atomic_int *done = (global atomic_int *)(data + 8);
    if (get_local_id(0) == 0) {
        data[get_group_id(0)] = get_group_id(0);
        if (ADD(done, acq_rel, device) == (int)get_num_groups(0) - 1) {
            int sum = 0;
            for (int i = 0; i < (int)get_num_groups(0); i++)
                sum += data[i];
            out[0] = sum;
        }
    }
}

/* An acquire finds only what has been released. */
kernel void last_one_acquires(global int *data, global int *out)
{
    global atomic_int *done = (global atomic_int *)(data + 8);
    if (get_local_id(0) == 0) {
        data[get_group_id(0)] = get_group_id(0);
        if (ADD(done, acquire, device) == (int)get_num_groups(0) - 1) {
            int sum = 0;
            for (int i = 0; i < (int)get_num_groups(0); i++)
                sum += data[i];
            out[0] = sum;
        }
    }
}

kernel void last_one_relaxed(global int *data, global int *out)
{
    global atomic_int *done = (global atomic_int *)(data + 8);
    if (get_local_id(0) == 0) {
        data[get_group_id(0)] = get_group_id(0);
        if (ADD(done, relaxed, device) == (int)get_num_groups(0) - 1) {
            int sum = 0;
            for (int i = 0; i < (int)get_num_groups(0); i++)
                sum += data[i];
            out[0] = sum;
        }
    }
}
// covers: D4 D5 E2 F2 F4
