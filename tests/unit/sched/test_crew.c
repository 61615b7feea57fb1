/* Launches that several workers run give what one gives, or are put back and run by one. */
#include "reference/sched/pool.h"
#include "reference/vm/trial.h"
#include "tests/unit/vm/kernel_run.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 2048, LOCAL = 64 };

static bool refuse_threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    return refuse_threads ? EAGAIN : __real_pthread_create(thread, attributes, function, argument);
}

struct outcome {
    uint32_t elements[ITEMS];
    struct sched_result result;
    enum status status;
};

struct trial_launch {
    const char *kernel;
    uint32_t workers, shuffle;
    uint64_t local_size;
    enum sched_order order;
    uint64_t operation_limit;
    bool told; /* somebody wants to know of accesses, so those before the others begin count too */
    enum observer_svm svm; /* what the first argument is said to be */
};

/* ---- who is told, and makes nothing of it ---- */

static void ignore(void *state, const struct lane_access *access)
{
    (void)state;
    (void)access;
}

static const struct observer deaf = {.access = ignore};

static const struct observer *deaf_scout(void *user, uint32_t worker)
{
    (void)user;
    (void)worker;
    return &deaf;
}

static bool nothing_found(void *user, uint32_t worker)
{
    (void)user;
    (void)worker;
    return false;
}

static const struct sched_scouts deaf_scouts = {.observer = deaf_scout, .has_found = nothing_found};

/* ---- launches ---- */

static void launch(struct kernel_run *run, const struct trial_launch *trial,
                   struct outcome *outcome)
{
    struct error error;
    const struct sched_launch request = {
        .code = run->code,
        .memory = run->memory,
        .dimensions = 1,
        .global_size = {ITEMS, 1, 1},
        .local_size = {trial->local_size ? trial->local_size : LOCAL, 1, 1},
        .arguments = run->arguments,
        .globals = run->globals,
        .sub_group_size = 32,
        .observer = trial->told ? &deaf : NULL,
        .scouts = &deaf_scouts,
        .order = trial->order,
        .seed = 5,
        .workers = trial->workers,
        .shuffle_workers = trial->shuffle,
        .operation_limit = trial->operation_limit,
    };
    outcome->status = sched_run(&request, &outcome->result, &error);
}

