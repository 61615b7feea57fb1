/* Requests, facts, copies and launches: what is packed comes back, what is cut short or damaged
 * does not, and nothing is left of it. */
#include "checkers/probe/captured.h"
#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"
#include "trace/base/alloc.h"

#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct request_header headers[] = {{"a.h", "#define A 1\n", 12}, {"empty.h", "", 0}};
static const uint32_t il[] = {0x07230203, 0x00010000, 0, 1, 0};
static struct request_constant constants[] = {{7, 4, {1, 2, 3, 4}}, {8, 1, {1}}};
static struct request_part parts[] = {
    {.bytes = "kernel void k(void) {}",
     .size = 22,
     .options = "-DX=1 -cl-std=CL3.0",
     .headers = headers,
     .header_count = 2},
    {.is_il = true,
     .bytes = il,
     .size = sizeof il,
     .options = "",
     .constants = constants,
     .constant_count = 2},
};
static const struct request asked = {.device = {.extensions = "cl_khr_fp64 cl_nv_x",
                                                .version = 300,
                                                .address_bits = 64,
                                                .has_images = true,
                                                .is_little_endian = true,
                                                .is_alone = true,
                                                .macros = "#define N 1\n"},
                                     .is_linked = true,
                                     .parts = parts,
                                     .part_count = 2};

static struct apart_term terms[] = {
    {.id = APART_GROUP_ID, .dimension = 2, .scale = -4},
    {.id = APART_LOCAL_ID,
     .scale = 12,
     .factors = {{.kind = APART_ARGUMENT, .number = 7, .is_signed = true},
                 {.kind = APART_LOCAL_SIZE, .number = 1}},
     .factor_count = 2},
};
static struct apart_form forms[] = {{.terms = terms, .term_count = 2, .span = 8, .bits = 34},
                                    {.span = 4, .bits = 64, .one_global = 3, .one_local = 4}};
static struct fact_local locals[] = {
    {"tile", 64, {.is_known = true, .forms = forms, .form_count = 2, .writer = 2, .written = 4}},
    {"read", 8, {.is_known = true}},
};
static struct fact_argument arguments[] = {
    {.name = "in",
     .type_name = "float4*",
     .plain_type_name = "float4*",
     .address = 0x119b,
     .access = 0x11a3,
     .type_qualifiers = 3,
     .size = 8,
     .accesses = 1,
     .must_read = {4, -8, 1, UINT64_MAX, 31, CLERK_MUST_LIMIT_SIGNED},
     .must_write = {16, 12, UINT64_MAX, 100, 64, CLERK_MUST_ATOMIC},
     .apart = {.is_known = true, .forms = forms, .form_count = 1}},
    {.name = "", .type_name = "", .plain_type_name = "", .size = UINT64_MAX},
};
static struct fact_kernel kernels[] = {
    {.name = "none"},
    {.name = "some",
     .arguments = arguments,
     .argument_count = 2,
     .group_size = {8, 4, 1},
     .local_size = 72,
     .locals = locals,
     .local_count = 2},
};
static const struct facts told = {.kernels = kernels, .kernel_count = 2};

static struct checked_parameter parameters[] = {
    {.hidden = CHECKED_HIDDEN_SIZE, .argument = 1},
    {.hidden = CHECKED_HIDDEN_CELLS, .argument = 1, .shift = 2, .is_written = true},
};
static struct checked_part copies[] = {{.text = "kernel", .size = 6, .options = "-w"},
                                       {.text = "", .options = "", .is_il = true}};
static struct checked_kernel copied[] = {
    {.name = "none", .reason = "it enqueues kernels"},
    {.name = "some",
     .reason = "",
     .argument_count = 2,
     .parameters = parameters,
     .parameter_count = 2},
};
static struct checked_site sites[] = {{"a.h", 12, CHECKED_UPDATE, "a[i]", "", "a"},
                                      {"b.h", 1, 0, "", "put", ""}};
