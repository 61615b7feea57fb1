/* Programs: building, logs, options, binaries, intermediate language, compiling and linking. */
#include "tests/unit/icd/fixture.h"

#include <stdlib.h>
#include <unistd.h>

static const char triple_source[] = "kernel void triple(global int *a)\n"
                                    "{\n"
                                    "    a[get_global_id(0)] *= FACTOR;\n"
                                    "}\n";

static cl_program source_program(const struct fixture *fixture, const char *source)
{
    cl_int result;
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &source, NULL, &result);
    CHECK(result);
    return program;
}

static char *build_log(const struct fixture *fixture, cl_program program)
{
    static char log[8192];
    CHECK(clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
                                NULL));
    return log;
}

static cl_build_status build_status(const struct fixture *fixture, cl_program program)
{
    cl_build_status status;
    CHECK(clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BUILD_STATUS, sizeof(status),
                                &status, NULL));
    return status;
}

static cl_program_binary_type binary_type(const struct fixture *fixture, cl_program program)
{
    cl_program_binary_type type;
    CHECK(clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BINARY_TYPE, sizeof(type),
                                &type, NULL));
    return type;
}

/* Runs `name`, which takes one buffer of integers, over {1, 2, 3, 4}; the first element afterwards.
 */
static int run_on_four(const struct fixture *fixture, cl_program program, const char *name)
{
    int values[4] = {1, 2, 3, 4};
    const size_t four = 4;
    cl_mem mem = fixture_buffer(fixture, sizeof(values), values);
    cl_kernel kernel = fixture_kernel(program, name);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &four, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL,
                              NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    return values[0];
}

static void options_reach_the_compiler(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = source_program(fixture, triple_source);
    assert_int_equal(build_status(fixture, program), CL_BUILD_NONE);
    CHECK(clBuildProgram(program, 0, NULL, "-DFACTOR=3 -cl-mad-enable", NULL, NULL));
    assert_int_equal(build_status(fixture, program), CL_BUILD_SUCCESS);
    assert_int_equal(binary_type(fixture, program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    char text[64];
    CHECK(clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text),
                                text, NULL));
    assert_string_equal(text, "-DFACTOR=3 -cl-mad-enable");
    CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL));
    assert_string_equal(text, "triple");
    assert_int_equal(run_on_four(fixture, program, "triple"), 3);
    /* Again, otherwise. */
    CHECK(clBuildProgram(program, 1, &fixture->device, "-D FACTOR=5", NULL, NULL));
    assert_int_equal(run_on_four(fixture, program, "triple"), 5);
    CHECK(clReleaseProgram(program));
}

static void errors_are_in_the_log(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = source_program(fixture, triple_source);
    assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(build_status(fixture, program), CL_BUILD_ERROR);
    assert_non_null(strstr(build_log(fixture, program),
                           "<source>:3:28: error: use of undeclared identifier 'FACTOR'"));
    cl_int result;
    assert_null(clCreateKernel(program, "triple", &result));
    assert_int_equal(result, CL_INVALID_PROGRAM_EXECUTABLE);
    size_t size;
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, 0, NULL, &size),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(clReleaseProgram(program));
}

static void what_the_device_lacks_is_a_build_error_with_its_line(void **state)
{
    struct fixture *fixture = *state;
    cl_program program =
        source_program(fixture, "int again(int n)\n{\n    return n > 0 ? again(n - 1) : 0;\n}\n"
                                "kernel void f(global int *a)\n{\n    a[0] = again(a[1]);\n}\n");
    assert_int_equal(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL),
                     CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(build_log(fixture, program), "<source>:3:"));
    assert_non_null(strstr(build_log(fixture, program), ": error: "));
    CHECK(clReleaseProgram(program));
}

