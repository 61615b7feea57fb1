// OpenCL C++ 1.0, <opencl_memory>, <opencl_array> and <opencl_def>: storage and pointer classes are the types
// of C++ for OpenCL.
//
// $ clerk kernel memory.cl -k reverse -g 8 -l 4 -a buf:int[8]=iota -a local:int[4] --build -cl-std=c++ --print 0
// $ clerk kernel memory.cl -k casts -g 4 -a buf:int[4] --build -cl-std=c++ --print 0
// $ clerk kernel memory.cl -k reference -g 1 -a buf:int[4] --build -cl-std=c++ --print 0
// $ clerk kernel memory.cl -k unordered -g 4 -a buf:int[4] --build -cl-std=c++

#include <opencl_array>
#include <opencl_def>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

global<int> total;
constant<int> table[2] = {10, 20};

template <class T> T sum(const T *values, size_t count)
{
    T result = 0;
    for (size_t i = 0; i < count; i++)
        result += values[i];
    return result;
}

kernel void reverse(global_ptr<int[]> data, local_ptr<int[]> given)
{
    local<int[4]> kept;
    local<array<int, 4>> mine;
    local<int> once;
    const size_t i = get_local_id(0);
    given[i] = data[get_global_id(0)];
    kept[i] = given[i] * 2;
    mine[i] = 1;
    if (i == 0)
        once = 100;
    work_group_barrier(mem_fence::local);
    if (i == 0)
        once += sum<int>(kept, 4) + sum<int>(mine.data(), mine.size());
    work_group_barrier(mem_fence::local);
    data[get_global_id(0)] = given[3 - i] + once + table[i % 2];
}

kernel void casts(cl::global<int> *data)
{
    priv<int> mine = 7;
    int *any = &mine;
    int *other = data;
    const size_t i = cl::get_global_id(0);
    if (i == 0)
        data[0] = *dynamic_asptr_cast<private_ptr<int>>(any);
    if (i == 1)
        data[1] = dynamic_asptr_cast<global_ptr<int>>(any) == nullptr;
    if (i == 2)
        data[2] = get_mem_fence(other) == mem_fence::global;
    if (i == 3)
        data[3] = (reinterpret_asptr_cast<uint>(data) != nullptr) + (static_asptr_cast<const int>(data) == data);
}

kernel void reference(global<int> &first)
{
    first = 3;
    total = first;
}

kernel void unordered(global_ptr<int[]> data)
{
    local<int[4]> kept;
    const size_t i = get_local_id(0);
    kept[i] = data[i];
    data[i] = kept[3 - i];
}
