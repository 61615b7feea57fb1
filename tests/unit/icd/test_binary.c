/* Program binaries: what is written comes back, what is damaged does not. */
#include "reference/compiler/binary.h"
#include "tests/unit/icd/unit.h"
#include "trace/base/alloc.h"

/* A header of SPIR-V is all that the binary looks at. */
static const uint32_t spirv[] = {0x07230203, 0x00010200, 0, 1, 0};

static struct sources *make_sources(void)
{
    struct sources *sources = sources_create();
    static const char program[] = "#include \"a.h\"\r\nkernel void k(void) {}\n\nend";
    static const char header[] = "";
    if (!sources || !sources_add(sources, SOURCES_PROGRAM, program, sizeof(program) - 1) ||
        !sources_add(sources, "a.h", header, 0)) {
        sources_drop(sources);
        return NULL;
    }
    return sources;
}

static void write(struct sources *sources, struct text *text)
{
    binary_write(&(struct binary){.spirv = (const uint8_t *)spirv,
                                  .spirv_size = sizeof(spirv),
                                  .type = 4,
                                  .sources = sources},
                 text);
}

static void binaries_come_back_with_their_sources(void **state)
{
    (void)state;
    struct text text = TEXT_INIT, again = TEXT_INIT;
    struct sources *sources = make_sources();
    struct binary binary;
    write(sources, &text);
    sources_drop(sources);
    assert_true(binary_read(text.bytes, text.size, &binary));
    assert_int_equal(binary.type, 4);
    assert_int_equal(binary.spirv_size, sizeof(spirv));
    assert_memory_equal(binary.spirv, spirv, sizeof(spirv));
    assert_string_equal(sources_line(binary.sources, SOURCES_PROGRAM, 1), "#include \"a.h\"");
    assert_string_equal(sources_line(binary.sources, SOURCES_PROGRAM, 2), "kernel void k(void) {}");
    assert_string_equal(sources_line(binary.sources, SOURCES_PROGRAM, 4), "end");
    assert_null(sources_line(binary.sources, SOURCES_PROGRAM, 5));
    assert_string_equal(sources_line(binary.sources, "a.h", 1), "");
    binary_write(&binary, &again);
    struct sources *kept = binary.sources;
    assert_true(binary_read(again.bytes, again.size, &binary));
    assert_string_equal(sources_line(binary.sources, SOURCES_PROGRAM, 4), "end");
    sources_drop(binary.sources);
    sources_drop(kept);
    text_release(&text);
    text_release(&again);
}

static void lines_are_as_directives_number_them(void **state)
{
    static const char text[] = "one\n"
                               "#line 20 \"dir/other.cl\"\n"
                               "twenty\n"
                               "twenty-one\n"
                               "  # 7\n"
                               "seven\n"
                               "#pragma once\n"
                               "# line 3 \"third\" 1\n"
                               "three";
    struct sources *sources = sources_create();
    (void)state;
    assert_true(sources_add(sources, SOURCES_PROGRAM, text, sizeof text - 1));
    assert_string_equal(sources_line(sources, SOURCES_PROGRAM, 1), "one");
    assert_null(sources_line(sources, SOURCES_PROGRAM, 2));
    assert_null(sources_line(sources, "dir/other.cl", 19));
    assert_string_equal(sources_line(sources, "dir/other.cl", 20), "twenty");
    assert_string_equal(sources_line(sources, "dir/other.cl", 21), "twenty-one");
    assert_string_equal(sources_line(sources, "dir/other.cl", 7), "seven");
    assert_null(sources_line(sources, "dir/other.cl", 22));
    assert_string_equal(sources_line(sources, "third", 3), "three");
    assert_null(sources_line(sources, "third", 4));
    assert_null(sources_line(sources, "third", UINT32_MAX));
    sources_drop(sources);
}

static void sources_may_be_unknown(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct binary binary;
    write(NULL, &text);
    assert_true(binary_read(text.bytes, text.size, &binary));
    assert_null(binary.sources);
    text_release(&text);
}

static void damaged_binaries_are_none(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct sources *sources = make_sources();
    struct binary binary;
    write(sources, &text);
    sources_drop(sources);
    for (size_t i = 0; i < text.size; i++) {
        assert_false(binary_read(text.bytes, i, &binary));
        text.bytes[i] ^= 0x10;
        assert_false(binary_read(text.bytes, text.size, &binary));
        text.bytes[i] ^= 0x10;
    }
    text_append_char(&text, 0);
    assert_false(binary_read(text.bytes, text.size, &binary));
    text_release(&text);
}

static void want_of_memory_is_survived(void **state)
{
    (void)state;
    bool complete = false;
    for (uint64_t n = 1; !complete; n++) {
        struct text text = TEXT_INIT;
        struct binary binary = {.sources = NULL};
        alloc_fail_at(n);
        struct sources *sources = make_sources();
        if (sources)
            write(sources, &text);
        complete = sources && !text.failed && binary_read(text.bytes, text.size, &binary);
        alloc_fail_at(0);
        sources_drop(binary.sources);
        sources_drop(sources);
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binaries_come_back_with_their_sources),
        cmocka_unit_test(lines_are_as_directives_number_them),
        cmocka_unit_test(sources_may_be_unknown),
        cmocka_unit_test(damaged_binaries_are_none),
        cmocka_unit_test(want_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