static void wrong_options_are_named(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = source_program(fixture, triple_source);
    assert_int_equal(clBuildProgram(program, 0, NULL, "-DFACTOR=1 -funroll", NULL, NULL),
                     CL_INVALID_BUILD_OPTIONS);
    assert_non_null(strstr(build_log(fixture, program), "unknown option '-funroll'"));
    assert_int_equal(clCompileProgram(program, 0, NULL, "-funroll", 0, NULL, NULL, NULL, NULL),
                     CL_INVALID_COMPILER_OPTIONS);
    CHECK(clReleaseProgram(program));
}

static void creation_is_checked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    const char *strings[] = {"kernel void f() {}", NULL};
    assert_null(clCreateProgramWithSource(fixture->context, 0, strings, NULL, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    assert_null(clCreateProgramWithSource(fixture->context, 2, strings, NULL, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    assert_null(clCreateProgramWithIL(fixture->context, "not SPIR-V, not at all", 20, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    cl_int status = CL_SUCCESS;
    const unsigned char *bytes = (const unsigned char *)"nonsense";
    const size_t size = 8;
    assert_null(clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &size, &bytes,
                                          &status, &result));
    assert_int_equal(result, CL_INVALID_BINARY);
    assert_int_equal(status, CL_INVALID_BINARY);
}

/* What the translator writes for these is not valid SPIR-V before reference/compiler/repair.c: a
 * program made of the binary goes through the validator. */
static void repaired_binaries_are_valid(void **state)
{
    struct fixture *fixture = *state;
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "kernel void f(global int *a)\n"
        "{\n"
        "    const memory_order orders[] = {memory_order_relaxed, memory_order_seq_cst};\n"
        "    size_t i = get_global_id(0);\n"
        "    int old = atomic_load_explicit((global atomic_int *)a + i, orders[i & 1],\n"
        "                                   memory_scope_device);\n"
        "    a[i] = bitfield_insert(old, 1, 4, 2) + (int)get_global_id(3) +\n"
        "           (int)get_local_size(9) + (int)((half)old * (half)0.0f);\n"
        "}\n";
    cl_program program = source_program(fixture, source);
    CHECK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    assert_int_equal(run_on_four(fixture, program, "f"), 1 + 16 + 0 + 1);
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *bytes = malloc(size);
    const unsigned char *binary = bytes;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
    CHECK(clReleaseProgram(program));
    cl_int status, result;
    program = clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &size, &binary,
                                        &status, &result);
    CHECK(result);
    result = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    assert_string_equal(build_log(fixture, program), "");
    CHECK(result);
    assert_int_equal(run_on_four(fixture, program, "f"), 1 + 16 + 0 + 1);
    CHECK(clReleaseProgram(program));
    free(bytes);
}

static void strings_are_joined(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    const char *strings[] = {"kernel void set(global int *a) { a[get_global_id(0)] = 4XXX",
                             "2; }\n"};
    const size_t lengths[] = {56, 0};
    cl_program program = clCreateProgramWithSource(fixture->context, 2, strings, lengths, &result);
    CHECK(result);
    char source[128];
    CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(source), source, NULL));
    assert_string_equal(source, "kernel void set(global int *a) { a[get_global_id(0)] = 42; }\n");
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(run_on_four(fixture, program, "set"), 42);
    CHECK(clReleaseProgram(program));
}

static unsigned char *take_binary(cl_program program, size_t *size)
{
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL));
    assert_true(*size > 0);
    unsigned char *bytes = malloc(*size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
    return bytes;
}

static void binaries_come_back(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, triple_source, "-DFACTOR=7");
    size_t size;
    cl_int status, result;
    unsigned char *bytes = take_binary(program, &size);
    const unsigned char *given = bytes;
    cl_program again = clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &size,
                                                 &given, &status, &result);
    CHECK(result);
    CHECK(status);
    CHECK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(run_on_four(fixture, again, "triple"), 7);
    bytes[size / 2] ^= 1;
    assert_null(clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &size, &given,
                                          &status, &result));
    assert_int_equal(status, CL_INVALID_BINARY);
    free(bytes);
    CHECK(clReleaseProgram(again));
    CHECK(clReleaseProgram(program));
}

