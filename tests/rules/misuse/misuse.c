/* Programs that do what no error code tells, right and wrong, one a name: `misuse CASE`. What each
 * is to be found wrong with, and over which drivers, is said in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static struct program program;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

/* ---- the end of objects ---- */

static atomic_int called;

/* Callbacks may come late, on a thread of the driver's. */
static void wait_for_callback(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    while (!called)
        nanosleep(&pause, NULL);
}

static void CL_CALLBACK ask_of_buffer(cl_mem buffer, void *user)
{
    cl_uint count;
    (void)user;
    clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
    called = 1;
}

static void CL_CALLBACK ask_of_queue(cl_mem buffer, void *user)
{
    cl_uint count;
    (void)buffer;
    (void)user;
    clGetCommandQueueInfo(program.queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
    called = 1;
}

static void callback_of_its_end(void)
{
    cl_mem buffer = program_buffer(program.context);
    check(clSetMemObjectDestructorCallback(buffer, ask_of_buffer, NULL));
    check(clReleaseMemObject(buffer));
    wait_for_callback();
}

static void callback_of_an_end(void)
{
    cl_mem buffer = program_buffer(program.context);
    check(clSetMemObjectDestructorCallback(buffer, ask_of_queue, NULL));
    check(clReleaseMemObject(buffer));
    wait_for_callback();
}

static void CL_CALLBACK release(cl_event event, cl_int status, void *user)
{
    (void)status;
    (void)user;
    clReleaseEvent(event);
    called = 1;
}

static cl_event marker_with_callback(void)
{
    cl_event event;
    check(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &event));
    check(clRetainEvent(event));
    check(clSetEventCallback(event, CL_COMPLETE, release, NULL));
    check(clFinish(program.queue));
    wait_for_callback();
    return event;
}

static void event_after_its_release(void)
{
    cl_event event = marker_with_callback();
    cl_uint count;
    check(clReleaseEvent(event)); /* the callback has released the other reference */
    clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL);
}

static void event_after_its_callback(void)
{
    cl_event event = marker_with_callback();
    cl_uint count;
    check(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    check(clReleaseEvent(event));
}

/* The queue keeps its context, so that the release itself ends nothing. */
static void release_context_with(cl_event gate, cl_bool set_before)
{
    check(clEnqueueMarkerWithWaitList(program.queue, 1, &gate, NULL));
    check(clRetainContext(program.context));
    if (set_before)
        check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clReleaseContext(program.context));
    if (!set_before)
        check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clReleaseEvent(gate));
}

static cl_event make_gate(void)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(program.context, &error);
    check(error);
    return gate;
}

static void context_before_its_commands(void)
{
    release_context_with(make_gate(), CL_FALSE);
}

static void context_after_its_commands(void)
{
    release_context_with(make_gate(), CL_TRUE);
}

/* ---- native kernels ---- */

struct native {
    cl_command_queue queue;
    cl_int (*call)(cl_command_queue queue);
};

static void CL_CALLBACK run_native(void *arguments)
{
    const struct native *native = arguments;
    native->call(native->queue);
    called = 1;
}

static void enqueue_native(cl_int (*call)(cl_command_queue queue))
{
    struct native native = {.queue = program.queue, .call = call};
    check(clEnqueueNativeKernel(program.queue, run_native, &native, sizeof native, 0, NULL, NULL, 0,
                                NULL, NULL));
    check(clFinish(program.queue));
    PROGRAM_CHECK(called);
}

/* It waits for the command that runs it. */
static void native_kernel_finishes(void)
{
    enqueue_native(clFinish);
}

static void native_kernel_flushes(void)
{
    enqueue_native(clFlush);
}

struct native_buffer {
    void *before, *memory, *after;
};

static void CL_CALLBACK fill_native(void *arguments)
{
    const struct native_buffer *native = arguments;
    called = native->before == &program && native->after == &called;
    if (native->memory)
        memset(native->memory, 7, 64);
}

