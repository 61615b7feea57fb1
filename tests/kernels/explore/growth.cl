// What grows with the number of work-items is the number of executions, and not that of the orders of what is
// independent. Kernels of practice are decided.
//
// $ clerk kernel growth.cl -k own_counters -g 8 -l 1 -a 'buf:int[8]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k own_cells -g 8 -l 1 -a 'buf:int[8]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k own_counters -g 32 -l 1 -a 'buf:int[32]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k one_counter -g 8 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k histogram -g 8 -l 8 -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k one_cell -g 9 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel growth.cl -k one_cell -g 3 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 0 --race-values
// $ clerk kernel growth.cl -k chain -g 16 -l 1 -a 'buf:int[16]=0' -a 'buf:int[16]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket -g 5 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --executions 20
// $ clerk kernel growth.cl -k ticket -g 8 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket -g 4 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel growth.cl -k ticket_kept -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket_of_item -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket_of_neighbour -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket_locally -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket_locally -g 3 -l 3 -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k ticket_together -g 3 -l 3 -a 'buf:int[1]=0' -a 'buf:int[4]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k look_back -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel growth.cl -k look_back -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DAGGREGATE=memory_order_release' --explore
// $ clerk kernel growth.cl -k ticket -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --time 7
// $ clerk kernel growth.cl -k ticket -g 4 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --time 5000000000

#define ID get_global_id(0)
#define ADD(place) atomic_fetch_add_explicit(place, 1, memory_order_relaxed, memory_scope_device)
#define AWAIT(place) atomic_load_explicit(place, memory_order_acquire, memory_scope_device)
#define PUBLISH(place, value) atomic_store_explicit(place, value, memory_order_release, memory_scope_device)

#ifndef AGGREGATE
#define AGGREGATE memory_order_relaxed
#endif

kernel void own_counters(global atomic_int *x)
{
    ADD(&x[ID]);
    ADD(&x[ID]);
    ADD(&x[ID]);
    ADD(&x[ID]);
}

kernel void own_cells(global int *x)
{
    x[ID] = x[ID] + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    x[ID] = x[ID] + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    x[ID] = x[ID] + 1;
}

kernel void one_counter(global atomic_int *x)
{
    ADD(x);
}

kernel void one_cell(global int *x)
{
    *x = ID;
}

// Each waits for the one before it.
kernel void chain(global atomic_int *flags, global int *data)
{
    int before = 0;
    if (ID > 0) {
        while (AWAIT(&flags[ID - 1]) == 0)
            ;
        before = data[ID - 1];
    }
    data[ID] = before + 1;
    PUBLISH(&flags[ID], 1);
}

kernel void ticket(global atomic_int *next, global atomic_int *serving, global int *sum)
{
    const int mine = ADD(next);
    while (AWAIT(serving) != mine)
        ;
    *sum += 1;
    PUBLISH(serving, mine + 1);
}

// Work-items are alike until they are seen to differ, but for memory of their own.
kernel void ticket_kept(global atomic_int *next, global int *tickets, global int *sum)
{
    tickets[ID] = ADD(next);
}

// The last one does something else, where it is the first: it could have been another one.
kernel void ticket_of_item(global atomic_int *next, global int *tickets, global int *sum)
{
    if (ADD(next) == 0)
        *sum = ID == get_global_size(0) - 1;
}

kernel void ticket_of_neighbour(global atomic_int *next, global int *tickets, global int *sum)
{
    const int mine = ADD(next);
    if (mine == 0)
        tickets[ID] = 1;
    else if (mine == 1)
        tickets[(ID + 1) % get_global_size(0)] = 2;
}

kernel void ticket_locally(global atomic_int *next, global int *tickets, global int *sum)
{
    local atomic_int seen;
    if (ADD(next) == 0) {
        atomic_store_explicit(&seen, 1, memory_order_relaxed, memory_scope_work_group);
        *sum = 1;
    }
}

// What is given where they meet is another for each.
kernel void ticket_together(global atomic_int *next, global int *tickets, global int *sum)
{
    const int mine = ADD(next);
    const int before = work_group_scan_exclusive_add(1);
    if (mine == 0)
        *sum = before;
}

// A scan with decoupled look-back: what is published of one group is its own sum first, then all up to it.
kernel void look_back(global atomic_int *state, global int *aggregate, global int *prefix)
{
    const int group = ID;
    int sum = 1;
    aggregate[group] = 1;
    atomic_store_explicit(&state[group], 1, AGGREGATE, memory_scope_device);
    for (int before = group - 1; before >= 0; before--) {
        int there;
        while ((there = AWAIT(&state[before])) == 0)
            ;
        sum += there == 2 ? prefix[before] : aggregate[before];
        if (there == 2)
            break;
    }
    prefix[group] = sum;
    PUBLISH(&state[group], 2);
}

// Of what is added the order is of no matter, also where a barrier comes before and after it.
kernel void histogram(global int *bins)
{
    local atomic_int counts[2];
    if (ID < 2)
        atomic_init(&counts[ID], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&counts[ID % 2], 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ID < 2)
        bins[ID] = *(local int *)&counts[ID];
}