/* The header of a binary is of 32 bytes; at byte 16 stands how many of SPIR-V follow. */
static void intermediate_language_is_built(void **state)
{
    struct fixture *fixture = *state;
    enum { HEADER = 32 };
    cl_program program = fixture_program(fixture, triple_source, "-DFACTOR=11");
    size_t size, il_size;
    cl_int result;
    unsigned char *bytes = take_binary(program, &size);
    uint64_t spirv_size;
    memcpy(&spirv_size, bytes + 16, sizeof(spirv_size));
    assert_true(spirv_size <= size - HEADER);
    cl_program again = clCreateProgramWithIL(fixture->context, bytes + HEADER, spirv_size, &result);
    CHECK(result);
    CHECK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(run_on_four(fixture, again, "triple"), 11);
    CHECK(clGetProgramInfo(again, CL_PROGRAM_IL, 0, NULL, &il_size));
    assert_int_equal(il_size, spirv_size);
    const int value = 1;
    assert_int_equal(clSetProgramSpecializationConstant(again, 5, sizeof(value), &value),
                     CL_INVALID_SPEC_ID);
    assert_int_equal(clSetProgramSpecializationConstant(program, 5, sizeof(value), &value),
                     CL_INVALID_PROGRAM);
    CHECK(clReleaseProgram(again));
    /* Broken in the middle: a log that says where. */
    memset(bytes + HEADER + 40, 0xff, 2); /* an opcode; the length stays */
    again = clCreateProgramWithIL(fixture->context, bytes + HEADER, spirv_size, &result);
    CHECK(result);
    assert_int_equal(clBuildProgram(again, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(build_log(fixture, again), "error: SPIR-V, instruction 3: Invalid"));
    CHECK(clReleaseProgram(again));
    free(bytes);
    CHECK(clReleaseProgram(program));
}

/* kernel void k(global uint *a) { *a = constant; }, of a specialization constant of the number 7 */
static const cl_uint constant_il[] = {
    0x07230203, 0x00010000, 0,          9,          0,          0x00020011, 4,          0x00020011,
    6,          0x0003000e, 2,          2,          0x0004000f, 6,          1,          0x0000006b,
    0x00040047, 2,          1,          7,          0x00020013, 3,          0x00040015, 4,
    32,         0,          0x00040020, 5,          5,          4,          0x00040021, 6,
    3,          5,          0x00040032, 4,          2,          17,         0x00050036, 3,
    1,          0,          6,          0x00030037, 5,          7,          0x000200f8, 8,
    0x0005003e, 7,          2,          2,          4,          0x000100fd, 0x00010038};

static cl_uint run_constant(const struct fixture *fixture, const cl_uint *values, size_t count)
{
    cl_int result;
    cl_uint stored = 0;
    cl_program program =
        clCreateProgramWithIL(fixture->context, constant_il, sizeof(constant_il), &result);
    CHECK(result);
    for (size_t i = 0; i < count; i++)
        CHECK(clSetProgramSpecializationConstant(program, 7, sizeof(values[i]), &values[i]));
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_mem mem = fixture_buffer(fixture, sizeof(stored), &stored);
    cl_kernel kernel = fixture_kernel(program, "k");
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueTask(fixture->queue, kernel, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(stored), &stored, 0, NULL,
                              NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseProgram(program));
    return stored;
}

/* OpenCL API 3.0, 5.8.3 */
static void the_last_constant_counts(void **state)
{
    static const cl_uint values[] = {3, 5};
    assert_int_equal(run_constant(*state, values, 0), 17);
    assert_int_equal(run_constant(*state, values, 1), 3);
    assert_int_equal(run_constant(*state, values, 2), 5);
}

static void constructors_are_told(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *text;
        cl_bool constructors, destructors;
    } cases[] = {
        {"kernel void f(global int *a) { a[0] = 1; }", CL_FALSE, CL_FALSE},
        {"struct S { int x; S() { x = 5; } };\n"
         "global S s;\n"
         "kernel void f(global int *a) { a[get_global_id(0)] = s.x; }",
         CL_TRUE, CL_FALSE},
        {"struct S { int x; ~S() { x = 5; } };\n"
         "global S s;\n"
         "kernel void f(global int *a) { a[get_global_id(0)] = s.x; }",
         CL_TRUE, CL_TRUE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cl_program program = fixture_program(fixture, cases[i].text, "-cl-std=CLC++");
        cl_bool constructors, destructors;
        CHECK(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof(constructors),
                               &constructors, NULL));
        CHECK(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof(destructors),
                               &destructors, NULL));
        assert_int_equal(constructors, cases[i].constructors);
        assert_int_equal(destructors, cases[i].destructors);
        CHECK(clReleaseProgram(program));
    }
}