/* What is passed arrives: the memory of the buffer in the place of its handle. */
static void native_kernel_has_its_memory(void)
{
    cl_mem buffer = program_buffer(program.context);
    struct native_buffer native = {&program, buffer, &called};
    const void *place = &native.memory;
    char bytes[64];
    check(clEnqueueNativeKernel(program.queue, fill_native, &native, sizeof native, 1, &buffer,
                                &place, 0, NULL, NULL));
    check(clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
    PROGRAM_CHECK(called && bytes[0] == 7 && bytes[63] == 7);
    check(clReleaseMemObject(buffer));
}

/* ---- what is never flushed ---- */

static cl_command_queue make_queue(void)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    return queue;
}

static void left_unflushed(void)
{
    check(clEnqueueMarkerWithWaitList(make_queue(), 0, NULL, NULL));
}

static void left_to_the_release(void)
{
    cl_command_queue queue = make_queue();
    check(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    check(clReleaseCommandQueue(queue));
}

static void CL_CALLBACK enqueue(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    clEnqueueMarkerWithWaitList(user, 0, NULL, NULL);
    called = 1;
}

static cl_command_queue enqueue_in_callback(void)
{
    cl_command_queue queue = make_queue();
    cl_event event;
    check(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &event));
    check(clSetEventCallback(event, CL_COMPLETE, enqueue, queue));
    check(clFinish(program.queue));
    check(clReleaseEvent(event));
    wait_for_callback();
    return queue;
}

static void left_by_a_callback(void)
{
    enqueue_in_callback();
}

static void flushed_after_a_callback(void)
{
    cl_command_queue queue = enqueue_in_callback();
    check(clFlush(queue));
    check(clReleaseCommandQueue(queue));
}

/* ---- memory ---- */

/* A sub-buffer keeps the buffer, and the buffer its memory. */
static void use_memory_again(cl_bool keep_part)
{
    static char bytes[4096];
    const cl_buffer_region region = {0, 64};
    cl_int error;
    cl_mem whole =
        clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, sizeof bytes, bytes, &error);
    check(error);
    cl_mem other = program_buffer(program.context);
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    check(clEnqueueCopyBuffer(program.queue, part, other, 0, 0, 64, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseMemObject(whole));
    if (!keep_part)
        check(clReleaseMemObject(part));
    cl_mem second =
        clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, sizeof bytes, bytes, &error);
    check(error);
    check(clEnqueueCopyBuffer(program.queue, other, second, 0, 0, 64, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseMemObject(second));
    check(clReleaseMemObject(other));
    if (keep_part)
        check(clReleaseMemObject(part));
}

static void memory_of_a_kept_buffer(void)
{
    use_memory_again(CL_TRUE);
}

static void memory_of_an_ended_buffer(void)
{
    use_memory_again(CL_FALSE);
}

enum { SHARED_SIZE = 4096 };

