/* Right programs that are hard on whoever runs copies of their kernels: stressed CASE. Each checks
 * its own results; exit status 77 = the device lacks what the case needs. */
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 256, GROUP = 64, THREADS = 4, ARGUMENTS = 60 };

struct stressed {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s gives %d\n", call, status);
    exit(1);
}

static void want(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "%s: wrong results\n", what);
    exit(1);
}

static cl_program build(const struct stressed *stressed, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(stressed->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &stressed->device, options, NULL, NULL), "clBuildProgram");
    return program;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    return kernel;
}

static cl_mem zeros(const struct stressed *stressed)
{
    static int none[ITEMS];
    cl_int status;
    cl_mem memory = clCreateBuffer(stressed->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof none, none, &status);
    check(status, "clCreateBuffer");
    return memory;
}

static void launch(cl_command_queue queue, cl_kernel kernel, const cl_event *after, cl_event *event)
{
    const size_t items = ITEMS, group = GROUP;
    check(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, after ? 1 : 0, after, event),
        "clEnqueueNDRangeKernel");
}

static void expect(cl_command_queue queue, cl_mem memory, int each, const char *what)
{
    int read[ITEMS];
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < ITEMS; i++)
        want(read[i] == each, what);
}

static const char adding[] = "kernel void add(global int *a, int n)\n"
                             "{\n    a[get_global_id(0)] += n;\n}\n";

static void set_two(cl_kernel kernel, cl_mem memory, cl_int number)
{
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof number, &number), "clSetKernelArg");
}

