#include "sample.h"

#include "checkers/suppress.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Does a file of this text cover the finding? */
static bool covers(const char *text, const struct finding *finding)
{
    struct suppressions *set = NULL;
    struct error error;
    assert_int_equal(suppressions_parse(text, strlen(text), "s.txt", &set, &error), STATUS_OK);
    const bool result = suppressions_match(set, finding);
    suppressions_destroy(set);
    return result;
}

static void a_rule_alone_covers_every_finding_of_it(void **state)
{
    (void)state;
    assert_true(covers("race-local", &sample_race));
    assert_true(covers("  race-local\t# known\r\n", &sample_race));
    assert_false(covers("race-global\n", &sample_race));
    assert_false(covers("", &sample_race));
    assert_false(covers("# race-local\n\n", &sample_race));
    assert_false(suppressions_match(NULL, &sample_race));
}

static void filters_must_all_hold_in_one_place(void **state)
{
    (void)state;
    assert_true(covers("race-local file=reduce.cl line=16", &sample_race));
    assert_true(covers("race-local line=9 function=add", &sample_race));
    assert_false(covers("race-local line=16 function=add", &sample_race));
    assert_true(covers("race-local kernel=red*", &sample_race));
    assert_false(covers("race-local kernel=sum", &sample_race));
    assert_false(covers("race-local kernel=sum line=16", &sample_race));
    assert_true(covers("handle-released function=clEnqueueReadBuffer", &sample_call));
    assert_false(covers("handle-released kernel=*", &sample_call));
    assert_false(covers("handle-released line=0", &sample_call));
}

static void call_chains_count_as_functions(void **state)
{
    (void)state;
    assert_true(covers("race-local function=step", &sample_race));
    assert_true(covers("handle-released function=upload", &sample_call));
    assert_false(covers("handle-released function=uploa", &sample_call));
}

static void globs(void **state)
{
    (void)state;
    struct finding_place place = sample_race_places[0];
    struct finding finding = sample_race;
    finding.places = &place;
    finding.place_count = 1;
    place.file = "third_party/fft/radix4.cl";
    assert_true(covers("race-local file=third_party/*", &finding));
    assert_true(covers("race-local file=radix?.cl", &finding));
    assert_true(covers("race-local file=*fft*4*cl", &finding));
    assert_true(covers("race-local file=***", &finding));
    assert_false(covers("race-local file=fft", &finding));
    assert_false(covers("race-local file=*radix", &finding));
    assert_false(covers("race-local file=radix4.cl?", &finding));
    place.file = NULL;
    assert_false(covers("race-local file=*", &finding));
}

static void malformed_lines_are_named_and_add_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {"race-lokal\n", "s.txt:1: there is no rule 'race-lokal'; 'race-local' is a rule"},
        {"\n# x\ngibberish\n", "s.txt:3: there is no rule 'gibberish' (clerk rules lists them)"},
        {"race-local line\n", "s.txt:1: 'line' is not a filter KEY=GLOB"},
        {"race-local colour=red",
         "s.txt:1: 'colour' is not a filter; the filters are function, file, "
         "line, kernel, object and fingerprint"},
        {"race-local line=1 line=2", "s.txt:1: the filter 'line' is given twice"},
        {"race-global\nrace-local file=", "s.txt:2: the filter 'file=' has no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct suppressions *set = NULL;
        struct error error = {0};
        assert_int_equal(
            suppressions_parse(cases[i].text, strlen(cases[i].text), "s.txt", &set, &error),
            STATUS_MALFORMED);
        assert_string_equal(error.text, cases[i].sentence);
        assert_null(set);
    }
    struct suppressions *set = NULL;
    struct error error;
    assert_int_equal(suppressions_parse("race\0-local", 11, "s.txt", &set, &error),
                     STATUS_MALFORMED);
    assert_string_equal(error.text, "s.txt:1: the line holds a NUL byte");
    assert_int_equal(suppressions_parse("race-global", 11, "a", &set, NULL), STATUS_OK);
    assert_int_equal(suppressions_parse("race-local\nx", 12, "b", &set, NULL), STATUS_MALFORMED);
    assert_false(suppressions_match(set, &sample_race));
    assert_int_equal(suppressions_parse("race-local", 10, "c", &set, NULL), STATUS_OK);
    assert_true(suppressions_match(set, &sample_race));
    suppressions_destroy(set);
}

static void files_are_read(void **state)
{
    (void)state;
    char path[] = "/tmp/clerk-suppress-XXXXXX";
    const int descriptor = mkstemp(path);
    static const char text[] = "race-local\n";
    assert_int_equal(write(descriptor, text, sizeof text - 1), sizeof text - 1);
    close(descriptor);
    struct suppressions *set = NULL;
    struct error error = {0};
    assert_int_equal(suppressions_load(path, &set, &error), STATUS_OK);
    assert_true(suppressions_match(set, &sample_race));
    suppressions_destroy(set);
    unlink(path);
    set = NULL;
    assert_int_not_equal(suppressions_load(path, &set, &error), STATUS_OK);
    assert_non_null(strstr(error.text, path));
    assert_null(set);
}

static void want_of_memory_is_a_failure(void **state)
{
    (void)state;
    static const char text[] = "race-local file=a line=3\nrace-global\n";
    const uint64_t before = alloc_live_count();
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != STATUS_OK && n < 50; ++n) {
        struct suppressions *set = NULL;
        alloc_fail_at(n);
        status = suppressions_parse(text, sizeof text - 1, "s.txt", &set, NULL);
        alloc_fail_at(0);
        assert_true(status == STATUS_OK || (status == STATUS_NO_MEMORY && !set));
        suppressions_destroy(set);
        assert_int_equal(alloc_live_count(), before);
    }
    assert_int_equal(status, STATUS_OK);
}