static void fill_shared(cl_context owner)
{
    const cl_int zero = 0;
    void *memory = clSVMAlloc(owner, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    PROGRAM_CHECK(memory);
    clEnqueueSVMMemFill(program.queue, memory, &zero, sizeof zero, 64, 0, NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(owner, memory);
}

static void svm_of_another_context(void)
{
    cl_context other = program_context(&program);
    fill_shared(other);
    check(clReleaseContext(other));
}

static void svm_of_the_context(void)
{
    fill_shared(program.context);
}

static cl_kernel nothing_of(void *memory)
{
    static const char *source = "kernel void nothing(global int *a) {}";
    cl_int error;
    cl_program built = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, "nothing", &error);
    check(error);
    check(clReleaseProgram(built));
    check(clSetKernelArgSVMPointer(kernel, 0, memory));
    return kernel;
}

static void list_shared(cl_context owner)
{
    void *memory = clSVMAlloc(owner, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    void *own = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    PROGRAM_CHECK(memory && own);
    cl_kernel kernel = nothing_of(own);
    clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof memory, &memory);
    check(clReleaseKernel(kernel));
    clSVMFree(owner, memory);
    clSVMFree(program.context, own);
}

static void svm_listed_of_another_context(void)
{
    cl_context other = program_context(&program);
    list_shared(other);
    check(clReleaseContext(other));
}

static void svm_listed_of_the_context(void)
{
    list_shared(program.context);
}

static void migrate_shared(cl_context owner)
{
    const void *memory = clSVMAlloc(owner, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    PROGRAM_CHECK(memory);
    clEnqueueSVMMigrateMem(program.queue, 1, &memory, NULL, 0, 0, NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(owner, (void *)(uintptr_t)memory);
}

static void svm_migrated_of_another_context(void)
{
    cl_context other = program_context(&program);
    migrate_shared(other);
    check(clReleaseContext(other));
}

static void svm_migrated_of_the_context(void)
{
    migrate_shared(program.context);
}

static void fill_after(cl_bool again)
{
    const cl_int zero = 0;
    void *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    PROGRAM_CHECK(memory);
    clSVMFree(program.context, memory);
    if (again)
        memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    clEnqueueSVMMemFill(program.queue, memory, &zero, sizeof zero, again ? SHARED_SIZE : 4, 0, NULL,
                        NULL);
    check(clFinish(program.queue));
    if (again)
        clSVMFree(program.context, memory);
}

static void svm_filled_after_its_end(void)
{
    fill_after(CL_FALSE);
}

static void svm_filled_anew(void)
{
    fill_after(CL_TRUE);
}

/* Twice the same launch: what is right once is not looked at again. */
static void launch_shared(cl_bool freed)
{
    const size_t size = 1;
    void *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    PROGRAM_CHECK(memory);
    cl_kernel kernel = nothing_of(memory);
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    check(clFinish(program.queue));
    if (freed)
        clSVMFree(program.context, memory);
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    check(clFinish(program.queue));
    if (!freed)
        clSVMFree(program.context, memory);
    check(clReleaseKernel(kernel));
}

static void svm_launched_after_its_end(void)
{
    launch_shared(CL_TRUE);
}

static void svm_launched_twice(void)
{
    launch_shared(CL_FALSE);
}

static void link_compiled(const char *source)
{
    cl_int error;
    cl_program part = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    check(error);
    clBuildProgram(part, 0, NULL, "", NULL, NULL);
    cl_program whole = clLinkProgram(program.context, 0, NULL, "", 1, &part, NULL, NULL, &error);
    if (whole)
        check(clReleaseProgram(whole));
    check(clReleaseProgram(part));
}

static void link_of_what_failed(void)
{
    link_compiled("kernel void f(global int *a) { *a = missing; }");
}

/* What is mapped may be more than there is; nothing is touched. */
static void map_shared(size_t size)
{
    char *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SHARED_SIZE, 0);
    PROGRAM_CHECK(memory);
    if (clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_READ, memory + SHARED_SIZE / 2, size, 0,
                        NULL, NULL) == CL_SUCCESS)
        check(clEnqueueSVMUnmap(program.queue, memory + SHARED_SIZE / 2, 0, NULL, NULL));
    check(clFinish(program.queue));
    clSVMFree(program.context, memory);
}

static void svm_beyond_the_end(void)
{
    map_shared(SHARED_SIZE / 2 + 1);
}

static void svm_to_the_end(void)
{
    map_shared(SHARED_SIZE / 2);
}

/* ---- arguments of kernels ---- */

static void launch_with(const char *source, const char *name, const void *value, size_t size)
{
    const size_t one = 1;
    cl_kernel kernel = program_kernel(&program, source, name);
    if (clSetKernelArg(kernel, 0, size, value) == CL_SUCCESS) {
        clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        check(clFinish(program.queue));
    }
    check(clReleaseKernel(kernel));
}

static const char large_source[] = "typedef struct { int element[260]; } large;\n"
                                   "kernel void take(large a) { (void)a.element[0]; }";

static void arguments_too_large(void)
{
    static const cl_int elements[260];
    launch_with(large_source, "take", elements, sizeof elements);
}

static void arguments_of_a_size(void)
{
    static const cl_int elements[4];
    launch_with("typedef struct { int element[4]; } small;\n"
                "kernel void take(small a) { (void)a.element[0]; }",
                "take", elements, sizeof elements);
}

static const char padded_source[] = "typedef struct { char tag; float3 place; } padded;\n"
                                    "kernel void take(padded a) { (void)a.tag; }";

/* On the device a float3 has the size and alignment of a float4. */
static void structure_of_another_layout(void)
{
    const struct {
        cl_char tag;
        cl_float place[3];
    } padded = {0};
    launch_with(padded_source, "take", &padded, sizeof padded);
}

static void structure_of_the_layout(void)
{
    struct {
        cl_char tag;
        cl_float3 place;
    } padded;
    memset(&padded, 0, sizeof padded);
    launch_with(padded_source, "take", &padded, sizeof padded);
}

/* ---- parts of devices ---- */

/* For a context of a part of the device; a driver may answer that it is for the whole. */
static void make_queue_of_part(bool on_part)
{
    const cl_device_partition_property one_unit[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part;
    cl_device_id answer[4];
    cl_int error;
    check(clCreateSubDevices(program.device, one_unit, 1, &part, NULL));
    cl_context context = clCreateContext(NULL, 1, &part, NULL, NULL, &error);
    check(error);
    check(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof answer, answer, NULL));
    cl_command_queue queue =
        clCreateCommandQueue(context, on_part ? part : program.device, 0, &error);
    PROGRAM_CHECK(queue || !on_part);
    if (queue)
        check(clReleaseCommandQueue(queue));
    const char *text = "kernel void plain(global int *a) { *a = 1; }";
    cl_program made_for = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(made_for, 1, &part, "", NULL, NULL));
    check(clReleaseProgram(made_for));
    check(clReleaseContext(context));
    check(clReleaseDevice(part));
}

