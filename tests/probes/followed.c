/* Global memory that somebody writes in many ways before a kernel reads it: followed CASE. With
 * --bug a part of it is left out, in cases that have such a part. Exit status 77 = the device lacks
 * what the case needs. */
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, BYTES = ITEMS * sizeof(cl_int), THREADS = 4 };

struct followed {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    bool bug;
};

static const char source[] =
    "kernel void put(global int *a, int first, int end)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= first && i < end)\n"
    "        a[i] = i;\n"
    "}\n"
    "kernel void take(global const int *a, global int *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = a[i] + 1;\n"
    "}\n"
    "kernel void add(global int *a, int n, int end)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < end)\n"
    "        a[i] += n;\n"
    "}\n"
    "kernel void left(global int *a)\n"
    "{\n"
    "    a[get_global_id(0)] = get_global_id(0);\n"
    "}\n"
    "kernel void calls(global int *a)\n"
    "{\n"
    "    left(a);\n"
    "}\n"
    "struct cell { char kind; int value; };\n"
    "kernel void cells(global struct cell *a)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= 32)\n"
    "        return;\n"
    "    a[i].kind = 1;\n"
    "    a[i].value = i;\n"
    "}\n"
    "kernel void move(global const struct cell *a, global struct cell *b)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < 32)\n"
    "        b[i] = a[i];\n"
    "}\n"
    "kernel void values(global const struct cell *a, global int *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    out[i] = a[i % 32].value;\n"
    "}\n"
    "kernel void idle(global const int *a, global int *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    int value = a[i];\n"
    "    out[i] = i < 1000 ? 5 : value;\n"
    "}\n";

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s gives %d\n", call, status);
    exit(1);
}

static cl_mem empty(const struct followed *with)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(with->context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    check(status, "clCreateBuffer");
    return memory;
}

static cl_command_queue queue_of(const struct followed *with,
                                 cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(with->context, with->device, properties, &status);
    check(status, "clCreateCommandQueue");
    return queue;
}

/* What to launch, with up to two memory objects or numbers. */
struct start {
    cl_command_queue queue;
    const char *name;
    cl_mem first, second;
    cl_int numbers[2];
    cl_event after;
    cl_event *event;
    cl_kernel *kept; /* NULL = it is released */
};

static void start(const struct followed *with, const struct start *what)
{
    const size_t items = ITEMS;
    cl_int status;
    cl_kernel kernel = clCreateKernel(with->program, what->name, &status);
    check(status, "clCreateKernel");
    const bool numbered = strcmp(what->name, "put") == 0 || strcmp(what->name, "add") == 0;
    check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &what->first), "clSetKernelArg");
    if (what->second)
        check(clSetKernelArg(kernel, 1, sizeof(cl_mem), &what->second), "clSetKernelArg");
    for (cl_uint i = 0; numbered && i < 2; i++)
        check(clSetKernelArg(kernel, 1 + i, sizeof(cl_int), &what->numbers[i]), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(what->queue, kernel, 1, NULL, &items, NULL, what->after ? 1 : 0,
                                 what->after ? &what->after : NULL, what->event),
          "clEnqueueNDRangeKernel");
    if (what->kept)
        *what->kept = kernel;
    else
        check(clReleaseKernel(kernel), "clReleaseKernel");
}

static void put(const struct followed *with, cl_mem memory, cl_int first, cl_int end)
{
    start(with, &(struct start){with->queue, "put", memory, NULL, {first, end}, NULL, NULL, NULL});
}

/* Reads it by a kernel, and looks at what that makes of it. */
static void take(const struct followed *with, cl_command_queue queue, cl_mem memory, cl_event after)
{
    cl_mem out = empty(with);
    int results[ITEMS];
    start(with, &(struct start){queue, "take", memory, out, {0}, after, NULL, NULL});
    check(clFinish(queue), "clFinish");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, BYTES, results, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < ITEMS && !with->bug; i++) {
        if (results[i] != i + 1) {
            fprintf(stderr, "wrong results\n");
            exit(1);
        }
    }
    check(clReleaseMemObject(out), "clReleaseMemObject");
}

static void drop(cl_mem memory)
{
    check(clReleaseMemObject(memory), "clReleaseMemObject");
}

/* ---- cases with a bug ---- */

/* Columns of a rectangle. */
static void rectangle(const struct followed *with)
{
    const size_t zero[3] = {0};
    const size_t half[3] = {4 * sizeof(cl_int), 8, 1};
    const size_t beside[3] = {4 * sizeof(cl_int), 0, 0};
    const size_t row = 8 * sizeof(cl_int);
    int numbers[ITEMS];
    cl_mem memory = empty(with);
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i;
    check(clEnqueueWriteBufferRect(with->queue, memory, CL_TRUE, zero, zero, half, row, 0, row, 0,
                                   numbers, 0, NULL, NULL),
          "clEnqueueWriteBufferRect");
    if (!with->bug)
        check(clEnqueueWriteBufferRect(with->queue, memory, CL_FALSE, beside, beside, half, row, 0,
                                       row, 0, numbers, 0, NULL, NULL),
              "clEnqueueWriteBufferRect");
    take(with, with->queue, memory, NULL);
    drop(memory);
}

