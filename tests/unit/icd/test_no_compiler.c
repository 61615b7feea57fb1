/* Devices that build no program of source or IL: the argument names the personality. */
#include "tests/unit/icd/fixture.h"

static cl_ulong ask(const struct fixture *fixture, cl_device_info query)
{
    cl_ulong answer = 0;
    CHECK(clGetDeviceInfo(fixture->device, query, sizeof(answer), &answer, NULL));
    return answer;
}

static size_t answer_size(const struct fixture *fixture, cl_device_info query)
{
    size_t size;
    CHECK(clGetDeviceInfo(fixture->device, query, 0, NULL, &size));
    return size;
}

static cl_program built_in_program(const struct fixture *fixture)
{
    char name[64];
    cl_int result;
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_BUILT_IN_KERNELS, sizeof(name), name, NULL));
    cl_program program =
        clCreateProgramWithBuiltInKernels(fixture->context, 1, &fixture->device, name, &result);
    CHECK(result);
    return program;
}

/* Runs the built-in kernel of the program. */
static void assert_copies(const struct fixture *fixture, cl_program program)
{
    cl_kernel kernel = fixture_kernel(program, "clerk_copy_bytes");
    cl_mem mems[2] = {fixture_buffer(fixture, 4, "abc"), fixture_buffer(fixture, 4, NULL)};
    const size_t count = 4;
    char seen[4];
    for (cl_uint i = 0; i < 2; i++)
        CHECK(clSetKernelArg(kernel, i, sizeof(mems[i]), &mems[i]));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mems[1], CL_TRUE, 0, 4, seen, 0, NULL, NULL));
    assert_string_equal(seen, "abc");
    CHECK(clReleaseMemObject(mems[0]));
    CHECK(clReleaseMemObject(mems[1]));
    CHECK(clReleaseKernel(kernel));
}

/* What the program's binary makes; NULL and the error if nothing. */
static cl_program from_binary_of(const struct fixture *fixture, cl_program program, cl_int *result)
{
    size_t size;
    cl_int status;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *bytes = malloc(size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
    cl_program made = clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &size,
                                                (const unsigned char *[]){bytes}, &status, result);
    assert_int_equal(status, *result);
    free(bytes);
    return made;
}

static void source_is_not_compiled(void **state)
{
    const struct fixture *fixture = *state;
    const char *source = "kernel void k(global int *a) { *a = 1; }\n";
    cl_int result;
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &source, NULL, &result);
    CHECK(result);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    assert_int_equal(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                     CL_COMPILER_NOT_AVAILABLE);
    CHECK(clReleaseProgram(program));
    assert_int_equal(ask(fixture, CL_DEVICE_COMPILER_AVAILABLE), CL_FALSE);
    assert_int_equal(answer_size(fixture, CL_DEVICE_OPENCL_C_VERSION), 1);
    assert_int_equal(answer_size(fixture, CL_DEVICE_OPENCL_C_ALL_VERSIONS), 0);
    assert_int_equal(answer_size(fixture, CL_DEVICE_OPENCL_C_FEATURES), 0);
    char extensions[4096];
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions,
                          NULL));
    assert_null(strstr(extensions, "cl_ext_cxx_for_opencl"));
}

/* "This must be CL_TRUE for devices supporting the full profile." */
static void the_profile_is_embedded(void **state)
{
    const struct fixture *fixture = *state;
    char profile[32];
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_PROFILE, sizeof(profile), profile, NULL));
    assert_string_equal(profile, "EMBEDDED_PROFILE");
}

static void il_is_not_compiled(void **state)
{
    const struct fixture *fixture = *state;
    /* A module with nothing but its memory model. */
    static const cl_uint module[] = {0x07230203, 0x00010000, 0, 1,          0, 0x00020011,
                                     4,          0x00020011, 6, 0x0003000e, 2, 2};
    const cl_uint number = 1;
    cl_int result;
    cl_program program = clCreateProgramWithIL(fixture->context, module, sizeof(module), &result);
    CHECK(result);
    assert_int_equal(clSetProgramSpecializationConstant(program, 1, sizeof(number), &number),
                     CL_COMPILER_NOT_AVAILABLE);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    CHECK(clReleaseProgram(program));
}

