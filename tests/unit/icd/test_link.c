/* Linking: what modules say to each other, whose lines are whose, and what is refused. */
#include "checkers/finding.h"
#include "checkers/sink.h"
#include "tests/unit/icd/fixture.h"

static cl_program compile(const struct fixture *fixture, const char *text)
{
    cl_int result;
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &text, NULL, &result);
    CHECK(result);
    CHECK(clCompileProgram(program, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    return program;
}

static void print_log(const struct fixture *fixture, cl_program program, char log[4096])
{
    log[0] = '\0';
    CHECK(clGetProgramBuildInfo(program, fixture->device, CL_PROGRAM_BUILD_LOG, 4096, log, NULL));
}

/* The programs are released. */
static cl_program link_all(const struct fixture *fixture, cl_uint count, const char *const *texts,
                           const char *options, cl_int *result)
{
    cl_program parts[4];
    for (cl_uint i = 0; i < count; i++)
        parts[i] = compile(fixture, texts[i]);
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, options, count, parts, NULL, NULL, result);
    for (cl_uint i = 0; i < count; i++)
        CHECK(clReleaseProgram(parts[i]));
    return linked;
}

static cl_program link_good(const struct fixture *fixture, cl_uint count, const char *const *texts)
{
    char log[4096];
    cl_int result;
    cl_program linked = link_all(fixture, count, texts, NULL, &result);
    assert_non_null(linked);
    if (result != CL_SUCCESS) {
        print_log(fixture, linked, log);
        print_message("%s\n", log);
    }
    CHECK(result);
    return linked;
}

