/* Programs that change shared virtual memory which a kernel uses, in time or too early, one a
 * name: `host_changes CASE`. What each is to be found wrong with on the reference device is said in
 * CMakeLists.txt. */
#include "tests/rules/program.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { COUNT = 64, SIZE = 2 * COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void raise(global int *numbers) {\n"
    "    if (get_global_id(0) < 64) numbers[get_global_id(0)] += 1; }\n"
    "kernel void look(global const int *numbers, global int *out) {\n"
    "    out[get_global_id(0)] = numbers[get_global_id(0)]; }\n"
    "kernel void call(global atomic_int *bell) {\n"
    "    if (get_global_id(0) == 0)\n"
    "        atomic_store_explicit(bell, 1, memory_order_release, memory_scope_all_svm_devices); "
    "}\n";

static struct program program;
static cl_kernel kernels[2]; /* that were launched */
static size_t kernel_count;
static cl_svm_mem_flags grain;
static cl_int *numbers, *out; /* of it, with 2 * COUNT elements, of which kernels use half */

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void *allocate(cl_svm_mem_flags flags)
{
    const cl_int zero = 0;
    void *memory = clSVMAlloc(program.context, flags, SIZE, 0);
    PROGRAM_CHECK(memory);
    check(clEnqueueSVMMemFill(program.queue, memory, &zero, sizeof zero, SIZE, 0, NULL, NULL));
    check(clFinish(program.queue));
    return memory;
}

static size_t size = COUNT; /* of launches */

static void launch(const char *name, void *memory, cl_uint count, const cl_event *after,
                   cl_event *event)
{
    cl_kernel kernel = program_kernel_with(&program, source, name, "-cl-std=CL3.0");
    check(clSetKernelArgSVMPointer(kernel, 0, memory));
    if (strcmp(name, "look") == 0)
        check(clSetKernelArgSVMPointer(kernel, 1, out));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, NULL, count, after, event));
    PROGRAM_CHECK(kernel_count < sizeof kernels / sizeof *kernels);
    kernels[kernel_count++] = kernel;
}

static void raise_numbers(cl_event *event)
{
    launch("raise", numbers, 0, NULL, event);
}

static void change(void)
{
    numbers[3] = 7;
}

/* ---- too early ---- */

static void before_it_runs(void)
{
    raise_numbers(NULL);
    change();
}

static void after_it_has_run(void)
{
    raise_numbers(NULL);
    check(clFlush(program.queue));
    change();
}

static void what_it_reads(void)
{
    launch("look", numbers, 0, NULL, NULL);
    change();
}

static void after_an_earlier_one(void)
{
    cl_event first;
    raise_numbers(&first);
    raise_numbers(NULL);
    check(clWaitForEvents(1, &first));
    check(clReleaseEvent(first));
    change();
}

static void beside_a_copy(void)
{
    raise_numbers(NULL);
    check(clEnqueueSVMMemcpy(program.queue, CL_FALSE, out, numbers, SIZE, 0, NULL, NULL));
    check(clFlush(program.queue));
    change();
}

static void before_a_large_one(void)
{
    size = 8192;
    before_it_runs();
}

/* Of large ones it is not asked what they use. */
static void after_a_large_one(void)
{
    size = 8192;
    after_it_has_run();
}

/* ---- in time ---- */

static void before_it_is_enqueued(void)
{
    change();
    raise_numbers(NULL);
}

static void after_finish(void)
{
    raise_numbers(NULL);
    check(clFinish(program.queue));
    change();
    raise_numbers(NULL);
}

static void other_bytes(void)
{
    raise_numbers(NULL);
    numbers[COUNT] = 7;
    check(clFlush(program.queue));
    numbers[COUNT + 1] = 7;
}

static void after_a_later_command(void)
{
    cl_int copy;
    raise_numbers(NULL);
    check(clEnqueueSVMMemcpy(program.queue, CL_TRUE, &copy, out, sizeof copy, 0, NULL, NULL));
    change();
}

