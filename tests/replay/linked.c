/* A program that is linked from two others, one of which includes a header that is a program, too;
 * and a library, linked with a callback. */
#include "tests/replay/program.h"

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char header[] = "int twice(int value);\n";
static const char function[] = "#include \"twice.h\"\n"
                               "constant int factors[2 * 64] = {2};\n"
                               "int twice(int value) { return factors[0] * value; }\n";
static const char kernel_source[] =
    "#include \"twice.h\"\n"
    "kernel void fill(global int *out) {\n"
    "    out[get_global_id(0)] = twice((int)get_global_id(0)) + ADD;\n"
    "}\n";

static struct setup setup;

static cl_program make(const char *source)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(setup.context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    return program;
}

static cl_program compile(const char *source, const char *options, cl_program included)
{
    const char *name = "twice.h";
    cl_program program = make(source);
    check(clCompileProgram(program, 1, &setup.device, options, 1, &included, &name, NULL, NULL),
          "clCompileProgram");
    return program;
}

static void CL_CALLBACK linked(cl_program program, void *user)
{
    (void)program;
    check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
}

/* The program exists when the callback has run. */
static cl_program link_library(cl_program part)
{
    cl_int status;
    cl_event done = clCreateUserEvent(setup.context, &status);
    check(status, "clCreateUserEvent");
    cl_program library = clLinkProgram(setup.context, 1, &setup.device, "-create-library", 1, &part,
                                       linked, done, &status);
    check(status, "clLinkProgram of a library");
    check(clWaitForEvents(1, &done), "clWaitForEvents");
    check(clReleaseEvent(done), "clReleaseEvent");
    return library;
}

int main(void)
{
    cl_int status, found[COUNT];
    setup_open(&setup);
    cl_program included = make(header);
    cl_program part = compile(function, "", included);
    cl_program rest = compile(kernel_source, "-D ADD=3", included);
    cl_program library = link_library(part);
    const cl_program parts[] = {library, rest};
    cl_program program =
        clLinkProgram(setup.context, 1, &setup.device, "", 2, parts, NULL, NULL, &status);
    check(status, "clLinkProgram");
    cl_kernel kernel = clCreateKernel(program, "fill", &status);
    check(status, "clCreateKernel");
    cl_mem out = clCreateBuffer(setup.context, CL_MEM_WRITE_ONLY, SIZE, NULL, &status);
    check(status, "clCreateBuffer");
    const size_t count = COUNT;
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(setup.queue, out, CL_TRUE, 0, SIZE, found, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(found[0] == 3 && found[COUNT - 1] == 2 * (COUNT - 1) + 3, "what the kernel left");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseProgram(library), "clReleaseProgram");
    check(clReleaseProgram(rest), "clReleaseProgram");
    check(clReleaseProgram(part), "clReleaseProgram");
    check(clReleaseProgram(included), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
