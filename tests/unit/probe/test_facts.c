/* What is found of kernels: each row is a kernel in OpenCL C and what its facts look like. */
#include "reference/compiler/compile.h"
#include "reference/compiler/validate.h"
#include "reference/probe/answer.h"
#include "trace/api/clerk_queries.h"
#include "trace/base/alloc.h"

#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A device of OpenCL 3.0 with much. */
static const struct request_device device = {
    .extensions = "cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes cl_khr_int64_base_atomics "
                  "cl_khr_int64_extended_atomics",
    .version = 300,
    .address_bits = 64,
    .has_images = true,
    .is_little_endian = true,
    .macros = ""};

/* ---- facts as text ---- */

static const char *address(uint32_t qualifier)
{
    return qualifier == CL_KERNEL_ARG_ADDRESS_GLOBAL     ? "global"
           : qualifier == CL_KERNEL_ARG_ADDRESS_LOCAL    ? "local"
           : qualifier == CL_KERNEL_ARG_ADDRESS_CONSTANT ? "constant"
                                                         : "private";
}

static const char *access(uint32_t qualifier)
{
    return qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? " read_only"
           : qualifier == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? " write_only"
           : qualifier == CL_KERNEL_ARG_ACCESS_READ_WRITE ? " read_write"
                                                          : "";
}

/* "global const int* in: 8 bytes, read\n" */
static void print_argument(const struct fact_argument *argument, struct text *text)
{
    text_format(text, "%s%s%s%s%s%s %s %s: %llu bytes%s%s\n", address(argument->address),
                access(argument->access),
                argument->type_qualifiers & CL_KERNEL_ARG_TYPE_CONST ? " const" : "",
                argument->type_qualifiers & CL_KERNEL_ARG_TYPE_RESTRICT ? " restrict" : "",
                argument->type_qualifiers & CL_KERNEL_ARG_TYPE_VOLATILE ? " volatile" : "",
                argument->type_qualifiers & CL_KERNEL_ARG_TYPE_PIPE ? " pipe" : "",
                argument->type_name, argument->name, (unsigned long long)argument->size,
                argument->accesses & CL_KERNEL_ARG_READS_CLERK ? ", read" : "",
                argument->accesses & CL_KERNEL_ARG_WRITES_CLERK ? ", written" : "");
}

/* A kernel "k" is not named; another's name comes before its arguments. */
static void print_facts(const struct facts *facts, struct text *text)
{
    for (size_t k = 0; k < facts->kernel_count; k++) {
        const struct fact_kernel *kernel = &facts->kernels[k];
        if (strcmp(kernel->name, "k") != 0)
            text_format(text, "%s\n", kernel->name);
        if (kernel->group_size[0] != 0)
            text_format(text, "in groups of %llu, %llu, %llu\n",
                        (unsigned long long)kernel->group_size[0],
                        (unsigned long long)kernel->group_size[1],
                        (unsigned long long)kernel->group_size[2]);
        for (size_t i = 0; i < kernel->argument_count; i++)
            print_argument(&kernel->arguments[i], text);
    }
}

static void check_answer(const struct request *request, const char *expected)
{
    struct facts facts;
    struct error error;
    struct text text = TEXT_INIT;
    const uint64_t live = alloc_live_count();
    if (answer_request(request, &facts, &error) != STATUS_OK)
        fail_msg("%s\n%s", error.text, (const char *)request->parts[0].bytes);
    print_facts(&facts, &text);
    assert_string_equal(text.bytes, expected);
    facts_release(&facts);
    text_release(&text);
    assert_int_equal(alloc_live_count(), live);
}

static struct request_part make_part(const char *source, const char *options)
{
    return (struct request_part){.bytes = source, .size = strlen(source), .options = options};
}

static void check_source(const char *source, const char *options, const char *expected)
{
    struct request_part part = make_part(source, options);
    const struct request request = {.device = device, .parts = &part, .part_count = 1};
    check_answer(&request, expected);
}

