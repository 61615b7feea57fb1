// OpenCL C++ 1.0, <opencl_atomic> and <opencl_synchronization>: members and functions are atomic operations of
// the order and scope that they are given. A relaxed one releases nothing, a fence that is too narrow orders
// nothing.
//
// $ clerk kernel atomics.cl -k counts -g 8 -l 4 -a buf:int[1]=0 -a buf:int[8] --build -cl-std=c++ --print 0 --print 1
// $ clerk kernel atomics.cl -k passes -g 2 -l 1 -a buf:int[1]=0 -a buf:int[1]=0 -a buf:int[1]=0 --build -cl-std=c++
// $ clerk kernel atomics.cl -k passes -g 2 -l 1 -a buf:int[1]=0 -a buf:int[1]=0 -a buf:int[1]=0 --build "-cl-std=c++ -DORDER=memory_order_relaxed"
// $ clerk kernel atomics.cl -k wrong_fence -g 4 -a buf:int[4]=0 --build -cl-std=c++

#include <opencl_atomic>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

#ifndef ORDER
#define ORDER memory_order_release
#endif

global<atomic<int>> everyone(0);

kernel void counts(global<atomic_int> *counter, global_ptr<int[]> result)
{
    local<atomic<uint>> in_group;
    if (get_local_id(0) == 0)
        in_group.store(0);
    work_group_barrier(mem_fence::local);
    in_group.fetch_add(1, memory_order_relaxed, memory_scope_work_group);
    in_group++;
    counter->fetch_max((int)get_global_id(0));
    atomic_fetch_add(counter, 100);
    int expected = -1;
    if (atomic_compare_exchange_strong(&everyone, &expected, 5) || expected < 0)
        everyone = 1000;
    everyone += 1;
    work_group_barrier(mem_fence::local);
    result[get_global_id(0)] = in_group.load(memory_order_relaxed);
}

kernel void passes(global_ptr<int> message, global<atomic<int>> *flag, global_ptr<int> result)
{
    if (get_global_id(0) == 0) {
        *message = 42;
        flag->store(1, ORDER, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        *result = *message;
    }
}

kernel void wrong_fence(global_ptr<int[]> data)
{
    const size_t i = get_local_id(0);
    data[i] = 1;
    work_group_barrier(mem_fence::local);
    data[i] += data[3 - i];
}
