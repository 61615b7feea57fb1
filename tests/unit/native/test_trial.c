/* Native code of groups that several workers run: it notes what it touches, so launches are
 * divided, or put back and run by one, as they are by the interpreter. Skipped where there is no
 * clang. */
#include "checkers/finding.h"
#include "checkers/kernel/checker.h"
#include "reference/native/native.h"
#include "reference/vm/exec.h"
#include "reference/vm/native.h"
#include "tests/unit/vm/kernel_run.h"
#include "trace/base/alloc.h"
#include "trace/base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 2048, LOCAL = 64, WORKERS_MAX = 16 };

struct outcome {
    uint32_t elements[ITEMS];
    struct sched_result result;
    struct text findings;
};

struct setup {
    const char *kernel;
    enum native_mode mode;
    uint32_t workers, shuffle;
    enum sched_order order;
    bool has_part; /* the second argument is a part of the first */
    uint64_t part_offset;
    bool checked;
};

/* ---- native code, counted ---- */

/* As the kernel has it, but for the counting. */
static struct counted {
    struct vm_native_source source; /* the first member */
    struct vm_native_source *from;
    vm_native_run *made;
} counted;
static uint32_t runs_on_trial; /* of native code by workers */

static uint32_t run_counted(struct vm_native_call *call)
{
    const struct trial_part *part = call->vector->run->part;
    __atomic_add_fetch(&runs_on_trial, part != NULL, __ATOMIC_RELAXED);
    return __atomic_load_n(&counted.made, __ATOMIC_RELAXED)(call);
}

static vm_native_run *get_counted(struct vm_native_source *source, u64 done, u64 *next)
{
    vm_native_run *made = counted.from->get(counted.from, done, next);
    (void)source;
    __atomic_store_n(&counted.made, made, __ATOMIC_RELAXED);
    return made ? run_counted : NULL;
}

static void destroy_counted(struct vm_native_source *source)
{
    (void)source;
    counted.from->destroy(counted.from);
}

static void count_native(struct vm_code *code)
{
    counted.source = (struct vm_native_source){.get = get_counted, .destroy = destroy_counted};
    counted.from = native_source_create(code);
    assert_non_null(counted.from);
    code->native = &counted.source;
    runs_on_trial = 0;
}

/* ---- checkers ---- */

static struct kernel_checker *checker, *scouts[WORKERS_MAX];

static void take(void *user, const struct finding *finding)
{
    finding_print_text(finding, false, 0, user);
}

static const struct observer *scout_observer(void *user, uint32_t worker)
{
    (void)user;
    return kernel_checker_observer(scouts[worker]);
}

static bool scout_has_found(void *user, uint32_t worker)
{
    (void)user;
    return kernel_checker_has_found(scouts[worker]);
}

static const struct sched_scouts told = {.observer = scout_observer, .has_found = scout_has_found};

static void create_checkers(struct text *findings)
{
    struct checks checks;
    checks_set_all(&checks);
    assert_int_equal(kernel_checker_create(&checks, take, findings, &checker, NULL), STATUS_OK);
    for (size_t i = 0; i < WORKERS_MAX; i++)
        assert_int_equal(kernel_checker_create_scout(&checks, 0, &scouts[i], NULL), STATUS_OK);
}

static void destroy_checkers(void)
{
    kernel_checker_destroy(checker);
    for (size_t i = 0; i < WORKERS_MAX; i++)
        kernel_checker_destroy(scouts[i]);
    checker = NULL;
}

/* ---- launches ---- */

/* The first argument starts as zeros, the second as its indices. */
static void make_buffers(struct kernel_run *run, const struct setup *setup)
{
    uint32_t indices[ITEMS];
    struct error error;
    for (uint32_t i = 0; i < ITEMS; i++)
        indices[i] = i;
    kernel_run_create(run, "divided-O2", setup->kernel);
    kernel_run_set_buffer(run, 0, NULL, sizeof indices);
    kernel_run_set_buffer(run, 1, indices, sizeof indices);
    const struct vm_buffer_info part = {.size = sizeof indices / 2,
                                        .parent = run->arguments[0].object,
                                        .parent_offset = setup->part_offset,
                                        .defined = true,
                                        .name = "part"};
    if (setup->has_part)
        assert_int_equal(
            vm_memory_create_object(run->memory, &part, &run->arguments[1].object, &error),
            STATUS_OK);
}

static void run_kernel(const struct setup *setup, struct outcome *outcome)
{
    struct kernel_run run;
    struct error error;
    outcome->findings = (struct text)TEXT_INIT;
    make_buffers(&run, setup);
    native_set_mode(setup->mode);
    count_native(run.code);
    if (setup->checked)
        create_checkers(&outcome->findings);
    const struct sched_launch request = {
        .code = run.code,
        .memory = run.memory,
        .dimensions = 1,
        .global_size = {ITEMS, 1, 1},
        .local_size = {LOCAL, 1, 1},
        .arguments = run.arguments,
        .globals = run.globals,
        .sub_group_size = 32,
        .observer = setup->checked ? kernel_checker_observer(checker) : NULL,
        .scouts = &told,
        .order = setup->order,
        .seed = 5,
        .workers = setup->workers,
        .shuffle_workers = setup->shuffle,
    };
    assert_int_equal(sched_run(&request, &outcome->result, &error), STATUS_OK);
    if (setup->checked)
        destroy_checkers();
    kernel_run_get_buffer(&run, 0, outcome->elements, sizeof outcome->elements);
    kernel_run_destroy(&run);
}