static int released[2];
static int released_count;

static void CL_CALLBACK note_release(cl_program program, void *user)
{
    (void)program;
    const int index = __atomic_load_n(&released_count, __ATOMIC_SEQ_CST);
    released[index] = (int)(intptr_t)user;
    __atomic_store_n(&released_count, index + 1, __ATOMIC_SEQ_CST);
}

static void await_release(int count)
{
    while (__atomic_load_n(&released_count, __ATOMIC_SEQ_CST) < count)
        usleep(1000);
}

/* The program ends with the last of its kernels. */
static void release_callbacks_follow_destructors(void **state)
{
    struct fixture *fixture = *state;
    cl_program plain = fixture_program(fixture, "kernel void f(global int *a) { a[0] = 1; }", "");
    assert_int_equal(clSetProgramReleaseCallback(plain, note_release, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseProgram(plain));
    cl_program program = fixture_program(fixture,
                                         "struct S { int x; ~S() { x = 5; } };\n"
                                         "global S s;\n"
                                         "kernel void f(global int *a) { a[0] = s.x; }",
                                         "-cl-std=CLC++");
    assert_int_equal(clSetProgramReleaseCallback(program, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clSetProgramReleaseCallback(program, note_release, (void *)1));
    CHECK(clSetProgramReleaseCallback(program, note_release, (void *)2));
    cl_kernel kernel = fixture_kernel(program, "f");
    CHECK(clReleaseProgram(program));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(__atomic_load_n(&released_count, __ATOMIC_SEQ_CST), 0);
    CHECK(clReleaseKernel(kernel));
    await_release(2);
    assert_int_equal(released[0], 2);
    assert_int_equal(released[1], 1);
}

static cl_program compiled_as(const struct fixture *fixture, const char *source,
                              const char *options)
{
    cl_program program = source_program(fixture, source);
    const cl_int result = clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL);
    if (result != CL_SUCCESS)
        print_message("%s\n", build_log(fixture, program));
    CHECK(result);
    return program;
}

static cl_program compiled(const struct fixture *fixture, const char *source)
{
    return compiled_as(fixture, source, "");
}

static cl_program linked_of(const struct fixture *fixture, const char *options, cl_program first,
                            cl_program second)
{
    cl_program parts[] = {first, second};
    cl_int result;
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, options, 2, parts, NULL, NULL, &result);
    if (result != CL_SUCCESS)
        print_message("%s\n", build_log(fixture, linked));
    CHECK(result);
    return linked;
}

