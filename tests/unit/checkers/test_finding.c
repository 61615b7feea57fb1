/* Copies, keys and JSON of findings. */
#include "sample.h"

#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *to_json(const struct finding *finding)
{
    struct text text = TEXT_INIT;
    finding_print_json(finding, &text);
    char *json = text_detach(&text);
    assert_non_null(json);
    return json;
}

static void a_copy_has_nothing_of_the_original(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct finding seen = sample_race;
    seen.seen_on = "GPU 7";
    seen.schedule = "items:desc";
    seen.repeat = "clerk kernel a.cl --schedule items:desc";
    seen.changes[1] = (struct finding_change){7, "  x = 1;", "1", "2"};
    struct finding *copy = finding_copy(&arena, &seen);
    assert_non_null(copy);
    char *a = to_json(&seen);
    char *b = to_json(copy);
    assert_string_equal(a, b);
    assert_ptr_not_equal(copy->message, sample_race.message);
    assert_ptr_not_equal(copy->seen_on, seen.seen_on);
    assert_ptr_not_equal(copy->schedule, seen.schedule);
    assert_ptr_not_equal(copy->repeat, seen.repeat);
    assert_int_equal(copy->changes[1].line, 7);
    assert_string_equal(copy->changes[1].source, "  x = 1;");
    assert_ptr_not_equal(copy->changes[1].from, seen.changes[1].from);
    assert_ptr_not_equal(copy->changes[1].to, seen.changes[1].to);
    assert_ptr_not_equal(copy->places, sample_race.places);
    assert_ptr_not_equal(copy->places[1].frames, sample_race.places[1].frames);
    assert_ptr_not_equal(copy->places[1].frames[0], sample_race.places[1].frames[0]);
    alloc_free(a);
    alloc_free(b);
    arena_release(&arena);
}

static void json_is_exact(void **state)
{
    (void)state;
    char *json = to_json(&sample_call);
    assert_string_equal(
        json,
        "{\"finding\":1,\"rule\":\"handle-released\",\"severity\":\"error\",\"message\":"
        "\"clEnqueueReadBuffer: event_wait_list[2] is event#7, which was "
        "released\",\"advice\":\"Keep "
        "it.\",\"specification\":\"OpenCL API 3.0, chapter 2, Reference "
        "Count\",\"call\":40,\"count\":1,\"places\":[{\"kind\":\"call\",\"function\":"
        "\"clEnqueueReadBuffer\",\"argument\":\"event_wait_list[2]\",\"call\":40,\"frames\":["
        "\"upload+0x1f (app)\",\"main+0x52 (app)\"]},{\"kind\":\"object\",\"label\":\"event#7 was "
        "released by clReleaseEvent\",\"function\":\"clReleaseEvent\",\"call\":31}]}");
    alloc_free(json);
}

static void json_parses_back(void **state)
{
    (void)state;
    struct finding seen = sample_race;
    seen.seen_on = "GPU 7";
    seen.schedule = "items:desc";
    seen.repeat = "clerk kernel a.cl --schedule items:desc";
    const struct finding *samples[] = {&sample_race, &sample_call, &seen};
    for (size_t i = 0; i < 3; ++i) {
        struct arena arena = {0};
        struct finding parsed;
        struct error error;
        char *json = to_json(samples[i]);
        assert_int_equal(finding_parse_json(json, &arena, &parsed, &error), STATUS_OK);
        char *again = to_json(&parsed);
        assert_string_equal(json, again);
        assert_int_equal(finding_key(samples[i]), finding_key(&parsed));
        assert_int_equal(parsed.advice == NULL, samples[i]->advice == NULL);
        assert_int_equal(parsed.seen_on == NULL, samples[i]->seen_on == NULL);
        assert_memory_equal(&parsed.heat, &samples[i]->heat, sizeof parsed.heat);
        alloc_free(json);
        alloc_free(again);
        arena_release(&arena);
    }
}