static void built_in_kernels_run(void **state)
{
    cl_program program = built_in_program(*state);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    assert_copies(*state, program);
    CHECK(clReleaseProgram(program));
}

static void binaries_are_built(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    cl_program program = built_in_program(fixture);
    cl_program again = from_binary_of(fixture, program, &result);
    CHECK(result);
    CHECK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    assert_copies(fixture, again);
    CHECK(clReleaseProgram(again));
    CHECK(clReleaseProgram(program));
}

static void binaries_are_of_other_devices(void **state)
{
    const struct fixture *fixture = *state;
    cl_int result;
    cl_program program = built_in_program(fixture);
    assert_null(from_binary_of(fixture, program, &result));
    assert_int_equal(result, CL_INVALID_BINARY);
    CHECK(clReleaseProgram(program));
}

/* What linking an executable gives: there is nothing to link in it. */
static cl_int link_result(const struct fixture *fixture)
{
    cl_int result;
    cl_program program = built_in_program(fixture);
    assert_null(clLinkProgram(fixture->context, 0, NULL, NULL, 1, &program, NULL, NULL, &result));
    CHECK(clReleaseProgram(program));
    return result;
}

static void the_linker_stays(void **state)
{
    assert_int_equal(ask(*state, CL_DEVICE_LINKER_AVAILABLE), CL_TRUE);
    assert_int_equal(link_result(*state), CL_INVALID_OPERATION);
}

static void nothing_is_linked(void **state)
{
    assert_int_equal(ask(*state, CL_DEVICE_LINKER_AVAILABLE), CL_FALSE);
    assert_int_equal(link_result(*state), CL_LINKER_NOT_AVAILABLE);
}

static void it_is_found_by_its_type_alone(void **state)
{
    const struct fixture *fixture = *state;
    static const cl_device_type others[] = {CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT,
                                            CL_DEVICE_TYPE_CPU,
                                            CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR};
    cl_device_id device;
    cl_uint count;
    cl_int result;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(clGetDeviceIDs(fixture->platform, others[i], 1, &device, &count),
                         CL_DEVICE_NOT_FOUND);
        assert_null(clCreateContextFromType(NULL, others[i], NULL, NULL, &result));
        assert_int_equal(result, CL_DEVICE_NOT_FOUND);
    }
    CHECK(clGetDeviceIDs(fixture->platform, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CUSTOM, 1, &device,
                         &count));
    assert_int_equal(count, 1);
    assert_int_equal(ask(fixture, CL_DEVICE_TYPE), CL_DEVICE_TYPE_CUSTOM);
    cl_context context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &result);
    CHECK(result);
    CHECK(clReleaseContext(context));
}

int main(int argc, char **argv)
{
#define COMMON                                                                                     \
    cmocka_unit_test(source_is_not_compiled), cmocka_unit_test(the_profile_is_embedded),           \
        cmocka_unit_test(il_is_not_compiled), cmocka_unit_test(built_in_kernels_run)
    const struct CMUnitTest no_compiler[] = {
        COMMON,
        cmocka_unit_test(binaries_are_built),
        cmocka_unit_test(the_linker_stays),
    };
    const struct CMUnitTest no_linker[] = {
        COMMON,
        cmocka_unit_test(binaries_are_built),
        cmocka_unit_test(nothing_is_linked),
    };
    const struct CMUnitTest custom[] = {
        COMMON,
        cmocka_unit_test(binaries_are_of_other_devices),
        cmocka_unit_test(nothing_is_linked),
        cmocka_unit_test(it_is_found_by_its_type_alone),
    };
    if (argc != 2)
        return 2;
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    setenv("CLERK_PERSONALITY", argv[1], 1);
#define RUN(tests) cmocka_run_group_tests(tests, fixture_setup, fixture_teardown)
    return strcmp(argv[1], "no-compiler") == 0 ? RUN(no_compiler)
           : strcmp(argv[1], "no-linker") == 0 ? RUN(no_linker)
                                               : RUN(custom);
}