/* More launches than numbers that cells have room for. */
static void many(const struct stressed *stressed)
{
    cl_program program = build(stressed, adding, "");
    cl_kernel kernel = kernel_of(program, "add");
    cl_mem memory = zeros(stressed);
    set_two(kernel, memory, 1);
    for (int i = 0; i < 5000; i++)
        launch(stressed->queue, kernel, NULL, NULL);
    expect(stressed->queue, memory, 5000, "many");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

/* One kernel, launched by threads at once, each on a queue of its own; it only adds atomically. */
struct one_thread {
    const struct stressed *stressed;
    cl_kernel kernel;
};

static void *launch_often(void *user)
{
    const struct one_thread *one = user;
    cl_int status;
    cl_command_queue queue =
        clCreateCommandQueue(one->stressed->context, one->stressed->device, 0, &status);
    check(status, "clCreateCommandQueue");
    for (int i = 0; i < 100; i++)
        launch(queue, one->kernel, NULL, NULL);
    check(clFinish(queue), "clFinish");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    return NULL;
}

static void threads(const struct stressed *stressed)
{
    cl_program program = build(stressed,
                               "kernel void add(global int *a, int n)\n"
                               "{\n    atomic_add(a + get_global_id(0), n);\n}\n",
                               "");
    cl_kernel kernel = kernel_of(program, "add");
    cl_mem memory = zeros(stressed);
    pthread_t started[THREADS];
    struct one_thread one = {stressed, kernel};
    set_two(kernel, memory, 1);
    for (int i = 0; i < THREADS; i++)
        want(pthread_create(&started[i], NULL, launch_often, &one) == 0, "threads");
    for (int i = 0; i < THREADS; i++)
        pthread_join(started[i], NULL);
    expect(stressed->queue, memory, THREADS * 100, "threads");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

/* A queue that is not in order, whose launches wait for each other and for a user event. */
static void unordered(const struct stressed *stressed)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(stressed->context, stressed->device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    if (status != CL_SUCCESS)
        exit(77);
    cl_program program = build(stressed, adding, "");
    cl_kernel kernel = kernel_of(program, "add");
    cl_mem memory = zeros(stressed);
    cl_event start = clCreateUserEvent(stressed->context, &status);
    check(status, "clCreateUserEvent");
    cl_event before = start;
    set_two(kernel, memory, 1);
    for (int i = 0; i < 50; i++) {
        cl_event event;
        launch(queue, kernel, &before, &event);
        if (before != start)
            check(clReleaseEvent(before), "clReleaseEvent");
        before = event;
        if (i == 20)
            check(clSetUserEventStatus(start, CL_COMPLETE), "clSetUserEventStatus");
    }
    check(clWaitForEvents(1, &before), "clWaitForEvents");
    check(clReleaseEvent(before), "clReleaseEvent");
    check(clReleaseEvent(start), "clReleaseEvent");
    expect(queue, memory, 50, "unordered");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* As many buffers as few kernels have. */
static void sixty(const struct stressed *stressed)
{
    char *source = malloc(ARGUMENTS * 64);
    cl_mem memory[ARGUMENTS];
    size_t size = 0;
    want(source != NULL, "sixty");
    size += (size_t)sprintf(source + size, "kernel void sum(global int *a0");
    for (int i = 1; i < ARGUMENTS; i++)
        size += (size_t)sprintf(source + size, ", global const int *a%d", i);
    size += (size_t)sprintf(source + size, ") { int i = get_global_id(0); a0[i] = 1");
    for (int i = 1; i < ARGUMENTS; i++)
        size += (size_t)sprintf(source + size, " + a%d[i]", i);
    sprintf(source + size, "; }\n");
    cl_program program = build(stressed, source, "");
    cl_kernel kernel = kernel_of(program, "sum");
    for (cl_uint i = 0; i < ARGUMENTS; i++) {
        memory[i] = zeros(stressed);
        check(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]), "clSetKernelArg");
    }
    launch(stressed->queue, kernel, NULL, NULL);
    expect(stressed->queue, memory[0], 1, "sixty");
    for (int i = 0; i < ARGUMENTS; i++)
        check(clReleaseMemObject(memory[i]), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    free(source);
}

/* Names that a copy might take, a warning as an error, a macro that stands for what it defines.
 * Each kernel adds n to the first element. */
static const struct {
    const char *kernel, *source;
} named[] = {
    {"clerk_begin", "#define STEP STEP_OF(a)\n"
                    "#define STEP_OF(x) (x[0] * 0 + 1)\n"
                    "struct clerk_k { int a; };\n"
                    "int clerk_global(global int *a) { return STEP; }\n"
                    "kernel void clerk_begin(global int *a, int n)\n"
                    "{\n"
                    "    struct clerk_k clerk_report = {n};\n"
                    "    a[get_global_id(0)] += clerk_global(a) * clerk_report.a;\n"
                    "}\n"},
    /* functions and variables that are macros of the checks */
    {"K_", "int CLERK_LOAD(int a) { return a + 1; }\n"
           "constant int CLERK_WRITE[2] = {7, 1};\n"
           "kernel void K_(global int *a, int n)\n"
           "{\n"
           "    int CLERK_CELL_END = CLERK_LOAD(n), CLERK_ALL_CELLS = 5;\n"
           "    a[0] += CLERK_CELL_END - CLERK_WRITE[n / n] + CLERK_ALL_CELLS - 5;\n"
           "}\n"},
    /* macros that are functions of the checks, and one that is an option */
    {"run", "#define clerk_global(a) (a)\n"
            "#define clerk_k 1\n"
            "kernel void run(global int *a, int n)\n"
            "{\n"
            "    a[0] += clerk_global(n) * clerk_k * CLERK_MACRO;\n"
            "}\n"},
    /* types, arguments and variables that the checks have to name */
    {"clerk_K", "struct clerk_pair { int of, to; };\n"
                "void CLERK_add(global struct clerk_pair *clerk_p, int clerk_n)\n"
                "{\n    clerk_p->of += clerk_n;\n}\n"
                "kernel void clerk_K(global struct clerk_pair *clerk_a, int clerk_n)\n"
                "{\n"
                "    local struct { int of; } clerk_tile[2];\n"
                "    local int CLERK_tile[2];\n"
                "    global struct clerk_pair *CLERK_at = clerk_a;\n"
                "    clerk_tile[get_local_id(0)].of = clerk_n;\n"
                "    CLERK_tile[get_local_id(0)] = 1;\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                "    CLERK_add(CLERK_at, clerk_tile[0].of - 1);\n"
                "    *clerk_a = (struct clerk_pair){clerk_a->of + CLERK_tile[0], 0};\n"
                "    (++CLERK_at)->of = 0;\n"
                "}\n"},
};

static void names(const struct stressed *stressed)
{
    const size_t one = 1;
    int read = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        cl_program program =
            build(stressed, named[i].source, "-Werror -DN=N -D M=1 -DCLERK_MACRO=1");
        cl_kernel kernel = kernel_of(program, named[i].kernel);
        cl_mem memory = zeros(stressed);
        set_two(kernel, memory, 3);
        check(clEnqueueNDRangeKernel(stressed->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clEnqueueReadBuffer(stressed->queue, memory, CL_TRUE, 0, sizeof read, &read, 0, NULL,
                                  NULL),
              "clEnqueueReadBuffer");
        want(read == 3, named[i].kernel);
        check(clReleaseMemObject(memory), "clReleaseMemObject");
        check(clReleaseKernel(kernel), "clReleaseKernel");
        check(clReleaseProgram(program), "clReleaseProgram");
    }
}

/* A kernel and its clones by turns, which differ in what they add; the kernel goes first, and one
 * is a clone of a clone. */
static void clones(const struct stressed *stressed)
{
    enum { CLONES = 3, TURNS = 20 };
    cl_program program = build(stressed, adding, "");
    cl_kernel kernels[CLONES] = {kernel_of(program, "add")};
    cl_mem memory = zeros(stressed), other = zeros(stressed);
    cl_int status;
    set_two(kernels[0], memory, 1);
    for (int i = 1; i < CLONES; i++) {
        kernels[i] = clCloneKernel(kernels[i - 1], &status);
        if (status == CL_INVALID_OPERATION)
            exit(77);
        check(status, "clCloneKernel");
    }
    set_two(kernels[0], other, 5);
    launch(stressed->queue, kernels[0], NULL, NULL);
    check(clReleaseKernel(kernels[0]), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    for (int turn = 0; turn < TURNS; turn++) {
        launch(stressed->queue, kernels[1 + turn % 2], NULL, NULL);
        set_two(kernels[1], memory, 2);
    }
    expect(stressed->queue, memory, 1 + 2 * (TURNS / 2 - 1) + TURNS / 2, "clones");
    expect(stressed->queue, other, 5, "clones");
    for (int i = 1; i < CLONES; i++)
        check(clReleaseKernel(kernels[i]), "clReleaseKernel");
    check(clReleaseMemObject(other), "clReleaseMemObject");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
}

/* A program that is built again while kernels of the first build live, and its handle released
 * before them. */
static void rebuilt(const struct stressed *stressed)
{
    for (int turn = 0; turn < 20; turn++) {
        cl_program program = build(stressed, adding, "");
        cl_kernel kernel = kernel_of(program, "add");
        cl_mem memory = zeros(stressed);
        set_two(kernel, memory, 1);
        launch(stressed->queue, kernel, NULL, NULL);
        check(clFinish(stressed->queue), "clFinish");
        check(clReleaseKernel(kernel), "clReleaseKernel");
        check(clBuildProgram(program, 1, &stressed->device, "-DTURN=1", NULL, NULL),
              "clBuildProgram");
        kernel = kernel_of(program, "add");
        check(clReleaseProgram(program), "clReleaseProgram");
        set_two(kernel, memory, 2);
        launch(stressed->queue, kernel, NULL, NULL);
        expect(stressed->queue, memory, 3, "rebuilt");
        check(clReleaseKernel(kernel), "clReleaseKernel");
        check(clReleaseMemObject(memory), "clReleaseMemObject");
    }
}

/* Nothing is waited for, and all is released at once. */
static void hasty(const struct stressed *stressed)
{
    cl_int status;
    for (int turn = 0; turn < 20; turn++) {
        cl_command_queue queue =
            clCreateCommandQueue(stressed->context, stressed->device, 0, &status);
        check(status, "clCreateCommandQueue");
        cl_program program = build(stressed, adding, "");
        cl_kernel kernel = kernel_of(program, "add");
        cl_mem memory = zeros(stressed);
        set_two(kernel, memory, 1);
        launch(queue, kernel, NULL, NULL);
        check(clReleaseMemObject(memory), "clReleaseMemObject");
        check(clReleaseKernel(kernel), "clReleaseKernel");
        check(clReleaseProgram(program), "clReleaseProgram");
        check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    }
}

/* Kernels in two queues at once, which use other elements of one buffer, and transfers that use
 * others still: nothing orders them, and nothing needs to. */
static void apart(const struct stressed *stressed)
{
    static const char source[] = "kernel void add(global int *a, int n)\n"
                                 "{\n    a[2 * get_global_id(0) + n] += 1;\n}\n";
    const size_t items = ITEMS / 4;
    cl_int status, mine[ITEMS / 2], all[ITEMS];
    cl_command_queue queues[2];
    cl_program program = build(stressed, source, "");
    cl_kernel kernel = kernel_of(program, "add");
    cl_mem memory = zeros(stressed);
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueue(stressed->context, stressed->device, 0, &status);
    for (int turn = 0; turn < 50; turn++) {
        set_two(kernel, memory, turn % 2);
        check(
            clEnqueueNDRangeKernel(queues[turn % 2], kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
        check(clEnqueueReadBuffer(stressed->queue, memory, CL_FALSE, sizeof mine, sizeof mine, mine,
                                  0, NULL, NULL),
              "clEnqueueReadBuffer");
    }
    for (int i = 0; i < 2; i++)
        check(clFinish(queues[i]), "clFinish");
    check(clEnqueueReadBuffer(stressed->queue, memory, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < ITEMS / 2; i++)
        want(mine[i] == 0 && all[i] == 25, "apart");
    for (int i = 0; i < 2; i++)
        check(clReleaseCommandQueue(queues[i]), "clReleaseCommandQueue");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

/* A buffer that moves to and fro between the devices of a context, whose queues wait for each
 * other.
 */
static void devices(const struct stressed *stressed)
{
    cl_device_id list[2];
    cl_command_queue queues[2];
    cl_platform_id platform;
    cl_uint count = 0;
    cl_int status;
    check(clGetDeviceInfo(stressed->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
          "clGetDeviceInfo");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, list, &count), "clGetDeviceIDs");
    if (count < 2)
        exit(77);
    struct stressed both = {.context = clCreateContext(NULL, 2, list, NULL, NULL, &status)};
    check(status, "clCreateContext");
    cl_program program =
        clCreateProgramWithSource(both.context, 1, (const char *[]){adding}, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 2, list, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = kernel_of(program, "add");
    cl_mem memory = zeros(&both);
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(both.context, list[i], 0, &status);
        check(status, "clCreateCommandQueue");
    }
    set_two(kernel, memory, 1);
    for (int i = 0; i < 100; i++) {
        launch(queues[i / 3 % 2], kernel, NULL, NULL);
        check(clFinish(queues[i / 3 % 2]), "clFinish");
    }
    expect(queues[0], memory, 100, "devices");
    for (int i = 0; i < 2; i++)
        check(clReleaseCommandQueue(queues[i]), "clReleaseCommandQueue");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseContext(both.context), "clReleaseContext");
}

/* Contexts of several drivers, and several of each, which take turns. */
enum { PLATFORMS = 2, CONTEXTS = 2 * PLATFORMS };

struct place {
    struct stressed stressed;
    cl_program program;
    cl_kernel kernel;
    cl_mem memory;
};

static void place_make(struct place *place, cl_platform_id platform)
{
    struct stressed *stressed = &place->stressed;
    cl_int status;
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &stressed->device, NULL),
          "clGetDeviceIDs");
    stressed->context = clCreateContext(NULL, 1, &stressed->device, NULL, NULL, &status);
    check(status, "clCreateContext");
    stressed->queue = clCreateCommandQueue(stressed->context, stressed->device, 0, &status);
    check(status, "clCreateCommandQueue");
    place->program = build(stressed, adding, "");
    place->kernel = kernel_of(place->program, "add");
    place->memory = zeros(stressed);
}

static void place_end(const struct place *place, int each)
{
    expect(place->stressed.queue, place->memory, each, "contexts");
    check(clReleaseMemObject(place->memory), "clReleaseMemObject");
    check(clReleaseKernel(place->kernel), "clReleaseKernel");
    check(clReleaseProgram(place->program), "clReleaseProgram");
    check(clReleaseCommandQueue(place->stressed.queue), "clReleaseCommandQueue");
    check(clReleaseContext(place->stressed.context), "clReleaseContext");
}

static void contexts(const struct stressed *stressed)
{
    cl_platform_id list[PLATFORMS];
    struct place places[CONTEXTS];
    cl_uint count = 0;
    (void)stressed;
    check(clGetPlatformIDs(PLATFORMS, list, &count), "clGetPlatformIDs");
    if (count < PLATFORMS)
        exit(77);
    for (int i = 0; i < CONTEXTS; i++)
        place_make(&places[i], list[i % PLATFORMS]);
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 0; i < CONTEXTS; i++) {
            set_two(places[i].kernel, places[i].memory, i + 1);
            launch(places[i].stressed.queue, places[i].kernel, NULL, NULL);
        }
    }
    for (int i = 0; i < CONTEXTS; i++)
        place_end(&places[i], 10 * (i + 1));
}

/* As of a program that runs for hours: what it makes it releases, so it must not grow. */
static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    want(file && fscanf(file, "%ld %ld", &all, &resident) == 2, "/proc/self/statm");
    fclose(file);
    return resident;
}

