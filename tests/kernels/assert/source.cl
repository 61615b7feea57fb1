// clerk_assert and clerk_assume: what a kernel itself says must hold.
#include "clerk.h"

// Comparisons show both sides; other work-items go on, and nobody waits at the barrier for those that ended.
//
// $ clerk kernel source.cl -k sides --build -cl-std=CL3.0 -g 8 -l 8 -a 'buf:int[8]=iota' --print 0 --schedule asc
// $ clerk kernel source.cl -k sides --build -cl-std=CL3.0 -g 8 -l 8 -a 'buf:int[8]=iota' --schedule asc --json
// $ clerk kernel source.cl -k sides --build -cl-std=CL3.0 -g 8 -l 8 -a 'buf:int[8]=iota' --schedule asc --checks race --print 0
// $ clerk kernel source.cl -k sides --build -cl-std=CL3.0 -g 8 -l 8 -a 'buf:int[8]=0' --schedule asc
kernel void sides(global int *data)
{
    const size_t i = get_global_id(0);
    const int value = data[i];
    clerk_assert(value != 1);
    clerk_assert(value - 3u < 0xfffffff0u || value == 0);
    clerk_assert((uint)value <= 6u);
    clerk_assert(0.5f * value < 1.5f);
    clerk_assert(value);
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] += 10;
}

// What is taken for granted is not looked at where it does not hold.
//
// $ clerk kernel source.cl -k assumes --build -cl-std=CL3.0 -g 4 -l 4 -a 'buf:int[4]=iota' -a 'buf:int[2]=0' --schedule asc
// $ clerk kernel source.cl -k assumes --build -cl-std=CL3.0 -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --explore
kernel void assumes(global const int *index, global int *out)
{
    const int i = index[get_global_id(0)];
    clerk_assume(i < 2 && i >= 0);
    out[i] = 1;
}

// Explored: the first choices that lead there, and both sides; executions that are assumed away do not count.
//
// $ clerk kernel source.cl -k passes -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --explore --build -cl-std=CL3.0
// $ clerk kernel source.cl -k passes -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --explore --build '-cl-std=CL3.0 -DASSUMED' --json
// $ clerk kernel source.cl -k passes -g 2 -l 1 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --explore --build '-cl-std=CL3.0 -DASSUMED -DORDER=memory_order_release'
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
kernel void passes(global atomic_int *data, global atomic_int *flag)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(data, 5, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(flag, 1, ORDER, memory_scope_device);
    } else {
#ifdef ASSUMED
        clerk_assume(atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1);
        clerk_assert(atomic_load_explicit(data, memory_order_relaxed, memory_scope_device) == 5);
#else
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
            clerk_assert(atomic_load_explicit(data, memory_order_relaxed, memory_scope_device) > 4);
#endif
    }
}

// Nothing is left to be judged where an assumption holds in no execution.
//
// $ clerk kernel source.cl -k never -g 2 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --assert 'out == 7' --explore
// $ clerk kernel source.cl -k never -g 2 -l 1 -a 'buf:int[1]=0' --build -cl-std=CL3.0 --assert 'out == 7' --explore --json
kernel void never(global int *out)
{
    *out = get_global_id(0);
    clerk_assume(get_global_size(0) == 3);
}

// Explored, --assert: only weak ordering violates the first, and orders mend it; an interleaving violates the second, which is
// left alone, as are other outcomes that only weak ordering has.
//
// $ clerk kernel source.cl -k claims -g 3 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --assert 'out[0] == 0 || out[1] == 5' --assert 'out[0] == 1' --explore
kernel void claims(global atomic_int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(&data[0], 5, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&data[1], 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 1) {
        out[0] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
        out[1] = atomic_load_explicit(&data[0], memory_order_relaxed, memory_scope_device);
    } else {
        out[2] = atomic_load_explicit(&data[1], memory_order_relaxed, memory_scope_device);
        out[3] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
    }
}