/* ---- kernels ---- */

static const struct row {
    const char *options, *source, *expected;
} rows[] = {
    {"", "kernel void k(int a, uchar b, float4 c, float3 d, double e) {}",
     "private int a: 4 bytes\nprivate uchar b: 1 bytes\nprivate float4 c: 16 bytes\n"
     "private float3 d: 16 bytes\nprivate double e: 8 bytes\n"},
    {"",
     "struct s { char a; long b[3]; }; struct s2 { float x; };\n"
     "kernel void k(struct s a, struct s2 b, global struct s *c) { c->a = 1; }",
     "private struct s a: 32 bytes\nprivate struct s2 b: 4 bytes\n"
     "global struct s* c: 8 bytes, written\n"},
    {"",
     "kernel void k(read_only image2d_t a, write_only image3d_t b, sampler_t c,\n"
     "              read_only image1d_buffer_t d) {}",
     "global read_only image2d_t a: 8 bytes, read\n"
     "global write_only image3d_t b: 8 bytes, written\nprivate sampler_t c: 8 bytes\n"
     "global read_only image1d_buffer_t d: 8 bytes, read\n"},
    {"-cl-std=CL2.0", "kernel void k(read_write image2d_t a) {}",
     "global read_write image2d_t a: 8 bytes, read, written\n"},
    {"-cl-std=CL2.0", "kernel void k(read_only pipe int a, write_only pipe float4 b) {}",
     "global read_only pipe int a: 8 bytes, read, written\n"
     "global write_only pipe float4 b: 8 bytes, read, written\n"},
    {"-cl-std=CL2.0", "kernel void k(queue_t q) {}", "private queue_t q: 8 bytes\n"},
    {"", "kernel void k(local int *a, constant float *b) { a[0] = b[0]; }",
     "local int* a: 0 bytes, read, written\nconstant const float* b: 8 bytes, read\n"},
    {"", "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(constant int *a) {}",
     "in groups of 8, 4, 1\nconstant const int* a: 8 bytes\n"},
    {"",
     "kernel void k(global const int *restrict a, global volatile int *b, global int *c,\n"
     "              global int *d)\n"
     "{ *b = *a; c[get_global_id(0)] += 1; }",
     "global const restrict int* a: 8 bytes, read\nglobal volatile int* b: 8 bytes, written\n"
     "global int* c: 8 bytes, read, written\nglobal int* d: 8 bytes\n"},
    {"",
     "void put(global int *to, int what) { *to = what; }\n"
     "int get(global int *from) { return from[1]; }\n"
     "global int *pick(global int *a, global int *b, int i) { return i > 0 ? a : b; }\n"
     "kernel void k(global int *a, global int *b, global int *c, global int *d, int i)\n"
     "{ put(a + i, get(b)); *pick(c, d, i) = 1; }",
     "global int* a: 8 bytes, written\nglobal int* b: 8 bytes, read\n"
     "global int* c: 8 bytes, written\nglobal int* d: 8 bytes, written\n"
     "private int i: 4 bytes\n"},
    {"",
     "kernel void k(global int *a, global uint *b, global int *c)\n"
     "{ atomic_inc(a); c[atomic_xchg(b, 1)] = 0; }",
     "global int* a: 8 bytes, read, written\nglobal uint* b: 8 bytes, read, written\n"
     "global int* c: 8 bytes, written\n"},
    {"-cl-std=CL3.0",
     "kernel void k(global atomic_int *a, global atomic_int *b)\n"
     "{ atomic_store_explicit(a, atomic_load_explicit(b, memory_order_relaxed),\n"
     "                        memory_order_relaxed); }",
     "global atomic_int* a: 8 bytes, written\nglobal atomic_int* b: 8 bytes, read\n"},
    {"",
     "struct s { int a[40]; };\n"
     "kernel void k(global struct s *a, global struct s *b) { a[1] = b[0]; }",
     "global struct s* a: 8 bytes, written\nglobal struct s* b: 8 bytes, read\n"},
    {"",
     "kernel void k(global float *a, global float *b, local float *c)\n"
     "{ event_t e = async_work_group_copy(c, a, 8, 0); wait_group_events(1, &e);\n"
     "  e = async_work_group_strided_copy(b, c, 8, 2, 0); wait_group_events(1, &e); }",
     "global float* a: 8 bytes, read\nglobal float* b: 8 bytes, written\n"
     "local float* c: 0 bytes, read, written\n"},
    /* Who finds a pointer in memory may do anything with it. */
    {"",
     "struct s { global int *p; };\n"
     "kernel void k(global int *a, global struct s *b) { b->p = a; }",
     "global int* a: 8 bytes, read, written\nglobal struct s* b: 8 bytes, written\n"},
    {"",
     "kernel void k(global int *a, global int *b, global int *c)\n"
     "{ global int *way = a; for (int i = 0; i < 9; i++, way++) *c += *way;\n"
     "  if (a == b) *c = 0; }",
     "global int* a: 8 bytes, read\nglobal int* b: 8 bytes\n"
     "global int* c: 8 bytes, read, written\n"},
    {"",
     "kernel void k(global int *a, global int *b, global int *c)\n"
     "{ *(global int *)(((ulong)a + 15) & ~15ul) = 1;\n"
     "  uint2 halves = as_uint2((ulong)b); *(global int *)as_ulong(halves.xy) = 1;\n"
     "  if (((ulong)c & 3) == 0) *a = 2; }",
     "global int* a: 8 bytes, written\nglobal int* b: 8 bytes, written\n"
     "global int* c: 8 bytes\n"},
    {"-cl-std=CL2.0",
     "kernel void k(global int *a, local int *b, int i)\n"
     "{ int *p = i > 0 ? (int *)a : (int *)b; *p = to_global(p) != 0; }",
     "global int* a: 8 bytes, written\nlocal int* b: 0 bytes, read, written\n"
     "private int i: 4 bytes\n"},
    {"", "kernel void first(int a) {}\nkernel void second(void) {}\nvoid other(int c) {}",
     "first\nprivate int a: 4 bytes\nsecond\n"},
    {"-cl-std=CLC++",
     "struct s { int a; s() : a(1) {} ~s() { a = 0; } }; s held;\n"
     "kernel void k(global int *a) { *a = held.a; }",
     "global int* a: 8 bytes, written\n"},
    {"-DT=float -D N=2", "kernel void k(T a) { T b[N]; }", "private float a: 4 bytes\n"},
    {"", "", ""},
};

