/* What messages call memory objects: numbers, and the names of the arguments of the kernels that
 * they were first handed to. */
#include "checkers/host/checker.h"
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    CONTEXT = 0xc0,
    QUEUE = 0xa0,
    BUFFER = 0xb0,
    SECOND = 0xb8,
    PROGRAM = 0x90,
    KERNEL = 0x80,
    OTHER_KERNEL = 0x88,
};

static struct stream stream;

static void answer(uint64_t kernel, uint32_t entry, uint64_t query, const void *bytes, size_t size)
{
    struct api_call call = stream_call(&stream, entry);
    call.flags = API_CALL_SYNTHETIC;
    call.arguments[0].bits = kernel;
    call_set(&call, "param_name", query);
    call_set_bytes(&stream, &call, "param_value", bytes, size);
    stream_perform(&stream, &call, CL_SUCCESS);
}

/* A kernel with one argument, a pointer to global memory; `argument`: NULL = nobody knows its name.
 */
static void make_kernel(uint64_t handle, const char *name, const char *argument)
{
    const uint32_t address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
    const uint32_t count = 1;
    struct api_call kernel = stream_call(&stream, API_ENTRY_clCreateKernel);
    call_set(&kernel, "program", PROGRAM);
    call_set_bytes(&stream, &kernel, "kernel_name", name, strlen(name));
    kernel.flags = API_CALL_SYNTHETIC;
    stream_perform(&stream, &kernel, handle);
    answer(handle, API_ENTRY_clGetKernelInfo, CL_KERNEL_NUM_ARGS, &count, sizeof count);
    answer(handle, API_ENTRY_clGetKernelArgInfo, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &address,
           sizeof address);
    answer(handle, API_ENTRY_clGetKernelArgInfo, CL_KERNEL_ARG_TYPE_NAME, "float*", 7);
    if (argument)
        answer(handle, API_ENTRY_clGetKernelArgInfo, CL_KERNEL_ARG_NAME, argument,
               strlen(argument) + 1);
}

static int setup(void **state)
{
    (void)state;
    stream_init(&stream, false, "all");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_buffer(&stream, CONTEXT, BUFFER);
    make_buffer(&stream, CONTEXT, SECOND);
    struct api_call program = stream_call(&stream, API_ENTRY_clCreateProgramWithBuiltInKernels);
    call_set(&program, "context", CONTEXT);
    program.flags = API_CALL_SYNTHETIC;
    stream_perform(&stream, &program, PROGRAM);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stream_release(&stream);
    return 0;
}

static void set(uint64_t kernel, uint64_t buffer)
{
    struct api_call set = stream_call(&stream, API_ENTRY_clSetKernelArg);
    call_set(&set, "kernel", kernel);
    call_set(&set, "arg_size", sizeof buffer);
    call_set_bytes(&stream, &set, "arg_value", &buffer, sizeof buffer);
    stream_perform(&stream, &set, CL_SUCCESS);
}

static void launch(uint64_t kernel, uint64_t buffer)
{
    const uint64_t size = 64;
    set(kernel, buffer);
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueNDRangeKernel);
    call_set(&call, "command_queue", QUEUE);
    call_set(&call, "kernel", kernel);
    call_set(&call, "work_dim", 1);
    call_set_bytes(&stream, &call, "global_work_size", &size, sizeof size);
    call.arguments[API_clEnqueueNDRangeKernel_global_work_size].count = 1;
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void expect_name(uint64_t buffer, const char *name)
{
    const struct judged judged = {.checker = stream.checker};
    struct object_label label;
    assert_string_equal(label_object(&judged, buffer, &label), name);
}

static void a_buffer_is_what_the_kernel_calls_it(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    expect_name(BUFFER, "buffer#1 (4096 bytes)");
    launch(KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'out' of kernel 'scale')");
    expect_name(SECOND, "buffer#2 (4096 bytes)");
}

static void buffers_of_one_name_keep_their_numbers(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    launch(KERNEL, BUFFER);
    launch(KERNEL, SECOND);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'out' of kernel 'scale')");
    expect_name(SECOND, "buffer#2 (4096 bytes, 'out' of kernel 'scale')");
}

static void the_first_kernel_names_it(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    make_kernel(OTHER_KERNEL, "sum", "in");
    launch(KERNEL, BUFFER);
    launch(OTHER_KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'out' of kernel 'scale')");
}

static void a_name_that_nobody_knows_is_not_told(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", NULL);
    launch(KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes)");
    make_kernel(OTHER_KERNEL, "sum", "in");
    launch(OTHER_KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'in' of kernel 'sum')");
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    make_kernel(KERNEL, "a_kernel_with_quite_a_long_name",
                "an_argument_with_a_name_that_is_longer");
    launch(KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'an_argument_with_a_name_that...' of kernel "
                        "'a_kernel_with_quite...)");
}

/* A driver gives the handle of a dead object to a new one. */
static void a_new_buffer_has_no_name_yet(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    launch(KERNEL, BUFFER);
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    make_buffer(&stream, CONTEXT, BUFFER);
    expect_name(BUFFER, "buffer#3 (4096 bytes)");
    launch(KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#3 (4096 bytes, 'out' of kernel 'scale')");
}

/* Messages about it come later. */
static void the_name_outlives_the_kernel(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    launch(KERNEL, BUFFER);
    perform_on(&stream, API_ENTRY_clReleaseKernel, KERNEL);
    make_kernel(KERNEL, "sum", "in");
    launch(KERNEL, SECOND);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'out' of kernel 'scale')");
    expect_name(SECOND, "buffer#2 (4096 bytes, 'in' of kernel 'sum')");
}

static void a_clone_knows_the_names(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    struct api_call clone = stream_call(&stream, API_ENTRY_clCloneKernel);
    call_set(&clone, "source_kernel", KERNEL);
    stream_perform(&stream, &clone, OTHER_KERNEL);
    launch(OTHER_KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'out' of kernel#2)");
    answer(OTHER_KERNEL, API_ENTRY_clGetKernelInfo, CL_KERNEL_FUNCTION_NAME, "scale", 6);
    launch(OTHER_KERNEL, SECOND);
    expect_name(SECOND, "buffer#2 (4096 bytes, 'out' of kernel 'scale')");
}

static void a_recorded_kernel_names_it(void **state)
{
    (void)state;
    make_kernel(KERNEL, "scale", "out");
    set(KERNEL, BUFFER);
    expect_name(BUFFER, "buffer#1 (4096 bytes)");
    struct api_call record = stream_call(&stream, API_ENTRY_clCommandNDRangeKernelKHR);
    call_set(&record, "kernel", KERNEL);
    stream_perform(&stream, &record, CL_SUCCESS);
    expect_name(BUFFER, "buffer#1 (4096 bytes, 'out' of kernel 'scale')");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_buffer_is_what_the_kernel_calls_it, setup, teardown),
        cmocka_unit_test_setup_teardown(buffers_of_one_name_keep_their_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_kernel_names_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_name_that_nobody_knows_is_not_told, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_name_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(a_new_buffer_has_no_name_yet, setup, teardown),
        cmocka_unit_test_setup_teardown(the_name_outlives_the_kernel, setup, teardown),
        cmocka_unit_test_setup_teardown(a_clone_knows_the_names, setup, teardown),
        cmocka_unit_test_setup_teardown(a_recorded_kernel_names_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
