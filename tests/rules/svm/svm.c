/* Programs with shared virtual memory, right and wrong, one a name: `svm CASE`. What each is to be
 * found wrong with on the reference device is said in CMakeLists.txt. */
// covers: B7 B8 B10 B16 C5 C6 E14 G1 G19
#include "tests/rules/program.h"

#include <CL/cl_ext.h>

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "typedef struct { global int *data; } holder;\n"
    "kernel void follow(global holder *h) { h->data[get_global_id(0)] = 1; }\n"
    "kernel void put(global int *a, int past) { a[get_global_id(0) + past] = 1; }\n"
    "kernel void get(global const int *a, global int *out) {\n"
    "    out[get_global_id(0)] = a[get_global_id(0)]; }\n"
    "kernel void count(global atomic_int *a) {\n"
    "    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device); }\n"
    "kernel void count_in_the_group(global atomic_int *a) {\n"
    "    if (get_global_id(0) == 0) atomic_fetch_add_explicit(a, 1, memory_order_relaxed, "
    "memory_scope_work_group); }\n"
    "kernel void count_as_before(global int *a) { if (get_global_id(0) == 0) atomic_inc(a); }\n"
    "kernel void count_in_two_scopes(global atomic_int *a) {\n"
    "    if (get_group_id(0) == 0)\n"
    "        atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);\n"
    "    else\n"
    "        atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
    "}\n"
    "kernel void count_for_all(global atomic_int *a) {\n"
    "    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_all_svm_devices); }\n"
    "kernel void pass(global int *data, global atomic_int *flag, global int *out) {\n"
    "    if (get_group_id(0) == 0) {\n"
    "        *data = 7;\n"
    "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release,\n"
    "                               memory_scope_all_svm_devices);\n"
    "        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
    "    } else if (atomic_load_explicit(flag, memory_order_acquire,\n"
    "                                    memory_scope_all_svm_devices)) {\n"
    "        *out = *data;\n"
    "    }\n"
    "}\n"
    "#define STORE(at) atomic_store_explicit(at, 1, memory_order_release, "
    "memory_scope_all_svm_devices)\n"
    "#define LOAD(at) atomic_load_explicit(at, memory_order_acquire, "
    "memory_scope_all_svm_devices)\n"
    "kernel void meet_plainly(volatile global int *a) {\n"
    "    a[0] = 1;\n"
    "    while (a[1] == 0)\n"
    "        ;\n"
    "}\n"
    "kernel void meet(global atomic_int *flags, global int *data) {\n"
    "    data[0] = 5;\n"
    "    STORE(flags);\n"
    "    while (LOAD(flags + 1) == 0)\n"
    "        ;\n"
    "}\n"
    "kernel void read_long(global const int *a, global int *out) {\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < 100000; i++)\n"
    "        sum += a[i & 15];\n"
    "    out[0] = sum;\n"
    "}\n";

struct holder {
    cl_int *data;
};

static struct program program;
static cl_command_queue other; /* in order, beside program.queue */
static cl_program built;
static cl_int *a, *b;               /* coarse-grained, of COUNT elements, all written */
static cl_svm_mem_flags fine_grain; /* 0 where the device has none: then the next ones are coarse */
static cl_int *fine;                /* fine-grained, the same */
static struct holder *holder;       /* fine-grained: leads to a */

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void *allocate(cl_svm_mem_flags flags, size_t size)
{
    void *memory = clSVMAlloc(program.context, flags, size, 0);
    PROGRAM_CHECK(memory);
    return memory;
}

static void fill(cl_int *memory)
{
    const cl_int zero = 0;
    check(clEnqueueSVMMemFill(program.queue, memory, &zero, sizeof zero, SIZE, 0, NULL, NULL));
}

static void map(cl_map_flags flags, void *memory, size_t size)
{
    check(clEnqueueSVMMap(program.queue, CL_TRUE, flags, memory, size, 0, NULL, NULL));
}

static void unmap(void *memory)
{
    check(clEnqueueSVMUnmap(program.queue, memory, 0, NULL, NULL));
}

