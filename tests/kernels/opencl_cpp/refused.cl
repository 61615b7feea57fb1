// OpenCL C++ 1.0: what C++ for OpenCL has otherwise is refused where the program uses it: headers that are not
// there, by their names, as all of them where the program is not built as OpenCL C++; members of pointers and
// storage, constructors and initial values in local memory, pointers of a kernel without an address space, attributes,
// vectors of bool, conversions in another rounding mode or with saturation, other atomics; T of "T *" has the address space.
//
// $ clerk kernel refused.cl -k twice -g 4 --build -cl-std=CLC++
// $ clerk kernel refused.cl -k twice -g 4 -a buf:int[4] --print 0 --build -cl-std=c++
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++14"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DPIPES"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DMISTAKE"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DMEMBER"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DSTORAGE_MEMBER"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DCONSTRUCTED"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DINITIAL"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DPOINTER"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DPROGRAM_SCOPE"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DREQUIRED"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DDEDUCED"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DVECTORS_OF_BOOL"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DSATURATED"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DROUNDED"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DSHORT"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DSUM_OF_FLOATS"
// $ clerk kernel refused.cl -k twice -g 4 --build "-cl-std=c++ -DNAMED_BARRIER"

#include <opencl_atomic>
#include <opencl_convert>
#include <opencl_memory>
#include <opencl_relational>
#include <opencl_synchronization>
#include <opencl_work_item>
#ifdef PIPES
#include <opencl_pipe>
#endif
using namespace cl;

kernel void twice(cl::global_ptr<int[]> data)
{
#ifdef MISTAKE
    cl::get_global_identity(0);
#endif
    data[cl::get_global_id(0)] = 2;
}

#ifdef MEMBER
kernel void member(global_ptr<int> data)
{
    *data.get() = 1;
}
#endif
#ifdef STORAGE_MEMBER
kernel void member(global_ptr<int> data)
{
    local<int> kept;
    *data = *kept.ptr();
}
#endif
#ifdef CONSTRUCTED
struct counter {
    int value;
    counter() : value(1) {}
};
kernel void constructed(global_ptr<int> data)
{
    local<counter> kept;
    *data = kept.value;
}
#endif
#ifdef INITIAL
kernel void initial(global_ptr<int> data)
{
    local<int> kept{1};
    *data = kept;
}
#endif
#ifdef POINTER
kernel void pointer(int *data)
{
    *data = 1;
}
#endif
#ifdef PROGRAM_SCOPE
local<int> everywhere;
#endif
#ifdef REQUIRED
[[cl::required_work_group_size(4, 1, 1)]] kernel void required(global_ptr<int> data)
{
    *data = 1;
}
#endif
#ifdef DEDUCED
template <class T> T first(T *values)
{
    T result = values[0];
    return result;
}
kernel void deduced(global_ptr<int> data)
{
    *data = first(data);
}
#endif
#ifdef VECTORS_OF_BOOL
kernel void vectors_of_bool(global_ptr<float4> result)
{
    auto same = isequal(result[0], result[1]);
}
#endif
#ifdef SATURATED
kernel void saturated(global_ptr<float> result)
{
    *result = convert_cast<char, saturate::on>(*result);
}
#endif
#ifdef ROUNDED
kernel void rounded(global_ptr<float> result)
{
    *result = convert_cast<int, rounding_mode::rtp>(*result);
}
#endif
#ifdef SHORT
kernel void small(global_ptr<int> data)
{
    atomic<short> mine;
}
#endif
#ifdef SUM_OF_FLOATS
kernel void sum_of_floats(global<atomic<float>> *sum)
{
    sum->fetch_add(1.0f);
}
#endif
#ifdef NAMED_BARRIER
void pass(work_group_named_barrier &barrier)
{
}
#endif