static void heat_is_told_up_to_its_last_part(void **state)
{
    (void)state;
    char *json = to_json(&sample_race);
    assert_non_null(strstr(json, ",\"heat\":{\"size\":250,\"part\":4,\"counts\":[0,30,0,1]},"));
    alloc_free(json);
    /* More parts than there are. */
    struct text text = TEXT_INIT;
    struct arena arena = {0};
    struct finding finding;
    text_append(&text, "{\"rule\":\"race-local\",\"message\":\"m\",\"heat\":{\"counts\":[0");
    for (int i = 0; i < FINDING_HEAT_PARTS; ++i)
        text_append(&text, ",0");
    text_append(&text, "]}}");
    assert_int_equal(finding_parse_json(text.bytes, &arena, &finding, NULL), STATUS_MALFORMED);
    arena_release(&arena);
    text_release(&text);
    assert_int_equal(finding_heat_part_size(&(struct finding_heat){.size = 1}), 1);
    assert_int_equal(finding_heat_part_size(&(struct finding_heat){.size = 64}), 1);
    assert_int_equal(finding_heat_part_size(&(struct finding_heat){.size = 65}), 2);
    assert_true(finding_heat_part_size(&(struct finding_heat){.size = UINT64_MAX}) == UINT64_C(1)
                                                                                          << 58);
}

static void large_numbers_and_odd_text_survive(void **state)
{
    (void)state;
    struct finding finding = sample_call;
    finding.call_id = UINT64_MAX;
    finding.count = (UINT64_C(1) << 53) + 1;
    finding.message = "a \"quoted\" \\ line\nwith\ttabs \x01 and \xc3\xa4";
    struct arena arena = {0};
    struct finding parsed;
    char *json = to_json(&finding);
    assert_int_equal(finding_parse_json(json, &arena, &parsed, NULL), STATUS_OK);
    assert_true(parsed.call_id == UINT64_MAX);
    assert_true(parsed.count == (UINT64_C(1) << 53) + 1);
    assert_string_equal(parsed.message, finding.message);
    alloc_free(json);
    arena_release(&arena);
}

static void malformed_json_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        enum status status;
    } cases[] = {
        {"", STATUS_MALFORMED},
        {"{", STATUS_MALFORMED},
        {"[]", STATUS_MALFORMED},
        {"{} x", STATUS_MALFORMED},
        {"{}", STATUS_MALFORMED},
        {"{\"rule\":7,\"message\":\"m\"}", STATUS_MALFORMED},
        {"{\"rule\":\"from-the-future\",\"message\":\"m\"}", STATUS_UNSUPPORTED},
        {"{\"rule\":\"race-local\"}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":[]}", STATUS_MALFORMED},
        {"{\"finding\":2,\"rule\":\"race-local\",\"message\":\"m\"}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"count\":0}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"count\":-1}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"count\":1e300}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"count\":\"99999999999999999999\"}",
         STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"places\":{}}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"places\":[7]}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"places\":[{\"kind\":\"cloud\"}]}",
         STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"places\":[{\"kind\":\"call\",\"line\":"
         "4294967296}]}",
         STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"places\":[{\"kind\":\"call\",\"frames\":[1]}"
         "]}",
         STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"heat\":7}", STATUS_MALFORMED},
        {"{\"rule\":\"race-local\",\"message\":\"m\",\"heat\":{\"size\":4,\"counts\":[-1]}}",
         STATUS_MALFORMED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct arena arena = {0};
        struct finding finding;
        struct error error = {0};
        assert_int_equal(finding_parse_json(cases[i].json, &arena, &finding, &error),
                         cases[i].status);
        assert_true(strlen(error.text) > 10);
        arena_release(&arena);
    }
    struct arena arena = {0};
    struct finding finding;
    assert_int_equal(
        finding_parse_json("{\"rule\":\"race-local\",\"message\":\"m\",\"new-key\":{}}", &arena,
                           &finding, NULL),
        STATUS_OK);
    assert_int_equal(finding.count, 1);
    arena_release(&arena);
}

static void the_key_ignores_words_and_order_but_not_places(void **state)
{
    (void)state;
    const uint64_t key = finding_key(&sample_race);
    struct finding other = sample_race;
    struct finding_place places[2] = {sample_race_places[1], sample_race_places[0]};
    other.message = "in other words";
    other.places = places;
    assert_true(finding_key(&other) == key);
    places[0].line = 10;
    assert_true(finding_key(&other) != key);
    places[0].line = 9;
    places[0].column = 6;
    assert_true(finding_key(&other) != key);
    places[0].column = 5;
    places[0].frame_count = 1;
    assert_true(finding_key(&other) == key);
    other.rule = RULE_RACE_GLOBAL;
    assert_true(finding_key(&other) != key);
    other.rule = RULE_RACE_LOCAL;
    other.place_count = 1;
    assert_true(finding_key(&other) != key);
}