static void queue_of_the_part(void)
{
    make_queue_of_part(true);
}

static void queue_of_the_whole(void)
{
    make_queue_of_part(false);
}

/* ---- what belongs to vendors ---- */

static cl_device_id bare_device(void)
{
    cl_device_id device;
    check(clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, NULL));
    return device;
}

/* CL_MEM_USE_PERSISTENT_MEM_AMD has the bit of CL_MEM_IMMUTABLE_EXT. */
static void persistent_memory(void)
{
    const cl_mem_flags persistent = 1 << 6;
    const cl_buffer_region region = {0, 32};
    cl_device_id device = bare_device();
    char bytes[64] = "";
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error);
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE | persistent, 64, NULL, &error);
    check(error);
    cl_mem part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    check(clEnqueueWriteBuffer(queue, part, CL_TRUE, 0, 32, bytes, 0, NULL, NULL));
    check(clReleaseMemObject(part));
    check(clReleaseMemObject(whole));
    check(clReleaseCommandQueue(queue));
    check(clReleaseContext(context));
}

static cl_int ask_device(cl_device_info name, size_t size)
{
    cl_uchar answer[4096];
    return clGetDeviceInfo(program.device, name, size, answer, NULL);
}

/* Whatever they are answered: of a later version, of vendors, of extensions, and one that they all
 * have. */
