/* What the further schedules of a kernel cost whose work-items communicate: no more than eight
 * times the instructions of the first run, and twenty million. */
#include "checkers/schedules.h"
#include "checkers/sink.h"
#include "tests/unit/icd/fixture.h"

#include <inttypes.h>

/* A run ends with a block of the code, once the budget is spent. */
enum { BLOCK_MAX = 1000 };

static const char source[] =
    "kernel void takes_turns(global atomic_int *turn, global int *sum, int rounds)\n"
    "{\n"
    "    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_device)\n"
    "           != get_group_id(0)) { }\n"
    "    for (int i = 0; i < rounds; i++)\n"
    "        sum[i % 7] += i ^ sum[(i + 1) % 7];\n"
    "    atomic_store_explicit(turn, get_group_id(0) + 1, memory_order_release,\n"
    "                          memory_scope_device);\n"
    "}\n"
    "kernel void computes(global atomic_int *turn, global int *sum, int rounds)\n"
    "{\n"
    "    uint value = get_global_id(0);\n"
    "    for (int i = 0; i < rounds; i++)\n"
    "        value = value * 1664525u + (value >> 7);\n"
    "    if (atomic_exchange_explicit(turn, value, memory_order_relaxed, memory_scope_device) == "
    "1)\n"
    "        sum[0] = 1;\n"
    "}\n";

/* Instructions, and whether the run was ended for them. */
static struct sink_meter run(const struct fixture *fixture, cl_kernel kernel, const size_t size[2],
                             const char *schedule, uint64_t budget)
{
    static const int zeros[8];
    struct sink_meter meter = {.budget = budget};
    sink_meter_function *set_meter;
    sink_option_function *set_option;
    *(void **)&set_meter =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, SINK_METER_FUNCTION);
    *(void **)&set_option =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, SINK_OPTION_FUNCTION);
    cl_mem turn = fixture_buffer(fixture, sizeof zeros, zeros);
    cl_mem sum = fixture_buffer(fixture, sizeof zeros, zeros);
    CHECK(clSetKernelArg(kernel, 0, sizeof turn, &turn));
    CHECK(clSetKernelArg(kernel, 1, sizeof sum, &sum));
    assert_int_equal(set_option("checks", "none"), 0);
    assert_int_equal(set_option("schedule", schedule), 0);
    set_meter(&meter);
    CHECK(
        clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &size[0], &size[1], 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    set_meter(NULL);
    CHECK(clReleaseMemObject(turn));
    CHECK(clReleaseMemObject(sum));
    assert_true(meter.communicates);
    return meter;
}

static void no_schedule_costs_more_than_its_budget(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const schedules[] = {"desc",    "turns:1", "items:desc",
                                            "pct:3:1", "pct:3:2", "hold:0:1"};
    static const struct {
        const char *kernel;
        int rounds;
        size_t size[2];
        bool is_long; /* work-items that run one by one take more */
    } cases[] = {
        {"takes_turns", 2000, {8, 1}, false},
        {"computes", 2000, {256, 64}, false},
        {"computes", 60000, {256, 64}, true},
    };
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_kernel kernel = fixture_kernel(program, cases[i].kernel);
        CHECK(clSetKernelArg(kernel, 2, sizeof cases[i].rounds, &cases[i].rounds));
        const uint64_t first = run(fixture, kernel, cases[i].size, "asc", 0).operations;
        const uint64_t most = 8 * first + 20000000;
        assert_true(schedules_budget(first, 0) == most);
        for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
            const struct sink_meter meter =
                run(fixture, kernel, cases[i].size, schedules[s], schedules_budget(first, 0));
            if (meter.operations > most + BLOCK_MAX)
                fail_msg("%s, %s: %" PRIu64 " of %" PRIu64, cases[i].kernel, schedules[s],
                         meter.operations, most);
            assert_true(meter.spent == (cases[i].is_long && strcmp(schedules[s], "desc") != 0));
        }
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_schedule_costs_more_than_its_budget),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