/* A launch that waits for one on another queue. */
static void two_queues(const struct followed *with)
{
    cl_command_queue other = queue_of(with, 0);
    cl_mem memory = empty(with);
    cl_event made;
    start(with, &(struct start){with->queue,
                                "put",
                                memory,
                                NULL,
                                {0, with->bug ? ITEMS - 1 : ITEMS},
                                NULL,
                                &made,
                                NULL});
    check(clFlush(with->queue), "clFlush");
    take(with, other, memory, made);
    check(clReleaseEvent(made), "clReleaseEvent");
    check(clReleaseCommandQueue(other), "clReleaseCommandQueue");
    drop(memory);
}

/* What a kernel wrote in part, copied on. */
static void copied(const struct followed *with)
{
    cl_mem memory = empty(with), copy = empty(with);
    put(with, memory, with->bug ? 3 : 0, ITEMS);
    check(clEnqueueCopyBuffer(with->queue, memory, copy, 0, 0, BYTES, 0, NULL, NULL),
          "clEnqueueCopyBuffer");
    take(with, with->queue, copy, NULL);
    drop(memory);
    drop(copy);
}

/* Nobody waits for the queue, so that with a bug its memory might be gone before it is read. */
static void queue_left(const struct followed *with)
{
    cl_command_queue own = queue_of(with, 0);
    cl_mem memory = empty(with), out = empty(with);
    start(with, &(struct start){own, "put", memory, NULL, {0, ITEMS}, NULL, NULL, NULL});
    start(with, &(struct start){own, "take", memory, out, {0}, NULL, NULL, NULL});
    check(clReleaseCommandQueue(own), "clReleaseCommandQueue");
    drop(memory);
    drop(out);
}