static void kernels_are_what_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_source(rows[i].source, rows[i].options, rows[i].expected);
}

static void a_kernel_that_is_refused_is_left_out(void **state)
{
    (void)state;
    check_source("int other(int);\nkernel void bad(global int *a) { *a = other(1); }\n"
                 "kernel void k(int a) {}",
                 "", "private int a: 4 bytes\n");
}

/* ---- programs of several parts, and of IL ---- */

static void parts_are_linked(void **state)
{
    (void)state;
    static struct request_header header = {"x.h", "#define SET(p) (*(p) = 1)\n", 26};
    struct request_part parts[] = {
        make_part("void put(global int *p);\n"
                  "kernel void k(global int *a, global int *b) { a[1] = 2; put(a); }",
                  ""),
        make_part("#include \"x.h\"\nvoid put(global int *p) { SET(p); }\n"
                  "kernel void second(long a) {}",
                  "-cl-std=CL2.0"),
    };
    parts[1].headers = &header;
    parts[1].header_count = 1;
    const struct request request = {
        .device = device, .is_linked = true, .parts = parts, .part_count = 2};
    check_answer(&request, "global int* a: 8 bytes, written\nglobal int* b: 8 bytes\n"
                           "second\nprivate long a: 8 bytes\n");
}

/* SPIR-V of a program, freed with alloc_free. */
static uint8_t *make_il(const char *source, size_t *size)
{
    struct arena arena = {0};
    struct build_options options;
    struct text log = TEXT_INIT;
    struct compile_result made;
    assert_true(build_options_parse("", &arena, &options));
    const struct compile_request request = {
        .source = source, .source_size = strlen(source), .options = &options};
    assert_int_equal(compile_source(&request, &log, &made), STATUS_OK);
    sources_drop(made.sources);
    text_release(&log);
    arena_release(&arena);
    *size = made.spirv_size;
    return made.spirv;
}