/* Runs the kernel, which takes a buffer of integers, for one work-item; the first of them. */
static int run(const struct fixture *fixture, cl_program program, const char *name)
{
    int values[4] = {0};
    const size_t one = 1;
    cl_mem mem = fixture_buffer(fixture, sizeof(values), values);
    cl_kernel kernel = fixture_kernel(program, name);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(fixture->queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL,
                              NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    return values[0];
}

/* Structures by value and by pointer, packed ones too, vectors, images, variables, built-in
 * functions and variables: their types are one, though each module has its own. */
static void types_are_the_same_everywhere(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const texts[] = {
        "struct pair { int a; float4 b; };\n"
        "struct __attribute__((packed)) tight { char c; int i; };\n"
        "struct loose { char c; int i; };\n"
        "extern global int counter;\n"
        "int by_value(struct pair p);\n"
        "void by_pointer(private struct pair *p, global int *out);\n"
        "int of_tight(private struct tight *t);\n"
        "int of_loose(private struct loose *l);\n"
        "kernel void f(global int *out)\n"
        "{\n"
        "    struct pair p = {1, (float4)(2, 3, 4, 5)};\n"
        "    struct tight t = {6, 7};\n"
        "    struct loose l = {6, 7};\n"
        "    by_pointer(&p, out);\n"
        "    out[0] += by_value(p) + of_tight(&t) + of_loose(&l) + (int)get_global_id(0)\n"
        "              + (int)fmax(1.0f, 0.5f) + counter;\n"
        "}\n",
        "struct pair { int a; float4 b; };\n"
        "struct __attribute__((packed)) tight { char c; int i; };\n"
        "struct loose { char c; int i; };\n"
        "global int counter = 100000;\n"
        "int by_value(struct pair p) { return p.a * 10 + (int)fmin(p.b.w, 9.0f); }\n"
        "void by_pointer(private struct pair *p, global int *out)\n"
        "{\n"
        "    p->a = 2;\n"
        "    out[0] = (int)get_global_size(0) * 1000;\n"
        "}\n"
        "int of_tight(private struct tight *t) { return t->i * 100; }\n"
        "int of_loose(private struct loose *l) { return l->i * 1000; }\n"
        "kernel void g(global int *out) { out[0] = 3; }\n",
    };
    const char *const turned[] = {texts[1], texts[0]};
    for (int order = 0; order < 2; order++) {
        cl_program linked = link_good(fixture, 2, order == 0 ? texts : turned);
        assert_int_equal(run(fixture, linked, "f"), 1000 + 25 + 700 + 7000 + 0 + 1 + 100000);
        assert_int_equal(run(fixture, linked, "g"), 3);
        CHECK(clReleaseProgram(linked));
    }
}

/* As compilers declare it that do not say what pointers lead to. */
static void pointers_to_bytes_fit_what_is_defined(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const texts[] = {
        "int sum(global char *p, int x, private const void *q, global char *r);\n"
        "kernel void f(global int *a)\n"
        "{\n"
        "    int four = 4;\n"
        "    a[0] = 1, a[1] = 2;\n"
        "    a[2] = sum((global char *)(a + 1), 10, &four, (global char *)a);\n"
        "    a[0] = a[2] + sum((global char *)a, 20, &four, (global char *)a);\n"
        "}\n",
        "int sum(global int *p, int x, private const int *q, global char *r)\n"
        "{\n"
        "    return *p * 100 + x + *q + *r;\n"
        "}\n",
    };
    const char *const turned[] = {texts[1], texts[0]};
    for (int order = 0; order < 2; order++) {
        cl_program linked = link_good(fixture, 2, order == 0 ? texts : turned);
        assert_int_equal(run(fixture, linked, "f"), 200 + 10 + 4 + 1 + 100 + 20 + 4 + 1);
        CHECK(clReleaseProgram(linked));
    }
}

/* ---- lines ---- */

typedef void finding_sink(void *user, const void *finding);
typedef int32_t set_sink(uint32_t version, finding_sink *sink, void *user);

struct seen {
    char file[32], line[64];
};

static void keep_line(void *user, const void *told)
{
    const struct finding *finding = told;
    struct seen *seen = user;
    if (finding->place_count == 0 || !finding->places[0].source)
        return;
    snprintf(seen->file, sizeof(seen->file), "%s", finding->places[0].file);
    snprintf(seen->line, sizeof(seen->line), "%s", finding->places[0].source);
}

/* Where the race of the kernel is seen. */
static struct seen seen_in(const struct fixture *fixture, cl_program program, const char *name)
{
    struct seen seen = {.file = ""};
    set_sink *sink;
    const size_t items = 64;
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    assert_int_equal(sink(SINK_VERSION, keep_line, &seen), CL_SUCCESS);
    cl_mem mem = fixture_buffer(fixture, 4, &(int){0});
    cl_kernel kernel = fixture_kernel(program, name);
    CHECK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    CHECK(clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(mem));
    return seen;
}

static cl_program from_binary(const struct fixture *fixture, cl_program program)
{
    size_t size;
    cl_int result;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *bytes = malloc(size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
    const unsigned char *given = bytes;
    cl_program made = clCreateProgramWithBinary(fixture->context, 1, &fixture->device, &size,
                                                &given, NULL, &result);
    CHECK(result);
    CHECK(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    free(bytes);
    return made;
}

/* All are called "<source>", and each line is quoted from its own; also after a second link, and
 * in the binary. */
static void lines_are_quoted_from_their_own_program(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const texts[] = {
        "kernel void one(global int *a) { a[0] = (int)get_global_id(0) + 1; }\n",
        "\nkernel void two(global int *a) { a[0] = (int)get_global_id(0) + 2; }\n",
        "\n\nkernel void three(global int *a) { a[0] = (int)get_global_id(0) + 3; }\n",
    };
    static const struct {
        const char *name, *file, *line;
    } cases[] = {
        {"one", "<source>", "kernel void one(global int *a)"},
        {"two", "<source 2>", "kernel void two(global int *a)"},
        {"three", "<source 3>", "kernel void three(global int *a)"},
    };
    cl_int result;
    cl_program library = link_all(fixture, 2, texts, "-create-library", &result);
    CHECK(result);
    cl_program parts[] = {library, compile(fixture, texts[2])};
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, NULL, 2, parts, NULL, NULL, &result);
    CHECK(result);
    cl_program programs[] = {linked, from_binary(fixture, linked)};
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            const struct seen seen = seen_in(fixture, programs[p], cases[i].name);
            assert_string_equal(seen.file, cases[i].file);
            assert_memory_equal(seen.line, cases[i].line, strlen(cases[i].line));
        }
        CHECK(clReleaseProgram(programs[p]));
    }
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
}

/* ---- libraries ---- */

static void libraries_are_linked_again(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const helpers[] = {
        "int twice(int x) { return 2 * x; }\n",
        "int twice(int x);\nint four_times(int x) { return twice(twice(x)); }\n",
    };
    cl_int result;
    cl_program parts[] = {
        link_all(fixture, 2, helpers, "-create-library", &result),
        compile(fixture, "int twice(int);\nint four_times(int);\n"
                         "kernel void f(global int *a) { a[0] = four_times(10) + twice(1); }\n"),
    };
    CHECK(result);
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, NULL, 2, parts, NULL, NULL, &result);
    CHECK(result);
    assert_int_equal(run(fixture, linked, "f"), 42);
    CHECK(clReleaseProgram(linked));
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
}

