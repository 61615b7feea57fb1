/* Shared virtual memory: the host and kernels see one memory at one address. What kernels must not
 * do with it is in tests/rules/svm. */
#include "tests/unit/icd/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char source[] =
    "typedef struct node { int value; global struct node *next; } node;\n"
    "kernel void sum(global node *list, global int *sums) {\n"
    "    int sum = 0;\n"
    "    for (global node *at = list; at; at = at->next) sum += at->value;\n"
    "    sums[get_global_id(0)] = sum;\n"
    "}\n"
    "kernel void link_up(global node *a, global node *b) {\n"
    "    a->value = 1; a->next = b; b->value = 2; b->next = 0;\n"
    "}\n"
    "kernel void address(global void *p, global ulong *out) { *out = (ulong)p; }\n"
    "kernel void add(global int *a, constant int *b) {\n"
    "    a[get_global_id(0)] += b[get_global_id(0)];\n"
    "}\n"
    "kernel void spaces(global ulong *place, global int *out) {\n"
    "    int mine = 5; local int ours; if (get_local_id(0) == 0) ours = 6;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    global int *p = (global int *)*place;\n"
    "    int *any[3] = {p, &ours, &mine};\n"
    "    out[0] = *any[0] + *any[1] + *any[2]; out[1] = to_global(any[0]) == p;\n"
    "}\n"
    "kernel void receive(volatile global atomic_int *flag, global int *data, global int *out) {\n"
    "    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) == "
    "0);\n"
    "    *out = *data;\n"
    "}\n"
    "kernel void count(volatile global atomic_int *n, int rounds) {\n"
    "    for (int i = 0; i < rounds; i++)\n"
    "        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
    "}\n";

struct node {
    cl_int value;
    struct node *next;
};

static cl_program program;

/* Of any processor that Linux runs on: watched pages must be an allocation's alone. */
enum { LARGEST_PAGE = 65536 };

static void *allocate(const struct fixture *fixture, cl_svm_mem_flags flags, size_t size)
{
    if ((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0)
        fixture_needs_fine_grain(fixture);
    void *memory = clSVMAlloc(fixture->context, flags, size, 0);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % LARGEST_PAGE, 0);
    return memory;
}

static cl_kernel make_kernel(const struct fixture *fixture, const char *name)
{
    if (!program)
        program = fixture_program(fixture, source, "-cl-std=CL3.0");
    return fixture_kernel(program, name);
}

static void run(const struct fixture *fixture, cl_kernel kernel, size_t items)
{
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
}

static void map(const struct fixture *fixture, cl_map_flags flags, void *memory, size_t size)
{
    CHECK(clEnqueueSVMMap(fixture->queue, CL_TRUE, flags, memory, size, 0, NULL, NULL));
}

static void unmap(const struct fixture *fixture, void *memory)
{
    CHECK(clEnqueueSVMUnmap(fixture->queue, memory, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
}

static void pointers_in_structures_are_followed(void **state)
{
    const struct fixture *fixture = *state;
    enum { COUNT = 100 };
    struct node *nodes = allocate(fixture, CL_MEM_READ_WRITE, COUNT * sizeof(*nodes));
    struct node *last = allocate(fixture, CL_MEM_READ_WRITE, sizeof(*last));
    cl_int *sums =
        allocate(fixture, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 70 * sizeof(*sums));
    map(fixture, CL_MAP_WRITE, nodes, COUNT * sizeof(*nodes));
    map(fixture, CL_MAP_WRITE, last, sizeof(*last));
    for (int i = 0; i < COUNT; i++)
        nodes[i] = (struct node){i, i + 1 < COUNT ? &nodes[i + 1] : last};
    *last = (struct node){1000, NULL};
    unmap(fixture, last);
    unmap(fixture, nodes);
    cl_kernel kernel = make_kernel(fixture, "sum");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, &nodes[50]));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, sums));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(last), &last));
    run(fixture, kernel, 70);
    for (int i = 0; i < 70; i++)
        assert_int_equal(sums[i], 99 * 100 / 2 - 49 * 50 / 2 + 1000);
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, nodes);
    clSVMFree(fixture->context, last);
    clSVMFree(fixture->context, sums);
}

