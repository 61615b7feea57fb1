/* Command-buffers with each kind of command, some of which are changed before they run again.
 * Without such, the program ends with status 77. */
#include "tests/replay/program.h"
#include "tests/rules/functions.h"

#include <string.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int), SIDE = 4 };

static const char source[] = "kernel void add(global const int *in, global int *out, int more) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    out[i] = in[i] + more;\n"
                             "}\n";

static struct setup setup;
static cl_mem a, b, c, image;
static cl_int *shared; /* coarse-grained; NULL = the device has none */
static cl_mutable_command_khr add, add_shared;

static cl_mem make_buffer(void)
{
    static const cl_int zeros[COUNT];
    cl_int status;
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE,
                                   (void *)(uintptr_t)zeros, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static cl_mem make_image(void)
{
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_int status;
    cl_mem made = clCreateImage(setup.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    check(status, "clCreateImage");
    return made;
}

static void expect_first(cl_mem buffer, cl_int first, cl_int last)
{
    cl_int found[COUNT];
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, SIZE, found, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(found[0] == first && found[COUNT - 1] == last, "what the commands left");
}

/* a = 7, b = a; c = b + more; then four texels of 9 to the start of a. */
static void record_buffers(cl_command_buffer_khr recorded, cl_kernel kernel)
{
    const cl_command_properties_khr properties[] = {
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
        CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    const cl_int seven = 7, one = 1, nine[4] = {9, 9, 9, 9};
    const size_t count = COUNT, origin[3] = {0}, row[3] = {SIDE, 1, 1};
    cl_sync_point_khr filled, copied, added;
    check(f.clCommandFillBufferKHR(recorded, NULL, NULL, a, &seven, sizeof seven, 0, SIZE, 0, NULL,
                                   &filled, NULL),
          "clCommandFillBufferKHR");
    check(
        f.clCommandCopyBufferKHR(recorded, NULL, NULL, a, b, 0, 0, SIZE, 1, &filled, &copied, NULL),
        "clCommandCopyBufferKHR");
    check(clSetKernelArg(kernel, 0, sizeof b, &b), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof c, &c), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof one, &one), "clSetKernelArg");
    check(f.clCommandNDRangeKernelKHR(recorded, NULL, properties, kernel, 1, NULL, &count, NULL, 1,
                                      &copied, &added, &add),
          "clCommandNDRangeKernelKHR");
    check(f.clCommandFillImageKHR(recorded, NULL, NULL, image, nine, origin, row, 0, NULL, NULL,
                                  NULL),
          "clCommandFillImageKHR");
    check(f.clCommandBarrierWithWaitListKHR(recorded, NULL, NULL, 0, NULL, NULL, NULL),
          "clCommandBarrierWithWaitListKHR");
    check(f.clCommandCopyImageToBufferKHR(recorded, NULL, NULL, image, a, origin, row, 0, 1, &added,
                                          NULL, NULL),
          "clCommandCopyImageToBufferKHR");
}

/* shared = 3, twice; its second half += more. */
static void record_shared(cl_command_buffer_khr recorded, cl_kernel kernel)
{
    const cl_command_properties_khr properties[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    const cl_int three = 3, ten = 10;
    const size_t half = COUNT / 2;
    if (!shared)
        return;
    check(f.clCommandSVMMemFillKHR(recorded, NULL, NULL, shared, &three, sizeof three, SIZE / 2, 0,
                                   NULL, NULL, NULL),
          "clCommandSVMMemFillKHR");
    check(f.clCommandSVMMemcpyKHR(recorded, NULL, NULL, shared + half, shared, SIZE / 2, 0, NULL,
                                  NULL, NULL),
          "clCommandSVMMemcpyKHR");
    check(clSetKernelArgSVMPointer(kernel, 0, shared + half), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(kernel, 1, shared + half), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 2, sizeof ten, &ten), "clSetKernelArg");
    check(f.clCommandNDRangeKernelKHR(recorded, NULL, properties, kernel, 1, NULL, &half, NULL, 0,
                                      NULL, NULL, &add_shared),
          "clCommandNDRangeKernelKHR");
}

/* The launch reads c, and less of it; that of shared memory adds in its first half. */
static void change(cl_command_buffer_khr recorded)
{
    const cl_int hundred = 100;
    const size_t less = COUNT / 2;
    const cl_mutable_dispatch_arg_khr arguments[] = {{2, sizeof hundred, &hundred},
                                                     {1, sizeof b, &b}};
    const cl_mutable_dispatch_arg_khr pointers[] = {{1, 0, shared}};
    const struct api_mutable_config of_buffers = {.command = add,
                                                  .num_args = 2,
                                                  .arg_list = arguments,
                                                  .work_dim = 1,
                                                  .global_work_size = &less};
    const struct api_mutable_config of_shared = {
        .command = add_shared, .num_svm_args = 1, .arg_svm_list = pointers};
    const cl_command_buffer_update_type_khr types[] = {API_MUTABLE_DISPATCH_CONFIG,
                                                       API_MUTABLE_DISPATCH_CONFIG};
    const void *configs[] = {&of_buffers, &of_shared};
    check(f.clUpdateMutableCommandsKHR(recorded, shared ? 2 : 1, types, configs),
          "clUpdateMutableCommandsKHR");
}

static void expect_shared(cl_int first, cl_int last)
{
    cl_int ends[2];
    if (!shared)
        return;
    for (int i = 0; i < 2; i++)
        check(clEnqueueSVMMemcpy(setup.queue, CL_TRUE, &ends[i], shared + i * (COUNT - 1),
                                 sizeof *ends, 0, NULL, NULL),
              "clEnqueueSVMMemcpy");
    expect(ends[0] == first && ends[1] == last, "what the commands left in shared memory");
}

/* A command-buffer and the host take turns in memory that needs no call. */
static void share_with_host(cl_kernel kernel)
{
    const cl_int zero = 0;
    const size_t count = COUNT;
    cl_int status;
    cl_int *fine =
        clSVMAlloc(setup.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 2 * SIZE, 0);
    expect(fine != NULL, "fine-grained memory");
    cl_command_buffer_khr recorded = f.clCreateCommandBufferKHR(1, &setup.queue, NULL, &status);
    check(status, "clCreateCommandBufferKHR");
    check(clSetKernelArgSVMPointer(kernel, 0, fine), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(kernel, 1, fine + COUNT), "clSetKernelArgSVMPointer");
    check(clSetKernelArg(kernel, 2, sizeof zero, &zero), "clSetKernelArg");
    check(f.clCommandNDRangeKernelKHR(recorded, NULL, NULL, kernel, 1, NULL, &count, NULL, 0, NULL,
                                      NULL, NULL),
          "clCommandNDRangeKernelKHR");
    check(f.clFinalizeCommandBufferKHR(recorded), "clFinalizeCommandBufferKHR");
    for (cl_int round = 1; round <= 2; round++) {
        for (int i = 0; i < COUNT; i++)
            fine[i] = 1000 * round + i;
        check(f.clEnqueueCommandBufferKHR(0, NULL, recorded, 0, NULL, NULL),
              "clEnqueueCommandBufferKHR");
        check(clFinish(setup.queue), "clFinish");
        expect(fine[2 * COUNT - 1] == 1000 * round + COUNT - 1, "what the host sees");
    }
    check(f.clReleaseCommandBufferKHR(recorded), "clReleaseCommandBufferKHR");
    clSVMFree(setup.context, fine);
}

static void run(cl_command_buffer_khr recorded)
{
    cl_event event;
    check(f.clEnqueueCommandBufferKHR(1, &setup.queue, recorded, 0, NULL, &event),
          "clEnqueueCommandBufferKHR with its queue");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    check(clReleaseEvent(event), "clReleaseEvent");
    expect_first(a, 9, 7);
    expect_first(c, 8, 8);
    expect_shared(3, 13);
    change(recorded);
    check(f.clEnqueueCommandBufferKHR(0, NULL, recorded, 0, NULL, NULL),
          "clEnqueueCommandBufferKHR");
    expect_first(b, 107, 7);
    expect_first(c, 8, 8);
    expect_shared(13, 3);
}

int main(void)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                           CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    cl_device_svm_capabilities svm = 0;
    cl_int status;
    setup_open(&setup);
    find_functions(setup.platform);
    if (!f.clUpdateMutableCommandsKHR)
        return 77;
    check(clGetDeviceInfo(setup.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL),
          "clGetDeviceInfo");
    shared = svm ? clSVMAlloc(setup.context, CL_MEM_READ_WRITE, SIZE, 0) : NULL;
    a = make_buffer();
    b = make_buffer();
    c = make_buffer();
    image = make_image();
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    check(status, "clCreateKernel");
    cl_command_buffer_khr recorded =
        f.clCreateCommandBufferKHR(1, &setup.queue, properties, &status);
    check(status, "clCreateCommandBufferKHR");
    record_buffers(recorded, kernel);
    record_shared(recorded, kernel);
    if (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)
        share_with_host(kernel);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(f.clFinalizeCommandBufferKHR(recorded), "clFinalizeCommandBufferKHR");
    run(recorded);
    check(f.clReleaseCommandBufferKHR(recorded), "clReleaseCommandBufferKHR");
    clSVMFree(setup.context, shared);
    check(clReleaseMemObject(image), "clReleaseMemObject");
    check(clReleaseMemObject(c), "clReleaseMemObject");
    check(clReleaseMemObject(b), "clReleaseMemObject");
    check(clReleaseMemObject(a), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
