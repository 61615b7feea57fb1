/* Threads: every call but clSetKernelArg on one kernel may be made by any number of threads at the
 * same time (OpenCL API 3.0, 6.3). Several make, use and release objects of their own and use
 * shared ones; what they compute stays right. Made for the thread sanitizer, which sees the rest.
 */
#include "tests/unit/icd/fixture.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 12, ITEMS = 64 };

/* What all threads use. */
static struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[2]; /* in order, out of order */
    cl_program program;
    cl_kernel fill; /* its arguments are set */
    cl_mem filled, parent;
    cl_event gate; /* a user event that the main thread sets */
    pthread_barrier_t start;
} shared;

static const char *source = "global int counter = 5;\n"
                            "kernel void fill(global int *out) { out[get_global_id(0)] = 7; }\n"
                            "kernel void add(global int *data, int amount)\n"
                            "{\n"
                            "    local int copies[64];\n"
                            "    int i = get_global_id(0);\n"
                            "    copies[get_local_id(0)] = data[i];\n"
                            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    data[i] = copies[get_local_id(0)] + amount;\n"
                            "}\n";

struct worker {
    pthread_t thread;
    int number;
    const char *problem; /* the first call that went wrong */
    cl_int code;
};

static bool good(struct worker *worker, const char *what, cl_int result)
{
    if (result == CL_SUCCESS || worker->problem)
        return !worker->problem;
    worker->problem = what;
    worker->code = result;
    return false;
}

static unsigned heard;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    __atomic_add_fetch(&heard, 1, __ATOMIC_RELAXED);
}

static void CL_CALLBACK on_mem(cl_mem mem, void *user)
{
    (void)mem;
    (void)user;
    __atomic_add_fetch(&heard, 1, __ATOMIC_RELAXED);
}

static void CL_CALLBACK on_context(cl_context context, void *user)
{
    (void)context;
    (void)user;
    __atomic_add_fetch(&heard, 1, __ATOMIC_RELAXED);
}

/* ---- what a round does ---- */