static const struct checked copied_program = {.reason = "",
                                              .parts = copies,
                                              .part_count = 2,
                                              .kernels = copied,
                                              .kernel_count = 2,
                                              .sites = sites,
                                              .site_count = 2};

static uint8_t contents[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t undefined[] = {5, 0, 0, 0, 0, 0, 0, 128};
static struct captured_memory memory[] = {
    {.type = CL_MEM_OBJECT_BUFFER,
     .flags = 1,
     .size = sizeof contents,
     .bytes = contents,
     .undefined = undefined},
    {.type = CL_MEM_OBJECT_IMAGE2D,
     .flags = 4,
     .size = 4,
     .image = {.order = CL_R, .channel = CL_FLOAT, .width = 1, .height = 1},
     .bytes = contents},
    {.type = CAPTURED_SHARED_MEMORY, .address = 4096, .size = 8, .bytes = contents},
};
static const struct captured_sampler sampler = {.addressing = CL_ADDRESS_CLAMP};
static struct captured_argument captured_arguments[] = {
    {.kind = CAPTURED_MEMORY, .index = 1},
    {.kind = CAPTURED_VALUE, .size = 3, .bytes = "abc"},
    {.kind = CAPTURED_LOCAL, .size = 64},
    {.kind = CAPTURED_NULL},
    {.kind = CAPTURED_UNSET},
    {.kind = CAPTURED_SAMPLER, .size = sizeof sampler, .bytes = &sampler},
    {.kind = CAPTURED_SHARED, .index = 2, .size = 4},
};
static const struct captured kept = {.kernel = "some",
                                     .reason = "",
                                     .function = "clEnqueueNDRangeKernel",
                                     .call_id = 12,
                                     .is_after = true,
                                     .dimensions = 2,
                                     .offset = {1},
                                     .global = {64, 8},
                                     .local = {8, 1},
                                     .program = "packed",
                                     .program_size = 6,
                                     .memory = memory,
                                     .memory_count = 3,
                                     .arguments = captured_arguments,
                                     .argument_count = 7};

static void requests_come_back(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct text again = TEXT_INIT;
    struct request request;
    request_pack(&asked, &text);
    assert_true(request_unpack(text.bytes, text.size, &request));
    assert_string_equal(request.device.extensions, "cl_khr_fp64 cl_nv_x");
    assert_int_equal(request.device.version, 300);
    assert_true(request.device.has_images);
    assert_false(request.device.is_embedded);
    assert_true(request.device.is_alone);
    assert_true(request.is_linked);
    assert_int_equal(request.part_count, 2);
    assert_string_equal(request.parts[0].headers[0].text, headers[0].text);
    assert_true(request.parts[1].is_il);
    assert_int_equal((uintptr_t)request.parts[1].bytes % sizeof il[0], 0);
    assert_memory_equal(request.parts[1].bytes, il, sizeof il);
    assert_int_equal(request.parts[1].constant_count, 2);
    assert_memory_equal(request.parts[1].constants, constants, sizeof constants);
    request_pack(&request, &again);
    assert_int_equal(text.size, again.size);
    assert_memory_equal(text.bytes, again.bytes, text.size);
    request_release(&request);
    text_release(&text);
    text_release(&again);
}

static void facts_come_back(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct text again = TEXT_INIT;
    struct facts facts;
    facts_pack(&told, &text);
    assert_true(facts_unpack(text.bytes, text.size, &facts));
    assert_int_equal(facts.kernel_count, 2);
    assert_int_equal(facts_find(&facts, "none")->argument_count, 0);
    assert_int_equal(facts_find(&facts, "some")->group_size[1], 4);
    assert_string_equal(facts_find(&facts, "some")->arguments[0].type_name, "float4*");
    assert_int_equal(facts_find(&facts, "some")->arguments[1].size, UINT64_MAX);
    assert_memory_equal(&facts_find(&facts, "some")->arguments[0].must_read,
                        &arguments[0].must_read, sizeof arguments[0].must_read);
    assert_memory_equal(&facts_find(&facts, "some")->arguments[0].must_write,
                        &arguments[0].must_write, sizeof arguments[0].must_write);
    assert_null(facts_find(&facts, "other"));
    const struct fact_kernel *kernel = facts_find(&facts, "some");
    assert_int_equal(kernel->arguments[0].apart.form_count, 1);
    assert_false(kernel->arguments[1].apart.is_known);
    assert_int_equal(kernel->local_count, 2);
    assert_string_equal(kernel->locals[0].name, "tile");
    assert_int_equal(kernel->locals[0].apart.forms[0].bits, 34);
    assert_int_equal(kernel->locals[0].apart.forms[0].terms[0].scale, -4);
    assert_true(kernel->locals[0].apart.forms[0].terms[1].factors[0].is_signed);
    assert_int_equal(kernel->locals[0].apart.forms[1].span, 4);
    assert_int_equal(kernel->locals[0].apart.forms[1].one_global, 3);
    assert_int_equal(kernel->locals[0].apart.forms[1].one_local, 4);
    facts_pack(&facts, &again);
    assert_int_equal(text.size, again.size);
    assert_memory_equal(text.bytes, again.bytes, text.size);
    facts_release(&facts);
    text_release(&text);
    text_release(&again);
}

static void copies_come_back(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct text again = TEXT_INIT;
    struct checked checked;
    checked_pack(&copied_program, &text);
    assert_true(checked_unpack(text.bytes, text.size, &checked));
    assert_string_equal(checked.parts[0].text, "kernel");
    assert_string_equal(checked_find(&checked, "none")->reason, "it enqueues kernels");
    assert_int_equal(checked_find(&checked, "some")->parameters[0].argument, 1);
    assert_null(checked_find(&checked, "other"));
    assert_int_equal(checked.sites[0].line, 12);
    assert_string_equal(checked.sites[0].variable, "a");
    checked_pack(&checked, &again);
    assert_int_equal(text.size, again.size);
    assert_memory_equal(text.bytes, again.bytes, text.size);
    checked_release(&checked);
    text_release(&text);
    text_release(&again);
}

static void launches_come_back(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct text again = TEXT_INIT;
    struct captured captured;
    captured_pack(&kept, &text);
    assert_true(captured_unpack(text.bytes, text.size, &captured));
    assert_string_equal(captured.kernel, "some");
    assert_true(captured.is_after);
    assert_int_equal(captured.global[1], 8);
    assert_memory_equal(captured.memory[0].bytes, contents, sizeof contents);
    assert_memory_equal(captured.memory[0].undefined, undefined, (sizeof contents + 7) / 8);
    assert_null(captured.memory[1].undefined);
    assert_int_equal(captured.memory[1].flags, 4);
    assert_int_equal(captured.memory[1].image.channel, CL_FLOAT);
    assert_int_equal(captured.memory[2].address, 4096);
    assert_memory_equal(captured.arguments[5].bytes, &sampler, sizeof sampler);
    assert_int_equal(captured.arguments[6].index, 2);
    assert_memory_equal(captured.arguments[1].bytes, "abc", 3);
    assert_int_equal(captured.arguments[2].size, 64);
    captured_pack(&captured, &again);
    assert_int_equal(text.size, again.size);
    assert_memory_equal(text.bytes, again.bytes, text.size);
    captured_release(&captured);
    text_release(&text);
    text_release(&again);
}

/* Whoever performs a launch need not look whether its memory is what it says. */
static void unsound_launches_are_refused(void **state)
{
    (void)state;
    struct captured_memory nothing = {.bytes = contents};
    struct captured_argument beyond = {.kind = CAPTURED_MEMORY, .index = 3};
    struct text text = TEXT_INIT;
    struct captured captured = kept;
    captured.arguments = &beyond;
    captured.argument_count = 1;
    captured_pack(&captured, &text);
    assert_false(captured_unpack(text.bytes, text.size, &captured));
    captured_release(&captured);
    text_clear(&text);
    captured = kept;
    captured.arguments = &beyond;
    captured.argument_count = 1;
    beyond = (struct captured_argument){.kind = CAPTURED_SAMPLER, .size = 3, .bytes = "abc"};
    captured_pack(&captured, &text);
    assert_false(captured_unpack(text.bytes, text.size, &captured));
    captured_release(&captured);
    text_clear(&text);
    captured = kept;
    captured.memory = &nothing;
    captured.memory_count = 1;
    captured.argument_count = 0;
    captured_pack(&captured, &text);
    assert_false(captured_unpack(text.bytes, text.size, &captured));
    captured_release(&captured);
    text_release(&text);
}

/* ---- damage ---- */

static bool read_request(const void *bytes, size_t size)
{
    struct request request;
    const bool read = request_unpack(bytes, size, &request);
    request_release(&request);
    return read;
}

static bool read_facts(const void *bytes, size_t size)
{
    struct facts facts;
    const bool read = facts_unpack(bytes, size, &facts);
    facts_release(&facts);
    return read;
}

static bool read_checked(const void *bytes, size_t size)
{
    struct checked checked;
    const bool read = checked_unpack(bytes, size, &checked);
    checked_release(&checked);
    return read;
}

static bool read_captured(const void *bytes, size_t size)
{
    struct captured captured;
    const bool read = captured_unpack(bytes, size, &captured);
    captured_release(&captured);
    return read;
}

typedef bool read_function(const void *bytes, size_t size);

/* Copies are as long as what is read, so that a sanitizer sees who reads on. */
static bool read_copy(read_function *read, const char *bytes, size_t size)
{
    char *copy = alloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const bool was_read = read(copy, size);
    alloc_free(copy);
    return was_read;
}

static void check_damage(read_function *read, const struct text *text)
{
    const uint64_t live = alloc_live_count();
    for (size_t size = 0; size < text->size; size++)
        assert_false(read_copy(read, text->bytes, size));
    /* Whatever a byte becomes, reading ends, within the bytes. */
    for (size_t i = 0; i < text->size; i++) {
        const char was = text->bytes[i];
        static const char values[] = {0, 1, 2, 127, -128, -1};
        for (size_t v = 0; v < sizeof values; v++) {
            text->bytes[i] = values[v];
            read_copy(read, text->bytes, text->size);
        }
        text->bytes[i] = was;
    }
    for (uint64_t n = 1; n < 200; n++) {
        alloc_fail_at(n);
        const bool was_read = read(text->bytes, text->size);
        alloc_fail_at(0);
        if (was_read)
            break;
        assert_true(n < 199);
    }
    assert_int_equal(alloc_live_count(), live);
}

static void damaged_requests_are_refused(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    request_pack(&asked, &text);
    check_damage(read_request, &text);
    text_append_char(&text, '\0');
    assert_false(read_request(text.bytes, text.size));
    text_release(&text);
}

static void damaged_copies_are_refused(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    checked_pack(&copied_program, &text);
    check_damage(read_checked, &text);
    text_append_char(&text, '\0');
    assert_false(read_checked(text.bytes, text.size));
    text_release(&text);
}

static void damaged_launches_are_refused(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    captured_pack(&kept, &text);
    check_damage(read_captured, &text);
    text_append_char(&text, '\0');
    assert_false(read_captured(text.bytes, text.size));
    text_release(&text);
}

static void damaged_facts_are_refused(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    facts_pack(&told, &text);
    check_damage(read_facts, &text);
    text_append_char(&text, '\0');
    assert_false(read_facts(text.bytes, text.size));
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_back),
        cmocka_unit_test(facts_come_back),
        cmocka_unit_test(damaged_requests_are_refused),
        cmocka_unit_test(damaged_facts_are_refused),
        cmocka_unit_test(copies_come_back),
        cmocka_unit_test(damaged_copies_are_refused),
        cmocka_unit_test(launches_come_back),
        cmocka_unit_test(unsound_launches_are_refused),
        cmocka_unit_test(damaged_launches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
