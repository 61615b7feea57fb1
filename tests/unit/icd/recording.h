/* What the tests of command-buffers share. */
#ifndef TESTS_UNIT_ICD_RECORDING_H
#define TESTS_UNIT_ICD_RECORDING_H

#include "tests/unit/icd/fixture.h"

#include "tests/rules/functions.h"

enum { COUNT = 16, SIZE = COUNT * sizeof(cl_int) };

static inline int setup(void **state)
{
    fixture_setup(state);
    find_functions(((struct fixture *)*state)->platform);
    return 0;
}

static inline cl_command_buffer_khr make_with(cl_command_queue queue,
                                              cl_command_buffer_flags_khr flags)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int result;
    cl_command_buffer_khr buffer =
        f.clCreateCommandBufferKHR(1, &queue, flags ? properties : NULL, &result);
    CHECK(result);
    return buffer;
}

/* Enqueues it, with its own queue, and waits. */
static inline void perform(const struct fixture *fixture, cl_command_buffer_khr buffer)
{
    CHECK(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
}

static inline void expect(const struct fixture *fixture, cl_mem mem, const cl_int expected[COUNT])
{
    cl_int found[COUNT];
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, SIZE, found, 0, NULL, NULL));
    assert_memory_equal(found, expected, SIZE);
}

static inline cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer)
{
    cl_command_buffer_state_khr state = 9;
    CHECK(f.clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state,
                                      NULL));
    return state;
}

#endif