static void kernels_make_pointers_that_the_host_follows(void **state)
{
    const struct fixture *fixture = *state;
    struct node *a = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*a));
    struct node *b = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*b));
    cl_kernel kernel = make_kernel(fixture, "link_up");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, a));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, b));
    run(fixture, kernel, 1);
    assert_ptr_equal(a->next, b);
    assert_int_equal(a->next->value, 2);
    assert_null(b->next);
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, a);
    clSVMFree(fixture->context, b);
}

static void a_buffer_over_it_is_the_same_memory(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    char *memory = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, 512);
    cl_ulong *seen = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*seen));
    cl_mem buffer =
        clCreateBuffer(fixture->context, CL_MEM_USE_HOST_PTR, 256, memory + 128, &result);
    CHECK(result);
    const cl_buffer_region region = {128, 64};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    CHECK(result);
    cl_bool shared = CL_FALSE;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof(shared), &shared, NULL));
    assert_true(shared);
    shared = CL_FALSE;
    CHECK(clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof(shared), &shared, NULL));
    assert_true(shared);
    cl_kernel kernel = make_kernel(fixture, "address");
    CHECK(clSetKernelArg(kernel, 0, sizeof(part), &part));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, seen));
    run(fixture, kernel, 1);
    assert_int_equal(*seen, (uintptr_t)memory + 256);
    const cl_int seven = 7;
    CHECK(clEnqueueWriteBuffer(fixture->queue, part, CL_TRUE, 4, 4, &seven, 0, NULL, NULL));
    assert_int_equal(memory[260], 7);
    void *mapped = clEnqueueMapBuffer(fixture->queue, part, CL_TRUE, CL_MAP_READ, 4, 4, 0, NULL,
                                      NULL, &result);
    CHECK(result);
    assert_ptr_equal(mapped, memory + 260);
    CHECK(clEnqueueUnmapMemObject(fixture->queue, part, mapped, 0, NULL, NULL));
    assert_null(clCreateBuffer(fixture->context, CL_MEM_USE_HOST_PTR, 385, memory + 128, &result));
    assert_int_equal(result, CL_INVALID_BUFFER_SIZE);
    CHECK(clFinish(fixture->queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(buffer));
    memory[0] = 1; /* outlives the buffers */
    clSVMFree(fixture->context, memory);
    clSVMFree(fixture->context, seen);
}

static void commands_move_bytes(void **state)
{
    const struct fixture *fixture = *state;
    cl_int *memory = allocate(fixture, CL_MEM_READ_WRITE, 64 * sizeof(cl_int));
    cl_int *other = allocate(fixture, CL_MEM_READ_WRITE, 64 * sizeof(cl_int));
    cl_int host[64] = {0};
    const cl_int pattern[2] = {3, 4};
    CHECK(clEnqueueSVMMemFill(fixture->queue, memory, pattern, 8, 256, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_FALSE, other, memory + 1, 252, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, host, other, 252, 0, NULL, NULL));
    assert_int_equal(host[0], 4);
    assert_int_equal(host[62], 4);
    assert_int_equal(host[63], 0);
    host[0] = 9;
    CHECK(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, other + 63, host, 4, 0, NULL, NULL));
    const void *both[] = {memory, other + 32};
    const size_t sizes[] = {0, 128};
    CHECK(clEnqueueSVMMigrateMem(fixture->queue, 2, both, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0,
                                 NULL, NULL));
    cl_kernel kernel = make_kernel(fixture, "add");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, memory));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, other));
    run(fixture, kernel, 64);
    map(fixture, CL_MAP_READ, memory, 256);
    assert_int_equal(memory[0], 7);
    assert_int_equal(memory[63], 13);
    unmap(fixture, memory);
    /* What ends outside of an allocation is refused. */
    assert_int_equal(
        clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, memory + 60, host, 17, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueSVMMap(fixture->queue, CL_TRUE, CL_MAP_READ, memory, 257, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMUnmap(fixture->queue, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, memory + 65), CL_INVALID_ARG_VALUE);
    CHECK(clSetKernelArgSVMPointer(kernel, 0, NULL));
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, memory);
    clSVMFree(fixture->context, other);
    assert_int_equal(clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, host, other, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
}