static void ask_for_fine_grain(void)
{
    cl_device_svm_capabilities has;
    check(clGetDeviceInfo(program.device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    fine_grain = has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;
}

static void lead_holder_to(cl_int *memory)
{
    if (!fine_grain)
        map(CL_MAP_WRITE, holder, sizeof *holder);
    holder->data = memory;
    if (!fine_grain)
        unmap(holder);
}

static void begin(void)
{
    const char *text = source;
    cl_int error;
    program = program_begin();
    ask_for_fine_grain();
    other = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    a = allocate(CL_MEM_READ_WRITE, SIZE);
    b = allocate(CL_MEM_READ_WRITE, SIZE);
    fine = allocate(CL_MEM_READ_WRITE | fine_grain, SIZE);
    holder = allocate(CL_MEM_READ_WRITE | fine_grain, sizeof *holder);
    fill(a);
    fill(b);
    if (fine_grain)
        memset(fine, 0, SIZE);
    else
        fill(fine);
    lead_holder_to(a);
    check(clFinish(program.queue));
}

static int end(void)
{
    check(clFinish(other));
    check(clFinish(program.queue));
    clSVMFree(program.context, a);
    clSVMFree(program.context, b);
    clSVMFree(program.context, fine);
    clSVMFree(program.context, holder);
    check(clReleaseProgram(built));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

/* ---- launches ---- */

static cl_kernel make_kernel(const char *name, const void *argument)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    check(clSetKernelArgSVMPointer(kernel, 0, argument));
    return kernel;
}

static void launch(cl_command_queue queue, cl_kernel kernel, const cl_event *after, cl_event *event)
{
    const size_t size = COUNT;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, after != NULL, after, event));
    check(clReleaseKernel(kernel));
}

static cl_kernel put(cl_int *memory, cl_int past)
{
    cl_kernel kernel = make_kernel("put", memory);
    check(clSetKernelArg(kernel, 1, sizeof past, &past));
    return kernel;
}

static cl_kernel get(const cl_int *memory, cl_int *out)
{
    cl_kernel kernel = make_kernel("get", memory);
    check(clSetKernelArgSVMPointer(kernel, 1, out));
    return kernel;
}

/* ---- what kernels may touch ---- */

static void within(void)
{
    launch(program.queue, put(a, 0), NULL, NULL);
}

static void beyond(void)
{
    launch(program.queue, put(a, 1), NULL, NULL);
}

static void beyond_from_the_middle(void)
{
    launch(program.queue, put(a + 1, 0), NULL, NULL);
}

static void unlisted(void)
{
    launch(program.queue, make_kernel("follow", holder), NULL, NULL);
}

static void listed(void)
{
    cl_kernel kernel = make_kernel("follow", holder);
    void *const pointers[] = {b, a + 3}; /* any place in an allocation names it */
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
    launch(program.queue, kernel, NULL, NULL);
}

/* "The complete set of pointers is specified by each call". */
static void listed_one_by_one(void)
{
    cl_kernel kernel = make_kernel("follow", holder);
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof a, &a));
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof b, &b));
    launch(program.queue, kernel, NULL, NULL);
}

static void listed_and_freed(void)
{
    cl_kernel kernel = make_kernel("follow", holder);
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    lead_holder_to(gone);
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof gone, &gone));
    clSVMFree(program.context, gone);
    launch(program.queue, kernel, NULL, NULL);
    check(clFinish(program.queue));
}

/* A command that waits keeps nothing alive. */
static void freed_before_the_launch(void)
{
    cl_int error;
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    cl_event gate = clCreateUserEvent(program.context, &error);
    check(error);
    cl_kernel kernel = put(gone, 0);
    const size_t size = COUNT;
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, NULL, 1, &gate, NULL));
    clSVMFree(program.context, gone);
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    check(clReleaseKernel(kernel)); /* not before: a command waited for the event */
    check(clReleaseEvent(gate));
}

static void freed_by_a_command(void)
{
    void *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    launch(program.queue, put(gone, 0), NULL, NULL);
    check(clEnqueueSVMFree(program.queue, 1, &gone, NULL, NULL, 0, NULL, NULL));
}

static void freed_before_its_unmap(void)
{
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    check(clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_WRITE, gone, SIZE, 0, NULL, NULL));
    check(clEnqueueSVMUnmap(program.queue, gone, 0, NULL, NULL));
    clSVMFree(program.context, gone);
}

static void freed_behind_a_fill(void)
{
    cl_int *gone = allocate(CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE);
    fill(gone);
    check(clFlush(program.queue));
    clSVMFree(program.context, gone);
}

