/* What OpenCL 3.1 changed of 3.0: local memory may have no bytes, and scopes that differ may
 * include each other. */
#include "tests/replay/program.h"

#include <string.h>

static const char source[] =
    "kernel void tell(global int *told, local int *unused) {\n"
    "    global atomic_int *flag = (global atomic_int *)(told + 1);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        told[0] = 42;\n"
    "        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);\n"
    "    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group)) {\n"
    "        told[2] = told[0];\n"
    "    }\n"
    "}\n";

int main(void)
{
    struct setup setup;
    const size_t two = 2;
    int told[3] = {0};
    char version[64] = "";
    cl_int status;
    setup_open(&setup);
    check(clGetDeviceInfo(setup.device, CL_DEVICE_VERSION, sizeof version, version, NULL),
          "clGetDeviceInfo");
    cl_program program = setup_build(&setup, source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "tell", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof told, told, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    status = clSetKernelArg(kernel, 1, 0, NULL);
    if (strncmp(version, "OpenCL 3.0 ", 11) == 0) {
        expect(status == CL_INVALID_ARG_SIZE, "local memory without bytes is refused");
        check(clSetKernelArg(kernel, 1, sizeof(int), NULL), "clSetKernelArg");
    } else {
        check(status, "clSetKernelArg of no bytes");
    }
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &two, &two, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof told, told, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(told[1] == 1, "the flag is up");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