/* What is printed of a finding covers it, and no other. */
static void a_printed_line_covers_its_finding(void **state)
{
    (void)state;
    static const struct finding *const findings[] = {&sample_race, &sample_call};
    static const char *const lines[] = {
        "race-local kernel=reduce function=reduce object=tile fingerprint=",
        "handle-released function=upload fingerprint=",
    };
    for (size_t i = 0; i < 2; ++i) {
        struct suppressions *set = NULL;
        struct text text = TEXT_INIT;
        suppression_print(findings[i], &text);
        assert_memory_equal(strchr(text.bytes, '\n') + 1, lines[i], strlen(lines[i]));
        assert_int_equal(suppressions_parse(text.bytes, text.size, "s", &set, NULL), STATUS_OK);
        assert_true(suppressions_match(set, findings[i]));
        assert_false(suppressions_match(set, findings[1 - i]));
        text_release(&text);
        suppressions_destroy(set);
    }
}

/* Its lines may move, and another one of the kernel is not covered. */
static void a_printed_line_covers_no_second_bug(void **state)
{
    (void)state;
    struct suppressions *set = NULL;
    struct text text = TEXT_INIT;
    struct finding_place places[2] = {sample_race_places[0], sample_race_places[1]};
    struct finding finding = sample_race;
    finding.places = places;
    suppression_print(&sample_race, &text);
    assert_int_equal(suppressions_parse(text.bytes, text.size, "s", &set, NULL), STATUS_OK);
    text_release(&text);
    places[0].line = 30;
    assert_true(suppressions_match(set, &finding));
    /* What looks alike beside it needs a line of its own. */
    assert_false(suppressions_match(set, &sample_race));
    assert_true(suppressions_match(set, &finding));
    /* The other side of the race is another one. */
    places[1].source = "    *to = 0;";
    assert_false(suppressions_match(set, &finding));
    suppressions_destroy(set);
}

static void memory_is_named(void **state)
{
    (void)state;
    assert_true(covers("race-local object=ti*", &sample_race));
    assert_false(covers("race-local object=sums", &sample_race));
    assert_false(covers("handle-released object=*", &sample_call));
}

static void collect_sentence(void *user, const char *sentence)
{
    text_format(user, "%s\n", sentence);
}

static void lines_that_cover_nothing_are_told(void **state)
{
    (void)state;
    struct suppressions *set = NULL;
    static const char lines[] = "race-local\n\nrace-global\nrace-local line=16\n"
                                "race-local line=17\n";
    struct text text = TEXT_INIT;
    assert_int_equal(suppressions_parse(lines, sizeof lines - 1, "s.txt", &set, NULL), STATUS_OK);
    suppressions_match(set, &sample_race);
    suppressions_each_unused(set, collect_sentence, &text);
    assert_string_equal(text.bytes, "line 3 of 's.txt' (race-global) covers no finding\n"
                                    "line 5 of 's.txt' (race-local) covers no finding\n");
    text_release(&text);
    suppressions_each_unused(NULL, collect_sentence, NULL);
    suppressions_destroy(set);
}

static void a_printed_line_is_one_line_of_words(void **state)
{
    (void)state;
    struct finding_place place = sample_race_places[0];
    struct finding finding = sample_race;
    struct suppressions *set = NULL;
    struct text text = TEXT_INIT;
    place.function = "my kernels/#1";
    finding.places = &place;
    finding.place_count = 1;
    suppression_print(&finding, &text);
    assert_non_null(strstr(text.bytes, " function=my?kernels/?1 object=tile "));
    assert_int_equal(suppressions_parse(text.bytes, text.size, "s", &set, NULL), STATUS_OK);
    assert_true(suppressions_match(set, &finding));
    text_release(&text);
    suppressions_destroy(set);
}

/* Damaged files: each is read or refused with a sentence. */
static void random_bytes_are_survived(void **state)
{
    (void)state;
    static const char seed[] = "race-local file=a* line=3\n# c\nhandle-null function=clFinish\n";
    uint64_t random = 1;
    size_t refused = 0;
    for (int i = 0; i < 20000; ++i) {
        char text[sizeof seed];
        struct suppressions *set = NULL;
        struct error error = {0};
        memcpy(text, seed, sizeof text);
        for (int j = 0; j < 3; ++j) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[(random >> 33) % (sizeof text - 1)] = (char)(random >> 56);
        }
        const enum status status = suppressions_parse(text, sizeof text - 1, "s", &set, &error);
        assert_true(status == STATUS_OK || (status == STATUS_MALFORMED && error.text[0] && !set));
        refused += status != STATUS_OK;
        suppressions_match(set, &sample_race);
        suppressions_destroy(set);
    }
    assert_true(refused > 1000 && refused < 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_alone_covers_every_finding_of_it),
        cmocka_unit_test(filters_must_all_hold_in_one_place),
        cmocka_unit_test(call_chains_count_as_functions),
        cmocka_unit_test(globs),
        cmocka_unit_test(malformed_lines_are_named_and_add_nothing),
        cmocka_unit_test(a_printed_line_covers_its_finding),
        cmocka_unit_test(a_printed_line_covers_no_second_bug),
        cmocka_unit_test(memory_is_named),
        cmocka_unit_test(lines_that_cover_nothing_are_told),
        cmocka_unit_test(a_printed_line_is_one_line_of_words),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(want_of_memory_is_a_failure),
        cmocka_unit_test(random_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
