/* Checked copies of programs from IL, performed by the reference device: what a kernel that is
 * right computes is the same, and what one that is wrong does is reported. */
#include "checkers/probe/cells.h"
#include "checkers/probe/report.h"
#include "reference/compiler/compile.h"
#include "reference/compiler/validate.h"
#include "reference/probe/module/checked_module.h"
#include "trace/base/alloc.h"

#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 16, GROUP = 4, ARGUMENTS = 4, BYTES = 256, LOCAL_WORDS = 512, CELLS = 4096 };

enum kind { NONE, GLOBAL, READ_ONLY, NOTHING, LOCAL, NUMBER };

struct argument {
    enum kind kind;
    size_t size; /* bytes; of NUMBER its value */
};

struct a_case {
    const char *name, *options, *source;
    struct argument arguments[ARGUMENTS];
    const char *expected; /* of the first report; "" = there is none */
};

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void start(void)
{
    cl_platform_id platform;
    cl_int status;
    assert_int_equal(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
}

/* ---- modules ---- */

/* Freed with alloc_free. */
static uint8_t *make_il(const char *source, const char *options, size_t *size)
{
    struct arena arena = {0};
    struct build_options parsed;
    struct text log = TEXT_INIT;
    struct compile_result made;
    assert_true(build_options_parse(options, &arena, &parsed));
    const struct compile_request request = {
        .source = source, .source_size = strlen(source), .options = &parsed};
    if (compile_source(&request, &log, &made) != STATUS_OK)
        fail_msg("%s: %s", source, log.bytes);
    sources_drop(made.sources);
    text_release(&log);
    arena_release(&arena);
    *size = made.spirv_size;
    return made.spirv;
}

/* `constant` may be NULL. */
static void make_copy_with(const uint8_t *il, size_t size, struct request_constant *constant,
                           struct checked *checked)
{
    struct request_part part = {.is_il = true,
                                .bytes = il,
                                .size = size,
                                .options = "",
                                .constants = constant,
                                .constant_count = constant ? 1 : 0};
    const struct request request = {
        .device = {.extensions = "cl_khr_fp64 cl_khr_fp16 cl_khr_int64_base_atomics "
                                 "cl_khr_int64_extended_atomics",
                   .version = 300,
                   .address_bits = 64,
                   .is_little_endian = true,
                   .macros = ""},
        .wants_checked = true,
        .parts = &part,
        .part_count = 1};
    struct error error;
    if (checked_module_make(&request, checked, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void make_copy(const uint8_t *il, size_t size, struct checked *checked)
{
    make_copy_with(il, size, NULL, checked);
}

static cl_kernel build(const void *il, size_t size, cl_program *program)
{
    static char log[1 << 14];
    cl_int status;
    *program = clCreateProgramWithIL(context, il, size, &status);
    assert_int_equal(status, CL_SUCCESS);
    if (clBuildProgram(*program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(*program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s", log);
    }
    cl_kernel kernel = clCreateKernel(*program, "k", &status);
    assert_int_equal(status, CL_SUCCESS);
    return kernel;
}

/* ---- launches ---- */

struct launch {
    cl_kernel kernel;
    cl_mem buffers[ARGUMENTS], report, cells[ARGUMENTS];
    unsigned char after[ARGUMENTS][BYTES];
};

static cl_mem make_buffer(size_t size, bool is_counted)
{
    cl_int status;
    unsigned char *bytes = calloc(size, 1);
    for (size_t i = 0; is_counted && i < size; i++)
        bytes[i] = (unsigned char)(i % 4 == 0 ? i / 4 : 0);
    cl_mem made =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    free(bytes);
    return made;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (clSetKernelArg(kernel, index, size, value) != CL_SUCCESS)
        fail_msg("argument %u", index);
}

static void set_own(struct launch *launch, const struct a_case *its)
{
    for (cl_uint i = 0; i < ARGUMENTS && its->arguments[i].kind != NONE; i++) {
        const struct argument *argument = &its->arguments[i];
        const cl_int number = (cl_int)argument->size;
        if (argument->kind == GLOBAL || argument->kind == READ_ONLY) {
            launch->buffers[i] = make_buffer(argument->size, true);
            set(launch->kernel, i, sizeof(cl_mem), &launch->buffers[i]);
        } else if (argument->kind == NUMBER) {
            set(launch->kernel, i, sizeof number, &number);
        } else {
            set(launch->kernel, i, argument->kind == LOCAL ? argument->size : sizeof(cl_mem), NULL);
        }
    }
}

static void set_hidden(struct launch *launch, const struct a_case *its,
                       const struct checked_kernel *checked, size_t report_size)
{
    for (cl_uint i = 0; i < checked->parameter_count; i++) {
        const struct checked_parameter *parameter = &checked->parameters[i];
        const struct argument *about = &its->arguments[parameter->argument];
        const cl_uint at = checked->argument_count + i;
        const cl_uint one = 1, words = LOCAL_WORDS;
        cl_ulong number;
        switch (parameter->hidden) {
        case CHECKED_HIDDEN_SIZE:
            number = about->kind == NOTHING ? 0 : about->size;
            number |= about->kind == READ_ONLY ? CHECKED_SIZE_READ_ONLY : 0;
            set(launch->kernel, at, sizeof number, &number);
            break;
        case CHECKED_HIDDEN_REPORT:
            launch->report = make_buffer(report_size, false);
            set(launch->kernel, at, sizeof(cl_mem), &launch->report);
            break;
        case CHECKED_HIDDEN_LAUNCH:
            set(launch->kernel, at, sizeof one, &one);
            break;
        case CHECKED_HIDDEN_CELLS:
            launch->cells[parameter->argument] = make_buffer(CELLS, false);
            set(launch->kernel, at, sizeof(cl_mem), &launch->cells[parameter->argument]);
            break;
        case CHECKED_HIDDEN_WINDOW:
            number = (cl_ulong)checked->parameters[i - 1].shift << CHECKED_WINDOW_SHIFT;
            set(launch->kernel, at, sizeof number, &number);
            break;
        case CHECKED_HIDDEN_LOCAL_CELLS:
            set(launch->kernel, at, LOCAL_WORDS * sizeof(cl_uint), NULL);
            break;
        default:
            set(launch->kernel, at, sizeof words, &words);
        }
    }
}

static void perform(struct launch *launch)
{
    const size_t global = ITEMS, local = GROUP;
    assert_int_equal(
        clEnqueueNDRangeKernel(queue, launch->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    for (size_t i = 0; i < ARGUMENTS; i++) {
        size_t size = 0;
        if (!launch->buffers[i])
            continue;
        clGetMemObjectInfo(launch->buffers[i], CL_MEM_SIZE, sizeof size, &size, NULL);
        assert_int_equal(clEnqueueReadBuffer(queue, launch->buffers[i], CL_TRUE, 0, size,
                                             launch->after[i], 0, NULL, NULL),
                         CL_SUCCESS);
    }
}

static void release(struct launch *launch)
{
    for (size_t i = 0; i < ARGUMENTS; i++) {
        if (launch->buffers[i])
            clReleaseMemObject(launch->buffers[i]);
        if (launch->cells[i])
            clReleaseMemObject(launch->cells[i]);
    }
    if (launch->report)
        clReleaseMemObject(launch->report);
    clReleaseKernel(launch->kernel);
}

/* ---- reports ---- */

/* "bounds of global 0, offset 64 of 64, write at line 1". */
static void describe(const uint32_t *record, const struct checked *checked, struct text *text)
{
    static const char *const kinds[] = {"nothing",   "bounds",  "null",
                                        "read-only", "nowhere", "race"};
    static const char *const spaces[] = {"global", "constant", "local"};
    static const char *const accesses[] = {"read", "write", "update", "atomic"};
    const struct checked_site *site = &checked->sites[record[REPORT_WORD_SITE]];
    const uint32_t what = record[REPORT_WORD_WHAT], number = what >> 8 & 0xff;
    text_format(text, "%s of %s ", kinds[what & 0xff], spaces[what >> 16]);
    if (number == 0xff)
        text_append(text, site->variable);
    else
        text_format(text, "%u", number);
    if ((what & 0xff) == REPORT_BOUNDS)
        text_format(text, ", offset %d of %u", (int)record[REPORT_WORD_OFFSET],
                    record[REPORT_WORD_SIZE]);
    text_format(text, ", %s of %u at line %u", accesses[site->access], record[REPORT_WORD_BYTES],
                site->line);
}

static void read_report(struct launch *launch, const struct checked *checked, size_t records,
                        size_t size, struct text *text)
{
    uint32_t *words = calloc(size, 1);
    assert_int_equal(
        clEnqueueReadBuffer(queue, launch->report, CL_TRUE, 0, size, words, 0, NULL, NULL),
        CL_SUCCESS);
    if (words[REPORT_COUNT] > 0)
        describe(words + records, checked, text);
    free(words);
}

static void perform_copy(const struct a_case *its, const struct checked *checked,
                         struct launch *copy, struct text *report)
{
    const size_t records = (REPORT_SITES + checked->site_count + REPORT_RECORD_WORDS - 1) /
                           REPORT_RECORD_WORDS * REPORT_RECORD_WORDS;
    const size_t report_size = (records + REPORT_RECORD_MAX * REPORT_RECORD_WORDS) * 4;
    cl_program program;
    copy->kernel = build(checked->parts[0].text, checked->parts[0].size, &program);
    set_own(copy, its);
    set_hidden(copy, its, checked_find(checked, "k"), report_size);
    perform(copy);
    read_report(copy, checked, records, report_size, report);
    if (strcmp(report->bytes, its->expected) != 0)
        fail_msg("%s: '%s', not '%s'", its->name, report->bytes, its->expected);
    clReleaseProgram(program);
}

/* Performs the program and its copy. */
static void try(const struct a_case *its)
{
    size_t size;
    struct checked checked;
    struct launch own = {0}, copy = {0};
    cl_program program;
    struct text report = TEXT_INIT;
    uint8_t *il = make_il(its->source, its->options, &size);
    make_copy(il, size, &checked);
    if (checked.part_count != 1 || !checked_find(&checked, "k"))
        fail_msg("%s: %s", its->name, checked.reason);
    assert_string_equal(checked_find(&checked, "k")->reason, "");
    perform_copy(its, &checked, &copy, &report);
    if (its->expected[0] == '\0') {
        own.kernel = build(il, size, &program);
        set_own(&own, its);
        perform(&own);
        if (memcmp(own.after, copy.after, sizeof own.after) != 0)
            fail_msg("%s: its copy has other results", its->name);
        release(&own);
        clReleaseProgram(program);
    }
    release(&copy);
    checked_release(&checked);
    text_release(&report);
    alloc_free(il);
}

static const struct a_case cases[] = {
    {"store", "", "kernel void k(global int *a) { a[get_global_id(0)] = 7; }", {{GLOBAL, 64}}, ""},
    {"store beside",
     "",
     "kernel void k(global int *a) { a[get_global_id(0) + 1] = 7; }",
     {{GLOBAL, 64}},
     "bounds of global 0, offset 64 of 64, write of 4 at line 1"},
    {"load before",
     "",
     "kernel void k(global int *a, global short *b) {\n"
     "b[get_global_id(0)] = a[(int)get_global_id(0) - 1];\n}",
     {{GLOBAL, 64}, {GLOBAL, 32}},
     "bounds of global 0, offset -4 of 64, read of 4 at line 2"},
    {"pointers that move",
     "",
     "kernel void k(global int *a) {\n"
     "global int *p = a; for (int i = 0; i < 16; i++) { if (i == get_global_id(0)) *p = i; p++; }\n"
     "if (get_global_id(0) == 3) *p = 1;\n}",
     {{GLOBAL, 64}},
     "bounds of global 0, offset 64 of 64, write of 4 at line 3"},
    {"one of two",
     "",
     "kernel void k(global int *a, global int *b, int n) {\n"
     "global int *p = n ? a : b; p[get_global_id(0)] = 3; }",
     {{GLOBAL, 64}, {GLOBAL, 64}, {NUMBER, 1}},
     ""},
    {"function",
     "",
     "void put(global int *p, int i) {\np[i] = i; }\n"
     "kernel void k(global int *b, global int *a) { put(a, (int)get_global_id(0) * 2); }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     "bounds of global 1, offset 64 of 64, write of 4 at line 2"},
    {"function of many",
     "",
     "int get(global int *p, int i) { return p[i]; }\n"
     "kernel void k(global int *b, global int *a) {\n"
     "int i = get_global_id(0); a[i] = get(b, i) + get(a, i); }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     ""},
    {"null",
     "",
     "kernel void k(global int *a) { a[get_global_id(0)] = 7; }",
     {{NOTHING, 0}},
     "null of global 0, write of 4 at line 1"},
    {"read-only",
     "",
     "kernel void k(global int *a) {\natomic_inc(a + get_global_id(0)); }",
     {{READ_ONLY, 64}},
     "read-only of global 0, atomic of 4 at line 2"},
    {"elsewhere",
     "",
     "kernel void k(global int *a) {\n*(a == 0 ? a : (global int *)0) = 1; }",
     {{GLOBAL, 64}},
     "null of global , write of 4 at line 2"},
    {"constants",
     "",
     "constant int table[4] = {5, 6, 7, 8};\n"
     "kernel void k(constant int *c, global int *a) {\n"
     "int i = get_global_id(0); a[i] = table[i & 3] + c[i & 7]; }",
     {{GLOBAL, 32}, {GLOBAL, 64}},
     ""},
    {"constant beside",
     "",
     "constant int table[4] = {5, 6, 7, 8};\n"
     "kernel void k(constant int *c, global int *a) {\n"
     "int i = get_global_id(0); a[i] = table[i & 3] + c[i & 8]; }",
     {{GLOBAL, 32}, {GLOBAL, 64}},
     "bounds of constant 0, offset 32 of 32, read of 4 at line 3"},
    {"table beside",
     "",
     "constant int table[4] = {5, 6, 7, 8};\n"
     "kernel void k(global int *a) {\nint i = get_global_id(0); a[i] = table[i & 4]; }",
     {{GLOBAL, 64}},
     "bounds of constant table, offset 16 of 16, read of 4 at line 3"},
    {"local",
     "",
     "kernel void k(global int *a, local int *l) { local int m[4];\n"
     "int i = get_local_id(0); l[i] = i; m[3 - i] = 2 * i; barrier(CLK_LOCAL_MEM_FENCE);\n"
     "a[get_global_id(0)] = l[3 - i] + m[i]; }",
     {{GLOBAL, 64}, {LOCAL, 16}},
     ""},
    {"local beside",
     "",
     "kernel void k(global int *a, local int *l) {\nint i = get_local_id(0); l[i] = i;\n"
     "barrier(CLK_LOCAL_MEM_FENCE);\na[get_global_id(0)] = l[i + 1]; }",
     {{GLOBAL, 64}, {LOCAL, 16}},
     "bounds of local 1, offset 16 of 16, read of 4 at line 4"},
    {"array beside",
     "",
     "kernel void k(global int *a) { local int m[2][4];\n"
     "int i = get_local_id(0); m[1][i + 1] = i;\na[get_global_id(0)] = 1; }",
     {{GLOBAL, 64}},
     "bounds of local k.m, offset 32 of 32, write of 4 at line 2"},
    {"race of groups",
     "",
     "kernel void k(global int *a) {\na[get_local_id(0)] = 1; }",
     {{GLOBAL, 64}},
     "race of global 0, write of 4 at line 2"},
    {"race in a group",
     "",
     "kernel void k(global int *a) { local int m[4]; int i = get_local_id(0);\n"
     "m[i] = i;\na[get_global_id(0)] = m[3 - i]; }",
     {{GLOBAL, 64}},
     "race of local k.m, read of 4 at line 3"},
    {"counted before a loop",
     "",
     "kernel void k(global int *a) { local int m[4], n; int i = get_local_id(0); if (i == 0) n = "
     "0;\n"
     "barrier(CLK_LOCAL_MEM_FENCE); m[i] = i; if (atomic_inc(&n) == 3) {\n"
     "mem_fence(CLK_LOCAL_MEM_FENCE); int s = 0; for (int j = 0; j < 4; j++) s +=\nm[j];\n"
     "a[get_group_id(0)] = s; } }",
     {{GLOBAL, 64}},
     "race of local k.m, read of 4 at line 4"},
    {"looked at in a loop", /* without cells of local memory */
     "",
     "int look(local int *n) { return atomic_add(n, 0); }\n"
     "kernel void k(global int *a) { local int m[4], n; int i = get_local_id(0); if (i == 0) n = "
     "0;\n"
     "barrier(CLK_LOCAL_MEM_FENCE); m[i] = i; mem_fence(CLK_LOCAL_MEM_FENCE); atomic_inc(&n);\n"
     "while (look(&n) < 4) { } a[get_global_id(0)] = m[3 - i]; }",
     {{GLOBAL, 64}},
     ""},
    {"barrier in a function",
     "",
     "void wait(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }\n"
     "kernel void k(global int *a) { local int m[4]; int i = get_local_id(0);\n"
     "m[i] = i; wait(); a[get_global_id(0)] = m[3 - i]; }",
     {{GLOBAL, 64}},
     ""},
    {"atomics",
     "",
     "kernel void k(global int *a, global int *b) {\n"
     "atomic_add(a, 2); atomic_max(a + 1, (int)get_global_id(0)); b[get_global_id(0)] = 3; }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     ""},
    {"an atomic and a store",
     "",
     "kernel void k(global int *a) {\nif (get_global_id(0)) atomic_add(a, 2); else\na[0] = 1; }",
     {{GLOBAL, 64}},
     "race of global 0, write of 4 at line 3"},
    {"vectors",
     "",
     "kernel void k(global float *a, global float3 *b) { int i = get_global_id(0);\n"
     "vstore4(vload4(i & 3, a), i & 3, a); b[i & 3] = b[i & 3].yzx; }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     "race of global 0, read of 16 at line 2"},
    {"vector beside",
     "",
     "kernel void k(global int *a) {\nint i = get_global_id(0) & 1;\n"
     "vstore3((int3)(i), 4 + i, a); }",
     {{GLOBAL, 64}},
     "bounds of global 0, offset 60 of 64, write of 12 at line 3"},
    {"component",
     "",
     "kernel void k(global int4 *a) { int i = get_global_id(0);\nif (i < 4) a[i].z = i; }",
     {{GLOBAL, 64}},
     ""},
    {"structures",
     "",
     "struct s { char c; int n[3]; };\n"
     "kernel void k(global struct s *a, global struct s *b) {\n"
     "int i = get_global_id(0); if (i < 4) { a[i] = b[i]; a[i].n[2] = i; } }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     ""},
    {"structure beside",
     "",
     "struct s { char c; int n[3]; };\n"
     "kernel void k(global struct s *a, global struct s *b) {\n"
     "int i = get_global_id(0); if (i < 5)\na[i] = b[i]; }",
     {{GLOBAL, 80}, {GLOBAL, 64}},
     "bounds of global 1, offset 64 of 64, read of 16 at line 4"},
    {"results by pointer",
     "",
     "kernel void k(global float *a) {\nint i = get_global_id(0); a[i] = fract(i + 0.5f, a + 16); "
     "}",
     {{GLOBAL, 64}},
     "bounds of global 0, offset 64 of 64, write of 4 at line 2"},
    {"copies by a group",
     "",
     "kernel void k(global int *a, global int *b, local int *l) { size_t g = get_group_id(0) * 4;\n"
     "event_t e = async_work_group_copy(l, a + g, 4, 0); wait_group_events(1, &e);\n"
     "e = async_work_group_copy(b + g, l, 4, 0); wait_group_events(1, &e); }",
     {{GLOBAL, 64}, {GLOBAL, 64}, {LOCAL, 16}},
     ""},
    {"copy beside",
     "",
     "kernel void k(global int *a, local int *l) { size_t g = get_group_id(0) * 4;\n"
     "event_t e = async_work_group_copy(l, a + g + 1, 4, 0);\nwait_group_events(1, &e); }",
     {{GLOBAL, 64}, {LOCAL, 16}},
     "bounds of global 0, offset 52 of 64, read of 16 at line 2"},
    {"generic",
     "-cl-std=CL2.0",
     "int get(int *p, int i) { return p[i]; }\n"
     "kernel void k(global int *a, local int *l) { int i = get_local_id(0); int own[4]; own[i] = "
     "i;\n"
     "l[i] = i; a[get_global_id(0)] = get(l, i) + get(a, get_global_id(0)) + get(own, i); }",
     {{GLOBAL, 64}, {LOCAL, 16}},
     ""},
    {"generic beside",
     "-cl-std=CL2.0",
     "int get(int *p, int i) {\nreturn p[i]; }\n"
     "kernel void k(global int *a, local int *l) {\n"
     "a[get_global_id(0)] = get(a, (int)get_global_id(0) - 1); }",
     {{GLOBAL, 64}, {LOCAL, 16}},
     "nowhere of global , read of 4 at line 2"},
    {"beside by a number", /* which may be right: it is another's memory, for all that is known */
     "",
     "kernel void k(global int *a) {\n"
     "global int *p = (global int *)((ulong)a + 4096); if (a[1] == 3) *p = 2; }",
     {{GLOBAL, 64}},
     ""},
    {"within by a number",
     "",
     "kernel void k(global int *a) {\nglobal int *p = (global int *)((ulong)a + 4);\n"
     "p[get_local_id(0)] = 2; }",
     {{GLOBAL, 64}},
     "race of global 0, write of 4 at line 3"},
    {"switch and loops",
     "",
     "kernel void k(global int *a, global int *b) { int i = get_global_id(0), s = 0;\n"
     "for (int n = 0; n < i; n++) switch (a[n] & 3) { case 0: s++; break; case 1: s += b[i];\n"
     "default: if (s > 40) goto end; } end: b[i] = s; }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     ""},
    {"doubles and halves",
     "",
     "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
     "kernel void k(global double *a, global half *h) { int i = get_global_id(0);\n"
     "vstore_half(vload_half(i, h) - 1, i, h); a[i & 7] = a[i & 7]; }",
     {{GLOBAL, 64}, {GLOBAL, 64}},
     "race of global 0, read of 8 at line 3"},
};

static void programs_from_il_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        try(&cases[i]);
}

/* ---- specialisation constants ---- */

static const char specialised[] =
    "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
    "OpEntryPoint Kernel %k \"k\"\nOpDecorate %one SpecId 7\n%void = OpTypeVoid\n"
    "%int = OpTypeInt 32 0\n%global = OpTypePointer CrossWorkgroup %int\n"
    "%function = OpTypeFunction %void %global\n%one = OpSpecConstant %int 17\n"
    "%k = OpFunction %void None %function\n%a = OpFunctionParameter %global\n"
    "%entry = OpLabel\n%at = OpInBoundsPtrAccessChain %global %a %one\n"
    "%l = OpLoad %int %at Aligned 4\nOpReturn\nOpFunctionEnd\n";

static void check_specialised(struct request_constant *constant, const char *expected)
{
    const struct a_case its = {
        .name = "specialised", .arguments = {{GLOBAL, 64}}, .expected = expected};
    size_t size;
    struct checked checked;
    struct launch copy = {0};
    struct text report = TEXT_INIT;
    uint8_t *il = validate_assemble(specialised, &size);
    assert_non_null(il);
    make_copy_with(il, size, constant, &checked);
    perform_copy(&its, &checked, &copy, &report);
    release(&copy);
    checked_release(&checked);
    text_release(&report);
    alloc_free(il);
}

static void constants_have_the_values_of_the_program(void **state)
{
    struct request_constant constant = {.id = 7, .size = 4, .bytes = {15}};
    (void)state;
    check_specialised(NULL, "bounds of global 0, offset 68 of 64, read of 4 at line 0");
    check_specialised(&constant, "");
    constant.bytes[0] = 16;
    check_specialised(&constant, "bounds of global 0, offset 64 of 64, read of 4 at line 0");
}

/* ---- what cannot be ---- */

static void check_reason(const void *il, size_t size, const char *reason)
{
    struct checked checked;
    make_copy(il, size, &checked);
    assert_int_equal(checked.part_count, 0);
    if (!strstr(checked.reason, reason))
        fail_msg("'%s', not '%s'", checked.reason, reason);
    checked_release(&checked);
}

static void check_reason_of(const char *source, const char *options, const char *reason)
{
    size_t size;
    uint8_t *il = make_il(source, options, &size);
    check_reason(il, size, reason);
    alloc_free(il);
}

static void what_cannot_be_checked_is_told(void **state)
{
    (void)state;
    size_t size;
    check_reason("no module", 9, "its IL is not SPIR-V");
    check_reason_of("global int g; kernel void k(void) { g = 1; }", "-cl-std=CL2.0",
                    "it has variables in global memory");
    check_reason_of(
        "kernel void k(void) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{}); }",
        "-cl-std=CL2.0", "it enqueues kernels");
    uint8_t *il = make_il("kernel void k(global int *a) { *a = 1; }", "", &size);
    setenv("CLERK_CLANG", "/nonexistent", 1);
    check_reason(il, size, "its checks cannot be compiled");
    unsetenv("CLERK_CLANG");
    alloc_free(il);
}

/* A copy of the kernel, whose program has products and sums that are, or are not, contracted. */
static void check_fusing(const char *modes, const char *decorations, const char *reason)
{
    struct text assembly = TEXT_INIT;
    struct checked checked;
    size_t size;
    text_format(&assembly,
                "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
                "OpEntryPoint Kernel %%k \"k\"\n%s%s%%void = OpTypeVoid\n"
                "%%float = OpTypeFloat 32\n%%global = OpTypePointer CrossWorkgroup %%float\n"
                "%%function = OpTypeFunction %%void %%global %%float\n"
                "%%k = OpFunction %%void None %%function\n%%a = OpFunctionParameter %%global\n"
                "%%b = OpFunctionParameter %%float\n%%entry = OpLabel\n"
                "%%p = OpFMul %%float %%b %%b\n%%l = OpLoad %%float %%a Aligned 4\n"
                "%%s = OpFAdd %%float %%p %%l\nOpStore %%a %%s Aligned 4\nOpReturn\n"
                "OpFunctionEnd\n",
                modes, decorations);
    uint8_t *il = validate_assemble(assembly.bytes, &size);
    assert_non_null(il);
    make_copy(il, size, &checked);
    assert_int_equal(checked.kernel_count, 1);
    assert_string_equal(checked.kernels[0].reason, reason);
    checked_release(&checked);
    alloc_free(il);
    text_release(&assembly);
}

static void kernels_whose_numbers_could_change_are_left_alone(void **state)
{
    (void)state;
    static const char off[] = "OpExecutionMode %k ContractionOff\n";
    static const char reason[] =
        "its compiler may fuse products and sums of it, and with checks might not";
    check_fusing("", "", reason);
    check_fusing(off, "", "");
    check_fusing(off, "OpDecorate %s FPFastMathMode NotNaN\n", "");
    check_fusing(off, "OpDecorate %s FPFastMathMode Fast\n", reason);
}

/* ---- damage ---- */

static const char damaged[] =
    "constant int t[2] = {1, 2};\nint get(global int *p, int i) { return p[i] + t[i & 1]; }\n"
    "kernel void k(global int *a, local int *l) { int i = get_local_id(0);\n"
    "l[i] = get(a, i); barrier(CLK_LOCAL_MEM_FENCE); atomic_add(a + i, l[i]); }";

/* Before its entry points it is a module without kernels. */
static void cut_modules_are_refused(void **state)
{
    (void)state;
    size_t size;
    uint8_t *il = make_il(damaged, "", &size);
    for (size_t cut = 0; cut < size; cut += 4) {
        struct checked checked;
        make_copy(il, cut, &checked);
        assert_int_equal(checked.kernel_count, 0);
        assert_true((checked.part_count == 0) == (checked.reason[0] != '\0'));
        checked_release(&checked);
    }
    alloc_free(il);
}

/* Whatever becomes of it is valid, or refused. */
static void wrong_words_do_no_harm(void **state)
{
    static const uint32_t wrong[] = {0, 1, UINT32_MAX};
    (void)state;
    size_t size, refused = 0;
    uint8_t *il = make_il(damaged, "", &size);
    for (size_t at = 20; at < size; at += 60) {
        uint32_t word;
        struct checked checked;
        memcpy(&word, il + at, sizeof word);
        memcpy(il + at, &wrong[at / 60 % 3], sizeof word);
        make_copy(il, size, &checked);
        memcpy(il + at, &word, sizeof word);
        refused += checked.part_count == 0;
        assert_true((checked.part_count == 0) == (checked.reason[0] != '\0'));
        checked_release(&checked);
    }
    assert_true(refused > 0);
    alloc_free(il);
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    setenv("OCL_ICD_VENDORS", CLERK_TEST_VENDORS, 1);
    start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_from_il_are_checked),
        cmocka_unit_test(constants_have_the_values_of_the_program),
        cmocka_unit_test(what_cannot_be_checked_is_told),
        cmocka_unit_test(kernels_whose_numbers_could_change_are_left_alone),
        cmocka_unit_test(cut_modules_are_refused),
        cmocka_unit_test(wrong_words_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