/* What the interpreter does alone; then native code and the interpreter of several workers. */
static void assert_like_one(struct setup setup, enum sched_course course)
{
    static struct outcome alone, divided;
    run_kernel(&setup, &alone);
    assert_int_equal(alone.result.course, SCHED_ALONE);
    for (uint32_t shuffle = 1; shuffle <= 4; shuffle++) {
        for (int always = 0; always < 2; always++) {
            setup.workers = 1U << shuffle;
            setup.shuffle = shuffle;
            setup.mode = always ? NATIVE_ALWAYS : NATIVE_OFF;
            run_kernel(&setup, &divided);
            assert_memory_equal(alone.elements, divided.elements, sizeof alone.elements);
            assert_int_equal(alone.result.operation_count, divided.result.operation_count);
            assert_string_equal(alone.findings.bytes, divided.findings.bytes);
            assert_int_equal(divided.result.course, course);
            assert_int_equal(runs_on_trial > 0, always);
            text_release(&divided.findings);
        }
    }
    text_release(&alone.findings);
}

static void assert_in_each_order(const char *kernel, enum sched_course course)
{
    for (int order = SCHED_ASCENDING; order <= (int)SCHED_SEEDED; order++) {
        for (int checked = 0; checked < 2; checked++)
            assert_like_one((struct setup){.kernel = kernel,
                                           .mode = NATIVE_OFF,
                                           .order = (enum sched_order)order,
                                           .checked = checked},
                            course);
    }
}

static void groups_apart_are_divided(void **state)
{
    (void)state;
    assert_in_each_order("scale", SCHED_DIVIDED);
    assert_in_each_order("meet", SCHED_DIVIDED);
    assert_in_each_order("turn", SCHED_DIVIDED);
    assert_in_each_order("count", SCHED_DIVIDED);
}

static void groups_that_meet_are_put_back(void **state)
{
    (void)state;
    assert_in_each_order("pairs", SCHED_UNDONE);
    assert_in_each_order("shift", SCHED_UNDONE);
    assert_in_each_order("stir", SCHED_UNDONE);
    assert_in_each_order("lead", SCHED_UNDONE);
}

/* From then on a part reads zeros, and writes nothing. */
static void a_part_that_leaves_writes_nothing(void **state)
{
    (void)state;
    assert_in_each_order("number", SCHED_UNDONE);
    assert_in_each_order("stray", SCHED_UNDONE);
}

static void a_part_of_a_buffer_is_the_buffer(void **state)
{
    (void)state;
    struct setup setup = {.kernel = "halves", .mode = NATIVE_OFF, .has_part = true};
    setup.part_offset = ITEMS / 2 * sizeof(uint32_t);
    assert_like_one(setup, SCHED_DIVIDED);
    /* An odd number of groups away: of another worker. */
    setup.part_offset = LOCAL * sizeof(uint32_t);
    assert_like_one(setup, SCHED_UNDONE);
    setup.part_offset = (ITEMS / 2 - LOCAL) * sizeof(uint32_t);
    assert_like_one(setup, SCHED_UNDONE);
}

static void a_race_in_the_last_group_is_told_as_by_one(void **state)
{
    static struct outcome outcome;
    struct setup setup = {.kernel = "late", .mode = NATIVE_ALWAYS, .checked = true};
    (void)state;
    run_kernel(&setup, &outcome);
    assert_non_null(strstr(outcome.findings.bytes, "race"));
    text_release(&outcome.findings);
    assert_like_one(setup, SCHED_UNDONE);
    setup.checked = false;
    setup.mode = NATIVE_OFF;
    assert_like_one(setup, SCHED_DIVIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_apart_are_divided),
        cmocka_unit_test(groups_that_meet_are_put_back),
        cmocka_unit_test(a_part_that_leaves_writes_nothing),
        cmocka_unit_test(a_part_of_a_buffer_is_the_buffer),
        cmocka_unit_test(a_race_in_the_last_group_is_told_as_by_one),
    };
    struct text sentence = TEXT_INIT;
    struct scratch cache = {0};
    if (scratch_make_directory(&cache, NULL) != STATUS_OK)
        return 1;
    setenv("CLERK_CACHE", cache.path, 1);
    int failed = 77;
    if (native_try(&sentence))
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    else
        printf("skipped: %s\n", sentence.bytes);
    scratch_release(&cache);
    text_release(&sentence);
    return failed;
}
