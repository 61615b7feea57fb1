// What mends a kernel, verified by exploring it again. tests/kernels/repairs.py applies each of these by the letter.
#include "clerk.h"
#ifndef OLD

// Message passing: both sides; fences; flags of fences; scopes; three work-items, of which one hands on.
//
// $ clerk kernel repairs.cl -k both_sides -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel repairs.cl -k both_sides -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore --json
kernel void both_sides(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        *out = *data;
    }
}

// $ clerk kernel repairs.cl -k fences -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void fences(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        *out = *data;
    }
}

// $ clerk kernel repairs.cl -k flags -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void flags(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        *data = 42;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        *out = *data;
}

// $ clerk kernel repairs.cl -k reaches -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void reaches(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        *out = *data;
    }
}

// Wide enough, but not equal, which is an error up to OpenCL 3.0 alone.
//
// $ clerk kernel repairs.cl -k unequal -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore --scope-rule 3.0
kernel void unequal(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 1) {
        *out = *data;
    }
}

// $ clerk kernel repairs.cl -k hands_on -g 3 -l 1 -a 'buf:int[1]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void hands_on(global int *data, global atomic_int *flags, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 1) {
        if (atomic_load_explicit(&flags[0], memory_order_relaxed, memory_scope_device) == 1)
            atomic_store_explicit(&flags[1], 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_device) == 1) {
        *out = *data;
    }
}

// A lock by exchange, a ticket lock.
//
// $ clerk kernel repairs.cl -k exchanges -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
kernel void exchanges(global atomic_int *lock, global int *data)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device) != 0)
        ;
    *data += 1;
    atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}

// $ clerk kernel repairs.cl -k tickets -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
kernel void tickets(global atomic_int *lock, global int *data)
{
    const int mine = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_device) != mine)
        ;
    *data += 1;
    atomic_store_explicit(&lock[1], mine + 1, memory_order_relaxed, memory_scope_device);
}

// The last one to come does the rest: each update releases what was done before it, and acquires.
//
// $ clerk kernel repairs.cl -k last_one -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
kernel void last_one(global int *parts, global atomic_int *count, global int *sum)
{
    parts[get_global_id(0)] = 1;
    if (atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device) == 1)
        *sum = parts[0] + parts[1];
}

// What no order of stores gives; by atomic operations, and by fences.
//
// $ clerk kernel repairs.cl -k both_store -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
kernel void both_store(global atomic_int *x, global int *out)
{
    const int i = get_global_id(0);
    atomic_store_explicit(&x[i], 1, memory_order_release, memory_scope_device);
    out[i] = atomic_load_explicit(&x[1 - i], memory_order_acquire, memory_scope_device);
}

// $ clerk kernel repairs.cl -k both_fence -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=-1' --build -cl-std=CL3.0 --explore
kernel void both_fence(global atomic_int *x, global int *out)
{
    const int i = get_global_id(0);
    atomic_store_explicit(&x[i], 1, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    out[i] = atomic_load_explicit(&x[1 - i], memory_order_relaxed, memory_scope_device);
}

// An assertion that only weak ordering violates.
//
// $ clerk kernel repairs.cl -k asserts -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
kernel void asserts(global atomic_int *data, global atomic_int *flag)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(data, 5, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        clerk_assert(atomic_load_explicit(data, memory_order_relaxed, memory_scope_device) == 5);
    }
}

// What is claimed of how it ends.
//
// $ clerk kernel repairs.cl -k claims -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --assert 'out[0] == 0 || out[1] == 5' --assert 'flag == 1' --explore
kernel void claims(global atomic_int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(&data[0], 5, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        out[0] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
        out[1] = atomic_load_explicit(&data[0], memory_order_relaxed, memory_scope_device);
    }
}

// No order mends it, and what is tried is not what is wrong.
//
// $ clerk kernel repairs.cl -k too_late -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void too_late(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        *data = 42;
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        *out = *data;
    }
}

// A loop is cut, so that it is not certain that nothing else is wrong.
//
// $ clerk kernel repairs.cl -k counts_on -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore --unroll 1
kernel void counts_on(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        int rounds = 0;
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
            rounds++;
        *out = *data + rounds;
    }
}
// Fences, where no change of what is there does: the flag and the data lie in different memories; a loop, an update.
//
// $ clerk kernel repairs.cl -k across -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel repairs.cl -k across -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore --json
kernel void across(global atomic_int *flag, global int *out)
{
    local int data;
    if (get_local_id(0) == 0) {
        data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        *out = data;
    }
}

// $ clerk kernel repairs.cl -k awaits -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void awaits(global int *data, global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else {
        while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 0)
            ;
        *out = *data;
    }
}

// $ clerk kernel repairs.cl -k last_here -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
kernel void last_here(global atomic_int *count, global int *sum)
{
    local int parts[2];
    parts[get_local_id(0)] = 1;
    if (atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == 1)
        *sum = parts[0] + parts[1];
}

// The order with which a compare-exchange fails is changed, and the other one with it where that must not be weaker.
//
// $ clerk kernel repairs.cl -k fails_relaxed -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
// $ clerk kernel repairs.cl -k fails_relaxed -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel repairs.cl -k fails -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build -cl-std=CL3.0 --explore
kernel void fails(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        int found = 5;
        atomic_compare_exchange_strong_explicit(flag, &found, 6, memory_order_acquire, memory_order_relaxed, memory_scope_device);
        if (found == 1)
            *out = *data;
    }
}

kernel void fails_relaxed(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        int found = 5;
        atomic_compare_exchange_strong_explicit(flag, &found, 6, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
        if (found == 1)
            *out = *data;
    }
}
#endif

// Before OpenCL C 2.0 there is no order to change, but there are the flags of a barrier, and mem_fence in a work-group.
//
// $ clerk kernel repairs.cl -k no_orders -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build '-cl-std=CL1.2 -DOLD' --explore
// $ clerk kernel repairs.cl -k old_flags -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build '-cl-std=CL1.2 -DOLD' --explore
// $ clerk kernel repairs.cl -k no_orders -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=-1' --build '-cl-std=CL1.2 -DOLD' --explore
#ifdef OLD
kernel void no_orders(global int *data, volatile global int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_xchg(flag, 1);
    } else if (atomic_or(flag, 0) == 1) {
        *out = *data;
    }
}

kernel void old_flags(global int *data, global int *out)
{
    if (get_global_id(0) == 0)
        *data = 42;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        *out = *data;
}
#endif
