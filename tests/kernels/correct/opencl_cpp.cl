// OpenCL C++ 1.0, which no clang compiles, is refused by its name: its headers, and its version.
//
// $ clerk kernel opencl_cpp.cl -k twice -g 4 -a buf:int[4] --build -cl-std=CLC++
// $ clerk kernel opencl_cpp.cl -k twice -g 4 -a buf:int[4] --build -cl-std=c++

#include <opencl_memory>
#include <opencl_work_item>

kernel void twice(cl::global_ptr<int[]> data)
{
    data[cl::get_global_id(0)] *= 2;
}