/* SPV_KHR_linkonce_odr: int one(void) { return `value`; }, which others may define as well. */
static cl_program link_once(const struct fixture *fixture, uint32_t value)
{
    uint32_t words[64] = {0x07230203,
                          0x00010000,
                          0,
                          6,
                          0, /* ids < 6 */
                          2 << 16 | 17,
                          4,
                          2 << 16 | 17,
                          5,
                          2 << 16 | 17,
                          6,             /* capabilities */
                          7 << 16 | 10}; /* an extension */
    const uint32_t rest[] = {
        3 << 16 | 14,
        2,
        2, /* Physical64 OpenCL */
        5 << 16 | 71,
        4,
        41,
        0x656e6f,
        2, /* %4 is "one", LinkOnceODR */
        4 << 16 | 21,
        1,
        32,
        0, /* %1 = uint */
        4 << 16 | 43,
        1,
        2,
        value, /* %2 = value */
        3 << 16 | 33,
        3,
        1, /* %3 = uint() */
        5 << 16 | 54,
        1,
        4,
        0,
        3, /* %4: the function */
        2 << 16 | 248,
        5,
        2 << 16 | 254,
        2, /* returns %2 */
        1 << 16 | 56,
    };
    cl_int result;
    memcpy(&words[12], "SPV_KHR_linkonce_odr", 20);
    memcpy(&words[18], rest, sizeof(rest));
    cl_program program =
        clCreateProgramWithIL(fixture->context, words, 18 * 4 + sizeof(rest), &result);
    CHECK(result);
    CHECK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* Whatever comes first, and whether one of them is for all to see. */
static void one_of_equal_definitions_is_kept(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const sources[] = {
        "int one(void);\nkernel void f(global int *a) { a[0] = one(); }\n",
        "int one(void) { return 1; }\n"};
    char extensions[4096];
    CHECK(clGetDeviceInfo(fixture->device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions,
                          NULL));
    assert_non_null(strstr(extensions, "cl_khr_spirv_linkonce_odr"));
    for (size_t with_export = 0; with_export < 2; with_export++) {
        for (size_t first = 0; first < 3; first++) {
            cl_int result;
            cl_program parts[3] = {NULL};
            parts[first] = compile(fixture, sources[0]);
            parts[(first + 1) % 3] = link_once(fixture, 1);
            parts[(first + 2) % 3] =
                with_export ? compile(fixture, sources[1]) : link_once(fixture, 1);
            cl_program linked =
                clLinkProgram(fixture->context, 0, NULL, NULL, 3, parts, NULL, NULL, &result);
            CHECK(result);
            assert_int_equal(run(fixture, linked, "f"), 1);
            CHECK(clReleaseProgram(linked));
            for (size_t i = 0; i < 3; i++)
                CHECK(clReleaseProgram(parts[i]));
        }
    }
}

/* ---- what is refused ---- */

static void wrong_programs_are_refused(void **state)
{
    const struct fixture *fixture = *state;
    static const struct {
        const char *texts[2], *complaint;
    } cases[] = {
        {{"int f(int x) { return x; }", "int f(int x) { return x + 1; }"},
         "error: 'f' is defined twice"},
        {{"kernel void k(void) {}", "kernel void k(void) {}"},
         "error: kernel 'k' is defined twice"},
        {{"int f(float x); kernel void k(global int *a) { a[0] = f(1.0f); }",
          "int f(int x) { return x; }"},
         "error: 'f' is declared with another type than it is defined with"},
        {{"int f(global char *x, int y); kernel void k(global char *a) { f(a, 1); }",
          "int f(global int *x) { return *x; }"},
         "error: 'f' is declared with another type than it is defined with"},
        {{"int f(global char *x); kernel void k(global char *a) { f(a); }",
          "int f(local int *x) { return *x; }"},
         "error: 'f' is declared with another type than it is defined with"},
        {{"int f(int x); kernel void k(global int *a) { a[0] = f(1); }",
          "int g(void) { return 1; }"},
         "'f'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char log[4096];
        cl_int result;
        cl_program linked = link_all(fixture, 2, cases[i].texts, NULL, &result);
        assert_int_equal(result, CL_LINK_PROGRAM_FAILURE);
        assert_non_null(linked);
        print_log(fixture, linked, log);
        if (!strstr(log, cases[i].complaint))
            print_message("%s\n", log);
        assert_non_null(strstr(log, cases[i].complaint));
        CHECK(clReleaseProgram(linked));
    }
}

/* ---- initialisers ---- */

struct told {
    int count;
    char message[160], line[64]; /* of its first place */
};

static void keep_initialiser(void *user, const void *given)
{
    const struct finding *finding = given;
    struct told *told = user;
    if (finding->rule != RULE_INITIALISER_ORDER)
        return;
    told->count++;
    snprintf(told->message, sizeof(told->message), "%s", finding->message);
    snprintf(told->line, sizeof(told->line), "%s", finding->places[0].source);
}

typedef int32_t set_option(const char *name, const char *value);

/* Links them under that schedule, and runs kernel f. */
static int run_linked(const struct fixture *fixture, const char *const *texts, const char *schedule,
                      struct told *told)
{
    set_sink *sink;
    set_option *option;
    *told = (struct told){.count = 0};
    *(void **)&sink =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetFindingSinkCLERK");
    *(void **)&option =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, "clSetDeviceOptionCLERK");
    assert_int_equal(sink(SINK_VERSION, keep_initialiser, told), CL_SUCCESS);
    assert_int_equal(option("schedule", schedule), CL_SUCCESS);
    cl_program parts[2];
    cl_int result;
    for (int i = 0; i < 2; i++) {
        const char *text = texts[i];
        parts[i] = clCreateProgramWithSource(fixture->context, 1, &text, NULL, &result);
        CHECK(result);
        CHECK(clCompileProgram(parts[i], 0, NULL, "-cl-std=CLC++", 0, NULL, NULL, NULL, NULL));
    }
    cl_program linked =
        clLinkProgram(fixture->context, 0, NULL, NULL, 2, parts, NULL, NULL, &result);
    CHECK(result);
    const int value = run(fixture, linked, "f");
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseProgram(parts[i]));
    CHECK(clReleaseProgram(linked));
    assert_int_equal(option("schedule", "asc"), CL_SUCCESS);
    assert_int_equal(sink(SINK_VERSION, NULL, NULL), CL_SUCCESS);
    return value;
}