/* The first argument starts as zeros, the second as its indices. */
static void make_buffers(struct kernel_run *run, const char *kernel)
{
    uint32_t indices[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        indices[i] = i;
    kernel_run_create(run, "divided-O2", kernel);
    kernel_run_set_buffer(run, 0, NULL, sizeof indices);
    kernel_run_set_buffer(run, 1, indices, sizeof indices);
}

static void share_first(struct kernel_run *run, enum observer_svm svm)
{
    struct error error;
    const struct vm_buffer_info info = {
        .size = ITEMS * sizeof(uint32_t), .defined = true, .svm = svm, .name = "shared"};
    assert_int_equal(vm_memory_create_object(run->memory, &info, &run->arguments[0].object, &error),
                     STATUS_OK);
}

static void run_kernel(const struct trial_launch *trial, struct outcome *outcome)
{
    struct kernel_run run;
    make_buffers(&run, trial->kernel);
    if (trial->svm != OBSERVER_SVM_NONE)
        share_first(&run, trial->svm);
    launch(&run, trial, outcome);
    assert_int_equal(outcome->status, STATUS_OK);
    kernel_run_get_buffer(&run, 0, outcome->elements, sizeof outcome->elements);
    kernel_run_destroy(&run);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
    assert_memory_equal(a->elements, b->elements, sizeof a->elements);
    assert_int_equal(a->result.operation_count, b->result.operation_count);
    assert_int_equal(a->result.exhausted, b->result.exhausted);
    assert_int_equal(a->result.stopped, b->result.stopped);
}

/* In the orders up to `last`, with several shuffles. */
static void assert_like_one(const char *kernel, uint64_t local_size, enum sched_course course,
                            enum sched_order last)
{
    static struct outcome alone, divided;
    for (int order = SCHED_ASCENDING; order <= (int)last; order++) {
        struct trial_launch trial = {
            .kernel = kernel, .local_size = local_size, .order = (enum sched_order)order};
        run_kernel(&trial, &alone);
        assert_int_equal(alone.result.course, SCHED_ALONE);
        for (uint32_t shuffle = 1; shuffle <= 3; shuffle++) {
            trial.workers = 1U << shuffle;
            trial.shuffle = shuffle;
            run_kernel(&trial, &divided);
            assert_same(&alone, &divided);
            assert_int_equal(divided.result.course, course);
        }
    }
}

static void groups_apart_are_divided(void **state)
{
    (void)state;
    assert_like_one("scale", LOCAL, SCHED_DIVIDED, SCHED_SEEDED);
    assert_like_one("meet", LOCAL, SCHED_DIVIDED, SCHED_SEEDED);
}

static void neighbouring_bytes_are_apart(void **state)
{
    (void)state;
    assert_like_one("bytes", 1, SCHED_DIVIDED, SCHED_SEEDED);
    assert_like_one("bytes", 3, SCHED_DIVIDED, SCHED_SEEDED);
}

static void groups_that_meet_are_put_back(void **state)
{
    (void)state;
    assert_like_one("pairs", LOCAL, SCHED_UNDONE, SCHED_SEEDED);
    assert_like_one("shift", LOCAL, SCHED_UNDONE, SCHED_SEEDED);
    /* In another order one worker may have both. */
    assert_like_one("ends", LOCAL, SCHED_UNDONE, SCHED_DESCENDING);
}

static void updates_may_meet_if_their_order_changes_nothing(void **state)
{
    (void)state;
    assert_like_one("count", LOCAL, SCHED_DIVIDED, SCHED_SEEDED);
    assert_like_one("number", LOCAL, SCHED_UNDONE, SCHED_SEEDED);
    assert_like_one("mixed", LOCAL, SCHED_UNDONE, SCHED_SEEDED);
    assert_like_one("looks", LOCAL, SCHED_UNDONE, SCHED_SEEDED);
}

static void a_loop_that_only_ends_in_order_is_given_up(void **state)
{
    static struct outcome alone, divided;
    struct trial_launch trial = {.kernel = "hasty"};
    (void)state;
    run_kernel(&trial, &alone);
    trial.workers = 4;
    trial.shuffle = 1;
    run_kernel(&trial, &divided);
    assert_same(&alone, &divided);
    assert_int_equal(divided.result.course, SCHED_UNDONE);
}

static void a_limit_of_operations_ends_the_launch_where_one_ends(void **state)
{
    static struct outcome alone, divided;
    struct trial_launch trial = {.kernel = "scale"};
    (void)state;
    run_kernel(&trial, &alone);
    const uint64_t all = alone.result.operation_count;
    for (uint64_t limit = all - 1; limit <= all + 1; limit++) {
        trial = (struct trial_launch){.kernel = "scale", .operation_limit = limit};
        run_kernel(&trial, &alone);
        trial.workers = 4;
        trial.shuffle = 1;
        run_kernel(&trial, &divided);
        assert_same(&alone, &divided);
        assert_int_equal(alone.result.exhausted, limit < all);
    }
}

/* After one that was put back the kernel runs alone for a while. */
static void what_was_put_back_is_not_tried_at_once(void **state)
{
    static const char *const kernels[] = {"pairs", "scale"};
    static struct outcome outcome;
    struct kernel_run runs[2];
    (void)state;
    make_buffers(&runs[0], kernels[0]);
    make_buffers(&runs[1], kernels[1]);
    for (int k = 0; k < 2; k++) {
        struct trial_launch trial = {
            .kernel = kernels[k], .workers = 4, .shuffle = 1, .local_size = 1};
        launch(&runs[k], &trial, &outcome);
        assert_int_equal(outcome.result.course, k == 0 ? SCHED_UNDONE : SCHED_DIVIDED);
        trial.shuffle = 0;
        for (int i = 0; i < 50; i++) {
            launch(&runs[k], &trial, &outcome);
            assert_int_equal(outcome.result.course, k == 0 ? SCHED_ALONE : SCHED_DIVIDED);
        }
    }
    kernel_run_destroy(&runs[0]);
    kernel_run_destroy(&runs[1]);
}

/* What groups do before it is known whether others help them takes place in any case. */
static void what_cannot_be_noted_takes_place_in_order(void **state)
{
    static struct outcome alone, divided;
    struct trial_launch trial = {
        .kernel = "turn", .local_size = 1, .order = SCHED_DESCENDING, .told = true};
    (void)state;
    run_kernel(&trial, &alone);
    trial.workers = 4;
    run_kernel(&trial, &divided);
    assert_same(&alone, &divided);
    assert_int_equal(divided.result.course, SCHED_DIVIDED);
    trial.svm = OBSERVER_SVM_FINE;
    run_kernel(&trial, &divided);
    assert_same(&alone, &divided);
    assert_int_equal(divided.result.course, SCHED_UNDONE);
}

static void small_launches_are_not_divided(void **state)
{
    static struct outcome outcome;
    const struct trial_launch trial = {.kernel = "scale", .workers = 4, .local_size = 512};
    (void)state;
    run_kernel(&trial, &outcome);
    assert_int_equal(outcome.result.course, SCHED_ALONE);
}

static void without_threads_one_runs_all(void **state)
{
    static struct outcome alone, divided;
    struct trial_launch trial = {.kernel = "scale"};
    (void)state;
    run_kernel(&trial, &alone);
    trial.workers = 4;
    trial.shuffle = 1;
    refuse_threads = true;
    run_kernel(&trial, &divided);
    refuse_threads = false;
    assert_same(&alone, &divided);
    assert_int_equal(divided.result.course, SCHED_ALONE);
}

static void every_failed_allocation_is_survived(void **state)
{
    static struct outcome alone, divided;
    static const char *const kernels[] = {"scale", "shift"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct trial_launch trial = {.kernel = kernels[k]};
        run_kernel(&trial, &alone);
        trial.workers = 3;
        trial.shuffle = 2;
        uint32_t good = 0;
        for (uint64_t n = 1; good < 2; n++) {
            struct kernel_run run;
            make_buffers(&run, trial.kernel);
            trial_give_back();
            const uint64_t live = alloc_live_count();
            alloc_fail_at(n);
            launch(&run, &trial, &divided);
            alloc_fail_at(0);
            trial_give_back();
            assert_true(divided.status == STATUS_OK || divided.status == STATUS_NO_MEMORY);
            assert_int_equal(alloc_live_count(), live);
            if (divided.status == STATUS_OK) {
                kernel_run_get_buffer(&run, 0, divided.elements, sizeof divided.elements);
                assert_same(&alone, &divided);
            }
            good = divided.result.course == SCHED_ALONE ? 0 : good + 1;
            kernel_run_destroy(&run);
            assert_true(n < 1000);
        }
    }
}

/* Each process has workers of its own. The thread sanitizer lets no child have threads. */
static void a_child_divides_too(void **state)
{
#if defined(__SANITIZE_THREAD__)
    skip();
#endif
    static struct outcome outcome;
    const struct trial_launch trial = {.kernel = "scale", .workers = 4, .shuffle = 1};
    (void)state;
    run_kernel(&trial, &outcome);
    assert_int_equal(outcome.result.course, SCHED_DIVIDED);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct kernel_run run;
        make_buffers(&run, trial.kernel);
        launch(&run, &trial, &outcome);
        _exit(outcome.result.course == SCHED_DIVIDED ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run_kernel(&trial, &outcome);
    assert_int_equal(outcome.result.course, SCHED_DIVIDED);
}

static void processors_are_those_that_may_be_used(void **state)
{
    cpu_set_t before, one;
    (void)state;
    assert_in_range(pool_processors(), 1, POOL_THREADS_MAX);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pool_processors(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_threads_one_runs_all),
        /* Of kernels that were put back none may have lain where its own does. */
        cmocka_unit_test(what_cannot_be_noted_takes_place_in_order),
        cmocka_unit_test(groups_apart_are_divided),
        cmocka_unit_test(neighbouring_bytes_are_apart),
        cmocka_unit_test(groups_that_meet_are_put_back),
        cmocka_unit_test(updates_may_meet_if_their_order_changes_nothing),
        cmocka_unit_test(a_loop_that_only_ends_in_order_is_given_up),
        cmocka_unit_test(a_limit_of_operations_ends_the_launch_where_one_ends),
        cmocka_unit_test(what_was_put_back_is_not_tried_at_once),
        cmocka_unit_test(small_launches_are_not_divided),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_child_divides_too),
        cmocka_unit_test(processors_are_those_that_may_be_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
