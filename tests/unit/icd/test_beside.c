/* Kernels of several queues that wait for each other: one of them can always go on. */
#include "tests/unit/icd/fixture.h"

typedef int32_t set_option(const char *name, const char *value);

static void set_schedule(const struct fixture *fixture, const char *schedule)
{
    set_option *option;
    *(void **)&option =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetDeviceOptionCLERK");
    assert_int_equal(option("schedule", schedule), CL_SUCCESS);
}

static const char TEXT[] =
    "#define GET(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)\n"
    "#define SET(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)\n"
    "#define AWAIT(p, v) while (GET(p) != (v))\n"
    "kernel void waits(global atomic_int *a) { AWAIT(a, 1); SET(a, 2); }\n"
    "kernel void sets(global atomic_int *a) { SET(a, 1); }\n"
    "kernel void ping(global atomic_int *a)\n"
    "{\n"
    "    for (int i = 0; i < 8; i += 2) { AWAIT(a, i); SET(a, i + 1); }\n"
    "}\n"
    "kernel void pong(global atomic_int *a)\n"
    "{\n"
    "    for (int i = 1; i < 8; i += 2) { AWAIT(a, i); SET(a, i + 1); }\n"
    "}\n"
    "kernel void takes(read_only pipe int from, global int *out)\n"
    "{\n"
    "    for (int i = 0; i < 8; i++) while (read_pipe(from, &out[i]) != 0) ;\n"
    "}\n"
    "kernel void gives(write_only pipe int to)\n"
    "{\n"
    "    for (int i = 0; i < 8; i++) { int v = 10 * i; while (write_pipe(to, &v) != 0) ; }\n"
    "}\n"
    "kernel void tickets(global atomic_int *next, int first)\n"
    "{\n"
    "    global int *out = (global int *)next + 1;\n"
    "    out[first + get_global_id(0)] =\n"
    "        atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);\n"
    "}\n";

enum { WORDS = 17 };

/* Shared memory, zeroes; the host may use it once all commands have ended. */
static int *shared(const struct fixture *fixture)
{
    int *words = clSVMAlloc(fixture->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                            WORDS * sizeof(int), 0);
    assert_non_null(words);
    memset(words, 0, WORDS * sizeof(int));
    return words;
}

static void enqueue(cl_command_queue queue, cl_kernel kernel, size_t items)
{
    const size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &one, 0, NULL, NULL));
    CHECK(clReleaseKernel(kernel));
}

static cl_kernel kernel_on_words(cl_program program, const char *name, int *words)
{
    cl_kernel kernel = fixture_kernel(program, name);
    CHECK(clSetKernelArgSVMPointer(kernel, 0, words));
    return kernel;
}

/* Runs both, unordered, and gives what is in the first word then. */
static int run_both(const struct fixture *fixture, const char *first, const char *second)
{
    cl_program program = fixture_program(fixture, TEXT, "-cl-std=CL3.0");
    cl_command_queue other = fixture_out_of_order(fixture);
    int *words = shared(fixture);
    enqueue(fixture->queue, kernel_on_words(program, first, words), 1);
    enqueue(other, kernel_on_words(program, second, words), 1);
    CHECK(clFlush(other));
    CHECK(clFinish(fixture->queue));
    CHECK(clFinish(other));
    const int value = words[0];
    clSVMFree(fixture->context, words);
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseProgram(program));
    return value;
}

static void a_kernel_waits_for_one_of_another_queue(void **state)
{
    fixture_needs_fine_grain(*state);
    assert_int_equal(run_both(*state, "waits", "sets"), 2);
    assert_int_equal(run_both(*state, "sets", "waits"), 2);
}

static void two_kernels_wait_for_each_other_in_turn(void **state)
{
    static const char *const schedules[] = {"asc", "desc", "seed:1", "seed:2"};
    fixture_needs_fine_grain(*state);
    for (int i = 0; i < 4; i++) {
        set_schedule(*state, schedules[i]);
        assert_int_equal(run_both(*state, "ping", "pong"), 8);
        assert_int_equal(run_both(*state, "pong", "ping"), 8);
    }
    set_schedule(*state, "asc");
}

/* The pipe has room for two packets of eight. */
static void a_pipe_leads_from_one_kernel_to_another(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    int out[8];
    cl_program program = fixture_program(fixture, TEXT, "-cl-std=CL3.0");
    for (int first = 0; first < 2; first++) {
        cl_command_queue queue = fixture_out_of_order(fixture);
        cl_mem pipe = clCreatePipe(fixture->context, 0, sizeof(int), 2, NULL, &result);
        CHECK(result);
        cl_mem mem = fixture_buffer(fixture, sizeof(out), NULL);
        cl_kernel gives = fixture_kernel(program, "gives");
        cl_kernel takes = fixture_kernel(program, "takes");
        CHECK(clSetKernelArg(gives, 0, sizeof(cl_mem), &pipe));
        CHECK(clSetKernelArg(takes, 0, sizeof(cl_mem), &pipe));
        CHECK(clSetKernelArg(takes, 1, sizeof(cl_mem), &mem));
        enqueue(queue, first == 0 ? gives : takes, 1);
        enqueue(queue, first == 0 ? takes : gives, 1);
        CHECK(clFinish(queue));
        CHECK(
            clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        for (int i = 0; i < 8; i++)
            assert_int_equal(out[i], 10 * i);
        CHECK(clReleaseMemObject(mem));
        CHECK(clReleaseMemObject(pipe));
        CHECK(clReleaseCommandQueue(queue));
    }
    CHECK(clReleaseProgram(program));
}

/* Two kernels of eight work-groups, each of which takes a ticket; the work-groups of the first that
 * took a ticket behind one of the second. */
static int count_mixed(const struct fixture *fixture, const char *schedule)
{
    cl_program program = fixture_program(fixture, TEXT, "-cl-std=CL3.0");
    cl_command_queue queue = fixture_out_of_order(fixture);
    int *words = shared(fixture);
    int mixed = 0, sum = 0;
    set_schedule(fixture, schedule);
    for (int first = 0; first < 16; first += 8) {
        cl_kernel kernel = kernel_on_words(program, "tickets", words);
        CHECK(clSetKernelArg(kernel, 1, sizeof(first), &first));
        enqueue(queue, kernel, 8);
    }
    CHECK(clFinish(queue));
    set_schedule(fixture, "asc");
    for (int i = 0; i < 16; i++) {
        sum += words[1 + i];
        mixed += i < 8 && words[1 + i] >= 8;
    }
    assert_int_equal(sum, 15 * 16 / 2);
    clSVMFree(fixture->context, words);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseProgram(program));
    return mixed;
}

static void work_groups_of_unordered_kernels_mix_by_the_seed(void **state)
{
    fixture_needs_fine_grain(*state);
    int mixed = 0;
    assert_int_equal(count_mixed(*state, "asc"), 0);
    for (int seed = 1; seed <= 4; seed++) {
        char schedule[16];
        snprintf(schedule, sizeof schedule, "seed:%d", seed);
        mixed += count_mixed(*state, schedule);
    }
    assert_true(mixed > 0);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_waits_for_one_of_another_queue),
        cmocka_unit_test(two_kernels_wait_for_each_other_in_turn),
        cmocka_unit_test(a_pipe_leads_from_one_kernel_to_another),
        cmocka_unit_test(work_groups_of_unordered_kernels_mix_by_the_seed),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