/* Compilers give all of them the same name. */
static void constructors_of_several_programs_are_linked(void **state)
{
    struct fixture *fixture = *state;
    static const char options[] = "-cl-std=CLC++";
#define COUNTED "struct S { int x; S(int x); ~S(); };\n"
    cl_program base =
        compiled_as(fixture,
                    "extern global int made;\n" COUNTED "S::S(int x) : x(x) { made++; }\n"
                    "S::~S() { made--; }\n"
                    "S a(1);\n",
                    options);
    cl_program second =
        compiled_as(fixture, "global int made = 40;\n" COUNTED "S b(10);\n", options);
    cl_program third = compiled_as(fixture,
                                   "extern global int made;\n" COUNTED "extern S a, b;\n"
                                   "S c(100);\n"
                                   "kernel void f(global int *result) {\n"
                                   "    result[get_global_id(0)] = made * 1000 + a.x + b.x + c.x;\n"
                                   "}\n",
                                   options);
#undef COUNTED
    cl_program library = linked_of(fixture, "-create-library", base, second);
    cl_program linked = linked_of(fixture, "", library, third);
    assert_int_equal(run_on_four(fixture, linked, "f"), 43111);
    cl_uint kernel_count;
    CHECK(clCreateKernelsInProgram(linked, 0, NULL, &kernel_count));
    assert_int_equal(kernel_count, 1);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(library));
    CHECK(clReleaseProgram(third));
    CHECK(clReleaseProgram(second));
    CHECK(clReleaseProgram(base));
}

static void initialisers_name_variables_of_later_programs(void **state)
{
    struct fixture *fixture = *state;
    static const char options[] = "-cl-std=CL3.0";
    cl_program first = compiled_as(fixture,
                                   "extern global int table[4];\n"
                                   "extern global int *third;\n"
                                   "struct link { struct link *next; global int **place; };\n"
                                   "global struct link link = {0, &third};\n"
                                   "global int **places[2] = {0, &third};\n"
                                   "struct entry { global int *place; int value; };\n"
                                   "global struct entry entries[2] = {{table, 1}, {table, 2}};\n"
                                   "kernel void f(global int *result) {\n"
                                   "    result[get_global_id(0)] = table[1] * 100 +\n"
                                   "        **places[1] * 10 + **link.place +\n"
                                   "        entries[1].place[3] * 1000;\n"
                                   "}\n",
                                   options);
    cl_program second = compiled_as(fixture,
                                    "global int table[4] = {1, 2, 3, 4};\n"
                                    "global int *third = &table[2];\n",
                                    options);
    cl_program linked = linked_of(fixture, "", first, second);
    assert_int_equal(run_on_four(fixture, linked, "f"), 4233);
    CHECK(clReleaseProgram(linked));
    linked = linked_of(fixture, "", second, first);
    assert_int_equal(run_on_four(fixture, linked, "f"), 4233);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(second));
    CHECK(clReleaseProgram(first));
}

/* Lists of the same nodes, and one whose nodes have the name alone. */
static void structures_that_lead_to_themselves_are_the_same(void **state)
{
    struct fixture *fixture = *state;
    static const char options[] = "-cl-std=CL3.0";
#define NODE "typedef struct node { global struct node *next; int value; } node;\n"
    cl_program first = compiled_as(fixture,
                                   NODE "extern global node two;\n"
                                        "int join(global node *a, global node *b);\n"
                                        "global node one = {0, 1};\n"
                                        "kernel void f(global int *result) {\n"
                                        "    result[get_global_id(0)] = join(&one, &two);\n"
                                        "}\n",
                                   options);
    cl_program second =
        compiled_as(fixture,
                    NODE "int join(global node *a, global node *b) {\n"
                         "    return 10 * a->value + b->value + (a->next || b->next);\n"
                         "}\n"
                         "global node two = {0, 2};\n",
                    options);
    cl_program other = compiled_as(
        fixture,
        "struct node { global struct node *next; float value; };\n"
        "global struct node last = {0, 2.0f};\n"
        "kernel void g(global int *result) { result[get_global_id(0)] = last.value; }\n",
        options);
#undef NODE
    cl_program library = linked_of(fixture, "-create-library", other, first);
    cl_program linked = linked_of(fixture, "", library, second);
    assert_int_equal(run_on_four(fixture, linked, "f"), 12);
    assert_int_equal(run_on_four(fixture, linked, "g"), 2);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(library));
    CHECK(clReleaseProgram(other));
    CHECK(clReleaseProgram(second));
    CHECK(clReleaseProgram(first));
}

