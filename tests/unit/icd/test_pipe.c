/* OpenCL API 3.0, chapter 5.4: pipes, and what kernels hand on through them from launch to launch.
 */
#include "reference/compiler/validate.h"
#include "tests/unit/icd/fixture.h"
#include "trace/base/alloc.h"

/* A packet of 20 bytes, so that no power of two divides them. */
struct packet {
    cl_int numbers[4];
    cl_char letter;
};

static const char source[] =
    "typedef struct { int numbers[4]; char letter; } packet;\n"
    "kernel void send(write_only pipe packet out, global const packet *packets, uint count)\n"
    "{\n"
    "    for (uint i = 0; i < count; i++)\n"
    "        write_pipe(out, packets + i);\n"
    "}\n"
    "kernel void take(read_only pipe packet in, global packet *packets, global uint *counts)\n"
    "{\n"
    "    uint taken = 0;\n"
    "    counts[1] = get_pipe_num_packets(in);\n"
    "    while (read_pipe(in, packets + taken) == 0)\n"
    "        taken++;\n"
    "    counts[0] = taken;\n"
    "    counts[2] = get_pipe_max_packets(in);\n"
    "}\n"
    "kernel void groups(write_only pipe uint out)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    reserve_id_t id = work_group_reserve_write_pipe(out, get_local_size(0));\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        write_pipe(out, id, get_local_id(0), &i);\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "        work_group_commit_write_pipe(out, id);\n"
    "    }\n"
    "}\n"
    "kernel void sub_groups(write_only pipe uint out)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    reserve_id_t id = sub_group_reserve_write_pipe(out, get_sub_group_size());\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        write_pipe(out, id, get_sub_group_size() - 1 - get_sub_group_local_id(), &i);\n"
    "        sub_group_commit_write_pipe(out, id);\n"
    "    }\n"
    "}\n"
    "kernel void drain(read_only pipe uint in, global uint *out)\n"
    "{\n"
    "    while (read_pipe(in, out) == 0)\n"
    "        out++;\n"
    "}\n"
    "kernel void nothing(read_only pipe float4 in, __write_only pipe const int out, int number)\n"
    "{\n"
    "}\n";

static cl_mem make_pipe(const struct fixture *fixture, cl_uint packet_size, cl_uint packets)
{
    cl_int result;
    cl_mem pipe = clCreatePipe(fixture->context, 0, packet_size, packets, NULL, &result);
    CHECK(result);
    return pipe;
}

static void a_pipe_says_what_it_is(void **state)
{
    struct fixture *fixture = *state;
    cl_mem pipe = make_pipe(fixture, 12, 5);
    cl_uint number;
    size_t size;
    CHECK(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof(number), &number, &size));
    assert_int_equal(number, 12);
    assert_int_equal(size, sizeof(number));
    CHECK(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof(number), &number, NULL));
    assert_int_equal(number, 5);
    CHECK(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    cl_mem_object_type type;
    CHECK(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_MEM_OBJECT_PIPE);
    cl_mem_flags flags;
    CHECK(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    CHECK(clGetMemObjectInfo(pipe, CL_MEM_SIZE, sizeof(size), &size, NULL));
    assert_int_equal(size, 60);
    CHECK(clReleaseMemObject(pipe));
    cl_int result;
    pipe = clCreatePipe(fixture->context, CL_MEM_READ_WRITE, 1024, 1, NULL, &result);
    CHECK(result);
    CHECK(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_WRITE);
    CHECK(clReleaseMemObject(pipe));
    assert_null(clCreatePipe(fixture->context, 0, 1024, UINT32_MAX, NULL, &result));
    assert_int_equal(result, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

static void an_argument_says_that_it_is_a_pipe(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, "nothing");
    const cl_kernel_arg_access_qualifier accesses[] = {
        CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ACCESS_NONE};
    const char *const types[] = {"float4", "int", "int"};
    for (cl_uint i = 0; i < 3; i++) {
        cl_kernel_arg_type_qualifier qualifier;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_address_qualifier address;
        char type[16];
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier),
                                 &qualifier, NULL));
        assert_int_equal(qualifier & CL_KERNEL_ARG_TYPE_PIPE, i < 2 ? CL_KERNEL_ARG_TYPE_PIPE : 0);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access,
                                 NULL));
        assert_int_equal(access, accesses[i]);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address),
                                 &address, NULL));
        assert_int_equal(address,
                         i < 2 ? CL_KERNEL_ARG_ADDRESS_GLOBAL : CL_KERNEL_ARG_ADDRESS_PRIVATE);
        CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type, NULL));
        assert_string_equal(type, types[i]);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void launch(const struct fixture *fixture, cl_kernel kernel, size_t size, size_t local)
{
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL));
}