/* The device has performed it by then; another one might be at it still. */
static void freed_behind_a_flush(void)
{
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    launch(program.queue, put(gone, 0), NULL, NULL);
    check(clFlush(program.queue));
    clSVMFree(program.context, gone);
}

/* Waiting for the last command that uses it is not enough. */
static void freed_behind_another_queue(void)
{
    cl_int error;
    cl_int *gone = allocate(CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE);
    cl_command_queue queue = clCreateCommandQueue(program.context, program.device, 0, &error);
    cl_int copy[SIZE / sizeof(cl_int)];
    cl_event event;
    check(error);
    check(clEnqueueSVMMemcpy(program.queue, CL_FALSE, fine, gone, SIZE, 0, NULL, NULL));
    check(clFlush(program.queue));
    check(clEnqueueSVMMemcpy(queue, CL_FALSE, copy, gone, SIZE, 0, NULL, &event));
    check(clWaitForEvents(1, &event));
    clSVMFree(program.context, gone);
    check(clReleaseEvent(event));
    check(clReleaseCommandQueue(queue));
}

/* What is known of the last command of a queue in order is known of those before. */
static void freed_after_finish(void)
{
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    fill(gone);
    launch(program.queue, put(gone, 0), NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(program.context, gone);
}

static void freed_after_poll(void)
{
    const cl_int zero = 0;
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    cl_event event;
    cl_int status = CL_QUEUED;
    fill(gone);
    check(clEnqueueSVMMemFill(program.queue, fine, &zero, sizeof zero, SIZE, 0, NULL, &event));
    check(clFlush(program.queue));
    while (status != CL_COMPLETE)
        check(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    clSVMFree(program.context, gone);
    check(clReleaseEvent(event));
}

static void CL_CALLBACK free_it(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    clSVMFree(program.context, user);
}

static void freed_in_its_callback(void)
{
    const cl_int zero = 0;
    cl_int *gone = allocate(CL_MEM_READ_WRITE, SIZE);
    cl_event event;
    check(clEnqueueSVMMemFill(program.queue, gone, &zero, sizeof zero, SIZE, 0, NULL, &event));
    check(clSetEventCallback(event, CL_COMPLETE, free_it, gone));
    check(clFinish(program.queue));
    check(clReleaseEvent(event));
}

/* ---- maps ---- */

static void written_while_mapped(void)
{
    map(CL_MAP_READ, a, SIZE);
    launch(program.queue, put(a, 0), NULL, NULL);
    unmap(a);
}

static void read_while_mapped(void)
{
    map(CL_MAP_READ, a, SIZE);
    launch(program.queue, get(a, b), NULL, NULL);
    unmap(a);
}

static void written_after_unmap(void)
{
    map(CL_MAP_READ, a, SIZE);
    unmap(a);
    launch(program.queue, put(a, 0), NULL, NULL);
}

static void freed_twice(void)
{
    void *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    clSVMFree(program.context, fresh);
    clSVMFree(program.context, fresh);
}

static void freed_twice_by_commands(void)
{
    void *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    check(clEnqueueSVMFree(program.queue, 1, &fresh, NULL, NULL, 0, NULL, NULL));
    check(clEnqueueSVMFree(program.queue, 1, &fresh, NULL, NULL, 0, NULL, NULL));
    check(clFinish(program.queue));
}

static void listed_while_mapped(void)
{
    map(CL_MAP_WRITE, a, SIZE);
    listed();
    unmap(a);
}

/* The host has written what the kernel reads, though it never said that it is done. */
static void read_while_mapped_for_writing(void)
{
    cl_int *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    map(CL_MAP_WRITE, fresh, SIZE);
    memset(fresh, 1, SIZE);
    launch(program.queue, get(fresh, b), NULL, NULL);
    unmap(fresh);
    check(clFinish(program.queue));
    clSVMFree(program.context, fresh);
}

static void buffer_read_while_mapped_for_writing(void)
{
    cl_int error;
    cl_mem fresh = clCreateBuffer(program.context, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    check(error);
    void *memory = clEnqueueMapBuffer(program.queue, fresh, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                      0, SIZE, 0, NULL, NULL, &error);
    check(error);
    memset(memory, 1, SIZE);
    cl_kernel kernel = get(a, b);
    check(clSetKernelArg(kernel, 0, sizeof fresh, &fresh));
    launch(program.queue, kernel, NULL, NULL);
    check(clEnqueueUnmapMemObject(program.queue, fresh, memory, 0, NULL, NULL));
    check(clReleaseMemObject(fresh));
}

/* Memory of which a region is mapped is mapped. */
static void written_beside_a_map(void)
{
    map(CL_MAP_WRITE, a + COUNT / 2, SIZE / 2);
    cl_kernel kernel = put(a, 0);
    const size_t size = COUNT / 2;
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    check(clReleaseKernel(kernel));
    unmap(a + COUNT / 2);
}

/* The device refuses that. */
static void unmapped_elsewhere(void)
{
    map(CL_MAP_READ, a + 4, SIZE / 2);
    PROGRAM_CHECK(clEnqueueSVMUnmap(program.queue, a, 0, NULL, NULL) != CL_SUCCESS);
    unmap(a + 4);
}

static void unmapped_twice(void)
{
    map(CL_MAP_READ, a, SIZE);
    unmap(a);
    PROGRAM_CHECK(clEnqueueSVMUnmap(program.queue, a, 0, NULL, NULL) != CL_SUCCESS);
}

static void mapped_twice(void)
{
    map(CL_MAP_READ, a, SIZE);
    map(CL_MAP_READ, a, SIZE / 2);
    unmap(a);
    unmap(a);
}

static void fine_while_mapped(void)
{
    map(CL_MAP_WRITE, fine, SIZE);
    launch(program.queue, put(fine, 0), NULL, NULL);
    unmap(fine);
}

/* ---- what was written ---- */

/* The host has written it, but to no avail. */
static void written_without_a_map(void)
{
    cl_int *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    memset(fresh, 1, SIZE);
    launch(program.queue, get(fresh, b), NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(program.context, fresh);
}

static void never_written(void)
{
    cl_int *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    launch(program.queue, get(fresh, fine), NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(program.context, fresh);
}

/* The host writes it, and again where it is `filled` after the migration. */
static void migrate_empty(bool filled)
{
    const cl_int zero = 0;
    const void *pointers[1];
    cl_int *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    pointers[0] = fresh;
    map(CL_MAP_WRITE, fresh, SIZE);
    memset(fresh, 0, SIZE);
    unmap(fresh);
    check(clEnqueueSVMMigrateMem(program.queue, 1, pointers, NULL,
                                 CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    if (filled)
        check(clEnqueueSVMMemFill(program.queue, fresh, &zero, sizeof zero, SIZE, 0, NULL, NULL));
    launch(program.queue, get(fresh, fine), NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(program.context, fresh);
}

static void migrated_empty(void)
{
    migrate_empty(false);
}

static void migrated_and_filled(void)
{
    migrate_empty(true);
}

static void written_by_the_host(void)
{
    cl_int *fresh = allocate(CL_MEM_READ_WRITE, SIZE);
    map(CL_MAP_WRITE, fresh, SIZE);
    memset(fresh, 0, SIZE);
    unmap(fresh);
    launch(program.queue, get(fresh, fine), NULL, NULL);
    check(clFinish(program.queue));
    clSVMFree(program.context, fresh);
}

/* ---- the order of commands ---- */

static void two_queues(void)
{
    launch(program.queue, put(a, 0), NULL, NULL);
    launch(other, get(a, b), NULL, NULL);
}

/* Without atomics fine-grained memory is written by one command at a time, */
static void fine_in_two_queues(void)
{
    launch(program.queue, put(fine, 0), NULL, NULL);
    launch(other, put(fine, 0), NULL, NULL);
}

/* or in parts. */
static void fine_in_two_queues_apart(void)
{
    const size_t half = COUNT / 2;
    cl_kernel lower = put(fine, 0);
    cl_kernel upper = put(fine, COUNT / 2);
    check(clEnqueueNDRangeKernel(program.queue, lower, 1, NULL, &half, NULL, 0, NULL, NULL));
    check(clEnqueueNDRangeKernel(other, upper, 1, NULL, &half, NULL, 0, NULL, NULL));
    check(clReleaseKernel(lower));
    check(clReleaseKernel(upper));
}

static void two_queues_event(void)
{
    cl_event done;
    launch(program.queue, put(a, 0), NULL, &done);
    check(clFlush(program.queue));
    launch(other, get(a, b), &done, NULL);
    check(clReleaseEvent(done));
}

static void through_a_pointer(void)
{
    launch(program.queue, put(a, 0), NULL, NULL);
    cl_kernel kernel = make_kernel("follow", holder);
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof a, &a));
    launch(other, kernel, NULL, NULL);
}

static void copies(void)
{
    check(clEnqueueSVMMemcpy(program.queue, CL_FALSE, b, a, SIZE, 0, NULL, NULL));
    check(clEnqueueSVMMemcpy(other, CL_FALSE, a + 1, fine, 4, 0, NULL, NULL));
}

static void copies_apart(void)
{
    check(clEnqueueSVMMemcpy(program.queue, CL_FALSE, b, a, SIZE / 2, 0, NULL, NULL));
    check(clEnqueueSVMMemcpy(other, CL_FALSE, b + COUNT / 2, a, SIZE / 2, 0, NULL, NULL));
}

/* One memory by two names. */
static void buffer_over_it(void)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, SIZE, a, &error);
    check(error);
    const cl_int zero = 0;
    check(clEnqueueFillBuffer(program.queue, buffer, &zero, 4, 0, SIZE, 0, NULL, NULL));
    launch(other, put(a, 0), NULL, NULL);
    check(clFinish(other));
    check(clFinish(program.queue));
    check(clReleaseMemObject(buffer));
}

static void atomics_of(const char *first, const char *second)
{
    launch(program.queue, make_kernel(first, a), NULL, NULL);
    launch(other, make_kernel(second, a), NULL, NULL);
}

static void atomics(void)
{
    atomics_of("count", "count");
}

/* One scope of a work-group is too narrow, though the other one is wide enough. */
static void atomics_narrow(void)
{
    atomics_of("count", "count_in_the_group");
}

static void atomics_as_before(void)
{
    atomics_of("count_as_before", "count_as_before");
}

/* Each kernel has a counter of its own. */
static void atomics_narrow_apart(void)
{
    launch(program.queue, make_kernel("count_in_the_group", a), NULL, NULL);
    launch(other, make_kernel("count_in_the_group", a + 1), NULL, NULL);
}

static void atomics_narrow_event(void)
{
    cl_event done;
    launch(program.queue, make_kernel("count_in_the_group", a), NULL, &done);
    check(clFlush(program.queue));
    launch(other, make_kernel("count_in_the_group", a), &done, NULL);
    check(clReleaseEvent(done));
}

/* ---- scopes ---- */

static cl_int *make_counter(cl_svm_mem_flags flags)
{
    cl_int *counter = allocate(CL_MEM_READ_WRITE | flags, sizeof *counter);
    const cl_int zero = 0;
    check(clEnqueueSVMMemFill(program.queue, counter, &zero, sizeof zero, sizeof zero, 0, NULL,
                              NULL));
    return counter;
}

static void count_by(const char *name, cl_svm_mem_flags flags)
{
    cl_int *counter = make_counter(flags);
    cl_kernel kernel = make_kernel(name, counter);
    const size_t size = 2, one = 1;
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, &one, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
    clSVMFree(program.context, counter);
}

static void two_scopes(void)
{
    count_by("count_in_two_scopes", CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
}

static void one_scope(void)
{
    count_by("count", CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
}

/* Without atomics that reach the host both scopes are the device's, which is not a race. */
static void two_scopes_without_atomics(void)
{
    count_by("count_in_two_scopes", CL_MEM_SVM_FINE_GRAIN_BUFFER);
}

/* Two kernels in two queues, of which `second` is. */
static void count_in_queues(cl_command_queue second, const char *name, const char *name_there,
                            cl_svm_mem_flags flags)
{
    cl_int *counter = make_counter(flags);
    check(clFinish(program.queue));
    launch(program.queue, make_kernel(name, counter), NULL, NULL);
    launch(second, make_kernel(name_there, counter), NULL, NULL);
    check(clFinish(program.queue));
    check(clFinish(second));
    clSVMFree(program.context, counter);
}

static void two_scopes_of_two_kernels(void)
{
    count_in_queues(other, "count", "count_for_all",
                    CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
}

static void one_scope_of_two_kernels(void)
{
    count_in_queues(other, "count_for_all", "count_for_all",
                    CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
}

/* The same of two devices in a context of theirs. */
static void count_on(const cl_device_id devices[2], const char *name)
{
    cl_int error;
    const struct program before = program;
    cl_command_queue queues[2];
    program.context = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    check(error);
    const char *text = source;
    const cl_program own = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(own, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueueWithProperties(program.context, devices[i], NULL, &error);
        check(error);
    }
    program.queue = queues[0];
    cl_program of_one = built;
    built = own;
    count_in_queues(queues[1], name, name, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    built = of_one;
    check(clReleaseProgram(own));
    for (int i = 0; i < 2; i++)
        check(clReleaseCommandQueue(queues[i]));
    check(clReleaseContext(program.context));
    program = before;
}

static void count_on_two_devices(const char *name)
{
    cl_device_id devices[2];
    check(clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    count_on(devices, name);
}

static void device_scope_on_two_devices(void)
{
    count_on_two_devices("count");
}

static void all_scope_on_two_devices(void)
{
    count_on_two_devices("count_for_all");
}

/* Whether the scope of a sub-device is that of its root device is not said. */
static void device_scope_on_sub_devices(void)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id parts[2];
    check(clCreateSubDevices(program.device, halves, 2, parts, NULL));
    count_on(parts, "count");
    for (int i = 0; i < 2; i++)
        check(clReleaseDevice(parts[i]));
}

static void pass_by(cl_svm_mem_flags flags)
{
    cl_int *flag = make_counter(flags);
    cl_kernel kernel = make_kernel("pass", a);
    const size_t size = 2, one = 1;
    check(clSetKernelArgSVMPointer(kernel, 1, flag));
    check(clSetKernelArgSVMPointer(kernel, 2, b));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &size, &one, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseKernel(kernel));
    clSVMFree(program.context, flag);
}

static void passed(void)
{
    pass_by(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
}

static void passed_without_atomics(void)
{
    pass_by(0);
}

/* ---- beside a thread of the host ---- */

static cl_int *flags; /* fine-grained, with atomics: two of them */

/* Runs the kernel, which it takes over, while another thread does what `host` says. */
static void run_beside(cl_kernel kernel, void *(*host)(void *))
{
    pthread_t thread;
    const size_t one = 1;
    PROGRAM_CHECK(pthread_create(&thread, NULL, host, NULL) == 0);
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    check(clFinish(program.queue));
    PROGRAM_CHECK(pthread_join(thread, NULL) == 0);
    check(clReleaseKernel(kernel));
}

static void *meet_plainly(void *unused)
{
    volatile cl_int *shared = fine;
    while (shared[0] == 0)
        sched_yield();
    shared[1] = 1;
    return unused;
}

static void fine_beside_the_host(void)
{
    run_beside(make_kernel("meet_plainly", fine), meet_plainly);
}

/* `data`, or NULL: of which the host reads the first while the kernel waits. */
static volatile cl_int *met_data;
static void *meet(void *unused)
{
    while (__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE) == 0)
        sched_yield();
    PROGRAM_CHECK(!met_data || *met_data == 5);
    __atomic_store_n(&flags[1], 1, __ATOMIC_RELEASE);
    return unused;
}

static void meet_with(cl_int *data, cl_int *read)
{
    flags = allocate(CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                     2 * sizeof *flags);
    flags[0] = flags[1] = 0;
    met_data = read;
    cl_kernel kernel = make_kernel("meet", flags);
    check(clSetKernelArgSVMPointer(kernel, 1, data));
    run_beside(kernel, meet);
    clSVMFree(program.context, flags);
}

static void fine_behind_an_atomic(void)
{
    meet_with(fine, fine);
}

static void coarse_left_alone(void)
{
    meet_with(a, NULL);
}

static void coarse_beside_the_host(void)
{
    meet_with(a, a);
}

static void *write_upper_half(void *unused)
{
    volatile cl_int *shared = fine;
    for (int i = 0; i < 200; i++) {
        shared[COUNT / 2] = i;
        sched_yield();
    }
    return unused;
}

static void other_bytes_beside_the_host(void)
{
    cl_kernel kernel = make_kernel("read_long", fine);
    check(clSetKernelArgSVMPointer(kernel, 1, b));
    run_beside(kernel, write_upper_half);
}

static void *read_mapped(void *unused)
{
    volatile cl_int *mapped = a;
    for (int i = 0; i < 200; i++) {
        PROGRAM_CHECK(mapped[0] == 0);
        sched_yield();
    }
    return unused;
}

static void mapped_beside_the_host(void)
{
    map(CL_MAP_READ, a, SIZE);
    cl_kernel kernel = make_kernel("read_long", a);
    check(clSetKernelArgSVMPointer(kernel, 1, b));
    run_beside(kernel, read_mapped);
    unmap(a);
}

static sigjmp_buf back;

static void fault(int number)
{
    siglongjmp(back, number);
}

/* The layer's maps and the device's launches take faults in turns, and leave alone others. */
static void faults_of_its_own(void)
{
    char *nobody = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cl_mem buffer = program_buffer(program.context);
    PROGRAM_CHECK(nobody != MAP_FAILED && signal(SIGSEGV, fault) != SIG_ERR);
    for (int i = 0; i < 3; i++) {
        cl_int error;
        void *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0,
                                          NULL, NULL, &error);
        check(error);
        launch(program.queue, put(fine, 0), NULL, NULL);
        check(clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL));
        check(clFinish(program.queue));
        if (sigsetjmp(back, 1) == 0) {
            *(volatile char *)nobody = 1;
            PROGRAM_CHECK(!"there was no fault");
        }
    }
    PROGRAM_CHECK(signal(SIGSEGV, SIG_DFL) != SIG_ERR && munmap(nobody, 4096) == 0);
    check(clReleaseMemObject(buffer));
}

/* ---- cl_intel_unified_shared_memory ---- */

static void *function_of(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(program.platform, name);
    PROGRAM_CHECK(function);
    return function;
}

/* A kernel that follows a pointer to unified memory; `allow`: of that kind it may follow any. */
static void follow_unified(cl_bool allow)
{
    clSharedMemAllocINTEL_fn allocate_shared;
    clMemBlockingFreeINTEL_fn free_blocking;
    *(void **)&allocate_shared = function_of("clSharedMemAllocINTEL");
    *(void **)&free_blocking = function_of("clMemBlockingFreeINTEL");
    cl_int error;
    cl_int *data = allocate_shared(program.context, program.device, NULL, SIZE, 0, &error);
    check(error);
    lead_holder_to(data);
    cl_kernel kernel = make_kernel("follow", holder);
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof allow,
                              &(cl_bool){CL_TRUE}));
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
                              sizeof allow, &allow));
    launch(program.queue, kernel, NULL, NULL);
    check(free_blocking(program.context, data));
}

static void unified_unlisted(void)
{
    follow_unified(CL_FALSE);
}

static void unified_allowed(void)
{
    follow_unified(CL_TRUE);
}

/* Memory of the host that is not an allocation: an argument may be what it likes until it is used.
 */
static void unified_argument_of_the_host(void)
{
    clSetKernelArgMemPointerINTEL_fn set_argument;
    *(void **)&set_argument = function_of("clSetKernelArgMemPointerINTEL");
    static cl_int own[COUNT];
    cl_kernel kernel = put(a, 0);
    check(set_argument(kernel, 0, own));
    launch(program.queue, kernel, NULL, NULL);
}

static void free_unified_behind_a_fill(const char *free_name)
{
    clDeviceMemAllocINTEL_fn allocate_there;
    clEnqueueMemFillINTEL_fn fill_there;
    clMemFreeINTEL_fn free_there; /* clMemBlockingFreeINTEL has its parameters */
    *(void **)&allocate_there = function_of("clDeviceMemAllocINTEL");
    *(void **)&fill_there = function_of("clEnqueueMemFillINTEL");
    *(void **)&free_there = function_of(free_name);
    const cl_int zero = 0;
    cl_int error;
    void *gone = allocate_there(program.context, program.device, NULL, SIZE, 0, &error);
    check(error);
    check(fill_there(program.queue, gone, &zero, sizeof zero, SIZE, 0, NULL, NULL));
    check(free_there(program.context, gone));
}

static void unified_freed_behind_a_fill(void)
{
    free_unified_behind_a_fill("clMemFreeINTEL");
}

static void unified_freed_with_a_wait(void)
{
    free_unified_behind_a_fill("clMemBlockingFreeINTEL");
}

static void *allocate_unified(void)
{
    clDeviceMemAllocINTEL_fn allocate_there;
    cl_int error;
    *(void **)&allocate_there = function_of("clDeviceMemAllocINTEL");
    void *memory = allocate_there(program.context, program.device, NULL, SIZE, 0, &error);
    check(error);
    return memory;
}

/* Freed after a launch that has it as its argument, and was flushed. */
static void free_unified_argument(const char *free_function)
{
    clSetKernelArgMemPointerINTEL_fn set_argument;
    clMemFreeINTEL_fn free_there;
    cl_int error;
    const cl_int past = 0;
    void *memory = allocate_unified();
    cl_kernel kernel = clCreateKernel(built, "put", &error);
    check(error);
    *(void **)&set_argument = function_of("clSetKernelArgMemPointerINTEL");
    *(void **)&free_there = function_of(free_function);
    check(set_argument(kernel, 0, memory));
    check(clSetKernelArg(kernel, 1, sizeof past, &past));
    launch(program.queue, kernel, NULL, NULL);
    check(clFlush(program.queue));
    free_there(program.context, memory);
}

static void unified_argument_freed(void)
{
    free_unified_argument("clMemFreeINTEL");
}

static void unified_argument_freed_with_a_wait(void)
{
    free_unified_argument("clMemBlockingFreeINTEL");
}

static void unified_left(void)
{
    allocate_unified();
}

/* The device takes it. */
static void unified_freed_by_another_context(void)
{
    clMemFreeINTEL_fn free_there;
    cl_context context = program_context(&program);
    *(void **)&free_there = function_of("clMemFreeINTEL");
    free_there(context, allocate_unified());
    check(clReleaseContext(context));
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
        CASE(within),
        CASE(beyond),
        CASE(beyond_from_the_middle),
        CASE(unlisted),
        CASE(listed),
        CASE(listed_one_by_one),
        CASE(listed_and_freed),
        CASE(freed_before_the_launch),
        CASE(freed_by_a_command),
        CASE(freed_before_its_unmap),
        CASE(freed_behind_a_fill),
        CASE(freed_behind_a_flush),
        CASE(freed_behind_another_queue),
        CASE(freed_after_finish),
        CASE(freed_after_poll),
        CASE(freed_in_its_callback),
        CASE(unified_freed_behind_a_fill),
        CASE(unified_freed_with_a_wait),
        CASE(unified_left),
        CASE(unified_argument_freed),
        CASE(unified_argument_freed_with_a_wait),
        CASE(unified_freed_by_another_context),
        CASE(written_while_mapped),
        CASE(read_while_mapped),
        CASE(written_after_unmap),
        CASE(listed_while_mapped),
        CASE(read_while_mapped_for_writing),
        CASE(buffer_read_while_mapped_for_writing),
        CASE(written_beside_a_map),
        CASE(unmapped_elsewhere),
        CASE(unmapped_twice),
        CASE(mapped_twice),
        CASE(freed_twice),
        CASE(freed_twice_by_commands),
        CASE(fine_while_mapped),
        CASE(written_without_a_map),
        CASE(never_written),
        CASE(migrated_empty),
        CASE(migrated_and_filled),
        CASE(written_by_the_host),
        CASE(two_queues),
        CASE(fine_in_two_queues),
        CASE(fine_in_two_queues_apart),
        CASE(two_queues_event),
        CASE(through_a_pointer),
        CASE(copies),
        CASE(copies_apart),
        CASE(buffer_over_it),
        CASE(atomics),
        CASE(atomics_narrow),
        CASE(atomics_as_before),
        CASE(atomics_narrow_apart),
        CASE(atomics_narrow_event),
        CASE(two_scopes),
        CASE(one_scope),
        CASE(two_scopes_of_two_kernels),
        CASE(one_scope_of_two_kernels),
        CASE(device_scope_on_two_devices),
        CASE(all_scope_on_two_devices),
        CASE(device_scope_on_sub_devices),
        CASE(two_scopes_without_atomics),
        CASE(passed),
        CASE(passed_without_atomics),
        CASE(fine_beside_the_host),
        CASE(fine_behind_an_atomic),
        CASE(other_bytes_beside_the_host),
        CASE(coarse_beside_the_host),
        CASE(coarse_left_alone),
        CASE(mapped_beside_the_host),
        CASE(faults_of_its_own),
        CASE(unified_unlisted),
        CASE(unified_allowed),
        CASE(unified_argument_of_the_host),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "svm: unknown case\n");
    return 3;
}
