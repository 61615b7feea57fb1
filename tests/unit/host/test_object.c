/* The object table: many objects, many threads, little memory. */
#include "checkers/host/objects/object.h"

#include "trace/base/alloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct object_birth birth_of(enum api_object_kind kind, const char *label, uint64_t call_id)
{
    return (struct object_birth){
        .kind = kind, .label = label, .created = {.call_id = call_id, .entry = 1}};
}

static void many_objects_are_found(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct object_table *table = object_table_create();
    for (uint64_t i = 1; i <= COUNT; ++i) {
        const struct object_birth birth = birth_of(API_OBJECT_EVENT, "event", i);
        object_create(table, i * 64, &birth);
    }
    for (uint64_t i = 1; i <= COUNT; ++i) {
        const struct object_state found = object_state(table, i * 64);
        assert_int_equal(found.standing, OBJECT_USABLE);
        assert_int_equal(found.kind, API_OBJECT_EVENT);
        assert_int_equal(object_state(table, i * 64 + 8).standing, OBJECT_UNKNOWN);
    }
    assert_string_equal(object_name(table, 64 * 777), "event#777");
    assert_null(object_name(table, 1));
    size_t count;
    struct object_facts *list = object_list_held(table, &count);
    assert_int_equal(count, COUNT);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(list[i].created.call_id, i + 1);
    alloc_free(list);
    object_table_destroy(table);
}

/* Kernels that come and go at ever other addresses need the traits of few. */
static void kernels_leave_their_traits_to_others(void **state)
{
    (void)state;
    enum { COUNT = 20000, ROOM = 1024 };
    const void *seen[ROOM];
    size_t seen_count = 0;
    struct object_table *table = object_table_create();
    for (uint64_t i = 1; i <= COUNT; ++i) {
        const struct object_birth birth = birth_of(API_OBJECT_KERNEL, "kernel", i);
        const struct object_moment moment = {.call_id = i, .entry = 2};
        struct locked_traits locked;
        object_create(table, i * 64, &birth);
        struct kernel_traits *kernel =
            object_lock_traits(table, i * 64, API_OBJECT_KERNEL, &locked);
        assert_non_null(kernel);
        assert_false(kernel->created);
        assert_int_equal(kernel->argument_count, 0);
        kernel->created = true;
        kernel->argument_count = 3;
        object_unlock_traits(&locked);
        object_release(table, i * 64, &moment, NULL, NULL);
        assert_null(object_kernel_traits(table, i * 64));
        size_t at = 0;
        while (at < seen_count && seen[at] != kernel)
            at++;
        assert_true(at < ROOM);
        seen_count += at == seen_count;
        seen[at] = kernel;
    }
    object_table_destroy(table);
}

/* A handle that comes back for ever needs one record. */
static void reuse_does_not_grow(void **state)
{
    (void)state;
    struct object_table *table = object_table_create();
    const struct object_birth birth = birth_of(API_OBJECT_EVENT, "event", 1);
    const struct object_moment moment = {.call_id = 2, .entry = 1};
    object_create(table, 64, &birth);
    object_release(table, 64, &moment, NULL, NULL);
    const uint64_t before = alloc_request_count();
    for (int i = 0; i < 10000; ++i) {
        object_create(table, 64, &birth);
        assert_int_equal(object_release(table, 64, &moment, NULL, NULL), OBJECT_RELEASED_LAST);
        assert_int_equal(object_state(table, 64).standing, OBJECT_DEAD);
    }
    assert_int_equal(alloc_request_count(), before);
    object_table_destroy(table);
}

static void deaths_cascade_to_the_root(void **state)
{
    (void)state;
    struct object_table *table = object_table_create();
    const struct object_moment moment = {.call_id = 9, .entry = 1};
    struct object_birth context = birth_of(API_OBJECT_CONTEXT, "context", 1);
    struct object_birth program = birth_of(API_OBJECT_PROGRAM, "program", 2);
    struct object_birth kernel = birth_of(API_OBJECT_KERNEL, "kernel", 3);
    program.parent = 64;
    kernel.parent = 128;
    object_create(table, 64, &context);
    object_create(table, 128, &program);
    object_create(table, 192, &kernel);
    assert_int_equal(object_state(table, 192).context, object_state(table, 64).context);
    object_release(table, 64, &moment, NULL, NULL);
    object_release(table, 128, &moment, NULL, NULL);
    assert_int_equal(object_state(table, 64).standing, OBJECT_BORROWED);
    assert_int_equal(object_state(table, 128).standing, OBJECT_BORROWED);
    object_release(table, 192, &moment, NULL, NULL);
    assert_int_equal(object_state(table, 64).standing, OBJECT_DEAD);
    assert_int_equal(object_state(table, 128).standing, OBJECT_DEAD);
    object_release_undo(table, 192, 9);
    assert_int_equal(object_state(table, 192).standing, OBJECT_USABLE);
    assert_int_equal(object_state(table, 128).standing, OBJECT_BORROWED);
    object_table_destroy(table);
}