static void maps_nest(void **state)
{
    const struct fixture *fixture = *state;
    cl_int *memory = allocate(fixture, CL_MEM_READ_WRITE, 64);
    map(fixture, CL_MAP_READ, memory, 64);
    map(fixture, CL_MAP_READ, memory, 32);
    unmap(fixture, memory);
    unmap(fixture, memory);
    assert_int_equal(clEnqueueSVMUnmap(fixture->queue, memory, 0, NULL, NULL), CL_INVALID_VALUE);
    clSVMFree(fixture->context, memory);
}

static cl_uint freed_count;

static void CL_CALLBACK free_all(cl_command_queue queue, cl_uint count, void **pointers, void *user)
{
    cl_context context;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL));
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
    *(cl_uint *)user += count;
}

static void freeing_is_a_command(void **state)
{
    const struct fixture *fixture = *state;
    void *pointers[2] = {allocate(fixture, 0, 64), allocate(fixture, 0, 64)};
    void *first = pointers[0];
    cl_event event;
    cl_command_type type;
    CHECK(clEnqueueSVMFree(fixture->queue, 2, pointers, free_all, &freed_count, 0, NULL, &event));
    memset(pointers, 0, sizeof(pointers)); /* "can be reused or freed after the function returns" */
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_SVM_FREE);
    CHECK(clFinish(fixture->queue));
    assert_int_equal(freed_count, 2);
    assert_int_equal(clEnqueueSVMMemFill(fixture->queue, first, &type, 4, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    pointers[0] = allocate(fixture, 0, 64);
    assert_ptr_not_equal(pointers[0], first); /* no address is given out twice */
    CHECK(clEnqueueSVMFree(fixture->queue, 1, pointers, NULL, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(clEnqueueSVMMemFill(fixture->queue, pointers[0], &type, 4, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseEvent(event));
}

static void a_command_fails_whose_memory_was_freed_before_it_ran(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    cl_int *memory = allocate(fixture, 0, 64);
    cl_event gate = clCreateUserEvent(fixture->context, &result);
    CHECK(result);
    cl_event event;
    CHECK(clEnqueueSVMMemFill(fixture->queue, memory, &result, 4, 64, 1, &gate, &event));
    clSVMFree(fixture->context, memory);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(fixture_status(event), CL_OUT_OF_RESOURCES);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(event));
}

static void memory_is_limited(void **state)
{
    const struct fixture *fixture = *state;
    enum { COUNT = 5 };
    const size_t quarter = (size_t)256 << 20;
    void *pointers[COUNT];
    for (int i = 0; i < COUNT; i++)
        pointers[i] = clSVMAlloc(fixture->context, 0, quarter, 0);
    assert_non_null(pointers[2]);
    assert_null(pointers[COUNT - 1]);
    for (int i = 0; i < COUNT; i++)
        clSVMFree(fixture->context, pointers[i]);
    assert_null(clSVMAlloc(fixture->context, 0, quarter + 1, 0));
    assert_null(clSVMAlloc(fixture->context, 0, 64, 256));
}

/* Private, local and shared memory by pointers that name no address space. */
static void generic_pointers_lead_to_it(void **state)
{
    const struct fixture *fixture = *state;
    cl_int **place = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*place));
    cl_int *out = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, 3 * sizeof(*out));
    *place = &out[2];
    out[2] = 7;
    cl_kernel kernel = make_kernel(fixture, "spaces");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, place));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, out));
    run(fixture, kernel, 1);
    assert_int_equal(out[0], 18);
    assert_int_equal(out[1], 1);
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, place);
    clSVMFree(fixture->context, out);
}

