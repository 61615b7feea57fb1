/* cl_khr_command_buffer_mutable_dispatch: what updates change, and when; errors; queries. */
#include "tests/unit/icd/recording.h"

static const char source[] =
    "kernel void put(global int *a, int value) { a[get_global_id(0)] = value; }\n"
    "kernel void groups(global int *a) { a[get_global_id(0)] = (int)get_local_size(0); }\n";

static cl_kernel make_kernel(const struct fixture *fixture, const char *name)
{
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, name);
    CHECK(clReleaseProgram(program));
    return kernel;
}

static cl_kernel make_put(const struct fixture *fixture, cl_mem mem, cl_int value)
{
    cl_kernel kernel = make_kernel(fixture, "put");
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clSetKernelArg(kernel, 1, sizeof value, &value));
    return kernel;
}

static cl_mutable_command_khr launch(cl_command_buffer_khr buffer, cl_kernel kernel,
                                     cl_mutable_dispatch_fields_khr fields, size_t size,
                                     const size_t *local)
{
    const cl_command_properties_khr properties[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                    fields, 0};
    cl_mutable_command_khr command = NULL;
    CHECK(f.clCommandNDRangeKernelKHR(buffer, NULL, fields ? properties : NULL, kernel, 1, NULL,
                                      &size, local, 0, NULL, NULL, &command));
    assert_non_null(command);
    return command;
}

static cl_int update(cl_command_buffer_khr buffer, const struct api_mutable_config *config)
{
    const cl_command_buffer_update_type_khr type = API_MUTABLE_DISPATCH_CONFIG;
    const void *configs[] = {config};
    return f.clUpdateMutableCommandsKHR(buffer, 1, &type, configs);
}

static cl_int update_value(cl_command_buffer_khr buffer, cl_mutable_command_khr command,
                           cl_int value)
{
    const cl_mutable_dispatch_arg_khr argument = {1, sizeof value, &value};
    return update(buffer, &(struct api_mutable_config){
                              .command = command, .num_args = 1, .arg_list = &argument});
}

static void arguments_and_sizes_change(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_mem b = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_put(fixture, a, 1);
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command = launch(buffer, kernel, 0, 2, NULL);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    perform(fixture, buffer);
    const cl_int five = 5;
    const cl_mutable_dispatch_arg_khr arguments[] = {{0, sizeof b, &b}, {1, sizeof five, &five}};
    CHECK(update(buffer, &(struct api_mutable_config){.command = command,
                                                      .num_args = 2,
                                                      .arg_list = arguments,
                                                      .global_work_offset = &(size_t){1},
                                                      .global_work_size = &(size_t){3}}));
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){1, 1});
    expect(fixture, b, (cl_int[COUNT]){0, 5, 5, 5});
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_int), &(cl_int){9})); /* not the recorded one's */
    CHECK(update_value(buffer, command, 6));
    perform(fixture, buffer);
    expect(fixture, b, (cl_int[COUNT]){0, 6, 6, 6});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

static void work_groups_change(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_kernel(fixture, "groups");
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command = launch(buffer, kernel, 0, 4, &(size_t){2});
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){2, 2, 2, 2});
    const struct api_mutable_config fours = {.command = command, .local_work_size = &(size_t){4}};
    const struct api_mutable_config threes = {.command = command, .local_work_size = &(size_t){3}};
    CHECK(update(buffer, &fours));
    assert_int_equal(update(buffer, &threes), CL_INVALID_OPERATION); /* not uniform */
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){4, 4, 4, 4});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

