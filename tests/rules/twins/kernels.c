/* Twins about programs, kernels and launches. The stub driver knows the kernels by their names. */
#include "tests/rules/twins/twins.h"

#include <pthread.h>

static const char *source = "kernel void plain() {}\n"
                            "kernel void one_buffer(global int *a) { a[get_global_id(0)] = 1; }\n"
                            "kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
                            "void fixed() {}";

static cl_program make_program(const struct program *program)
{
    cl_int error;
    cl_program made = clCreateProgramWithSource(program->context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return made;
}

/* A kernel that the program may have got, of a program that may have been built. */
static cl_kernel make(const struct program *program, bool built, const char *name)
{
    cl_program made = make_program(program);
    if (built)
        PROGRAM_CHECK(clBuildProgram(made, 1, &program->device, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(made, name, NULL);
    clReleaseProgram(made);
    return kernel;
}

static void make_kernel(const struct program *program, bool bad, bool built, const char *name)
{
    cl_kernel kernel = make(program, built, name);
    PROGRAM_CHECK(bad || kernel);
    if (kernel)
        clReleaseKernel(kernel);
}

static void program_state(const struct program *program, bool bad)
{
    make_kernel(program, bad, !bad, "plain");
}

static void argument_info(const struct program *program, bool bad)
{
    cl_program made = make_program(program);
    cl_kernel_arg_address_qualifier address;
    PROGRAM_CHECK(clBuildProgram(made, 1, &program->device, bad ? "" : "-cl-kernel-arg-info", NULL,
                                 NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(made, "one_buffer", NULL);
    clReleaseProgram(made);
    PROGRAM_CHECK(kernel);
    twins_check(bad, clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address,
                                        &address, NULL));
    clReleaseKernel(kernel);
}

static void CL_CALLBACK ignore(cl_program program, void *user)
{
    (void)program;
    (void)user;
}

/* No program here has destructors, which no query tells. */
static void driver_error(const struct program *program, bool bad)
{
    cl_program made = make_program(program);
    twins_check(bad, clBuildProgram(made, 1, &program->device, "", NULL, NULL));
    if (bad)
        clSetProgramReleaseCallback(made, ignore, NULL);
    clReleaseProgram(made);
}

/* A part of a device is none of a context that was made for the whole. */
static void device_foreign(const struct program *program, bool bad)
{
    const cl_device_partition_property one_unit[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part;
    cl_program made = make_program(program);
    PROGRAM_CHECK(clCreateSubDevices(program->device, one_unit, 1, &part, NULL) == CL_SUCCESS);
    twins_check(bad, clBuildProgram(made, 1, bad ? &part : &program->device, "", NULL, NULL));
    clReleaseProgram(made);
    clReleaseDevice(part);
}

static void launch(const struct program *program, bool bad, cl_kernel kernel, size_t local)
{
    const size_t items = 8;
    twins_check(bad, clEnqueueNDRangeKernel(program->queue, kernel, 1, NULL, &items, &local, 0,
                                            NULL, NULL));
    clFinish(program->queue);
    clReleaseKernel(kernel);
}

static void launch_size(const struct program *program, bool bad)
{
    launch(program, bad, program_kernel(program, source, "fixed"), bad ? 4 : 8);
}

static void kernel_argument_unset(const struct program *program, bool bad)
{
    cl_kernel kernel = program_kernel(program, source, "one_buffer");
    cl_mem buffer = program_buffer(program->context);
    if (!bad)
        PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    launch(program, bad, kernel, 1);
    clReleaseMemObject(buffer);
}

static void kernel_argument(const struct program *program, bool bad)
{
    cl_kernel kernel = program_kernel(program, source, "one_buffer");
    cl_mem buffer = program_buffer(program->context);
    twins_check(bad, clSetKernelArg(kernel, bad ? 1 : 0, sizeof buffer, &buffer));
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

/* A pipe; or, where the device has pipes, a queue on it that is larger than its queues can be. */
static cl_int ask_for_what_lacks(const struct program *program)
{
    cl_int status;
    cl_uint queue_size = 0;
    clGetDeviceInfo(program->device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, sizeof queue_size,
                    &queue_size, NULL);
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        CL_QUEUE_SIZE, queue_size + 1, 0};
    if (queue_size == 0)
        clCreatePipe(program->context, 0, 4, 1, NULL, &status);
    else
        clCreateCommandQueueWithProperties(program->context, program->device, properties, &status);
    return status;
}

/* What each device has not: memory of the system as shared virtual memory, or another thing. */
static void feature_unsupported(const struct program *program, bool bad)
{
    const cl_bool system = bad;
    cl_device_svm_capabilities capabilities = 0;
    clGetDeviceInfo(program->device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities,
                    NULL);
    if (bad && (capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) {
        twins_check(bad, ask_for_what_lacks(program));
        return;
    }
    cl_kernel kernel = program_kernel(program, source, "plain");
    twins_check(bad, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                         sizeof system, &system));
    clReleaseKernel(kernel);
}

static cl_kernel shared_kernel;

static void *set_two(void *user)
{
    const cl_int two = 2;
    (void)user;
    PROGRAM_CHECK(clSetKernelArg(shared_kernel, 0, sizeof two, &two) == CL_SUCCESS);
    return NULL;
}

/* Another thread sets it before the launch, or before both. */
static void kernel_argument_overtaken(const struct program *program, bool bad)
{
    const cl_int value = 1;
    const size_t size = 1;
    pthread_t thread;
    shared_kernel = program_kernel(program, "kernel void other(int a) { (void)a; }", "other");
    if (bad)
        PROGRAM_CHECK(clSetKernelArg(shared_kernel, 0, sizeof value, &value) == CL_SUCCESS);
    PROGRAM_CHECK(pthread_create(&thread, NULL, set_two, NULL) == 0);
    pthread_join(thread, NULL);
    if (!bad)
        PROGRAM_CHECK(clSetKernelArg(shared_kernel, 0, sizeof value, &value) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueNDRangeKernel(program->queue, shared_kernel, 1, NULL, &size, NULL, 0,
                                         NULL, NULL) == CL_SUCCESS);
    clFinish(program->queue);
    clReleaseKernel(shared_kernel);
}

static void host_pointer_misaligned(const struct program *program, bool bad)
{
    static _Alignas(128) char memory[65];
    const size_t one = 1;
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(program->context, CL_MEM_USE_HOST_PTR, 64, memory + (bad ? 1 : 0), &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_kernel kernel = make(program, true, "one_buffer");
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    twins_check(false,
                clEnqueueNDRangeKernel(program->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    void *mapped = clEnqueueMapBuffer(program->queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clEnqueueUnmapMemObject(program->queue, buffer, mapped, 0, NULL, NULL);
    clFinish(program->queue);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static const struct twins twins[] = {
    {"host-pointer-misaligned", host_pointer_misaligned},
    {"kernel-argument-overtaken", kernel_argument_overtaken},
    {"program-state", program_state},
    {"argument-info", argument_info},
    {"driver-error", driver_error},
    {"device-foreign", device_foreign},
    {"launch-size", launch_size},
    {"kernel-argument-unset", kernel_argument_unset},
    {"kernel-argument", kernel_argument},
    {"feature-unsupported", feature_unsupported},
};

int main(int argc, char **argv)
{
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