static void objects_are_linked(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    cl_program parts[] = {
        compiled(fixture, "int helper(int);\n"
                          "kernel void f(global int *a) { a[get_global_id(0)] = helper(5); }\n"),
        compiled(fixture, "constant int table[2] = {30, 12};\n"
                          "int helper(int i) { return table[0] + table[1] + i; }\n"),
    };
    assert_int_equal(binary_type(fixture, parts[0]), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, NULL, 2, parts, NULL, NULL, &result);
    assert_non_null(linked);
    if (result != CL_SUCCESS)
        print_message("%s\n", build_log(fixture, linked));
    CHECK(result);
    assert_int_equal(run_on_four(fixture, linked, "f"), 47);
    assert_int_equal(clBuildProgram(linked, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(clReleaseProgram(linked));
    /* The helper is missing. */
    linked = clLinkProgram(fixture->context, 0, NULL, NULL, 1, parts, NULL, NULL, &result);
    assert_int_equal(result, CL_LINK_PROGRAM_FAILURE);
    assert_non_null(linked);
    assert_non_null(strstr(build_log(fixture, linked), "helper"));
    CHECK(clReleaseProgram(linked));
    linked =
        clLinkProgram(fixture->context, 0, NULL, "-create-library", 2, parts, NULL, NULL, &result);
    CHECK(result);
    assert_int_equal(binary_type(fixture, linked), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    CHECK(clReleaseProgram(linked));
    assert_null(clLinkProgram(fixture->context, 0, NULL, "-bad", 2, parts, NULL, NULL, &result));
    assert_int_equal(result, CL_INVALID_LINKER_OPTIONS);
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
}

static void headers_are_programs(void **state)
{
    struct fixture *fixture = *state;
    cl_program header = source_program(
        fixture, "#pragma OPENCL EXTENSION cl_khr_expect_assume : enable\n#define ANSWER 42\n");
    cl_program program = source_program(fixture, "#include <lib/answer.h>\nkernel void f(global "
                                                 "int *a) { a[get_global_id(0)] = ANSWER; }\n");
    const char *name = "lib/answer.h";
    CHECK(clCompileProgram(program, 0, NULL, "-Werror", 1, &header, &name, NULL, NULL));
    cl_int result;
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, NULL, 1, &program, NULL, NULL, &result);
    CHECK(result);
    assert_int_equal(run_on_four(fixture, linked, "f"), 42);
    assert_int_equal(clCompileProgram(program, 0, NULL, NULL, 1, &header, NULL, NULL, NULL),
                     CL_INVALID_VALUE);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(header));
}

static void kernels_keep_a_program_from_being_built(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture, triple_source, "-DFACTOR=2");
    cl_kernel kernel = fixture_kernel(program, "triple");
    assert_int_equal(clBuildProgram(program, 0, NULL, "-DFACTOR=2", NULL, NULL),
                     CL_INVALID_OPERATION);
    CHECK(clReleaseKernel(kernel));
    CHECK(clBuildProgram(program, 0, NULL, "-DFACTOR=2", NULL, NULL));
    CHECK(clReleaseProgram(program));
}

static int notified;

static void CL_CALLBACK notify(cl_program program, void *user)
{
    (void)program;
    __atomic_store_n((int *)user, 1, __ATOMIC_SEQ_CST);
}

static void builds_notify(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = source_program(fixture, "kernel void f() { error }\n");
    CHECK(clBuildProgram(program, 0, NULL, NULL, notify, &notified));
    while (!__atomic_load_n(&notified, __ATOMIC_SEQ_CST))
        usleep(1000);
    assert_int_equal(notified, 1);
    assert_int_equal(build_status(fixture, program), CL_BUILD_ERROR);
    CHECK(clReleaseProgram(program));
}

