/* Random calls: whatever a program, or a damaged trace, feeds to the checker, it neither crashes
 * nor leaks, and the same stream gives the same findings. */
#include "checkers/finding.h"
#include "checkers/host/host.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* xorshift64*: the tests are repeatable. */
struct random {
    uint64_t state;
};

static uint64_t random_next(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t random_below(struct random *random, uint64_t limit)
{
    return (random_next(random) >> 16) % limit;
}

/* Few handles, so that they meet again as objects of other kinds; now and then any number. */
static uint64_t random_handle(struct random *random)
{
    switch (random_below(random, 16)) {
    case 0:
        return 0;
    case 1:
        return random_next(random);
    default:
        return 64 * (1 + random_below(random, 24));
    }
}

static struct api_value random_value(struct random *random, struct arena *arena)
{
    struct api_value value = {
        .kind = (enum api_value_kind)random_below(random, API_VALUE_PROPERTIES + 1),
        .present = random_below(random, 2) != 0,
        .bits = random_below(random, 3) ? random_handle(random) : random_below(random, 5)};
    if (!value.present || random_below(random, 8) == 0)
        return value;
    value.count = (uint32_t)random_below(random, 5);
    value.size = value.count * sizeof(uint64_t);
    uint64_t *data = arena_alloc(arena, value.count + 1, sizeof *data);
    for (uint32_t i = 0; i < value.count; ++i)
        data[i] = random_handle(random);
    value.data = data;
    return value;
}

/* Values of the right kind most of the time: a wrong one is what a damaged trace may hold. */
static void random_call(struct random *random, struct arena *arena, struct api_call *call)
{
    *call = (struct api_call){.thread = 1,
                              .entry = (uint32_t)random_below(random, API_ENTRY_COUNT + 2),
                              .flags =
                                  random_below(random, 6) ? 0 : (uint32_t)random_below(random, 16)};
    const struct api_entry_info *info = api_entry_get(call->entry);
    call->argument_count = random_below(random, 20)
                               ? info->parameter_count
                               : (uint32_t)random_below(random, API_ARGUMENT_MAX);
    for (uint32_t i = 0; i < API_ARGUMENT_MAX; ++i)
        call->arguments[i] = random_value(random, arena);
    for (uint32_t i = 0; i < info->parameter_count && random_below(random, 10); ++i) {
        const uint8_t role = info->parameters[i].role;
        if (role == API_ROLE_HANDLES || role == API_ROLE_WAIT_LIST || role == API_ROLE_OUT_EVENT ||
            role == API_ROLE_OUT_HANDLES)
            call->arguments[i].kind = API_VALUE_HANDLES;
    }
    if (info->return_role == API_ROLE_HANDLE)
        call->result.bits = random_handle(random);
    else if (random_below(random, 5) == 0)
        call->result.bits = (uint64_t)CL_INVALID_VALUE;
}

static void hash_finding(void *user, const struct finding *finding)
{
    uint64_t *hash = user;
    struct text text = TEXT_INIT;
    finding_print_json(finding, &text);
    for (size_t i = 0; i < text.size; ++i)
        *hash = (*hash ^ (unsigned char)text.bytes[i]) * UINT64_C(0x100000001b3);
    text_clear(&text);
    finding_print_text(finding, true, 0, &text);
    assert_true(text.size > 0);
    text_release(&text);
    ++hash[1];
}

/* hash[0] of all findings, hash[1] their number */
static void run_stream(uint64_t seed, int length, uint64_t hash[2])
{
    struct random random = {.state = seed};
    struct host_options options = {
        .report = hash_finding, .report_user = hash, .fail_calls = random_below(&random, 2) != 0};
    hash[0] = UINT64_C(0xcbf29ce484222325);
    hash[1] = 0;
    checks_set_all(&options.checks);
    struct host_checker *checker = host_checker_create(&options);
    assert_non_null(checker);
    for (int i = 1; i <= length; ++i) {
        struct arena arena = {0};
        struct api_call call;
        struct host_verdict verdict;
        random_call(&random, &arena, &call);
        call.id = (uint64_t)i;
        host_checker_begin(checker, &call, &verdict);
        assert_true(verdict.refuse == (verdict.error != CL_SUCCESS));
        if (verdict.refuse)
            call.flags |= API_CALL_BLOCKED;
        host_checker_end(checker, &call);
        arena_release(&arena);
    }
    host_checker_finish(checker, false);
    host_checker_destroy(checker);
}

static void random_streams_are_survived(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    uint64_t findings = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        uint64_t hash[2];
        run_stream(seed * 0x9e3779b97f4a7c15u, 400, hash);
        findings += hash[1];
    }
    assert_true(findings > 1000);
    assert_int_equal(alloc_live_count(), before);
}

static void the_same_stream_gives_the_same_findings(void **state)
{
    (void)state;
    uint64_t first[2];
    uint64_t second[2];
    run_stream(42, 3000, first);
    run_stream(42, 3000, second);
    assert_memory_equal(first, second, sizeof first);
    assert_true(first[1] > 100);
}

static void want_of_memory_is_survived(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    for (uint64_t n = 1; n < 400; n += 7) {
        struct random random = {.state = n};
        uint64_t hash[2] = {0};
        struct host_options options = {.report = hash_finding, .report_user = hash};
        checks_set_all(&options.checks);
        struct host_checker *checker = host_checker_create(&options);
        for (int i = 1; checker && i <= 100; ++i) {
            struct arena arena = {0};
            struct api_call call;
            struct host_verdict verdict;
            random_call(&random, &arena, &call);
            call.id = (uint64_t)i;
            alloc_fail_at(1 + n % 5);
            host_checker_begin(checker, &call, &verdict);
            host_checker_end(checker, &call);
            alloc_fail_at(0);
            arena_release(&arena);
        }
        host_checker_destroy(checker);
        assert_int_equal(alloc_live_count(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_streams_are_survived),
        cmocka_unit_test(the_same_stream_gives_the_same_findings),
        cmocka_unit_test(want_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
