/* Programs whose one thread answers a kernel that runs, through fine-grained shared virtual memory
 * with atomics, one a name: `handshake CASE`. OpenCL API 3.0, 3.3.1 and 5.15: what was flushed
 * makes progress, whatever the host does. What each is to be found wrong with on the reference
 * device is said in CMakeLists.txt. */
// covers: B7 B8 C5 C6
#include "tests/rules/functions.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A kernel says in one word that it is there, and waits for the other one: each launch has its own
 * pair of words. */
enum { PAIRS = 8, SIZE = 2 * PAIRS * sizeof(cl_int), SECONDS_TO_WAIT = 11 };

static const char source[] =
    "#define SAY(i) atomic_store_explicit(&shared[i], 1, memory_order_release, \\\n"
    "                                     memory_scope_all_svm_devices)\n"
    "#define HEAR(i) atomic_load_explicit(&shared[i], memory_order_acquire, \\\n"
    "                                     memory_scope_all_svm_devices)\n"
    "#define HEAR_NEAR(flag) atomic_load_explicit(flag, memory_order_acquire, \\\n"
    "                                             memory_scope_work_group)\n"
    "kernel void meet(global atomic_int *shared, global int *out) {\n"
    "    SAY(0);\n"
    "    while (HEAR(1) == 0)\n"
    "        ;\n"
    "    out[0] += 1;\n"
    "}\n"
    "kernel void meet_in_scope(global atomic_int *shared, global int *out) {\n"
    "    SAY(0);\n"
    "    while (atomic_load_explicit(&shared[1], memory_order_acquire, memory_scope_device) == 0)\n"
    "        ;\n"
    "    out[0] += 1;\n"
    "}\n"
    "kernel void meet_twice(global atomic_int *shared, global int *out) {\n"
    "    for (int i = 0; i < 4; i += 2) {\n"
    "        SAY(i);\n"
    "        while (HEAR(i + 1) == 0)\n"
    "            ;\n"
    "        out[0] += 1;\n"
    "    }\n"
    "}\n"
    "kernel void meet_counting(global atomic_int *shared, global int *out) {\n"
    "    int rounds = 0;\n"
    "    SAY(0);\n"
    "    while (HEAR(1) == 0)\n"
    "        rounds++;\n"
    "    out[0] += rounds >= 0;\n"
    "}\n"
    "kernel void meet_plainly(global volatile int *shared) {\n"
    "    shared[0] = 1;\n"
    "    while (shared[1] == 0)\n"
    "        ;\n"
    "}\n"
    "kernel void meet_unless(global atomic_int *shared, global int *out,\n"
    "                        global atomic_int *ends) {\n"
    "    SAY(0);\n"
    "    while (HEAR(1) == 0 && atomic_load_explicit(ends, memory_order_relaxed,\n"
    "                                                memory_scope_device) == 0)\n"
    "        ;\n"
    "    out[0] += 1;\n"
    "}\n"
    "kernel void meet_for_others(global atomic_int *shared, global int *out) {\n"
    "    local atomic_int heard;\n"
    "    if (get_local_id(0) == 0)\n"
    "        atomic_init(&heard, 0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 70) {\n"
    "        SAY(0);\n"
    "        while (HEAR(1) == 0)\n"
    "            ;\n"
    "        out[0] += 1;\n"
    "        atomic_store_explicit(&heard, 1, memory_order_release, memory_scope_work_group);\n"
    "    } else if (get_local_id(0) == 0) {\n"
    "        while (HEAR_NEAR(&heard) == 0)\n"
    "            ;\n"
    "    }\n"
    "}\n"
    "kernel void meet_by_groups(global atomic_int *shared, global int *out) {\n"
    "    const int i = 2 * (int)get_group_id(0);\n"
    "    SAY(i);\n"
    "    while (HEAR(i + 1) == 0)\n"
    "        ;\n"
    "    out[i] += 1;\n"
    "}\n"
    "kernel void meet_in_a_child(global atomic_int *shared, global int *out) {\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{\n"
    "        SAY(0);\n"
    "        while (HEAR(1) == 0)\n"
    "            ;\n"
    "        out[0] += 1;\n"
    "    });\n"
    "}\n";

static struct program program;
static cl_command_queue other; /* beside program.queue, in order as it is */
static cl_program built;
static cl_int *shared; /* pairs of words */
static cl_int *out;    /* what kernels count there */

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_int *allocate(cl_svm_mem_flags flags)
{
    cl_int *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE | flags, SIZE, 0);
    PROGRAM_CHECK(memory);
    return memory;
}

