/* A program over the C++ bindings with mistakes, each in a line that ends in a comment: the rule of the finding whose
 * place it is. */
#define CL_HPP_TARGET_OPENCL_VERSION  120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <atomic>
#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

static const char *const text = R"CLC(
kernel void scale(global float *out, global const float *in, float by)
{
    out[get_global_id(0)] = in[get_global_id(0)] * by;
}
kernel void beyond(global float *out)
{
    out[get_global_id(0) + 1] = 1;
}
kernel void race(global float *out)
{
    out[0] = get_global_id(0);
}
)CLC";

enum { COUNT = 64, BYTES = COUNT * sizeof(float) };

struct Setting {
    cl::Context context;
    cl::Device device;
    cl::CommandQueue queue;
    cl::Program program;
};

// With exceptions, a call that fails ends here.
template <typename F> static void attempt(const char *name, F function)
{
    try {
        function();
    } catch (const std::exception &error) {
        std::printf("%s: %s\n", name, error.what());
    }
}

static void unknown_value(Setting &s)
{
    std::vector<cl::ImageFormat> formats;
    s.context.getSupportedImageFormats(CL_MEM_READ_ONLY, 0x1234, &formats); /* value-invalid */
}

static void released(Setting &s)
{
    cl::Buffer buffer(s.context, CL_MEM_READ_WRITE, BYTES);
    clReleaseMemObject(buffer());
    s.queue.enqueueFillBuffer(buffer, 1.0f, 0, BYTES); /* handle-released */
    clRetainMemObject(buffer()); // not reached after an exception
}

static void unset(Setting &s)
{
    cl::Kernel kernel(s.program, "scale");
    s.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(COUNT)); /* kernel-argument-unset */
}

static void wrong_size(Setting &s)
{
    cl::Buffer out(s.context, CL_MEM_READ_WRITE, BYTES), in(s.context, CL_MEM_READ_WRITE, BYTES);
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl_double> scale(s.program, "scale");
    s.queue.enqueueFillBuffer(in, 1.0f, 0, BYTES);
    scale(cl::EnqueueArgs(s.queue, cl::NDRange(COUNT)), out, in, 2.0); /* kernel-argument */
}

static void beyond(Setting &s)
{
    cl::Buffer out(s.context, CL_MEM_READ_WRITE, BYTES);
    cl::KernelFunctor<cl::Buffer> kernel(s.program, "beyond");
    kernel(cl::EnqueueArgs(s.queue, cl::NDRange(COUNT)), out); /* bounds-global */
    s.queue.finish();
}

static void race(Setting &s)
{
    cl::Buffer out(s.context, CL_MEM_READ_WRITE, BYTES);
    auto kernel = cl::compatibility::make_kernel<cl::Buffer>(s.program, "race");
    kernel(cl::EnqueueArgs(s.queue, cl::NDRange(COUNT)), out); /* race-global */
    s.queue.finish();
}

static void short_copy(Setting &s)
{
    std::vector<float> values(COUNT * 2, 1.0f);
    cl::Buffer small(s.context, CL_MEM_READ_WRITE, BYTES);
    cl::copy(s.queue, values.begin(), values.end(), small); /* region-bounds */
}

static void short_read(Setting &s)
{
    std::vector<float> values(COUNT, 1.0f);
    cl::Buffer small(s.context, values.begin(), values.end(), false);
    s.queue.enqueueReadBuffer(small, CL_TRUE, 4, BYTES, values.data()); /* region-bounds */
}

static void unordered(Setting &s)
{
    std::vector<float> values(COUNT, 1.0f);
    cl::CommandQueue queue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl::Buffer buffer(s.context, CL_MEM_READ_WRITE, BYTES);
    queue.enqueueFillBuffer(buffer, 1.0f, 0, BYTES);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, BYTES, values.data()); /* race-commands */
    queue.finish();
}

static void broken(Setting &s)
{
    cl::Program program(s.context, "kernel void broken() { nothing; }");
    program.build(); /* build-failed */
}

static void leaked(Setting &s)
{
    auto *buffer = new cl::Buffer(s.context, CL_MEM_READ_WRITE, BYTES); /* object-leaked */
    std::printf("%d\n", buffer == nullptr);
}

/* After it was an argument of a kernel, whose name for it reports have. */
static void leaked_argument(Setting &s)
{
    auto *out = new cl::Buffer(s.context, CL_MEM_READ_WRITE, BYTES); /* object-leaked */
    cl::Buffer in(s.context, CL_MEM_READ_WRITE, BYTES);
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl_float> scale(s.program, "scale");
    s.queue.enqueueFillBuffer(in, 1.0f, 0, BYTES);
    scale(cl::EnqueueArgs(s.queue, cl::NDRange(COUNT)), *out, in, 2.0f);
    s.queue.finish();
}

static void shared(Setting &s)
{
    auto kernel = std::make_shared<cl::Kernel>(s.program, "race"); /* object-leaked */
    clRetainKernel((*kernel)());
}

static std::atomic<bool> has_called;

static void CL_CALLBACK called(cl_event, cl_int, void *user)
{
    static_cast<cl::CommandQueue *>(user)->finish(); /* callback-blocks */
    has_called = true;
}

static void blocks(Setting &s)
{
    cl::CommandQueue other(s.context, s.device);
    cl::UserEvent event(s.context);
    event.setCallback(CL_COMPLETE, called, &other);
    event.setStatus(CL_COMPLETE);
    while (!has_called)
        std::this_thread::yield();
}

static void negative(Setting &s)
{
    cl::Buffer empty(s.context, CL_MEM_READ_WRITE, 0); /* argument-zero */
}

int main()
{
    Setting s;
    s.context = cl::Context(CL_DEVICE_TYPE_ALL);
    s.device = s.context.getInfo<CL_CONTEXT_DEVICES>()[0];
    s.queue = cl::CommandQueue(s.context, s.device);
    s.program = cl::Program(s.context, text);
    s.program.build(); // the constructor that builds demands OpenCL C 2.0, which some drivers lack
    const std::vector<std::pair<const char *, void (*)(Setting &)>> all = {
        {"unknown_value", unknown_value}, {"unset", unset},         {"wrong_size", wrong_size}, {"beyond", beyond},
        {"race", race},                   {"short_copy", short_copy}, {"short_read", short_read}, {"unordered", unordered},
        {"broken", broken},               {"leaked", leaked},       {"shared", shared},         {"blocks", blocks},
        {"negative", negative},           {"released", released},   {"leaked_argument", leaked_argument}};
    for (const auto &each : all)
        attempt(each.first, [&] { each.second(s); });
    return 0;
}