static void ask(struct worker *worker)
{
    char text[2048];
    cl_uint number;
    size_t size;
    good(worker, "clGetPlatformInfo",
         clGetPlatformInfo(shared.platform, CL_PLATFORM_NAME, sizeof(text), text, NULL));
    good(worker, "clGetDeviceInfo",
         clGetDeviceInfo(shared.device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
    good(worker, "clGetContextInfo",
         clGetContextInfo(shared.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(number), &number,
                          NULL));
    good(worker, "clGetMemObjectInfo",
         clGetMemObjectInfo(shared.parent, CL_MEM_MAP_COUNT, sizeof(number), &number, NULL));
    good(worker, "clGetProgramInfo",
         clGetProgramInfo(shared.program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    good(worker, "clGetProgramBuildInfo",
         clGetProgramBuildInfo(shared.program, shared.device, CL_PROGRAM_BUILD_LOG, sizeof(text),
                               text, NULL));
    good(worker, "clGetKernelWorkGroupInfo",
         clGetKernelWorkGroupInfo(shared.fill, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof(size), &size,
                                  NULL));
    good(worker, "clGetEventInfo",
         clGetEventInfo(shared.gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(number), &number,
                        NULL));
}

static void count(struct worker *worker)
{
    good(worker, "clRetainContext", clRetainContext(shared.context));
    good(worker, "clRetainCommandQueue", clRetainCommandQueue(shared.queues[0]));
    good(worker, "clRetainMemObject", clRetainMemObject(shared.parent));
    good(worker, "clRetainProgram", clRetainProgram(shared.program));
    good(worker, "clRetainKernel", clRetainKernel(shared.fill));
    good(worker, "clRetainEvent", clRetainEvent(shared.gate));
    good(worker, "clReleaseEvent", clReleaseEvent(shared.gate));
    good(worker, "clReleaseKernel", clReleaseKernel(shared.fill));
    good(worker, "clReleaseProgram", clReleaseProgram(shared.program));
    good(worker, "clReleaseMemObject", clReleaseMemObject(shared.parent));
    good(worker, "clReleaseCommandQueue", clReleaseCommandQueue(shared.queues[0]));
    good(worker, "clReleaseContext", clReleaseContext(shared.context));
}

/* A kernel of its own, on a shared queue, after a user event of its own. */
static void launch(struct worker *worker, int round)
{
    const size_t items = ITEMS;
    const int amount = worker->number * 100 + round;
    int data[ITEMS] = {0};
    cl_int result;
    cl_event events[2] = {NULL, NULL};
    cl_command_queue queue = shared.queues[round % 2];
    cl_kernel kernel = clCreateKernel(shared.program, "add", &result);
    if (!good(worker, "clCreateKernel", result))
        return;
    cl_mem mem = clCreateBuffer(shared.context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &result);
    good(worker, "clCreateBuffer", result);
    good(worker, "destructor", clSetMemObjectDestructorCallback(mem, on_mem, NULL));
    good(worker, "clSetKernelArg", clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    good(worker, "clSetKernelArg", clSetKernelArg(kernel, 1, sizeof(amount), &amount));
    cl_kernel clone = clCloneKernel(kernel, &result);
    good(worker, "clCloneKernel", result);
    events[0] = clCreateUserEvent(shared.context, &result);
    good(worker, "clCreateUserEvent", result);
    if (!worker->problem) {
        good(worker, "clEnqueueNDRangeKernel",
             clEnqueueNDRangeKernel(queue, clone, 1, NULL, &items, NULL, 1, events, &events[1]));
        good(worker, "callback", clSetEventCallback(events[1], CL_COMPLETE, on_event, NULL));
        good(worker, "clSetUserEventStatus", clSetUserEventStatus(events[0], CL_COMPLETE));
        good(worker, "clWaitForEvents", clWaitForEvents(1, &events[1]));
        good(worker, "clEnqueueReadBuffer",
             clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(data), data, 1, &events[1], NULL));
        good(worker, "the result", data[ITEMS - 1] == amount ? CL_SUCCESS : data[ITEMS - 1]);
        clReleaseEvent(events[1]);
    }
    clReleaseEvent(events[0]);
    clReleaseKernel(clone);
    clReleaseKernel(kernel);
    clReleaseMemObject(mem);
}

/* The kernel that all share, whose arguments nobody sets. */
static void launch_shared(struct worker *worker)
{
    const size_t items = ITEMS;
    int data[ITEMS] = {0};
    good(worker, "clEnqueueNDRangeKernel",
         clEnqueueNDRangeKernel(shared.queues[0], shared.fill, 1, NULL, &items, NULL, 0, NULL,
                                NULL));
    good(worker, "clEnqueueReadBuffer",
         clEnqueueReadBuffer(shared.queues[0], shared.filled, CL_TRUE, 0, sizeof(data), data, 0,
                             NULL, NULL));
    good(worker, "the shared result", data[ITEMS - 1] == 7 ? CL_SUCCESS : data[ITEMS - 1]);
}

/* A part of the shared buffer, mapped and written; each thread has its own. */
static void map_part(struct worker *worker, int round)
{
    cl_int result;
    const cl_buffer_region region = {(size_t)worker->number * FIXTURE_ALIGNMENT, 64};
    cl_mem part =
        clCreateSubBuffer(shared.parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    if (!good(worker, "clCreateSubBuffer", result))
        return;
    int *mapped = clEnqueueMapBuffer(shared.queues[0], part, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL,
                                     NULL, &result);
    if (good(worker, "clEnqueueMapBuffer", result)) {
        mapped[0] = round;
        good(worker, "clEnqueueUnmapMemObject",
             clEnqueueUnmapMemObject(shared.queues[0], part, mapped, 0, NULL, NULL));
    }
    good(worker, "clFinish", clFinish(shared.queues[0]));
    clReleaseMemObject(part);
}

/* A context of its own, with everything in it. */
static void live_alone(struct worker *worker, int round)
{
    static const char *text = "#ifdef __cplusplus\n"
                              "struct S { int x; S() { x = N; } };\n"
                              "global S s;\n"
                              "#endif\n"
                              "kernel void k(write_only image2d_t image, sampler_t sampler)\n"
                              "{\n"
                              "    write_imageui(image, (int2)(0, 0), (uint4)(N));\n"
                              "}\n";
    cl_int result;
    char options[64];
    cl_context context = clCreateContext(NULL, 1, &shared.device, NULL, NULL, &result);
    if (!good(worker, "clCreateContext", result))
        return;
    good(worker, "destructor", clSetContextDestructorCallback(context, on_context, NULL));
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(context, shared.device, NULL, &result);
    good(worker, "clCreateCommandQueueWithProperties", result);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &result);
    good(worker, "clCreateProgramWithSource", result);
    snprintf(options, sizeof(options), "-DN=%d%s", worker->number,
             round % 4 == 3 ? " -cl-std=CLC++" : "");
    good(worker, "clBuildProgram", clBuildProgram(program, 0, NULL, options, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &result);
    good(worker, "clCreateKernel", result);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &result);
    good(worker, "clCreateImage", result);
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &result);
    good(worker, "clCreateSampler", result);
    if (!worker->problem) {
        const size_t one = 1, origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
        unsigned char texel[4] = {0};
        good(worker, "clSetKernelArg", clSetKernelArg(kernel, 0, sizeof(image), &image));
        good(worker, "clSetKernelArg", clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
        good(worker, "clEnqueueNDRangeKernel",
             clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        good(worker, "clEnqueueReadImage",
             clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texel, 0, NULL, NULL));
        good(worker, "the texel", texel[0] == worker->number ? CL_SUCCESS : texel[0]);
    }
    clReleaseSampler(sampler);
    clReleaseMemObject(image);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < ROUNDS; round++) {
        /* All at once and often: else the device's one lock orders most calls by chance, and a
         * place where it is missing goes unseen. */
        pthread_barrier_wait(&shared.start);
        for (int i = 0; i < 100; i++) {
            ask(worker);
            count(worker);
        }
        launch(worker, round);
        launch_shared(worker);
        map_part(worker, round);
        live_alone(worker, round);
    }
    /* Ends when the main thread opens the gate. */
    good(worker, "clWaitForEvents", clWaitForEvents(1, &shared.gate));
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct worker workers[THREADS] = {{.number = 0}};
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    CHECK(clSetUserEventStatus(shared.gate, CL_COMPLETE));
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].problem)
            print_message("thread %d: %s: %d\n", i, workers[i].problem, workers[i].code);
        assert_null(workers[i].problem);
    }
    CHECK(clFinish(shared.queues[0]));
    assert_true(__atomic_load_n(&heard, __ATOMIC_RELAXED) > 0);
}

