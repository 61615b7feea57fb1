/* A program over the C++ bindings with two mistakes: an argument that is never set, and a kernel
 * that writes behind its buffer. Each is marked where the report has to send its reader. */
#define CL_HPP_TARGET_OPENCL_VERSION  120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

static const char *const text = "kernel void fill(global int *to, int value)\n"
                                "{\n"
                                "    to[get_global_id(0)] = value;\n"
                                "}\n";

int main()
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::Program program(context, text, true);
    cl::CommandQueue queue(context, context.getInfo<CL_CONTEXT_DEVICES>()[0]);
    cl::Buffer buffer(context, CL_MEM_READ_WRITE, 60);
    cl::Kernel kernel(program, "fill");
    kernel.setArg(0, buffer);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(16)); /* unset */
    kernel.setArg(1, 7);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(16)); /* bounds */
    queue.finish();
    return 0;
}