static void program_variables_live_with_the_program(void **state)
{
    struct fixture *fixture = *state;
    cl_program program = fixture_program(fixture,
                                         "global int counter = 40;\n"
                                         "constant int stride = 1;\n"
                                         "kernel void f(global int *a)\n"
                                         "{\n"
                                         "    if (get_global_id(0) == 0)\n"
                                         "        a[0] = counter += stride;\n"
                                         "}\n",
                                         "-cl-std=CL3.0");
    assert_int_equal(run_on_four(fixture, program, "f"), 41);
    assert_int_equal(run_on_four(fixture, program, "f"), 42);
    size_t total;
    CHECK(clGetProgramBuildInfo(program, fixture->device,
                                CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(total), &total,
                                NULL));
    assert_int_equal(total, 4);
    CHECK(clReleaseProgram(program));
}

/* ---- pragmas ---- */

static cl_int build_strictly(const struct fixture *fixture, const char *source, char *log)
{
    cl_program program = source_program(fixture, source);
    const cl_int built = clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -Werror", NULL, NULL);
    strcpy(log, build_log(fixture, program));
    CHECK(clReleaseProgram(program));
    return built;
}

/* Of those clang 15 knows the first alone. */
static void pragmas_of_extensions_are_no_errors(void **state)
{
    static char log[8192];
    assert_int_equal(
        build_strictly(*state,
                       "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                       "#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable\n"
                       " #\tpragma OPENCL EXTENSION cl_intel_subgroups:enable // all of it\n"
                       "#pragma OPENCL EXTENSION cl_khr_subgroup_rotate : disable\r\n"
                       "kernel void f(global uint *a) { a[0] = sub_group_ballot(1).x; }",
                       log),
        CL_SUCCESS);
    assert_string_equal(log, "");
}

static void pragmas_of_others_are_warned_of(void **state)
{
    static char log[8192];
    assert_int_equal(build_strictly(*state,
                                    "#pragma OPENCL EXTENSION cl_khr_expect_assume : enable\n"
                                    "#pragma OPENCL EXTENSION cl_khr_expect_assumes : enable\n"
                                    "kernel void f(void) {}",
                                    log),
                     CL_BUILD_PROGRAM_FAILURE);
    assert_non_null(strstr(log, "<source>:2:26: error: OpenCL extension 'cl_khr_expect_assumes'"));
    assert_null(strstr(log, "assume'"));
    assert_int_equal(build_strictly(*state,
                                    "#pragma OPENCL EXTENSION cl_khr_expect_assume : enabled\n"
                                    "kernel void f(void) {}",
                                    log),
                     CL_BUILD_PROGRAM_FAILURE);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_reach_the_compiler),
        cmocka_unit_test(errors_are_in_the_log),
        cmocka_unit_test(what_the_device_lacks_is_a_build_error_with_its_line),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(creation_is_checked),
        cmocka_unit_test(repaired_binaries_are_valid),
        cmocka_unit_test(strings_are_joined),
        cmocka_unit_test(binaries_come_back),
        cmocka_unit_test(intermediate_language_is_built),
        cmocka_unit_test(the_last_constant_counts),
        cmocka_unit_test(constructors_are_told),
        cmocka_unit_test(release_callbacks_follow_destructors),
        cmocka_unit_test(constructors_of_several_programs_are_linked),
        cmocka_unit_test(initialisers_name_variables_of_later_programs),
        cmocka_unit_test(structures_that_lead_to_themselves_are_the_same),
        cmocka_unit_test(objects_are_linked),
        cmocka_unit_test(headers_are_programs),
        cmocka_unit_test(kernels_keep_a_program_from_being_built),
        cmocka_unit_test(builds_notify),
        cmocka_unit_test(program_variables_live_with_the_program),
        cmocka_unit_test(pragmas_of_extensions_are_no_errors),
        cmocka_unit_test(pragmas_of_others_are_warned_of),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