static void il_is_taken(void **state)
{
    (void)state;
    struct request_part part = {.is_il = true, .options = ""};
    uint8_t *il =
        make_il("kernel void k(global const float4 *a, global int *b) { *b = 1; }", &part.size);
    struct request request = {.device = device, .parts = &part, .part_count = 1};
    part.bytes = il;
    check_answer(&request, "global const float4* a: 8 bytes\nglobal int* b: 8 bytes, written\n");
    request.is_linked = true;
    check_answer(&request, "global const float4* a: 8 bytes\nglobal int* b: 8 bytes, written\n");
    alloc_free(il);
}

/* ---- what is certain ---- */

/* What the one kernel writes for certain; sets *is_apart if it is known whether items are apart. */
static uint64_t certain_size(const struct request *request, bool *is_apart)
{
    struct facts facts;
    struct error error;
    if (answer_request(request, &facts, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(facts.kernel_count, 1);
    const uint64_t size = facts.kernels[0].arguments[0].must_write.size;
    *is_apart = facts.kernels[0].arguments[0].apart.is_known;
    assert_int_equal(facts.kernels[0].local_count,
                     *is_apart && facts.kernels[0].argument_count > 1);
    facts_release(&facts);
    return size;
}

static void nothing_is_certain_of_another_device(void **state)
{
    (void)state;
    struct request_part part =
        make_part("kernel void k(global int *a, int b)\n"
                  "{ local int c[8]; c[get_local_id(0)] = b; a[get_global_id(0)] = 1; }",
                  "");
    struct request request = {.device = device, .parts = &part, .part_count = 1};
    bool is_apart;
    assert_int_equal(certain_size(&request, &is_apart), 0);
    assert_false(is_apart);
    request.device.is_alone = true;
    assert_int_equal(certain_size(&request, &is_apart), 4);
    assert_true(is_apart);
}

/* The program may give the constant another value, with which the kernel does something else. */
static void nothing_is_certain_of_specialisation(void **state)
{
    (void)state;
    static const char *const heads[] = {"%one = OpConstant %int 1\n",
                                        "%one = OpSpecConstant %int 1\n"};
    static const char *const decorations[] = {"", "OpDecorate %one SpecId 7\n"};
    for (size_t i = 0; i < 2; i++) {
        char assembly[2048];
        snprintf(assembly, sizeof assembly,
                 "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\n"
                 "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%k \"k\" %%id\n"
                 "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n%s"
                 "%%void = OpTypeVoid\n%%int = OpTypeInt 32 0\n%%long = OpTypeInt 64 0\n"
                 "%%three = OpTypeVector %%long 3\n%%input = OpTypePointer Input %%three\n"
                 "%%global = OpTypePointer CrossWorkgroup %%int\n"
                 "%%function = OpTypeFunction %%void %%global\n%s"
                 "%%id = OpVariable %%input Input\n%%k = OpFunction %%void None %%function\n"
                 "%%a = OpFunctionParameter %%global\n%%entry = OpLabel\n"
                 "%%ids = OpLoad %%three %%id\n%%i = OpCompositeExtract %%long %%ids 0\n"
                 "%%at = OpInBoundsPtrAccessChain %%global %%a %%i\n"
                 "OpStore %%at %%one Aligned 4\nOpReturn\nOpFunctionEnd\n",
                 decorations[i], heads[i]);
        struct request_part part = {.is_il = true, .options = ""};
        uint8_t *il = validate_assemble(assembly, &part.size);
        assert_non_null(il);
        part.bytes = il;
        struct request request = {.device = device, .parts = &part, .part_count = 1};
        request.device.is_alone = true;
        bool is_apart;
        assert_int_equal(certain_size(&request, &is_apart), i == 0 ? 4 : 0);
        assert_int_equal(is_apart, i == 0);
        alloc_free(il);
    }
}

/* ---- what cannot be answered ---- */

static void check_refusal(const struct request *request, const char *sentence)
{
    struct facts facts;
    struct error error = {0};
    assert_int_not_equal(answer_request(request, &facts, &error), STATUS_OK);
    assert_string_equal(error.text, sentence);
}

/* Files that are included ask for macros which nobody has asked the driver for. */
static void macros_of_other_files_have_to_be_known(void **state)
{
    (void)state;
    static const char header[] = "#if __OTHER_COMPILER__ > 3\n#define T int\n#else\n"
                                 "#define T float\n#endif\n#ifndef __GUARD_H__\n"
                                 "#define __GUARD_H__\n#endif\n#ifdef FAST\n#endif\n";
    struct request_header headers[] = {{"h.h", header, sizeof header - 1}};
    struct request_part part = make_part("#include \"h.h\"\nkernel void k(T a) {}", "");
    struct request request = {.device = device, .parts = &part, .part_count = 1};
    part.headers = headers;
    part.header_count = 1;
    check_refusal(&request, "the program asks for the macro __OTHER_COMPILER__, which may be the "
                            "compiler's");
    request.device.macros = "#undef __OTHER_COMPILER__\n";
    check_answer(&request, "private float a: 4 bytes\n");
    request.device.macros = "#undef __OTHER_COMPILER__\n#define __OTHER_COMPILER__ 4\n";
    check_answer(&request, "private int a: 4 bytes\n");
}

static void what_cannot_be_answered_is_refused(void **state)
{
    (void)state;
    static const char bad[] = "kernel void k(global int *a)\n{\n    *a = b;\n}";
    struct request_part parts[] = {make_part(bad, ""), make_part("", "")};
    struct request request = {.device = device, .parts = parts};
    check_refusal(&request,
                  "the request is of 0 programs that are not linked; it has to be of one");
    request.part_count = 2;
    check_refusal(&request,
                  "the request is of 2 programs that are not linked; it has to be of one");
    request.part_count = 1;
    check_refusal(&request, "the program cannot be compiled: <source>:3:10: error: "
                            "use of undeclared identifier 'b'");
    parts[0] = make_part("", "-D");
    check_refusal(&request, "the program's options: -D needs a value");
    request.device.address_bits = 16;
    check_refusal(&request, "the device's addresses have 16 bits; they have to have 32 or 64");
    request.device.address_bits = 64;
    parts[0] = (struct request_part){.is_il = true, .bytes = bad, .size = 20, .options = ""};
    check_refusal(&request, "the program's IL is not SPIR-V");
    parts[0] = make_part("void g(void) {}", "");
    parts[1] = make_part("void g(void) {}", "");
    request.part_count = 2;
    request.is_linked = true;
    struct facts facts;
    struct error error = {0};
    assert_int_not_equal(answer_request(&request, &facts, &error), STATUS_OK);
    assert_memory_equal(error.text, "the program cannot be linked: ", 30);
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_what_they_are),
        cmocka_unit_test(a_kernel_that_is_refused_is_left_out),
        cmocka_unit_test(parts_are_linked),
        cmocka_unit_test(il_is_taken),
        cmocka_unit_test(nothing_is_certain_of_another_device),
        cmocka_unit_test(nothing_is_certain_of_specialisation),
        cmocka_unit_test(macros_of_other_files_have_to_be_known),
        cmocka_unit_test(what_cannot_be_answered_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