static void two_call_sites_are_two_findings(void **state)
{
    (void)state;
    struct finding other = sample_call;
    struct finding_place places[2] = {sample_call_places[0], sample_call_places[1]};
    other.places = places;
    assert_true(finding_key(&other) == finding_key(&sample_call));
    places[0].frame_count = 1;
    assert_true(finding_key(&other) != finding_key(&sample_call));
}

/* A place whose file was found by the text of the program: what it was goes along, and tells the
 * finding from others as before. */
static void what_the_compiler_had_is_kept(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct finding_place nameless = {.kind = FINDING_PLACE_KERNEL,
                                           .function = "sum",
                                           .file = "<source>",
                                           .line = 13,
                                           .column = 5,
                                           .source = "    a[i] = 1;"};
    const struct finding_compiled compiled = {
        .file = "<source>", .line = 13, .column = 5, .source = "    a[i] = 1;"};
    struct finding_place named = nameless;
    named.file = "app.c";
    named.line = 40;
    named.column = 10;
    named.source = "    \"    a[i] = 1;\\n\"";
    struct finding before = {.rule = RULE_RACE_GLOBAL,
                             .message = "m",
                             .places = &nameless,
                             .place_count = 1,
                             .count = 1};
    struct finding after = before;
    after.places = &named;
    assert_true(finding_fingerprint(&before) != finding_fingerprint(&after));
    named.compiled = &compiled;
    assert_true(finding_fingerprint(&before) == finding_fingerprint(&after));
    assert_true(finding_key(&before) != finding_key(&after));
    struct finding parsed;
    char *json = to_json(&after);
    assert_int_equal(finding_parse_json(json, &arena, &parsed, NULL), STATUS_OK);
    const struct finding *copy = finding_copy(&arena, &parsed);
    assert_non_null(copy);
    char *again = to_json(copy);
    assert_string_equal(json, again);
    assert_ptr_not_equal(copy->places[0].compiled->file, parsed.places[0].compiled->file);
    assert_true(finding_fingerprint(copy) == finding_fingerprint(&before));
    alloc_free(json);
    alloc_free(again);
    arena_release(&arena);
}

/* Every allocation of a copy fails once: NULL, and nothing leaks. */
static void copies_survive_want_of_memory(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    bool copied = false;
    for (uint64_t n = 1; !copied && n < 100; ++n) {
        struct arena arena = {0};
        alloc_fail_at(n);
        copied = finding_copy(&arena, &sample_race) != NULL;
        alloc_fail_at(0);
        arena_release(&arena);
        assert_int_equal(alloc_live_count(), before);
    }
    assert_true(copied);
}

/* Damaged lines: each is read or refused with a sentence, and what was read prints and parses
 * again. */
static void damaged_json_is_survived(void **state)
{
    (void)state;
    static const char marks[] = "{}[]\",:0-9ae\\\x01";
    char *seed = to_json(&sample_race);
    const size_t size = strlen(seed);
    char *json = alloc(size + 1);
    uint64_t random = 1;
    for (int i = 0; i < 20000; ++i) {
        memcpy(json, seed, size + 1);
        for (int j = 0; j < 1 + i % 3; ++j) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            json[(random >> 33) % size] = marks[(random >> 56) % (sizeof marks - 1)];
        }
        struct arena arena = {0};
        struct finding finding;
        struct error error = {0};
        if (finding_parse_json(json, &arena, &finding, &error) == STATUS_OK) {
            char *again = to_json(&finding);
            struct finding twice;
            assert_int_equal(finding_parse_json(again, &arena, &twice, NULL), STATUS_OK);
            assert_true(finding_key(&finding) == finding_key(&twice));
            struct text text = TEXT_INIT;
            finding_print_text(&finding, false, 0, &text);
            text_release(&text);
            alloc_free(again);
        } else {
            assert_true(error.text[0]);
        }
        arena_release(&arena);
    }
    alloc_free(json);
    alloc_free(seed);
}