static void shared_memory_changes(void **state)
{
    struct fixture *fixture = *state;
    fixture_needs_fine_grain(fixture);
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_int *memory = clSVMAlloc(fixture->context, CL_MEM_SVM_FINE_GRAIN_BUFFER, SIZE, 0);
    cl_kernel kernel = make_put(fixture, a, 3);
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command = launch(buffer, kernel, 0, 2, NULL);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    memset(memory, 0, SIZE);
    const cl_mutable_dispatch_arg_khr pointer = {0, 0, memory};
    void *list[] = {memory};
    const cl_mutable_dispatch_exec_info_khr info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list,
                                                    list};
    const cl_mutable_dispatch_exec_info_khr wrong = {0x9999, sizeof list, list};
    CHECK(update(buffer, &(struct api_mutable_config){.command = command,
                                                      .num_svm_args = 1,
                                                      .arg_svm_list = &pointer,
                                                      .num_exec_infos = 1,
                                                      .exec_info_list = &info}));
    assert_int_equal(update(buffer, &(struct api_mutable_config){.command = command,
                                                                 .num_exec_infos = 1,
                                                                 .exec_info_list = &wrong}),
                     CL_INVALID_VALUE);
    perform(fixture, buffer);
    assert_memory_equal(memory, ((cl_int[]){3, 3, 0}), 3 * sizeof(cl_int));
    expect(fixture, a, (cl_int[COUNT]){0});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
    clSVMFree(fixture->context, memory);
}

/* What is enqueued is the command-buffer as it is then. */
static void what_is_enqueued_stays(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_put(fixture, a, 1);
    cl_command_queue free_queue = fixture_out_of_order(fixture);
    cl_command_buffer_khr buffer = make_with(
        free_queue, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_mutable_command_khr command = launch(buffer, kernel, 0, 1, NULL);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    cl_event gate = clCreateUserEvent(fixture->context, &result);
    CHECK(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 1, &gate, NULL));
    CHECK(update_value(buffer, command, 2));
    CHECK(update(buffer, &(struct api_mutable_config){.command = command,
                                                      .global_work_offset = &(size_t){1}}));
    CHECK(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(free_queue));
    expect(fixture, a, (cl_int[COUNT]){1, 2});
    CHECK(clReleaseEvent(gate));
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseCommandQueue(free_queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

static void arguments_may_come_later(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_kernel(fixture, "put");
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command =
        launch(buffer, kernel, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 2, NULL);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_int_equal(f.clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    CHECK(update_value(buffer, command, 8));
    assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){8, 8});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

/* "Otherwise, none of the updates to mutable-command objects are preserved" */
static void a_wrong_update_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_put(fixture, a, 1);
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command = launch(buffer, kernel, 0, 2, NULL);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    const cl_int five = 5, six = 6;
    const cl_mutable_dispatch_arg_khr good = {1, sizeof five, &five}, more = {1, sizeof six, &six};
    const cl_mutable_dispatch_arg_khr bad = {2, sizeof five, &five};
    const struct api_mutable_config first = {.command = command, .num_args = 1, .arg_list = &good};
    const struct api_mutable_config wrong = {.command = command, .num_args = 1, .arg_list = &bad};
    const struct api_mutable_config second = {.command = command, .num_args = 1, .arg_list = &more};
    const cl_command_buffer_update_type_khr types[2] = {API_MUTABLE_DISPATCH_CONFIG,
                                                        API_MUTABLE_DISPATCH_CONFIG};
    assert_int_equal(
        f.clUpdateMutableCommandsKHR(buffer, 2, types, (const void *[]){&first, &wrong}),
        CL_INVALID_ARG_INDEX);
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){1, 1});
    CHECK(f.clUpdateMutableCommandsKHR(buffer, 2, types, (const void *[]){&first, &second}));
    perform(fixture, buffer);
    expect(fixture, a, (cl_int[COUNT]){6, 6});
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