static void begin(void)
{
    const char *text = source;
    cl_int error;
    program = program_begin();
    other = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    shared = allocate(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    out = allocate(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    memset(shared, 0, SIZE);
    memset(out, 0, SIZE);
}

static int end(void)
{
    check(clFinish(other));
    check(clFinish(program.queue));
    clSVMFree(program.context, shared);
    clSVMFree(program.context, out);
    check(clReleaseProgram(built));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

/* ---- what each says ---- */

static void await(int pair)
{
    while (__atomic_load_n(&shared[2 * pair], __ATOMIC_ACQUIRE) == 0)
        ;
}

static void answer(int pair)
{
    __atomic_store_n(&shared[2 * pair + 1], 1, __ATOMIC_RELEASE);
}

static void meet(int pair)
{
    await(pair);
    answer(pair);
}

static cl_kernel make_kernel(const char *name, int pair)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    check(clSetKernelArgSVMPointer(kernel, 0, shared + 2 * pair));
    check(clSetKernelArgSVMPointer(kernel, 1, out + 2 * pair));
    return kernel;
}

static void launch(cl_command_queue queue, cl_kernel kernel, size_t group_count, size_t size,
                   cl_event *event)
{
    const size_t all = group_count * size;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &size, 0, NULL, event));
    check(clReleaseKernel(kernel));
}

static void launch_one(cl_command_queue queue, const char *name, int pair, cl_event *event)
{
    launch(queue, make_kernel(name, pair), 1, 1, event);
}

static void flush(void)
{
    check(clFlush(program.queue));
}

static void expect(int count)
{
    check(clFinish(other));
    check(clFinish(program.queue));
    int sum = 0;
    for (int i = 0; i < 2 * PAIRS; i++)
        sum += out[i];
    PROGRAM_CHECK(sum == count);
}

static cl_int status_of(cl_event event)
{
    cl_int status;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* ---- answered ---- */

static void answered(void)
{
    launch_one(program.queue, "meet", 0, NULL);
    flush();
    meet(0);
    expect(1);
}

/* It hears by luck alone: the scope of its read does not hold the host. */
static void answered_beyond_its_scope(void)
{
    const struct timespec while_it_waits = {.tv_nsec = 200000000};
    launch_one(program.queue, "meet_in_scope", 0, NULL);
    flush();
    await(0);
    nanosleep(&while_it_waits, NULL);
    answer(0);
    expect(1);
}

static void answered_twice(void)
{
    launch_one(program.queue, "meet_twice", 0, NULL);
    flush();
    meet(0);
    meet(1);
    expect(2);
}

/* The later ones begin without another call. */
static void answered_in_a_row(void)
{
    for (int pair = 0; pair < PAIRS; pair++)
        launch_one(program.queue, "meet", pair, NULL);
    flush();
    for (int pair = 0; pair < PAIRS; pair++)
        meet(pair);
    expect(PAIRS);
}

static void answered_in_two_queues(void)
{
    cl_event event;
    launch_one(program.queue, "meet", 0, &event);
    flush();
    launch(other, make_kernel("meet", 1), 1, 1, NULL);
    check(clFlush(other));
    meet(0);
    meet(1);
    expect(2);
    check(clReleaseEvent(event));
}

static void answered_while_it_counts(void)
{
    launch_one(program.queue, "meet_counting", 0, NULL);
    flush();
    meet(0);
    expect(1);
}

/* What it reads last is not memory of the host's. */
static void answered_while_it_looks_elsewhere(void)
{
    cl_int zero = 0;
    cl_int error;
    cl_mem ends = clCreateBuffer(program.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 sizeof zero, &zero, &error);
    check(error);
    cl_kernel kernel = make_kernel("meet_unless", 0);
    check(clSetKernelArg(kernel, 2, sizeof ends, &ends));
    launch(program.queue, kernel, 1, 1, NULL);
    flush();
    meet(0);
    expect(1);
    check(clReleaseMemObject(ends));
}

/* One work-item hears the host, others hear that one. */
static void answered_for_others(void)
{
    launch(program.queue, make_kernel("meet_for_others", 0), 1, 128, NULL);
    flush();
    meet(0);
    expect(1);
}

static void answered_group_by_group(void)
{
    launch(program.queue, make_kernel("meet_by_groups", 0), 4, 1, NULL);
    flush();
    for (int pair = 0; pair < 4; pair++)
        meet(pair);
    expect(4);
}

static void answered_in_a_child(void)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                              0};
    cl_int error;
    cl_command_queue on_device =
        clCreateCommandQueueWithProperties(program.context, program.device, properties, &error);
    check(error);
    launch_one(program.queue, "meet_in_a_child", 0, NULL);
    flush();
    meet(0);
    expect(1);
    check(clReleaseCommandQueue(on_device));
}

static void answered_in_a_command_buffer(void)
{
    const size_t one = 1;
    cl_int error;
    find_functions(program.platform);
    cl_command_buffer_khr buffer = f.clCreateCommandBufferKHR(1, &program.queue, NULL, &error);
    check(error);
    for (int pair = 0; pair < 2; pair++) {
        cl_kernel kernel = make_kernel("meet", pair);
        check(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL,
                                          NULL, NULL));
        check(clReleaseKernel(kernel));
    }
    check(f.clFinalizeCommandBufferKHR(buffer));
    check(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    flush();
    meet(0);
    meet(1);
    expect(2);
    check(f.clReleaseCommandBufferKHR(buffer));
}

