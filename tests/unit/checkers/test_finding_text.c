/* How findings look: golden text, one behaviour a test. */
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(const struct finding *finding, const char *expected)
{
    struct text text = TEXT_INIT;
    finding_print_text(finding, false, 0, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void lines_are_as_narrow_as_asked_for(void **state)
{
    (void)state;
    for (size_t width = 0; width <= 120; width += 10) {
        const size_t limit = width == 0 || width > 100 ? 100 : width < 40 ? 40 : width;
        size_t longest = 0;
        struct text text = TEXT_INIT;
        finding_print_text(&sample_race, false, width, &text);
        for (const char *line = text.bytes; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > longest)
                longest = strcspn(line, "\n");
        assert_true(longest <= limit);
        assert_true(longest + 20 > limit);
        text_release(&text);
    }
}

static struct finding with_place(const struct finding_place *place)
{
    return (struct finding){.rule = RULE_RACE_LOCAL,
                            .message = "m",
                            .advice = "A.",
                            .places = place,
                            .place_count = 1,
                            .count = 1};
}

static void a_race_shows_both_sides(void **state)
{
    (void)state;
    assert_text(
        &sample_race,
        "error: [race-local] work-items (0,0,0) and (1,0,0) of work-group (0,0,0) race on 4 "
        "bytes of local\n"
        "       memory 'tile' (element 1)\n"
        "  --> reduce.cl:16:30, in reduce\n"
        "   |\n"
        "16 |             tile[lid] += tile[lid + s];\n"
        "   |                              ^ read of 4 bytes by work-item (0,0,0) of "
        "work-group (0,0,0)\n"
        "  --> reduce.cl:9:5, in add\n"
        "   |\n"
        " 9 |     *to = value;\n"
        "   |        ^ write of 4 bytes by work-item (1,0,0) of work-group (0,0,0)\n"
        "      called by step at reduce.cl:30:9\n"
        "      called by reduce at reduce.cl:41:5\n"
        "   |\n"
        "  object: local memory 'tile' (256 bytes), bytes 4 to 7\n"
        "  launch: kernel 'reduce', NDRange 1024 in groups of 64\n"
        "  reason: no barrier separates them within work-group (0,0,0)\n"
        "  fix:    Put barrier(CLK_LOCAL_MEM_FENCE) between the two accesses.\n"
        "  rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)\n"
        "  seen:   31 times\n");
}

static void a_call_shows_argument_stack_and_object(void **state)
{
    (void)state;
    assert_text(
        &sample_call,
        "error: [handle-released] clEnqueueReadBuffer: event_wait_list[2] is event#7, which "
        "was released\n"
        "  --> clEnqueueReadBuffer, argument event_wait_list[2] (call 40)\n"
        "      at upload+0x1f (app)\n"
        "         main+0x52 (app)\n"
        "  --> event#7 was released by clReleaseEvent (call 31)\n"
        "  fix:    Keep it.\n"
        "  rule:   OpenCL API 3.0, chapter 2, Reference Count (clerk rules handle-released)\n");
}

static void two_sides_on_one_spot_share_a_quotation(void **state)
{
    (void)state;
    struct finding_place places[2] = {sample_race_places[0], sample_race_places[0]};
    struct finding finding = with_place(places);
    finding.place_count = 2;
    places[0].label = "write by (0,0,0)";
    places[1].label = "write by (1,0,0)";
    assert_text(&finding, "error: [race-local] m\n"
                          "  --> reduce.cl:16:30, in reduce\n"
                          "   |\n"
                          "16 |             tile[lid] += tile[lid + s];\n"
                          "   |                              ^ write by (0,0,0)\n"
                          "   |                              ^ write by (1,0,0)\n"
                          "   |\n"
                          "  fix:    A.\n"
                          "  rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)\n");
}

static void long_lines_are_cut_around_the_caret(void **state)
{
    (void)state;
    char source[301];
    memset(source, 'a', 300);
    source[300] = 0;
    source[199] = 'X';
    const struct finding_place place = {.kind = FINDING_PLACE_KERNEL,
                                        .label = "here",
                                        .file = "f.cl",
                                        .line = 7,
                                        .column = 200,
                                        .source = source};
    const struct finding finding = with_place(&place);
    struct text text = TEXT_INIT;
    finding_print_text(&finding, false, 0, &text);
    const char *quoted = strstr(text.bytes, " 7 | ...");
    assert_non_null(quoted);
    assert_int_equal(strcspn(quoted, "\n"), 100);
    const char *caret = strchr(strchr(quoted, '\n') + 1, '^');
    assert_int_equal(strchr(quoted, 'X') - quoted, caret - strchr(quoted, '\n') - 1);
    text_release(&text);
}

static void labels_without_room_go_below_the_caret(void **state)
{
    (void)state;
    const struct finding_place place = {
        .kind = FINDING_PLACE_KERNEL,
        .label = "write of 4 bytes by work-item (0,0,0)",
        .file = "f.cl",
        .line = 7,
        .column = 81,
        .source = "                                                                                "
                  "x = 1;"};
    const struct finding finding = with_place(&place);
    assert_text(
        &finding,
        "error: [race-local] m\n"
        "  --> f.cl:7:81\n"
        "   |\n"
        " 7 |                                                                             "
        "    x = 1;\n"
        "   |                                                                             "
        "    ^\n"
        "   |                                                           write of 4 bytes by "
        "work-item (0,0,0)\n"
        "   |\n"
        "  fix:    A.\n"
        "  rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)\n");
}

static void places_without_source_or_line_are_named(void **state)
{
    (void)state;
    const struct finding_place places[] = {
        {.kind = FINDING_PLACE_KERNEL, .label = "read by (0,0,0)"},
        {.kind = FINDING_PLACE_KERNEL, .file = "f.cl", .line = 3, .function = "k"},
        {.kind = FINDING_PLACE_CALL},
    };
    struct finding finding = with_place(places);
    finding.place_count = 3;
    assert_text(&finding, "error: [race-local] m\n"
                          "  --> <unknown>\n"
                          "      read by (0,0,0)\n"
                          "  --> f.cl:3, in k\n"
                          "  --> a call\n"
                          "  fix:    A.\n"
                          "  rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)\n");
}

/* Source may come from anywhere; escapes in it must not reach the terminal. Columns count bytes,
 * carets stand under characters. */
static void hostile_and_wide_characters(void **state)
{
    (void)state;
    const struct finding_place place = {.kind = FINDING_PLACE_KERNEL,
                                        .file = "a\x1b[31m.cl",
                                        .line = 1,
                                        .column = 9,
                                        .source = "\t\xc3\xa4\xc3\xb6\x1b\xff x\r"};
    struct finding finding = with_place(&place);
    finding.message = "bell \a and C1 \xc2\x9b";
    assert_text(&finding, "error: [race-local] bell \\x07 and C1 \\u009b\n"
                          "  --> a\\x1b[31m.cl:1:9\n"
                          "   |\n"
                          " 1 |     \xc3\xa4\xc3\xb6\\x1b\\xff x\n"
                          "   |                ^\n"
                          "   |\n"
                          "  fix:    A.\n"
                          "  rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)\n");
}

static void colours_change_no_character(void **state)
{
    (void)state;
    struct text plain = TEXT_INIT;
    struct text coloured = TEXT_INIT;
    struct text stripped = TEXT_INIT;
    finding_print_text(&sample_race, false, 0, &plain);
    finding_print_text(&sample_race, true, 0, &coloured);
    assert_null(strchr(plain.bytes, '\x1b'));
    assert_non_null(strchr(coloured.bytes, '\x1b'));
    for (const char *c = coloured.bytes; *c;) {
        if (*c == '\x1b')
            c = strchr(c, 'm') + 1;
        else
            text_append_char(&stripped, *c++);
    }
    assert_string_equal(stripped.bytes, plain.bytes);
    text_release(&plain);
    text_release(&coloured);
    text_release(&stripped);
}

static void deep_stacks_are_cut(void **state)
{
    (void)state;
    const char *frames[40];
    for (size_t i = 0; i < 40; ++i)
        frames[i] = "f+0x1 (app)";
    struct finding_place place = sample_call_places[0];
    place.frames = frames;
    place.frame_count = 40;
    const struct finding finding = with_place(&place);
    struct text text = TEXT_INIT;
    finding_print_text(&finding, false, 0, &text);
    assert_non_null(strstr(text.bytes, "         ... 24 more\n"));
    text_release(&text);
}

static void long_parameters_of_functions_are_left_out(void **state)
{
    (void)state;
    const char *const frames[] = {
        "short(int, std::vector<int>&)+0x1 (/bin/app+0x2)",
        "run(int, char const**, std::vector<std::string, std::allocator<std::string> >&) const+0x1"
        " (/bin/app+0x2)",
        "run(int, char const**, std::vector<std::string, std::allocator<std::string> >&) "
        "(app.cc:7)",
        "a_function_of_c_whose_name_is_longer_than_any_line_that_a_person_reads_at_once (/bin/app)",
    };
    struct finding_place place = sample_call_places[0];
    place.frames = frames;
    place.frame_count = sizeof frames / sizeof *frames;
    const struct finding finding = with_place(&place);
    struct text text = TEXT_INIT;
    finding_print_text(&finding, false, 0, &text);
    assert_non_null(strstr(text.bytes, " short(int, std::vector<int>&)+0x1 (app)\n"));
    assert_non_null(strstr(text.bytes, " run(...) const+0x1 (app)\n"));
    assert_non_null(strstr(text.bytes, " run(...) (app.cc:7)\n"));
    assert_non_null(strstr(text.bytes, "a_person_reads_at_once (/bin/app)\n"));
    text_release(&text);
}

/* A stack without a frame of the program's own would be empty: it is shown. */
static void frames_of_others_are_folded(void **state)
{
    (void)state;
    const char *const frames[] = {"cl::Kernel::Kernel() (/usr/include/CL/opencl.hpp:7105)",
                                  "main (app.cc:7)"};
    struct finding_place place = sample_call_places[0];
    place.frames = frames;
    place.frame_count = 2;
    const struct finding finding = with_place(&place);
    struct text text = TEXT_INIT;
    finding_print_text(&finding, false, 0, &text);
    assert_non_null(strstr(text.bytes, "at main (app.cc:7)\n"));
    assert_non_null(strstr(text.bytes, " (1 of bindings and the system folded)\n"));
    assert_null(strstr(text.bytes, "opencl.hpp"));
    text_clear(&text);
    finding_print_text_unfolded(&finding, false, 0, &text);
    assert_non_null(strstr(text.bytes, "opencl.hpp"));
    assert_null(strstr(text.bytes, "folded"));
    text_clear(&text);
    place.frame_count = 1;
    finding_print_text(&finding, false, 0, &text);
    assert_non_null(strstr(text.bytes, "opencl.hpp"));
    assert_null(strstr(text.bytes, "folded"));
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_as_narrow_as_asked_for),
        cmocka_unit_test(a_race_shows_both_sides),
        cmocka_unit_test(a_call_shows_argument_stack_and_object),
        cmocka_unit_test(two_sides_on_one_spot_share_a_quotation),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(labels_without_room_go_below_the_caret),
        cmocka_unit_test(places_without_source_or_line_are_named),
        cmocka_unit_test(hostile_and_wide_characters),
        cmocka_unit_test(colours_change_no_character),
        cmocka_unit_test(deep_stacks_are_cut),
        cmocka_unit_test(long_parameters_of_functions_are_left_out),
        cmocka_unit_test(frames_of_others_are_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
