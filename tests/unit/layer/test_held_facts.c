/* What is found of kernels: kept under every key that it is to have, also those that come before it
 * is found, and under none where two differ. A script stands for clerk_probe. */
#include "checkers/probe/reply.h"
#include "layer/driver/held_facts.h"
#include "tests/directory.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/clerk-test-XXXXXX";

/* A clerk_probe that, when it is let, finds one kernel of that name whatever it is asked. */
static struct prober make_prober(const char *kernel, const char *let)
{
    struct prober prober = {.path = alloc_format("%s/probe-%s", directory, kernel)};
    struct fact_kernel only = {.name = kernel};
    const struct facts facts = {.kernels = &only, .kernel_count = 1};
    struct text packed = TEXT_INIT;
    struct text script = TEXT_INIT;
    char *answer = alloc_format("%s.answer", prober.path);
    reply_pack(&facts, NULL, &packed);
    text_format(&script, "#!/bin/sh\nwhile [ ! -e '%s/%s' ]; do sleep 0.01; done\nexec cat '%s'\n",
                directory, let, answer);
    assert_int_equal(file_write(answer, packed.bytes, packed.size, NULL), STATUS_OK);
    assert_int_equal(file_write(prober.path, script.bytes, script.size, NULL), STATUS_OK);
    assert_int_equal(chmod(prober.path, 0700), 0);
    text_release(&packed);
    text_release(&script);
    alloc_free(answer);
    return prober;
}

static void let(const char *name)
{
    char *path = alloc_format("%s/%s", directory, name);
    assert_int_equal(file_write(path, "", 0, NULL), STATUS_OK);
    alloc_free(path);
}

static struct held_facts *find_out(const struct prober *prober, const char *source)
{
    struct request_part part = {.bytes = source, .size = strlen(source), .options = ""};
    const struct request request = {
        .device = {.extensions = "", .macros = ""}, .parts = &part, .part_count = 1};
    struct held_facts *held = held_facts_find_out(prober, &request);
    assert_non_null(held);
    return held;
}

/* Of one kernel of that name; "" = of none; NULL = nothing. */
static bool cache_has(struct cache_key key, const char *kernel)
{
    struct held_facts *held = held_facts_load(key);
    const struct facts *facts = held_facts_wait(held);
    bool has = !facts == !kernel;
    if (facts && kernel && kernel[0] == '\0')
        has = facts->kernel_count == 0;
    else if (facts && kernel)
        has = facts->kernel_count == 1 && strcmp(facts->kernels[0].name, kernel) == 0;
    held_facts_drop(held);
    return has;
}

static struct cache_key key_of(const struct prober *prober, const char *bytes)
{
    return held_facts_binary_key(prober, bytes, strlen(bytes));
}

static void keys_come_before_and_after(void **state)
{
    (void)state;
    struct prober prober = make_prober("first", "let-first");
    struct held_facts *held = find_out(&prober, "source of first");
    const struct cache_key before = key_of(&prober, "before");
    const struct cache_key after = key_of(&prober, "after");
    held_facts_keep(held, before);
    assert_true(cache_has(before, NULL));
    let("let-first");
    assert_non_null(held_facts_wait(held));
    assert_true(cache_has(before, "first"));
    assert_true(cache_has(after, NULL));
    held_facts_keep(held, after);
    assert_true(cache_has(after, "first"));
    held_facts_drop(held);
    prober_release(&prober);
}

static void what_differs_is_not_known(void **state)
{
    (void)state;
    let("let");
    struct prober one = make_prober("one", "let");
    struct prober other = make_prober("other", "let");
    const struct cache_key key = key_of(&one, "of both");
    struct held_facts *a = find_out(&one, "source of one");
    struct held_facts *same = find_out(&one, "source of one, with a comment");
    struct held_facts *b = find_out(&other, "source of other");
    assert_non_null(held_facts_wait(a));
    assert_non_null(held_facts_wait(same));
    assert_non_null(held_facts_wait(b));
    assert_true(held_facts_agree(a, same));
    assert_false(held_facts_agree(a, b));
    held_facts_keep(a, key);
    held_facts_keep(same, key);
    assert_true(cache_has(key, "one"));
    held_facts_keep(b, key);
    assert_true(cache_has(key, ""));
    held_facts_keep(a, key);
    assert_true(cache_has(key, ""));
    held_facts_drop(a);
    held_facts_drop(same);
    held_facts_drop(b);
    prober_release(&one);
    prober_release(&other);
}

/* Of one that has not been found yet nobody knows what it will say. */
static void what_is_looked_for_agrees_with_itself(void **state)
{
    (void)state;
    struct prober prober = make_prober("late", "let-late");
    struct held_facts *a = find_out(&prober, "source");
    struct held_facts *same = find_out(&prober, "source");
    struct held_facts *b = find_out(&prober, "another source");
    assert_true(held_facts_agree(a, same));
    assert_false(held_facts_agree(a, b));
    let("let-late");
    assert_non_null(held_facts_wait(a));
    assert_non_null(held_facts_wait(b));
    assert_true(held_facts_agree(a, b));
    held_facts_drop(a);
    held_facts_drop(same);
    held_facts_drop(b);
    prober_release(&prober);
}

static void keys_tell_bytes_and_probers_apart(void **state)
{
    (void)state;
    struct prober prober = make_prober("apart", "let");
    const struct cache_key key = key_of(&prober, "bytes");
    const struct cache_key others[] = {key_of(&prober, "byteS"), key_of(&prober, "bytes ")};
    assert_true(key.lo != others[0].lo && key.lo != others[1].lo);
    prober.file.st_size++;
    assert_true(key.lo != key_of(&prober, "bytes").lo);
    prober.file.st_size--;
    prober.file.st_mtim.tv_nsec++;
    assert_true(key.lo != key_of(&prober, "bytes").lo);
    prober_release(&prober);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) && setenv("CLERK_CACHE", directory, 1) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    directory_remove(directory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_come_before_and_after),
        cmocka_unit_test(what_differs_is_not_known),
        cmocka_unit_test(what_is_looked_for_agrees_with_itself),
        cmocka_unit_test(keys_tell_bytes_and_probers_apart),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