static int setup(void **state)
{
    cl_int result;
    fixture_setup(state);
    const struct fixture *fixture = *state;
    shared.platform = fixture->platform;
    shared.device = fixture->device;
    shared.context = fixture->context;
    shared.queues[0] = fixture->queue;
    shared.queues[1] = fixture_out_of_order(fixture);
    shared.program = fixture_program(fixture, source, "-cl-std=CL3.0");
    shared.fill = fixture_kernel(shared.program, "fill");
    shared.filled = fixture_buffer(fixture, ITEMS * sizeof(int), NULL);
    shared.parent = fixture_buffer(fixture, THREADS * FIXTURE_ALIGNMENT, NULL);
    CHECK(clSetKernelArg(shared.fill, 0, sizeof(cl_mem), &shared.filled));
    assert_int_equal(pthread_barrier_init(&shared.start, NULL, THREADS), 0);
    shared.gate = clCreateUserEvent(shared.context, &result);
    CHECK(result);
    return 0;
}

static int teardown(void **state)
{
    CHECK(clReleaseEvent(shared.gate));
    CHECK(clReleaseKernel(shared.fill));
    CHECK(clReleaseProgram(shared.program));
    CHECK(clReleaseMemObject(shared.filled));
    CHECK(clReleaseMemObject(shared.parent));
    CHECK(clReleaseCommandQueue(shared.queues[1]));
    return fixture_teardown(state);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