enum { LASTING_TURNS = 400, LASTING_LAUNCHES = 50, LASTING_GROWTH = 12 << 10 /* KiB */ };

/* Some launches of a new kernel on a new buffer, in two queues by turns, each after the one before;
 * of a new program now and then. */
static void last_a_turn(const struct stressed *stressed, cl_command_queue second, int turn,
                        cl_program *program)
{
    if (turn % 20 == 0) {
        if (*program)
            check(clReleaseProgram(*program), "clReleaseProgram");
        *program = build(stressed, adding, "");
    } else if (turn % 20 == 10) {
        check(clBuildProgram(*program, 1, &stressed->device, "", NULL, NULL), "clBuildProgram");
    }
    cl_kernel kernel = kernel_of(*program, "add");
    cl_mem memory = zeros(stressed);
    cl_event before = NULL;
    set_two(kernel, memory, 1);
    for (int i = 0; i < LASTING_LAUNCHES; i++) {
        cl_event event;
        cl_command_queue queue = turn % 2 == 0 || i % 2 == 0 ? stressed->queue : second;
        launch(queue, kernel, before ? &before : NULL, &event);
        if (before)
            check(clReleaseEvent(before), "clReleaseEvent");
        before = event;
    }
    check(clFlush(stressed->queue), "clFlush");
    check(clFlush(second), "clFlush");
    check(clWaitForEvents(1, &before), "clWaitForEvents");
    check(clReleaseEvent(before), "clReleaseEvent");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    expect(stressed->queue, memory, LASTING_LAUNCHES, "lasting");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
}