/* The value is that of the schedule, and every schedule tells why. */
static void initialisers_of_linked_programs_have_no_order(void **state)
{
    struct told told;
    static const char *const texts[] = {
        "int twice(int x) { return 2 * x; }\n"
        "__global int seed = 21;\n"
        "__global int size = twice(seed);\n",
        "extern __global int size;\n"
        "__global int half_size = size / 2;\n"
        "__kernel void f(__global int *out) { out[0] = half_size; }\n",
    };
    assert_int_equal(run_linked(*state, texts, "asc", &told), 21);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(told.count, 1);
        assert_string_equal(told.message,
                            "the initialisers of two linked programs use 'size', and one writes "
                            "what the other reads");
        assert_non_null(strstr(told.line, "half_size = size / 2"));
        if (i == 0)
            assert_int_equal(run_linked(*state, texts, "desc", &told), 0);
    }
}

/* Whichever way one writes: in a scope narrower than the device, too. */
static void initialisers_may_write_atomically(void **state)
{
    struct told told;
    static const char *const texts[] = {
        "__global atomic_int size;\n"
        "int count() {\n"
        "    return atomic_fetch_add_explicit(&size, 42, memory_order_relaxed,\n"
        "                                     memory_scope_work_group);\n"
        "}\n"
        "__global int before = count();\n",
        "extern __global atomic_int size;\n"
        "int look() {\n"
        "    return atomic_load_explicit(&size, memory_order_relaxed, memory_scope_work_group);\n"
        "}\n"
        "__global int seen = look();\n"
        "__kernel void f(__global int *out) { out[0] = seen; }\n",
    };
    assert_int_equal(run_linked(*state, texts, "asc", &told), 42);
    assert_int_equal(told.count, 1);
    assert_int_equal(run_linked(*state, texts, "desc", &told), 0);
    assert_int_equal(told.count, 1);
}

/* What no initialiser writes is there before all of them; one's own come in their order. */
static void initialisers_may_use_constants_of_other_programs(void **state)
{
    struct told told;
    static const char *const texts[] = {
        "__global int size = 42;\n"
        "int twice(int x) { return 2 * x; }\n"
        "__global int other = twice(size);\n",
        "extern __global int size;\n"
        "__global int half_size = size / 2;\n"
        "__global int quarter = half_size / 2;\n"
        "extern __global int other;\n"
        "__kernel void f(__global int *out) { out[0] = half_size + quarter + other; }\n",
    };
    static const char *const schedules[] = {"asc", "desc", "seed:1", "seed:2"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(run_linked(*state, texts, schedules[i], &told), 21 + 10 + 84);
        assert_int_equal(told.count, 0);
    }
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_the_same_everywhere),
        cmocka_unit_test(pointers_to_bytes_fit_what_is_defined),
        cmocka_unit_test(lines_are_quoted_from_their_own_program),
        cmocka_unit_test(libraries_are_linked_again),
        cmocka_unit_test(one_of_equal_definitions_is_kept),
        cmocka_unit_test(wrong_programs_are_refused),
        cmocka_unit_test(initialisers_of_linked_programs_have_no_order),
        cmocka_unit_test(initialisers_may_write_atomically),
        cmocka_unit_test(initialisers_may_use_constants_of_other_programs),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
