#include "replay/object.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_handle_stands_for_its_latest_object(void **state)
{
    (void)state;
    struct replay_objects *objects = replay_objects_create();
    assert_non_null(objects);
    assert_null(replay_objects_find(objects, 0x10));
    assert_non_null(replay_objects_put(objects, 0x10, 0xa, API_OBJECT_MEM));
    replay_objects_find(objects, 0x10)->image.pixel_size = 4;
    assert_int_equal(replay_objects_find(objects, 0x10)->new_handle, 0xa);
    assert_non_null(replay_objects_put(objects, 0x10, 0xb, API_OBJECT_EVENT));
    const struct replay_object *object = replay_objects_find(objects, 0x10);
    assert_int_equal(object->new_handle, 0xb);
    assert_int_equal(object->kind, API_OBJECT_EVENT);
    assert_int_equal(object->image.pixel_size, 0);
    assert_int_equal(object->references, 1);
    replay_objects_destroy(objects);
}

static void objects_stand_in_the_order_of_their_handles_first_use(void **state)
{
    (void)state;
    struct replay_objects *objects = replay_objects_create();
    for (uint64_t i = 0; i < 1000; ++i)
        assert_non_null(replay_objects_put(objects, (i * 7919) % 1000 + 1, i, API_OBJECT_QUEUE));
    assert_non_null(replay_objects_put(objects, 1, 5000, API_OBJECT_QUEUE));
    struct replay_object *object = NULL;
    uint64_t count = 0;
    while ((object = replay_objects_next(objects, object))) {
        assert_int_equal(object->old_handle, (count * 7919) % 1000 + 1);
        ++count;
    }
    assert_int_equal(count, 1000);
    replay_objects_destroy(objects);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    const uint64_t live = alloc_live_count();
    bool done = false;
    for (uint64_t n = 1; !done; ++n) {
        assert_true(n < 1000);
        alloc_fail_at(n);
        struct replay_objects *objects = replay_objects_create();
        done = objects != NULL;
        for (uint64_t i = 1; objects && i <= 100; ++i)
            done = replay_objects_put(objects, i, i, API_OBJECT_MEM) && done;
        alloc_fail_at(0);
        if (done)
            assert_int_equal(replay_objects_find(objects, 100)->new_handle, 100);
        replay_objects_destroy(objects);
        assert_int_equal(alloc_live_count(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_stands_for_its_latest_object),
        cmocka_unit_test(objects_stand_in_the_order_of_their_handles_first_use),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