/* A ring of 8 packets, of which each round fills and empties 5. */
static void packets_go_from_launch_to_launch(void **state)
{
    enum { ROUND = 5, ROUNDS = 7, ROOM = 8 };
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel send = fixture_kernel(program, "send"), take = fixture_kernel(program, "take");
    cl_mem pipe = make_pipe(fixture, sizeof(struct packet), ROOM);
    const cl_uint count = ROUND;
    struct packet sent[ROUND] = {0}, taken[ROUND];
    cl_uint counts[3] = {0};
    cl_mem from = fixture_buffer(fixture, sizeof(sent), sent);
    cl_mem to = fixture_buffer(fixture, sizeof(taken), sent);
    cl_mem counted = fixture_buffer(fixture, sizeof(counts), counts);
    CHECK(clSetKernelArg(send, 0, sizeof(pipe), &pipe));
    CHECK(clSetKernelArg(send, 1, sizeof(from), &from));
    CHECK(clSetKernelArg(send, 2, sizeof(count), &count));
    CHECK(clSetKernelArg(take, 0, sizeof(pipe), &pipe));
    CHECK(clSetKernelArg(take, 1, sizeof(to), &to));
    CHECK(clSetKernelArg(take, 2, sizeof(counted), &counted));
    for (cl_int round = 0; round < ROUNDS; round++) {
        for (cl_int i = 0; i < ROUND; i++) {
            for (cl_int n = 0; n < 4; n++)
                sent[i].numbers[n] = round * 1000 + i * 10 + n;
            sent[i].letter = (cl_char)('a' + i);
        }
        CHECK(clEnqueueWriteBuffer(fixture->queue, from, CL_TRUE, 0, sizeof(sent), sent, 0, NULL,
                                   NULL));
        launch(fixture, send, 1, 1);
        launch(fixture, take, 1, 1);
        CHECK(clEnqueueReadBuffer(fixture->queue, to, CL_TRUE, 0, sizeof(taken), taken, 0, NULL,
                                  NULL));
        CHECK(clEnqueueReadBuffer(fixture->queue, counted, CL_TRUE, 0, sizeof(counts), counts, 0,
                                  NULL, NULL));
        assert_int_equal(counts[0], ROUND);
        assert_int_equal(counts[1], ROUND);
        assert_int_equal(counts[2], ROOM);
        assert_memory_equal(taken, sent, sizeof(sent));
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(counted));
    CHECK(clReleaseMemObject(pipe));
    CHECK(clReleaseKernel(send));
    CHECK(clReleaseKernel(take));
    CHECK(clReleaseProgram(program));
}

/* What one reservation of a group, or of a sub-group, holds lies together; edges are smaller. */
static void check_groups(const struct fixture *fixture, const char *name, size_t local,
                         bool reverse)
{
    enum { COUNT = 150 };
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    cl_kernel kernel = fixture_kernel(program, name), drain = fixture_kernel(program, "drain");
    cl_mem pipe = make_pipe(fixture, sizeof(cl_uint), COUNT);
    cl_uint out[COUNT] = {0};
    cl_mem mem = fixture_buffer(fixture, sizeof(out), out);
    CHECK(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe));
    CHECK(clSetKernelArg(drain, 0, sizeof(pipe), &pipe));
    CHECK(clSetKernelArg(drain, 1, sizeof(mem), &mem));
    launch(fixture, kernel, COUNT, local);
    launch(fixture, drain, 1, 1);
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (cl_uint i = 0; i < COUNT; i++) {
        const cl_uint in_group = i % (cl_uint)local, group = i - in_group;
        const cl_uint set = group + in_group / 32 * 32;
        const cl_uint group_end = group + local < COUNT ? group + (cl_uint)local : COUNT;
        const cl_uint end = set + 32 < group_end ? set + 32 : group_end;
        assert_int_equal(out[i], reverse ? end - 1 - (i - set) : i);
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseMemObject(pipe));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(drain));
    CHECK(clReleaseProgram(program));
}

static void groups_reserve_together(void **state)
{
    check_groups(*state, "groups", 100, false);
}

static void sub_groups_reserve_together(void **state)
{
    check_groups(*state, "sub_groups", 100, true);
}

/* ---- pipes of program scope ---- */