static void names_that_may_lack(void)
{
    static const cl_device_info names[] = {0x106A, 0x4000, 0x4038, 0x410F,  0x1063,
                                           0x2031, 0x4190, 0x12A9, 0x4FFFF, CL_DEVICE_NAME};
    static const cl_sampler_info sampler_names[] = {0x1155, 0x1156, 0x1157};
    cl_uchar answer[64];
    cl_int error;
    cl_sampler sampler = clCreateSampler(program.context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE,
                                         CL_FILTER_NEAREST, &error);
    check(error);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        ask_device(names[i], 4096);
    for (size_t i = 0; i < sizeof sampler_names / sizeof *sampler_names; ++i)
        clGetSamplerInfo(sampler, sampler_names[i], sizeof answer, answer, NULL);
    check(clReleaseSampler(sampler));
}

static void name_of_no_query(void)
{
    ask_device(0x17, 4096);
}

static void room_for_part_of_a_name(void)
{
    ask_device(CL_DEVICE_NAME, 1);
}

/* ---- what the driver alone knows, and tells ---- */

static cl_program source_of(const char *text)
{
    cl_int error;
    cl_program source = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    return source;
}

static const char local_source[] =
    "kernel void through(global int *a, local int *l) { l[0] = 1; a[0] = l[0]; }\n";

