// OpenCL C++ 1.0: the functions of <opencl_math>, <opencl_common>, <opencl_integer>, <opencl_geometric>,
// <opencl_relational>, <opencl_convert>, <opencl_reinterpret>, <opencl_vector_load_store>, <opencl_printf> and
// <opencl_work_group> are those of C++ for OpenCL; constructors of vectors take what they take there.
//
// $ clerk kernel functions.cl -k numbers -g 1 -a buf:float4[1] --build -cl-std=c++ --print 0
// $ clerk kernel functions.cl -k vectors -g 1 -a buf:half[16] -a buf:float[8] --build -cl-std=c++ --print 0 --print 1
// $ clerk kernel functions.cl -k together -g 8 -l 4 -a buf:int[8] --build -cl-std=c++ --print 0
// $ clerk kernel functions.cl -k places -g 8 -l 4 --offset 16 -a buf:uint[8] --build -cl-std=c++ --print 0
// $ clerk kernel functions.cl -k sub_groups -g 8 -l 8 -a buf:int[8] --print 0 --sub-group-size 4 --build -cl-std=c++

#include <opencl_common>
#include <opencl_convert>
#include <opencl_geometric>
#include <opencl_integer>
#include <opencl_math>
#include <opencl_memory>
#include <opencl_printf>
#include <opencl_reinterpret>
#include <opencl_relational>
#include <opencl_synchronization>
#include <opencl_vector_load_store>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;

kernel void numbers(global_ptr<float4> result)
{
    const float2 pair = float2(3.0f, 4.0f);
    const float4 v = float4(pair, 9, popcount(7u));
    float4 whole;
    const float4 part = fract(v + 0.25f, &whole);
    printf("%2.2v4hlf %2.2v4hlf %d\n", whole, part, clz(1));
    printf("%g %g %g %g\n", length(pair), cl::sqrt(9.0f), native::sqrt(v).z, half_math::recip(4.0f));
    printf("%d %d %d %x\n", max(3, 4), mad24(2, 3, 4), convert_cast<int>(2.9f), as_type<uint>(1.0f));
    printf("%v4d\n", convert_cast<int4>(v));
    printf("%d %d %d %d\n", isnan(nan(0u)), isequal(1.0f, 2.0f), any(true), select(1, 2, true));
    *result = select(v, clamp(v, 3.5f, 8.0f), v > float4(3)) + (any(v < 3.5f) ? 0.5f : 0);
}

kernel void vectors(global_ptr<half[]> halves, global_ptr<float[]> floats)
{
    vstore_half(float2(1, 2), 1, halves);
    vstore_half<rounding_mode::rtz>(3.0f, 0, halves);
    vstorea_half(float3(4, 5, 6), 2, halves);
    vstore(vload_half<2>(1, halves), 0, floats);
    vstore(vloada_half<3>(2, halves).zyx, 1, floats);
}

kernel void together(global_ptr<int[]> result)
{
    const int i = get_local_id(0);
    result[get_global_id(0)] = work_group_reduce<work_group_op::max>(i) * 1000 +
                               work_group_scan_exclusive<work_group_op::add>(i) * 10 +
                               work_group_broadcast(i, 1) + work_group_all(i < 9) + work_group_any(i > 9);
}

kernel void places(global_ptr<uint[]> result)
{
    result[get_global_linear_id()] = get_work_dim() * 10000 + get_global_offset(0) * 100 +
                                     get_num_groups(0) * 10 + get_local_linear_id() + get_group_id(0) -
                                     (get_global_size(0) - get_enqueued_local_size(0) - get_local_size(0));
}

kernel void sub_groups(global_ptr<int[]> result)
{
    local<int[8]> kept;
    const int i = get_local_id(0);
    kept[i] = i;
    sub_group_barrier(mem_fence::local);
    const int other = kept[get_sub_group_id() * get_sub_group_size() + 3 - get_sub_group_local_id()];
    result[i] = sub_group_reduce<work_group_op::add>(i) * 100 + sub_group_broadcast(i, 1) * 10 + other;
}