/* ---- what other calls see and do meanwhile ---- */

/* What a call tells is as if the kernel took no time. */
static void asked_for_its_status(void)
{
    cl_event event, behind;
    launch_one(program.queue, "meet", 0, &event);
    check(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &behind));
    flush();
    await(0);
    PROGRAM_CHECK(status_of(event) == CL_RUNNING);
    PROGRAM_CHECK(status_of(behind) == CL_SUBMITTED);
    answer(0);
    PROGRAM_CHECK(status_of(event) == CL_COMPLETE);
    PROGRAM_CHECK(status_of(behind) == CL_COMPLETE);
    expect(1);
    check(clReleaseEvent(event));
    check(clReleaseEvent(behind));
}

static void other_memory_freed(void)
{
    cl_int *gone = allocate(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    launch_one(program.queue, "meet", 0, NULL);
    flush();
    await(0);
    clSVMFree(program.context, gone);
    answer(0);
    expect(1);
}

/* The kernel has it until its end. */
static void coarse_memory_read(void)
{
    cl_int *coarse = allocate(0);
    const cl_int zero = 0;
    check(clEnqueueSVMMemFill(program.queue, coarse, &zero, sizeof zero, SIZE, 0, NULL, NULL));
    cl_kernel kernel = make_kernel("meet", 0);
    check(clSetKernelArgSVMPointer(kernel, 1, coarse));
    launch(program.queue, kernel, 1, 1, NULL);
    flush();
    await(0);
    PROGRAM_CHECK(*(volatile cl_int *)coarse == 0);
    answer(0);
    expect(0);
    clSVMFree(program.context, coarse);
}

/* What the two tell each other is not an atomic operation. */
static void plain_memory_read(void)
{
    cl_int error;
    volatile cl_int *words = out;
    cl_kernel kernel = clCreateKernel(built, "meet_plainly", &error);
    check(error);
    check(clSetKernelArgSVMPointer(kernel, 0, out));
    launch(program.queue, kernel, 1, 1, NULL);
    flush();
    while (words[0] == 0)
        ;
    words[1] = 1;
    expect(2);
}

static void *set_later(void *event)
{
    sleep(SECONDS_TO_WAIT);
    check(clSetUserEventStatus(event, CL_COMPLETE));
    return NULL;
}

/* The host waits for itself, longer than a kernel that it waits for is let wait. */
static void answered_after_a_user_event(void)
{
    pthread_t thread;
    cl_int error;
    cl_event event = clCreateUserEvent(program.context, &error);
    check(error);
    launch_one(program.queue, "meet", 0, NULL);
    flush();
    PROGRAM_CHECK(pthread_create(&thread, NULL, set_later, event) == 0);
    check(clWaitForEvents(1, &event));
    PROGRAM_CHECK(pthread_join(thread, NULL) == 0);
    meet(0);
    expect(1);
    check(clReleaseEvent(event));
}

/* Nobody asks for the kernel meanwhile. */
static void answered_late(void)
{
    launch_one(program.queue, "meet", 0, NULL);
    flush();
    sleep(SECONDS_TO_WAIT);
    meet(0);
    expect(1);
}

/* ---- not answered ---- */

static void never_answered(void)
{
    launch_one(program.queue, "meet", 0, NULL);
    flush();
    await(0);
    check(clFinish(program.queue));
}

static void answered_for_the_first_only(void)
{
    launch_one(program.queue, "meet_twice", 0, NULL);
    flush();
    meet(0);
    check(clFinish(program.queue));
}

/* The program ends while the kernel waits: memory that this uses cannot be freed. */
static void left(void)
{
    cl_kernel kernel = make_kernel("meet", 0);
    check(clSetKernelArgSVMPointer(kernel, 1, shared + 2));
    launch(program.queue, kernel, 1, 1, NULL);
    flush();
    await(0);
    clSVMFree(program.context, out);
    check(clReleaseProgram(built));
    check(clReleaseCommandQueue(other));
    check(clReleaseCommandQueue(program.queue));
    check(clReleaseContext(program.context));
    exit(0);
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        CASE(answered),
        CASE(answered_beyond_its_scope),
        CASE(answered_twice),
        CASE(answered_in_a_row),
        CASE(answered_in_two_queues),
        CASE(answered_while_it_counts),
        CASE(answered_while_it_looks_elsewhere),
        CASE(answered_for_others),
        CASE(answered_group_by_group),
        CASE(answered_in_a_child),
        CASE(answered_in_a_command_buffer),
        CASE(asked_for_its_status),
        CASE(other_memory_freed),
        CASE(coarse_memory_read),
        CASE(plain_memory_read),
        CASE(answered_after_a_user_event),
        CASE(answered_late),
        CASE(never_answered),
        CASE(answered_for_the_first_only),
        CASE(left),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "handshake: unknown case\n");
    return 3;
}