static void make_named(const char *name)
{
    cl_int error;
    cl_program built = source_of(local_source);
    check(clBuildProgram(built, 1, &program.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, name, &error);
    if (kernel)
        check(clReleaseKernel(kernel));
    check(clReleaseProgram(built));
}

static void kernel_of_no_such_name(void)
{
    make_named("unknown");
}

static void kernel_of_that_name(void)
{
    make_named("through");
}

static void option_that_is_none(void)
{
    cl_program built = source_of(local_source);
    clBuildProgram(built, 1, &program.device, "-no-such-option", NULL, NULL);
    check(clReleaseProgram(built));
}

static void binary_that_is_none(void)
{
    static const char garbage[] = "this is not a program of any device";
    const unsigned char *binary = (const unsigned char *)garbage;
    const size_t size = sizeof garbage;
    cl_int error, status;
    cl_program made_of = clCreateProgramWithBinary(program.context, 1, &program.device, &size,
                                                   &binary, &status, &error);
    if (made_of)
        check(clReleaseProgram(made_of));
}

static void module_that_is_none(void)
{
    static const char garbage[] = "this is not an intermediate language";
    cl_int error;
    cl_program made_of =
        clCreateProgramWithIL(program.context, garbage, sizeof garbage - 1, &error);
    if (made_of)
        check(clReleaseProgram(made_of));
}

static void make_image_of(cl_channel_order order, cl_channel_type type)
{
    const cl_image_format format = {order, type};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_int error;
    cl_mem image = clCreateImage(program.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    if (image)
        check(clReleaseMemObject(image));
}

static void image_of_no_such_format(void)
{
    make_image_of(CL_sRGBx, CL_UNORM_INT8); /* without alpha, which few have */
}

static void image_of_a_format(void)
{
    make_image_of(CL_RGBA, CL_FLOAT);
}

/* A part of the device's, or more than it has. */
static void launch_with_local(bool too_large)
{
    cl_ulong size = 0;
    const size_t one = 1;
    cl_program built = source_of(local_source);
    cl_mem buffer = program_buffer(program.context);
    cl_int error;
    check(clGetDeviceInfo(program.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, NULL));
    check(clBuildProgram(built, 1, &program.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, "through", &error);
    check(error);
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    check(clSetKernelArg(kernel, 1, too_large ? size + 64 : size / 2, NULL));
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
    check(clReleaseMemObject(buffer));
    check(clReleaseProgram(built));
}

static void local_memory_beyond_the_device(void)
{
    launch_with_local(true);
}

static void local_memory_of_the_device(void)
{
    launch_with_local(false);
}

/* A variable of the kernel's own, of all that the device has and more. */
static void own_local_memory_beyond_the_device(void)
{
    static const char source[] = "kernel void own(global uchar *out)\n"
                                 "{ local uchar own[SIZE + 64]; own[0] = 1; *out = own[0]; }\n";
    char options[64];
    cl_ulong size = 0;
    const size_t one = 1;
    cl_program built = source_of(source);
    cl_mem buffer = program_buffer(program.context);
    cl_int error;
    check(clGetDeviceInfo(program.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, NULL));
    snprintf(options, sizeof options, "-D SIZE=%llu", (unsigned long long)size);
    check(clBuildProgram(built, 1, &program.device, options, NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, "own", &error);
    check(error);
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
    check(clReleaseMemObject(buffer));
    check(clReleaseProgram(built));
}

/* ---- which program ---- */

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
/* ---- the order of callbacks ---- */

static cl_mem made;
static cl_kernel given;
static atomic_int calls;

static void CL_CALLBACK use_made(cl_event event, cl_int status, void *user)
{
    cl_uint count;
    (void)event;
    (void)status;
    (void)user;
    clGetMemObjectInfo(made, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
    calls++;
}

static void CL_CALLBACK set_made(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    clSetKernelArg(given, 0, sizeof made, &made);
    calls++;
}

static void CL_CALLBACK make(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    made = clCreateBuffer(program.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    calls++;
}

static void CL_CALLBACK make_and_register(cl_event event, cl_int status, void *user)
{
    make(event, status, user);
    clSetEventCallback(event, CL_COMPLETE, use_made, user);
}

static void CL_CALLBACK make_or_use(cl_event event, cl_int status, void *user)
{
    if (made)
        use_made(event, status, user);
    else
        make(event, status, user);
}

static void CL_CALLBACK make_and_set(cl_event event, cl_int status, void *user)
{
    make(event, status, user);
    clSetUserEventStatus(*(cl_event *)user, CL_COMPLETE);
}

typedef void CL_CALLBACK event_notify(cl_event event, cl_int status, void *user);

static cl_event user_event(void)
{
    cl_int error;
    cl_event event = clCreateUserEvent(program.context, &error);
    check(error);
    return event;
}

/* Both callbacks of one event, the third of one that they may set; `count` calls are to come. */
static void call_back(event_notify *first, event_notify *second, event_notify *third, int count)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    cl_event event = user_event();
    cl_event other = user_event();
    if (third)
        check(clSetEventCallback(other, CL_COMPLETE, third, NULL));
    check(clSetEventCallback(event, CL_COMPLETE, first, &other));
    check(clSetEventCallback(event, CL_COMPLETE, second, &other));
    check(clSetUserEventStatus(event, CL_COMPLETE));
    while (calls < count)
        nanosleep(&pause, NULL);
    check(clReleaseEvent(other));
    check(clReleaseEvent(event));
    check(clReleaseMemObject(made));
}

static void CL_CALLBACK do_nothing(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    calls++;
}

static void set_in_another_callback(void)
{
    given =
        program_kernel(&program, "kernel void one_buffer(global int *a) { *a = 0; }", "one_buffer");
    call_back(make, set_made, NULL, 2);
    clReleaseKernel(given);
}

static void registered_when_it_was_made(void)
{
    call_back(make_and_register, do_nothing, NULL, 3);
}

static void made_by_whichever_is_first(void)
{
    call_back(make_or_use, make_or_use, NULL, 2);
}

static void made_before_the_event_was_set(void)
{
    call_back(make_and_set, do_nothing, use_made, 3);
}

/* ---- platforms ---- */

static void info_of_no_platform(void)
{
    size_t size;
    /* ocl-icd has a platform for it, Khronos' loader refuses. */
    (void)clGetPlatformInfo(NULL, CL_PLATFORM_NAME, 0, NULL, &size);
}

static void make_context(const cl_context_properties *properties)
{
    cl_int error;
    cl_context context =
        clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &error);
    check(error);
    clReleaseContext(context);
}

static void context_of_no_platform(void)
{
    make_context(NULL);
}

static void context_of_the_platform(void)
{
    const cl_context_properties properties[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_FALSE,
                                                CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)program.platform, 0};
    make_context(properties);
}

/* An address at which no system has memory. */
static const uintptr_t nowhere = 64;

static void platform_that_is_none(void)
{
    cl_uint count;
    PROGRAM_CHECK(clGetDeviceIDs((cl_platform_id)nowhere, CL_DEVICE_TYPE_ALL, 0, NULL, &count) ==
                  CL_INVALID_PLATFORM);
}

static void device_that_is_none(void)
{
    size_t size;
    PROGRAM_CHECK(clGetDeviceInfo((cl_device_id)nowhere, CL_DEVICE_NAME, 0, NULL, &size) ==
                  CL_INVALID_DEVICE);
}

static void devices_of_which_one_is_none(void)
{
    cl_device_id devices[] = {program.device, (cl_device_id)nowhere};
    cl_int error;
    PROGRAM_CHECK(!clCreateContext(NULL, 2, devices, NULL, NULL, &error) &&
                  error == CL_INVALID_DEVICE);
}

static void device_and_its_parent(void)
{
    cl_device_id parent;
    cl_uint count;
    check(clGetDeviceInfo(program.device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    check(clGetDeviceInfo(parent ? parent : program.device, CL_DEVICE_MAX_COMPUTE_UNITS,
                          sizeof count, &count, NULL));
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(callback_of_its_end),
    CASE(callback_of_an_end),
    CASE(event_after_its_release),
    CASE(event_after_its_callback),
    CASE(context_before_its_commands),
    CASE(context_after_its_commands),
    CASE(native_kernel_finishes),
    CASE(native_kernel_flushes),
    CASE(native_kernel_has_its_memory),
    CASE(left_unflushed),
    CASE(left_to_the_release),
    CASE(left_by_a_callback),
    CASE(flushed_after_a_callback),
    CASE(memory_of_a_kept_buffer),
    CASE(memory_of_an_ended_buffer),
    CASE(svm_of_another_context),
    CASE(svm_of_the_context),
    CASE(svm_listed_of_another_context),
    CASE(svm_listed_of_the_context),
    CASE(svm_migrated_of_another_context),
    CASE(svm_migrated_of_the_context),
    CASE(svm_filled_after_its_end),
    CASE(svm_filled_anew),
    CASE(svm_launched_after_its_end),
    CASE(svm_launched_twice),
    CASE(link_of_what_failed),
    CASE(svm_beyond_the_end),
    CASE(svm_to_the_end),
    CASE(kernel_of_no_such_name),
    CASE(kernel_of_that_name),
    CASE(option_that_is_none),
    CASE(binary_that_is_none),
    CASE(module_that_is_none),
    CASE(image_of_no_such_format),
    CASE(image_of_a_format),
    CASE(local_memory_beyond_the_device),
    CASE(local_memory_of_the_device),
    CASE(own_local_memory_beyond_the_device),
    CASE(persistent_memory),
    CASE(names_that_may_lack),
    CASE(name_of_no_query),
    CASE(room_for_part_of_a_name),
    CASE(queue_of_the_part),
    CASE(queue_of_the_whole),
    CASE(arguments_too_large),
    CASE(arguments_of_a_size),
    CASE(structure_of_another_layout),
    CASE(structure_of_the_layout),
    CASE(set_in_another_callback),
    CASE(registered_when_it_was_made),
    CASE(made_by_whichever_is_first),
    CASE(made_before_the_event_was_set),
    CASE(info_of_no_platform),
    CASE(context_of_no_platform),
    CASE(context_of_the_platform),
    CASE(platform_that_is_none),
    CASE(device_that_is_none),
    CASE(devices_of_which_one_is_none),
    CASE(device_and_its_parent),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        cases[i].run();
        return program_end(&program);
    }
    fprintf(stderr, "usage: misuse CASE\n");
    return 2;
}