enum { ROUNDS = 20000 };

static void *count_on_the_host(void *counter)
{
    for (int i = 0; i < ROUNDS; i++)
        atomic_fetch_add(*(_Atomic(atomic_int *) *)counter, 1);
    return NULL;
}

static void atomics_of_the_host_and_of_kernels_lose_nothing(void **state)
{
    const struct fixture *fixture = *state;
    _Atomic(atomic_int *) counter =
        allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof(atomic_int));
    const cl_int rounds = ROUNDS / 100;
    atomic_init(counter, 0);
    cl_kernel kernel = make_kernel(fixture, "count");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, counter));
    CHECK(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, count_on_the_host, &counter), 0);
    run(fixture, kernel, 100);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(atomic_load(counter), 2 * ROUNDS);
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 1, counter), CL_INVALID_ARG_VALUE);
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, counter);
}

struct message {
    atomic_int flag;
    cl_int data;
};

static void *send_after_a_while(void *user)
{
    struct message *message = user;
    usleep(30000);
    message->data = 42;
    atomic_store_explicit(&message->flag, 1, memory_order_release);
    return NULL;
}

static void a_kernel_may_wait_for_another_thread_of_the_host(void **state)
{
    const struct fixture *fixture = *state;
    struct message *message =
        allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof(*message));
    cl_int *out = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*out));
    atomic_init(&message->flag, 0);
    *out = 0;
    cl_kernel kernel = make_kernel(fixture, "receive");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, &message->flag));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, &message->data));
    CHECK(clSetKernelArgSVMPointer(kernel, 2, out));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_after_a_while, message), 0);
    run(fixture, kernel, 1);
    assert_int_equal(*out, 42);
    assert_int_equal(pthread_join(thread, NULL), 0);
    CHECK(clReleaseKernel(kernel));
    clSVMFree(fixture->context, message);
    clSVMFree(fixture->context, out);
}

static void a_clone_keeps_what_was_listed(void **state)
{
    const struct fixture *fixture = *state;
    struct node *first = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*first));
    struct node *last = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*last));
    cl_int *sums = allocate(fixture, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*sums));
    *first = (struct node){1, last};
    *last = (struct node){2, NULL};
    cl_kernel kernel = make_kernel(fixture, "sum");
    CHECK(clSetKernelArgSVMPointer(kernel, 0, first));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, sums));
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(last), &last));
    cl_int result;
    cl_kernel clone = clCloneKernel(kernel, &result);
    CHECK(result);
    CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    CHECK(clReleaseKernel(kernel));
    run(fixture, clone, 1);
    assert_int_equal(*sums, 3);
    CHECK(clReleaseKernel(clone));
    clSVMFree(fixture->context, first);
    clSVMFree(fixture->context, last);
    clSVMFree(fixture->context, sums);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_in_structures_are_followed),
        cmocka_unit_test(kernels_make_pointers_that_the_host_follows),
        cmocka_unit_test(a_buffer_over_it_is_the_same_memory),
        cmocka_unit_test(commands_move_bytes),
        cmocka_unit_test(maps_nest),
        cmocka_unit_test(freeing_is_a_command),
        cmocka_unit_test(a_command_fails_whose_memory_was_freed_before_it_ran),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(generic_pointers_lead_to_it),
        cmocka_unit_test(atomics_of_the_host_and_of_kernels_lose_nothing),
        cmocka_unit_test(a_kernel_may_wait_for_another_thread_of_the_host),
        cmocka_unit_test(a_clone_keeps_what_was_listed),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