static void processes_are_told_once_each(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct finding_process told[] = {
        {"./a", NULL, 7}, {"./a", NULL, 8}, {"./b", "d/t.db", 9}};
    const struct finding_process others[] = {{"./a", NULL, 8}, {"./c, rank 1", NULL, 0}};
    struct finding finding = sample_call;
    struct finding other = sample_call;
    finding.processes = told;
    finding.process_count = 3;
    other.processes = others;
    other.process_count = 2;
    struct finding *copy = finding_copy(&arena, &finding);
    assert_non_null(copy);
    assert_true(finding_add_processes(copy, &other, &arena));
    char *json = to_json(copy);
    assert_non_null(strstr(json, ",\"processes\":[{\"command\":\"./a\",\"id\":7},"
                                 "{\"command\":\"./a\",\"id\":8},"
                                 "{\"command\":\"./b\",\"trace\":\"d/t.db\",\"id\":9},"
                                 "{\"command\":\"./c, rank 1\"}]}"));
    struct finding parsed;
    assert_int_equal(finding_parse_json(json, &arena, &parsed, NULL), STATUS_OK);
    struct text text = TEXT_INIT;
    finding_append_processes(&parsed, &text);
    assert_string_equal(text.bytes, "./a (2 processes), ./b in t.db, ./c, rank 1");
    text_clear(&text);
    finding_print_text(&parsed, false, 0, &text);
    assert_non_null(
        strstr(text.bytes, "  seen:   in ./a (2 processes), ./b in t.db, ./c, rank 1\n"));
    text_release(&text);
    alloc_free(json);
    arena_release(&arena);
}

static void other_lines_of_a_list_parse_back(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text text = TEXT_INIT;
    struct finding_unchecked unchecked;
    enum rule_index rule;
    uint64_t count;
    finding_print_unchecked(
        &(struct finding_unchecked){"why", SEVERITY_WARNING, {.command = "./a", .id = 3}}, &text);
    assert_true(finding_parse_unchecked(text.bytes, &arena, &unchecked));
    assert_string_equal(unchecked.why, "why");
    assert_int_equal(unchecked.severity, SEVERITY_WARNING);
    assert_string_equal(unchecked.process.command, "./a");
    assert_int_equal(unchecked.process.id, 3);
    assert_false(finding_parse_not_shown(text.bytes, &rule, &count));
    assert_true(finding_parse_unchecked("{\"unchecked\":\"old\"}", &arena, &unchecked));
    assert_int_equal(unchecked.severity, SEVERITY_ERROR);
    assert_null(unchecked.process.command);
    assert_true(
        finding_parse_not_shown("{\"not_shown\":3,\"rule\":\"race-local\"}", &rule, &count));
    assert_int_equal(rule, RULE_RACE_LOCAL);
    assert_int_equal(count, 3);
    assert_false(finding_parse_not_shown("{\"not_shown\":3,\"rule\":\"none\"}", &rule, &count));
    assert_false(finding_parse_not_shown("{\"not_shown\":", &rule, &count));
    text_release(&text);
    arena_release(&arena);
}

static void a_launch_is_the_last_place(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct finding finding = sample_race;
    const char *const frames[] = {"main+0x52 (app)"};
    const struct finding_launch launch = {
        .call_id = 12, .function = "clEnqueueNDRangeKernel", .frames = frames, .frame_count = 1};
    assert_true(finding_add_launch(&finding, &launch, &arena));
    assert_int_equal(finding.call_id, 12);
    assert_int_equal(finding.place_count, sample_race.place_count + 1);
    assert_memory_equal(finding.places, sample_race.places,
                        sample_race.place_count * sizeof *finding.places);
    const struct finding_place *last = &finding.places[sample_race.place_count];
    assert_int_equal(last->kind, FINDING_PLACE_CALL);
    assert_int_equal(last->call_id, 12);
    assert_string_equal(last->label, "enqueued by clEnqueueNDRangeKernel");
    assert_string_equal(last->frames[0], "main+0x52 (app)");
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_has_nothing_of_the_original),
        cmocka_unit_test(what_the_compiler_had_is_kept),
        cmocka_unit_test(json_is_exact),
        cmocka_unit_test(json_parses_back),
        cmocka_unit_test(heat_is_told_up_to_its_last_part),
        cmocka_unit_test(large_numbers_and_odd_text_survive),
        cmocka_unit_test(malformed_json_is_refused_with_a_sentence),
        cmocka_unit_test(the_key_ignores_words_and_order_but_not_places),
        cmocka_unit_test(two_call_sites_are_two_findings),
        cmocka_unit_test(processes_are_told_once_each),
        cmocka_unit_test(other_lines_of_a_list_parse_back),
        cmocka_unit_test(a_launch_is_the_last_place),
        cmocka_unit_test(copies_survive_want_of_memory),
        cmocka_unit_test(damaged_json_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