static void lasting(const struct stressed *stressed)
{
    cl_int status;
    cl_program program = NULL;
    long at_first = 0;
    cl_command_queue second = clCreateCommandQueue(stressed->context, stressed->device, 0, &status);
    check(status, "clCreateCommandQueue");
    for (int turn = 0; turn < LASTING_TURNS; turn++) {
        if (turn == LASTING_TURNS / 2)
            at_first = resident_pages();
        last_a_turn(stressed, second, turn, &program);
    }
    const long grown = (resident_pages() - at_first) * 4;
    if (grown > LASTING_GROWTH)
        fprintf(stderr, "grown by %ld KiB\n", grown);
    want(grown <= LASTING_GROWTH, "lasting");
    check(clReleaseCommandQueue(second), "clReleaseCommandQueue");
    check(clReleaseProgram(program), "clReleaseProgram");
}

static const struct {
    const char *name;
    void (*run)(const struct stressed *stressed);
} cases[] = {
    {"many", many},       {"threads", threads},   {"unordered", unordered}, {"sixty", sixty},
    {"names", names},     {"rebuilt", rebuilt},   {"hasty", hasty},         {"apart", apart},
    {"devices", devices}, {"contexts", contexts}, {"lasting", lasting},     {"clones", clones},
};

int main(int argc, char **argv)
{
    struct stressed stressed;
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &stressed.device, NULL),
          "clGetDeviceIDs");
    stressed.context = clCreateContext(NULL, 1, &stressed.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    stressed.queue = clCreateCommandQueue(stressed.context, stressed.device, 0, &status);
    check(status, "clCreateCommandQueue");
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        cases[i].run(&stressed);
        check(clReleaseCommandQueue(stressed.queue), "clReleaseCommandQueue");
        check(clReleaseContext(stressed.context), "clReleaseContext");
        return 0;
    }
    fprintf(stderr, "usage: stressed CASE\n");
    return 2;
}
