/* A program that launches kernels of all kinds, right and wrong ones, for as long as it is told,
 * and releases what it makes: enduring SECONDS. Each minute it tells how much memory is resident,
 * which may not grow for ever. With --probes, for an hour and more, by hand: see CMakeLists.txt.
 */
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ITEMS = 256,
    GROUP = 64,
    SIZE = ITEMS * sizeof(cl_int),
    TURNS_A_BUILD = 64,  /* the programs are built again */
    TURNS_A_TEXT = 1024, /* one is of a text that was never seen before */
    IMAGE_WIDTH = 16,
};

enum kind { RACES, BEYOND, TURNED, TURNED_EARLY, ADDS, PIXELS, KINDS };

struct enduring {
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[2];
    cl_program programs[KINDS];
    cl_kernel kernels[KINDS];
    unsigned long launches;
    bool has_images, has_shared;
};

/* Each is a program of its own; its kernel has the name run. */
static const char *const texts[KINDS] = {
    [RACES] = "kernel void run(global int *a)\n"
              "{\n    a[get_global_id(0) / 128] = get_global_id(0); // BUG\n}\n",
    [BEYOND] = "kernel void run(global int *a)\n"
               "{\n    a[get_global_id(0) + (get_global_id(0) == 255)] += 1; // BUG\n}\n",
    [TURNED] = "kernel void run(global int *a, local int *l)\n"
               "{\n"
               "    const int i = get_local_id(0), n = get_local_size(0);\n"
               "    l[i] = a[get_global_id(0)];\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    a[get_global_id(0)] = l[n - 1 - i];\n"
               "}\n",
    [TURNED_EARLY] = "kernel void run(global int *a, local int *l)\n"
                     "{\n"
                     "    const int i = get_local_id(0), n = get_local_size(0);\n"
                     "    l[i] = a[get_global_id(0)];\n"
                     "    a[get_global_id(0)] = l[n - 1 - i]; // BUG\n"
                     "}\n",
    [ADDS] = "kernel void run(global int *a)\n{\n    a[get_global_id(0)] += 1;\n}\n",
    [PIXELS] = "kernel void run(global int *a, write_only image2d_t image)\n"
               "{\n"
               "    const int i = get_global_id(0);\n"
               "    write_imagei(image, (int2)(i % 16, i / 16), (int4)a[i]); // BUG\n"
               "}\n",
};

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s gives %d\n", call, status);
    exit(1);
}

static long resident_kib(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2)
        exit(1);
    fclose(file);
    return resident * 4;
}

/* ---- programs ---- */

static cl_program build(const struct enduring *enduring, const char *text, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(enduring->context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &enduring->device, options, NULL, NULL), "clBuildProgram");
    return program;
}

static cl_kernel kernel_of(cl_program program)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "run", &status);
    check(status, "clCreateKernel");
    return kernel;
}

static void release_programs(struct enduring *enduring)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (enduring->kernels[kind])
            check(clReleaseKernel(enduring->kernels[kind]), "clReleaseKernel");
        if (enduring->programs[kind])
            check(clReleaseProgram(enduring->programs[kind]), "clReleaseProgram");
        enduring->kernels[kind] = NULL;
        enduring->programs[kind] = NULL;
    }
}

/* From nothing, or once more with other options: then after the kernels of the first build went. */
static void build_programs(struct enduring *enduring, unsigned long turn)
{
    release_programs(enduring);
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == PIXELS && !enduring->has_images)
            continue;
        enduring->programs[kind] = build(enduring, texts[kind], "");
        if (turn / TURNS_A_BUILD % 2 == 1)
            check(clBuildProgram(enduring->programs[kind], 1, &enduring->device, "-DAGAIN=1", NULL,
                                 NULL),
                  "clBuildProgram");
        enduring->kernels[kind] = kernel_of(enduring->programs[kind]);
    }
}

/* ---- launches ---- */

static cl_mem make_buffer(const struct enduring *enduring, size_t size)
{
    static cl_int none[4 * ITEMS];
    cl_int status;
    cl_mem memory = clCreateBuffer(enduring->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   size, none, &status);
    check(status, "clCreateBuffer");
    return memory;
}