/* Events alone order it, and what was written before is no more afterwards. */
static void unordered(const struct followed *with)
{
    cl_command_queue own = queue_of(with, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem memory = empty(with);
    const cl_int end = with->bug ? ITEMS - 8 : ITEMS;
    cl_event made, added, again;
    start(with, &(struct start){own, "put", memory, NULL, {0, end}, NULL, &made, NULL});
    start(with, &(struct start){own, "add", memory, NULL, {7, end}, made, &added, NULL});
    start(with, &(struct start){own, "add", memory, NULL, {-7, end}, added, &again, NULL});
    take(with, own, memory, again);
    check(clReleaseEvent(made), "clReleaseEvent");
    check(clReleaseEvent(added), "clReleaseEvent");
    check(clReleaseEvent(again), "clReleaseEvent");
    check(clReleaseCommandQueue(own), "clReleaseCommandQueue");
    drop(memory);
}

/* ---- right ones ---- */

static void mapped(const struct followed *with)
{
    cl_int status;
    cl_mem memory = empty(with);
    put(with, memory, 0, 10);
    int *numbers = clEnqueueMapBuffer(with->queue, memory, CL_TRUE, CL_MAP_WRITE, 40, BYTES - 40, 0,
                                      NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    for (int i = 10; i < ITEMS; i++)
        numbers[i - 10] = i;
    check(clEnqueueUnmapMemObject(with->queue, memory, numbers, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
    take(with, with->queue, memory, NULL);
    drop(memory);
}

/* By a kernel that is not checked, since another one calls it. */
static void unchecked(const struct followed *with)
{
    cl_mem memory = empty(with);
    start(with, &(struct start){with->queue, "left", memory, NULL, {0}, NULL, NULL, NULL});
    take(with, with->queue, memory, NULL);
    drop(memory);
}

/* By one that calls it. */
static void called(const struct followed *with)
{
    cl_mem memory = empty(with);
    put(with, memory, 0, 1);
    start(with, &(struct start){with->queue, "calls", memory, NULL, {0}, NULL, NULL, NULL});
    take(with, with->queue, memory, NULL);
    drop(memory);
}

/* Enqueued behind a copy of what nobody wrote, and known before that has run. */
static void written_again(const struct followed *with)
{
    cl_mem memory = empty(with), copy = empty(with), out = empty(with);
    int numbers[ITEMS] = {0};
    cl_kernel kernel;
    cl_int status;
    cl_event gate = clCreateUserEvent(with->context, &status);
    check(status, "clCreateUserEvent");
    put(with, memory, 0, 8);
    check(clEnqueueCopyBuffer(with->queue, memory, copy, 0, 0, BYTES, 1, &gate, NULL),
          "clEnqueueCopyBuffer");
    check(clEnqueueWriteBuffer(with->queue, copy, CL_FALSE, 0, BYTES, numbers, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    start(with, &(struct start){with->queue, "take", copy, out, {0}, NULL, NULL, &kernel});
    check(clFlush(with->queue), "clFlush");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(with->queue), "clFinish");
    check(clReleaseEvent(gate), "clReleaseEvent");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    drop(memory);
    drop(copy);
    drop(out);
}

/* The launch is enqueued before what it waits for. */
static void gated(const struct followed *with)
{
    cl_command_queue other = queue_of(with, 0);
    cl_mem memory = empty(with), out = empty(with);
    int numbers[ITEMS] = {0};
    cl_kernel kernel;
    cl_int status;
    cl_event gate = clCreateUserEvent(with->context, &status);
    check(status, "clCreateUserEvent");
    put(with, memory, 0, 8);
    check(clFinish(with->queue), "clFinish");
    start(with, &(struct start){with->queue, "take", memory, out, {0}, gate, NULL, &kernel});
    check(clFlush(with->queue), "clFlush");
    check(clEnqueueWriteBuffer(other, memory, CL_TRUE, 0, BYTES, numbers, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(with->queue), "clFinish");
    check(clReleaseEvent(gate), "clReleaseEvent");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseCommandQueue(other), "clReleaseCommandQueue");
    drop(memory);
    drop(out);
}

/* Structures are copied with their gaps, which nobody writes. */
static void gaps(const struct followed *with)
{
    cl_mem memory = empty(with), copy = empty(with), out = empty(with);
    start(with, &(struct start){with->queue, "cells", memory, NULL, {0}, NULL, NULL, NULL});
    for (int i = 0; i < 100; i++)
        start(with, &(struct start){with->queue, "move", memory, copy, {0}, NULL, NULL, NULL});
    start(with, &(struct start){with->queue, "values", copy, out, {0}, NULL, NULL, NULL});
    check(clFinish(with->queue), "clFinish");
    drop(memory);
    drop(copy);
    drop(out);
}

/* Half by one launch, half by another, and again with what had the same place before. */
static void covered(const struct followed *with)
{
    for (int i = 0; i < 20; i++) {
        cl_mem memory = empty(with);
        put(with, memory, ITEMS / 2, ITEMS);
        put(with, memory, 0, ITEMS / 2);
        take(with, with->queue, memory, NULL);
        drop(memory);
    }
}

/* A value that nobody wrote, and of which nothing is made. */
static void idle(const struct followed *with)
{
    cl_mem memory = empty(with), out = empty(with);
    start(with, &(struct start){with->queue, "idle", memory, out, {0}, NULL, NULL, NULL});
    check(clFinish(with->queue), "clFinish");
    drop(memory);
    drop(out);
}

/* The last elements are never written, nor read. */
static void rest(const struct followed *with)
{
    cl_mem memory = empty(with);
    put(with, memory, 0, ITEMS - 4);
    for (int i = 0; i < 200; i++)
        start(with,
              &(struct start){with->queue, "add", memory, NULL, {i, ITEMS - 4}, NULL, NULL, NULL});
    check(clFinish(with->queue), "clFinish");
    drop(memory);
}

static void *take_often(void *user)
{
    struct followed own = *(const struct followed *)user;
    own.queue = queue_of(&own, 0);
    covered(&own);
    check(clReleaseCommandQueue(own.queue), "clReleaseCommandQueue");
    return NULL;
}

static void threads(const struct followed *with)
{
    pthread_t started[THREADS];
    struct followed own = *with;
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&started[i], NULL, take_often, &own), "pthread_create");
    for (int i = 0; i < THREADS; i++)
        pthread_join(started[i], NULL);
}

static const struct {
    const char *name;
    void (*run)(const struct followed *with);
} cases[] = {
    {"rectangle", rectangle}, {"two_queues", two_queues},
    {"copied", copied},       {"queue_left", queue_left},
    {"unordered", unordered}, {"mapped", mapped},
    {"unchecked", unchecked}, {"gated", gated},
    {"called", called},       {"written_again", written_again},
    {"gaps", gaps},           {"covered", covered},
    {"idle", idle},           {"rest", rest},
    {"threads", threads},
};

int main(int argc, char **argv)
{
    struct followed with = {.bug = argc == 3 && strcmp(argv[2], "--bug") == 0};
    const char *text = source;
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &with.device, NULL), "clGetDeviceIDs");
    with.context = clCreateContext(NULL, 1, &with.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    with.queue = queue_of(&with, 0);
    with.program = clCreateProgramWithSource(with.context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(with.program, 1, &with.device, "", NULL, NULL), "clBuildProgram");
    for (size_t i = 0; argc >= 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        cases[i].run(&with);
        check(clReleaseProgram(with.program), "clReleaseProgram");
        check(clReleaseCommandQueue(with.queue), "clReleaseCommandQueue");
        check(clReleaseContext(with.context), "clReleaseContext");
        return 0;
    }
    fprintf(stderr, "usage: followed CASE [--bug]\n");
    return 2;
}