struct worker {
    pthread_t thread;
    struct object_table *table;
    uint64_t base;
    bool keeps_context; /* the context is not released meanwhile */
    bool failed;
};

/* Creates, retains and releases objects of its own in a context that all share. */
static void *work(void *user)
{
    struct worker *worker = user;
    for (uint64_t i = 0; i < 3000; ++i) {
        const uint64_t handle = worker->base + i % 700 * 64;
        struct object_birth birth = birth_of(API_OBJECT_MEM, "buffer", i + 1);
        const struct object_moment moment = {.call_id = i + 1, .entry = 1};
        birth.parent = 64;
        object_create(worker->table, handle, &birth);
        object_retain(worker->table, handle);
        const struct object_state found = object_state(worker->table, handle);
        worker->failed |= found.standing != OBJECT_USABLE || found.kind != API_OBJECT_MEM;
        worker->failed |=
            worker->keeps_context && object_state(worker->table, 64).standing != OBJECT_USABLE;
        worker->failed |=
            object_release(worker->table, handle, &moment, NULL, NULL) != OBJECT_RELEASED;
        worker->failed |=
            object_release(worker->table, handle, &moment, NULL, NULL) != OBJECT_RELEASED_LAST;
        worker->failed |=
            object_release(worker->table, handle, &moment, NULL, NULL) != OBJECT_RELEASED_EXCESS;
    }
    return NULL;
}

static void run_threads(bool released_early)
{
    struct object_table *table = object_table_create();
    const struct object_birth birth = birth_of(API_OBJECT_CONTEXT, "context", 1);
    const struct object_moment moment = {.call_id = 1, .entry = 1};
    struct worker workers[4];
    object_create(table, 64, &birth);
    for (size_t i = 0; i < 4; ++i) {
        workers[i] = (struct worker){
            .table = table, .base = 0x100000 * (i + 1), .keeps_context = !released_early};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    if (released_early)
        object_release(table, 64, &moment, NULL, NULL);
    for (size_t i = 0; i < 4; ++i) {
        pthread_join(workers[i].thread, NULL);
        assert_false(workers[i].failed);
    }
    struct object_facts facts;
    assert_true(object_describe(table, 64, &facts));
    assert_int_equal(facts.dependents, 0);
    if (!released_early)
        object_release(table, 64, &moment, NULL, NULL);
    assert_int_equal(object_state(table, 64).standing, OBJECT_DEAD);
    object_table_destroy(table);
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    run_threads(false);
}

static void a_context_may_be_released_while_threads_use_it(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i)
        run_threads(true);
}

/* An object for which there is no memory is unknown, never half known. */
static void want_of_memory_forgets_objects(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    enum object_standing standing = OBJECT_UNKNOWN;
    for (uint64_t n = 1; standing == OBJECT_UNKNOWN && n < 50; ++n) {
        alloc_fail_at(n);
        struct object_table *table = object_table_create();
        if (table) {
            const struct object_birth birth = birth_of(API_OBJECT_EVENT, "event", 1);
            object_create(table, 64, &birth);
            standing = object_state(table, 64).standing;
            assert_true(standing == OBJECT_UNKNOWN || standing == OBJECT_USABLE);
            object_table_destroy(table);
        }
        alloc_fail_at(0);
        assert_int_equal(alloc_live_count(), before);
    }
    assert_int_equal(standing, OBJECT_USABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_objects_are_found),
        cmocka_unit_test(reuse_does_not_grow),
        cmocka_unit_test(kernels_leave_their_traits_to_others),
        cmocka_unit_test(deaths_cascade_to_the_root),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(a_context_may_be_released_while_threads_use_it),
        cmocka_unit_test(want_of_memory_forgets_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