static void wrong_updates_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_put(fixture, a, 1);
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_command_buffer_khr fixed = make_with(fixture->queue, 0);
    cl_mutable_command_khr command =
        launch(buffer, kernel, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 2, NULL);
    cl_mutable_command_khr still = launch(fixed, kernel, 0, 2, NULL);
    const struct api_mutable_config size = {.command = command, .global_work_size = &(size_t){1}};
    const cl_command_buffer_update_type_khr type = API_MUTABLE_DISPATCH_CONFIG, other = 7;
    const void *configs[] = {&size}, *nothing[] = {NULL};
    assert_int_equal(update(buffer, &size), CL_INVALID_OPERATION); /* not finalized */
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    CHECK(f.clFinalizeCommandBufferKHR(fixed));
    assert_int_equal(update(NULL, &size), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(update_value(fixed, still, 1), CL_INVALID_OPERATION); /* not mutable */
    assert_int_equal(f.clUpdateMutableCommandsKHR(buffer, 1, NULL, configs), CL_INVALID_VALUE);
    assert_int_equal(f.clUpdateMutableCommandsKHR(buffer, 0, &type, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.clUpdateMutableCommandsKHR(buffer, 1, &type, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.clUpdateMutableCommandsKHR(buffer, 1, &type, nothing), CL_INVALID_VALUE);
    assert_int_equal(f.clUpdateMutableCommandsKHR(buffer, 1, &other, configs), CL_INVALID_VALUE);
    const size_t one = 1;
    const cl_mutable_dispatch_arg_khr argument = {0, sizeof a, &a};
    const struct {
        cl_int error;
        struct api_mutable_config config;
    } rows[] = {
        {CL_SUCCESS, size},
        {CL_INVALID_MUTABLE_COMMAND_KHR, {.command = NULL}},
        {CL_INVALID_MUTABLE_COMMAND_KHR, {.command = still}},
        {CL_INVALID_OPERATION, {.command = command, .work_dim = 2}},
        {CL_INVALID_OPERATION, {.command = command, .global_work_offset = &one}},
        {CL_INVALID_OPERATION, {.command = command, .local_work_size = &one}},
        {CL_INVALID_OPERATION, {.command = command, .num_args = 1, .arg_list = &argument}},
        {CL_INVALID_OPERATION, {.command = command, .num_svm_args = 1, .arg_svm_list = &argument}},
        {CL_INVALID_OPERATION, {.command = command, .num_exec_infos = 1, .exec_info_list = &one}},
        {CL_INVALID_VALUE, {.command = command, .num_args = 1}},
        {CL_INVALID_VALUE, {.command = command, .arg_svm_list = &argument}},
        {CL_INVALID_VALUE, {.command = command, .num_exec_infos = 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(update(buffer, &rows[i].config), rows[i].error);
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(f.clReleaseCommandBufferKHR(fixed));
    assert_int_equal(f.clGetMutableCommandInfoKHR(still, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 4,
                                                  &(cl_uint){0}, NULL),
                     CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

/* Sizes of work-groups must be named where the program asserts that there will not be more. */
static void asserts_are_checked(void **state)
{
    struct fixture *fixture = *state;
    const cl_command_properties_khr asserts[] = {
        CL_MUTABLE_DISPATCH_ASSERTS_KHR, CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
        0};
    const cl_command_properties_khr wrong[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, 1 << 9, 0};
    const cl_command_properties_khr fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 9,
                                                0};
    const cl_command_buffer_properties_khr all[] = {
        CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR,
        CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
        CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
    const size_t one = 1;
    cl_int result;
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_put(fixture, a, 1);
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_command_buffer_khr strict = f.clCreateCommandBufferKHR(1, &fixture->queue, all, &result);
    CHECK(result);
    const struct {
        cl_int error;
        cl_command_buffer_khr buffer;
        const cl_command_properties_khr *properties;
        const size_t *local;
    } rows[] = {
        {CL_INVALID_VALUE, buffer, asserts, NULL}, {CL_SUCCESS, buffer, asserts, &one},
        {CL_INVALID_VALUE, strict, NULL, NULL},    {CL_SUCCESS, strict, NULL, &one},
        {CL_INVALID_VALUE, buffer, wrong, &one},   {CL_INVALID_VALUE, buffer, fields, &one},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(f.clCommandNDRangeKernelKHR(rows[i].buffer, NULL, rows[i].properties,
                                                     kernel, 1, NULL, &one, rows[i].local, 0, NULL,
                                                     NULL, NULL),
                         rows[i].error);
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(f.clReleaseCommandBufferKHR(strict));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

static void a_launch_answers_queries(void **state)
{
    struct fixture *fixture = *state;
    const size_t global[] = {4, 2}, local[] = {2, 1}, offset[] = {1, 0};
    const cl_command_properties_khr given[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                               CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    cl_mem a = fixture_buffer(fixture, SIZE, (cl_int[COUNT]){0});
    cl_kernel kernel = make_put(fixture, a, 1);
    cl_command_buffer_khr buffer = make_with(fixture->queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command, plain;
    CHECK(f.clCommandNDRangeKernelKHR(buffer, NULL, given, kernel, 2, offset, global, local, 0,
                                      NULL, NULL, &command));
    CHECK(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 2, NULL, global, NULL, 0, NULL,
                                      NULL, &plain));
    union {
        cl_command_queue queue;
        cl_command_buffer_khr buffer;
        cl_command_type type;
        cl_kernel kernel;
        cl_uint number;
        size_t sizes[4];
        cl_command_properties_khr properties[4];
    } answer;
    size_t size;
#define ASK(which, query)                                                                          \
    CHECK(f.clGetMutableCommandInfoKHR(which, CL_MUTABLE_##query##_KHR, sizeof answer, &answer,    \
                                       &size))
    ASK(command, COMMAND_COMMAND_QUEUE);
    assert_ptr_equal(answer.queue, fixture->queue);
    ASK(command, COMMAND_COMMAND_BUFFER);
    assert_ptr_equal(answer.buffer, buffer);
    ASK(command, COMMAND_COMMAND_TYPE);
    assert_int_equal(answer.type, CL_COMMAND_NDRANGE_KERNEL);
    ASK(command, DISPATCH_KERNEL);
    assert_ptr_equal(answer.kernel, kernel);
    ASK(command, DISPATCH_DIMENSIONS);
    assert_int_equal(answer.number, 2);
    ASK(command, COMMAND_PROPERTIES_ARRAY);
    assert_int_equal(size, sizeof given);
    assert_memory_equal(answer.properties, given, sizeof given);
    ASK(plain, COMMAND_PROPERTIES_ARRAY);
    assert_int_equal(size, 0);
    ASK(command, DISPATCH_GLOBAL_WORK_OFFSET);
    assert_int_equal(size, sizeof offset);
    assert_memory_equal(answer.sizes, offset, sizeof offset);
    ASK(command, DISPATCH_LOCAL_WORK_SIZE);
    assert_memory_equal(answer.sizes, local, sizeof local);
    ASK(plain, DISPATCH_LOCAL_WORK_SIZE);
    assert_memory_equal(answer.sizes, ((size_t[]){0, 0}), sizeof local);
    CHECK(f.clFinalizeCommandBufferKHR(buffer));
    CHECK(update(buffer, &(struct api_mutable_config){.command = command,
                                                      .global_work_size = (size_t[]){2, 2}}));
    ASK(command, DISPATCH_GLOBAL_WORK_SIZE);
    assert_memory_equal(answer.sizes, ((size_t[]){2, 2}), sizeof global);
    assert_int_equal(f.clGetMutableCommandInfoKHR(command, 0x9999, sizeof answer, &answer, NULL),
                     CL_INVALID_VALUE);
    CHECK(f.clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(a));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_and_sizes_change),
        cmocka_unit_test(work_groups_change),
        cmocka_unit_test(shared_memory_changes),
        cmocka_unit_test(what_is_enqueued_stays),
        cmocka_unit_test(arguments_may_come_later),
        cmocka_unit_test(a_wrong_update_changes_nothing),
        cmocka_unit_test(wrong_updates_are_refused),
        cmocka_unit_test(asserts_are_checked),
        cmocka_unit_test(a_launch_answers_queries),
    };
    return cmocka_run_group_tests_name("icd_mutable", tests, setup, fixture_teardown);
}