static void set(cl_kernel kernel, cl_uint index, cl_mem memory)
{
    check(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg");
}

static void launch(struct enduring *enduring, int queue, cl_kernel kernel)
{
    const size_t items = ITEMS, group = GROUP;
    check(clEnqueueNDRangeKernel(enduring->queues[queue], kernel, 1, NULL, &items, &group, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    enduring->launches++;
}

static void read_back(const struct enduring *enduring, int queue, cl_mem memory)
{
    cl_int read[ITEMS];
    check(
        clEnqueueReadBuffer(enduring->queues[queue], memory, CL_TRUE, 0, SIZE, read, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}

/* A kernel on a buffer that lives as long as its launches, in a queue of its turn. */
static void on_buffer(struct enduring *enduring, enum kind kind, int queue, int times)
{
    cl_mem memory = make_buffer(enduring, SIZE);
    set(enduring->kernels[kind], 0, memory);
    if (kind == TURNED || kind == TURNED_EARLY)
        check(clSetKernelArg(enduring->kernels[kind], 1, GROUP * sizeof(cl_int), NULL),
              "clSetKernelArg");
    for (int i = 0; i < times; i++)
        launch(enduring, queue, enduring->kernels[kind]);
    read_back(enduring, queue, memory);
    check(clReleaseMemObject(memory), "clReleaseMemObject");
}

static void on_part(struct enduring *enduring, enum kind kind)
{
    const cl_buffer_region region = {2 * SIZE, SIZE};
    cl_int status;
    cl_mem whole = make_buffer(enduring, 4 * SIZE);
    cl_mem part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    set(enduring->kernels[kind], 0, part);
    launch(enduring, 0, enduring->kernels[kind]);
    check(clReleaseMemObject(part), "clReleaseMemObject");
    read_back(enduring, 0, whole);
    check(clReleaseMemObject(whole), "clReleaseMemObject");
}

static void on_shared(struct enduring *enduring, enum kind kind)
{
    cl_int zero = 0;
    void *shared = clSVMAlloc(enduring->context, CL_MEM_READ_WRITE, SIZE, 0);
    if (!shared)
        exit(1);
    check(clEnqueueSVMMemFill(enduring->queues[0], shared, &zero, sizeof zero, SIZE, 0, NULL, NULL),
          "clEnqueueSVMMemFill");
    check(clSetKernelArgSVMPointer(enduring->kernels[kind], 0, shared), "clSetKernelArgSVMPointer");
    launch(enduring, 0, enduring->kernels[kind]);
    check(clFinish(enduring->queues[0]), "clFinish");
    clSVMFree(enduring->context, shared);
}

/* One row short. */
static void on_image(struct enduring *enduring)
{
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
    const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                       .image_width = IMAGE_WIDTH,
                                       .image_height = ITEMS / IMAGE_WIDTH - 1};
    cl_int status;
    cl_mem memory = make_buffer(enduring, SIZE);
    cl_mem image =
        clCreateImage(enduring->context, CL_MEM_WRITE_ONLY, &format, &description, NULL, &status);
    check(status, "clCreateImage");
    set(enduring->kernels[PIXELS], 0, memory);
    set(enduring->kernels[PIXELS], 1, image);
    launch(enduring, 0, enduring->kernels[PIXELS]);
    check(clFinish(enduring->queues[0]), "clFinish");
    check(clReleaseMemObject(image), "clReleaseMemObject");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
}

/* In two queues that nothing orders. */
static void on_both(struct enduring *enduring)
{
    cl_mem memory = make_buffer(enduring, SIZE);
    set(enduring->kernels[ADDS], 0, memory);
    for (int i = 0; i < 8; i++)
        launch(enduring, i % 2, enduring->kernels[ADDS]);
    for (int i = 0; i < 2; i++)
        check(clFinish(enduring->queues[i]), "clFinish");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
}

static void on_new_text(struct enduring *enduring, unsigned long turn)
{
    char text[256];
    snprintf(text, sizeof text,
             "kernel void run(global int *a)\n{\n    a[get_global_id(0)] += %lu;\n}\n", turn);
    cl_program program = build(enduring, text, "");
    cl_kernel kernel = kernel_of(program);
    cl_mem memory = make_buffer(enduring, SIZE);
    set(kernel, 0, memory);
    launch(enduring, 0, kernel);
    read_back(enduring, 0, memory);
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

static void take_a_turn(struct enduring *enduring, unsigned long turn)
{
    if (turn % TURNS_A_BUILD == 0)
        build_programs(enduring, turn);
    if (turn % TURNS_A_TEXT == 1)
        on_new_text(enduring, turn);
    for (int kind = RACES; kind <= ADDS; kind++)
        on_buffer(enduring, (enum kind)kind, (int)turn % 2, 4);
    on_part(enduring, BEYOND);
    on_part(enduring, RACES);
    on_both(enduring);
    if (enduring->has_shared)
        on_shared(enduring, turn % 2 == 0 ? BEYOND : ADDS);
    if (enduring->has_images)
        on_image(enduring);
}

/* ---- time ---- */

static void tell(const struct enduring *enduring, long seconds, unsigned long turns)
{
    printf("%6ld s: %8lu turns, %9lu launches, %7ld KiB resident\n", seconds, turns,
           enduring->launches, resident_kib());
    fflush(stdout);
}

static void endure(struct enduring *enduring, long seconds)
{
    const time_t began = time(NULL);
    long told = 0;
    unsigned long turn = 0;
    tell(enduring, 0, 0);
    for (long passed = 0; passed < seconds; passed = (long)(time(NULL) - began)) {
        if (passed / 60 != told)
            tell(enduring, passed, turn);
        told = passed / 60;
        take_a_turn(enduring, turn++);
    }
    release_programs(enduring);
    tell(enduring, (long)(time(NULL) - began), turn);
}

int main(int argc, char **argv)
{
    struct enduring enduring = {0};
    const long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    cl_platform_id platform;
    cl_device_svm_capabilities shared = 0;
    cl_bool images = CL_FALSE;
    cl_int status;
    if (seconds <= 0) {
        fprintf(stderr, "usage: enduring SECONDS\n");
        return 2;
    }
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &enduring.device, NULL),
          "clGetDeviceIDs");
    clGetDeviceInfo(enduring.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    clGetDeviceInfo(enduring.device, CL_DEVICE_SVM_CAPABILITIES, sizeof shared, &shared, NULL);
    enduring.has_images = images;
    enduring.has_shared = (shared & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
    enduring.context = clCreateContext(NULL, 1, &enduring.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    for (int i = 0; i < 2; i++) {
        enduring.queues[i] = clCreateCommandQueue(enduring.context, enduring.device, 0, &status);
        check(status, "clCreateCommandQueue");
    }
    endure(&enduring, seconds);
    for (int i = 0; i < 2; i++)
        check(clReleaseCommandQueue(enduring.queues[i]), "clReleaseCommandQueue");
    check(clReleaseContext(enduring.context), "clReleaseContext");
    return 0;
}