static void by_a_command(void)
{
    const cl_int seven = 7;
    raise_numbers(NULL);
    check(clEnqueueSVMMemFill(program.queue, numbers, &seven, sizeof seven, SIZE, 0, NULL, NULL));
    check(clFlush(program.queue));
    raise_numbers(NULL);
    check(clFlush(program.queue));
}

static void before_its_user_event(void)
{
    cl_int error;
    cl_event go = clCreateUserEvent(program.context, &error);
    check(error);
    launch("raise", numbers, 1, &go, NULL);
    check(clFlush(program.queue));
    change();
    check(clSetUserEventStatus(go, CL_COMPLETE));
    check(clReleaseEvent(go));
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool has_changed;

static void CL_CALLBACK change_then(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    change();
    pthread_mutex_lock(&mutex);
    has_changed = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

static void in_a_callback(void)
{
    cl_event end;
    raise_numbers(&end);
    check(clSetEventCallback(end, CL_COMPLETE, change_then, NULL));
    check(clFlush(program.queue));
    pthread_mutex_lock(&mutex);
    while (!has_changed)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    check(clReleaseEvent(end));
}

/* A later kernel tells the host that this one has ended. */
static void after_a_bell(void)
{
    cl_int *bell = allocate(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    raise_numbers(NULL);
    launch("call", bell, 0, NULL, NULL);
    check(clFlush(program.queue));
    while (__atomic_load_n(bell, __ATOMIC_ACQUIRE) == 0)
        ;
    change();
    check(clFinish(program.queue));
    clSVMFree(program.context, bell);
}

/* ---- coarse-grained memory, of which the host may change nothing ---- */

static void coarse_before_it_runs(void)
{
    before_it_runs();
}

static void coarse_after_it_has_run(void)
{
    after_it_has_run();
}

static void coarse_other_bytes(void)
{
    other_bytes();
}

static void map(void)
{
    check(clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_WRITE, numbers, SIZE, 0, NULL, NULL));
}

static void unmap(void)
{
    check(clEnqueueSVMUnmap(program.queue, numbers, 0, NULL, NULL));
}

static void coarse_mapped(void)
{
    map();
    change();
    unmap();
    raise_numbers(NULL);
    map();
    change();
    unmap();
    raise_numbers(NULL);
}

static cl_int *map_half(cl_command_queue queue, cl_mem buffer)
{
    cl_int error;
    cl_int *half = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, SIZE / 2, SIZE / 2, 0,
                                      NULL, NULL, &error);
    check(error);
    return half;
}

/* The half that the kernel does not use. */
static void coarse_mapped_by_a_buffer(void)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, SIZE, numbers, &error);
    check(error);
    cl_command_queue other = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    raise_numbers(NULL);
    cl_int *half = map_half(other, buffer);
    half[0] = 7;
    check(clEnqueueUnmapMemObject(other, buffer, half, 0, NULL, NULL));
    check(clFinish(other));
    check(clFinish(program.queue));
    check(clReleaseMemObject(buffer));
    check(clReleaseCommandQueue(other));
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(before_it_runs),       CASE(after_it_has_run),      CASE(what_it_reads),
    CASE(after_an_earlier_one), CASE(beside_a_copy),         CASE(before_it_is_enqueued),
    CASE(after_finish),         CASE(other_bytes),           CASE(after_a_later_command),
    CASE(by_a_command),         CASE(before_its_user_event), CASE(in_a_callback),
    CASE(after_a_bell),         CASE(coarse_before_it_runs), CASE(coarse_after_it_has_run),
    CASE(coarse_other_bytes),   CASE(coarse_mapped),         CASE(coarse_mapped_by_a_buffer),
    CASE(before_a_large_one),   CASE(after_a_large_one),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        grain = strncmp(argv[1], "coarse_", 7) == 0 ? 0 : CL_MEM_SVM_FINE_GRAIN_BUFFER;
        numbers = allocate(grain);
        out = allocate(grain);
        cases[i].run();
        check(clFinish(program.queue));
        while (kernel_count > 0)
            check(clReleaseKernel(kernels[--kernel_count]));
        clSVMFree(program.context, numbers);
        clSVMFree(program.context, out);
        return program_end(&program);
    }
    fprintf(stderr, "host_changes: there is no such case\n");
    return 3;
}
