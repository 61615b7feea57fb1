#include "checkers/host/callback_order.h"
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CONTEXT = 0x1000, QUEUE = 0x2000, EVENT = 0x4000, OTHER_EVENT = 0x4100, MADE = 0x5000 };

static int setup(void **state)
{
    static struct stream stream;
    stream_init(&stream, false, "callback-order");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_user_event(&stream, CONTEXT, EVENT);
    make_user_event(&stream, CONTEXT, OTHER_EVENT);
    *state = &stream;
    return 0;
}

static int teardown(void **state)
{
    stream_release(*state);
    return 0;
}

/* Registers a callback at this moment; its calls come at the moment `called`. */
static struct api_event_callback add(struct stream *stream, uint64_t event, uint64_t function,
                                     uint64_t registered, uint64_t called)
{
    struct api_call call = stream_call(stream, API_ENTRY_clSetEventCallback);
    call_set(&call, "event", event);
    call_set_pointer(&call, "pfn_notify");
    stream_perform(stream, &call, CL_SUCCESS);
    return (struct api_event_callback){.call_id = call.id,
                                       .event = event,
                                       .function = function,
                                       .registered = registered,
                                       .called = called};
}

static void make_in(struct stream *stream, const struct api_event_callback *callback,
                    uint64_t handle)
{
    struct api_call call = stream_call(stream, API_ENTRY_clCreateBuffer);
    call_set(&call, "context", CONTEXT);
    call_set(&call, "size", 64);
    call.callback = callback;
    stream_perform(stream, &call, handle);
}

static size_t found_in(struct stream *stream, const struct api_event_callback *callback,
                       uint64_t handle)
{
    struct api_call call = stream_call(stream, API_ENTRY_clRetainMemObject);
    call.arguments[0].bits = handle;
    call.callback = callback;
    stream->finding_count = 0;
    stream_perform(stream, &call, CL_SUCCESS);
    return stream->finding_count;
}

static void what_another_callback_made_is_noted_once(void **state)
{
    struct stream *stream = *state;
    const struct api_event_callback first = add(stream, EVENT, 1, 1, 3);
    const struct api_event_callback second = add(stream, EVENT, 2, 2, 4);
    make_in(stream, &first, MADE);
    assert_int_equal(found_in(stream, &first, MADE), 0);
    assert_int_equal(found_in(stream, NULL, MADE), 0);
    assert_int_equal(found_in(stream, &second, MADE), 1);
    assert_int_equal(stream->findings[0]->rule, RULE_CALLBACK_ORDER);
    assert_int_equal(found_in(stream, &second, MADE), 0);
}

static void a_callback_that_came_after_the_object_may_use_it(void **state)
{
    struct stream *stream = *state;
    const struct api_event_callback first = add(stream, EVENT, 1, 1, 3);
    add(stream, EVENT, 2, 2, 4);
    make_in(stream, &first, MADE);
    const struct api_event_callback later = add(stream, EVENT, 3, 5, 6);
    assert_int_equal(found_in(stream, &later, MADE), 0);
}

static void one_function_may_do_what_is_left(void **state)
{
    struct stream *stream = *state;
    const struct api_event_callback first = add(stream, EVENT, 1, 1, 3);
    const struct api_event_callback second = add(stream, EVENT, 1, 2, 4);
    make_in(stream, &first, MADE);
    assert_int_equal(found_in(stream, &second, MADE), 0);
}

static void other_events_and_other_objects_do_not_count(void **state)
{
    struct stream *stream = *state;
    const struct api_event_callback first = add(stream, EVENT, 1, 1, 3);
    const struct api_event_callback second = add(stream, EVENT, 2, 2, 6);
    const struct api_event_callback other = add(stream, OTHER_EVENT, 3, 2, 6);
    make_in(stream, &first, MADE);
    assert_int_equal(found_in(stream, &other, MADE), 0);
    /* The handle is another object's by now, which is not a callback's. */
    perform_on(stream, API_ENTRY_clReleaseMemObject, MADE);
    perform_on(stream, API_ENTRY_clReleaseMemObject, MADE);
    make_buffer(stream, CONTEXT, MADE);
    assert_int_equal(found_in(stream, &second, MADE), 0);
}

static void what_is_long_ago_is_forgotten(void **state)
{
    struct stream *stream = *state;
    const struct api_event_callback first = add(stream, EVENT, 1, 1, 3);
    const struct api_event_callback second = add(stream, EVENT, 2, 2, 4);
    for (uint64_t i = 0; i <= CALLBACK_BIRTHS; ++i)
        make_in(stream, &first, MADE + i);
    assert_int_equal(found_in(stream, &second, MADE), 0);
    assert_int_equal(found_in(stream, &second, MADE + 1), 1);
    stream->stack++; /* else it is the same again, and counted */
    assert_int_equal(found_in(stream, &second, MADE + CALLBACK_BIRTHS), 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_another_callback_made_is_noted_once),
        TEST(a_callback_that_came_after_the_object_may_use_it),
        TEST(one_function_may_do_what_is_left),
        TEST(other_events_and_other_objects_do_not_count),
        TEST(what_is_long_ago_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