/* A module with a pipe of 4 packets, and kernels for both its ends; @ and # become characters. */
static const char module_text[] =
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\n"
    "OpCapability GenericPointer\nOpCapability Pipes\nOpCapability PipeStorage\n"
    "OpMemoryModel Physical64 OpenCL\n"
    "OpEntryPoint Kernel %give \"give_@\"\nOpEntryPoint Kernel %take \"take_@\"\n"
    "OpName %holder \"ring\"\n%uint = OpTypeInt 32 0\n%void = OpTypeVoid\n%storage = "
    "OpTypePipeStorage\n"
    "%reader = OpTypePipe ReadOnly\n%writer = OpTypePipe WriteOnly\n"
    "%held = OpTypePointer UniformConstant %storage\n"
    "%global = OpTypePointer CrossWorkgroup %uint\n%anywhere = OpTypePointer Generic %uint\n"
    "%type = OpTypeFunction %void %global\n%size = OpConstant %uint 4\n"
    "%pipe = OpConstantPipeStorage %storage 4#### 4 4\n%holder = OpVariable %held UniformConstant "
    "%pipe\n"
    "%give = OpFunction %void None %type\n%from = OpFunctionParameter %global\n"
    "%begin = OpLabel\n%stored = OpLoad %storage %holder\n"
    "%in = OpCreatePipeFromPipeStorage %writer %stored\n"
    "%source = OpPtrCastToGeneric %anywhere %from\n"
    "%passed = OpWritePipe %uint %in %source %size %size\n"
    "OpReturn\nOpFunctionEnd\n"
    "%take = OpFunction %void None %type\n%to = OpFunctionParameter %global\n"
    "%begin_2 = OpLabel\n%stored_2 = OpLoad %storage %holder\n"
    "%out = OpCreatePipeFromPipeStorage %reader %stored_2\n"
    "%target = OpPtrCastToGeneric %anywhere %to\n"
    "%got = OpReadPipe %uint %out %target %size %size\n"
    "OpReturn\nOpFunctionEnd\n";

static cl_program module_with_pipe(const struct fixture *fixture, char letter, char digit)
{
    const uint32_t version = 0x10100; /* PipeStorage is of SPIR-V 1.1 */
    char text[sizeof(module_text)];
    size_t size;
    cl_int result;
    memcpy(text, module_text, sizeof(text));
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '@' ? letter : *at == '#' ? digit : *at;
    uint8_t *il = validate_assemble(text, &size);
    assert_non_null(il);
    memcpy(il + sizeof(version), &version, sizeof(version));
    cl_program program = clCreateProgramWithIL(fixture->context, il, size, &result);
    CHECK(result);
    alloc_free(il);
    CHECK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* One work-item puts the number into the pipe, or gets what comes out: 0 = nothing. */
static cl_uint use_end(const struct fixture *fixture, cl_program program, const char *name,
                       cl_uint number)
{
    cl_kernel kernel = fixture_kernel(program, name);
    cl_mem mem = fixture_buffer(fixture, sizeof(number), &number);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    launch(fixture, kernel, 1, 1);
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(number), &number, 0, NULL,
                              NULL));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(kernel));
    return number;
}

/* Pipes that two modules write alike are two, and so are those of two programs. */
static void a_program_has_pipes_of_its_own(void **state)
{
    struct fixture *fixture = *state;
    const cl_program modules[] = {module_with_pipe(fixture, 'a', ' '),
                                  module_with_pipe(fixture, 'b', ' ')};
    cl_int result;
    cl_program both =
        clLinkProgram(fixture->context, 0, NULL, NULL, 2, modules, NULL, NULL, &result);
    CHECK(result);
    cl_program one =
        clLinkProgram(fixture->context, 0, NULL, NULL, 1, modules, NULL, NULL, &result);
    CHECK(result);
    use_end(fixture, both, "give_a", 11);
    use_end(fixture, both, "give_b", 21);
    use_end(fixture, both, "give_a", 12);
    use_end(fixture, one, "give_a", 31);
    assert_int_equal(use_end(fixture, both, "take_b", 0), 21);
    assert_int_equal(use_end(fixture, both, "take_b", 0), 0);
    assert_int_equal(use_end(fixture, both, "take_a", 0), 11);
    assert_int_equal(use_end(fixture, both, "take_a", 0), 12);
    assert_int_equal(use_end(fixture, both, "take_a", 0), 0);
    assert_int_equal(use_end(fixture, one, "take_a", 0), 31);
    CHECK(clReleaseProgram(one));
    CHECK(clReleaseProgram(both));
    CHECK(clReleaseProgram(modules[0]));
    CHECK(clReleaseProgram(modules[1]));
}

static void packets_beyond_the_limit_are_refused(void **state)
{
    struct fixture *fixture = *state;
    cl_program module = module_with_pipe(fixture, 'a', '0');
    char log[256];
    assert_int_equal(clBuildProgram(module, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clGetProgramBuildInfo(module, fixture->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
                                NULL));
    assert_non_null(strstr(log, "the pipe 'ring' has packets of 40000 bytes; the most is "));
    CHECK(clReleaseProgram(module));
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pipe_says_what_it_is, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(an_argument_says_that_it_is_a_pipe, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(packets_go_from_launch_to_launch, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(groups_reserve_together, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(sub_groups_reserve_together, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_program_has_pipes_of_its_own, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(packets_beyond_the_limit_are_refused, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
