#include "replay/order.h"

#include "trace/api/entry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CONTEXT = 0x10, QUEUE = 0x20, OTHER_QUEUE = 0x21, BUFFER = 0x30, KERNEL = 0x40 };

/* A call of so many arguments that takes from 10 times its number on 5 ns. */
static struct api_call call_of(uint64_t id, uint32_t thread, uint32_t entry)
{
    return (struct api_call){.id = id,
                             .thread = thread,
                             .entry = entry,
                             .flags = API_CALL_COMPLETED,
                             .begin_ns = 10 * id,
                             .end_ns = 10 * id + 5,
                             .argument_count = api_entry_get(entry)->parameter_count};
}

static struct api_call call_about(uint64_t id, uint32_t thread, uint32_t entry, uint64_t handle)
{
    struct api_call call = call_of(id, thread, entry);
    call.arguments[0] =
        (struct api_value){.kind = API_VALUE_HANDLE, .present = true, .bits = handle};
    return call;
}

static struct api_call call_making(uint64_t id, uint32_t thread, uint32_t entry, uint64_t handle)
{
    struct api_call call = call_about(id, thread, entry, CONTEXT);
    call.result = (struct api_value){.kind = API_VALUE_HANDLE, .present = true, .bits = handle};
    return call;
}

/* The needs as text: of each the thread, the call, and whether its end or its beginning is needed.
 */
static const char *add(struct order *order, const struct api_call *call)
{
    static char text[256];
    struct arena arena = {0};
    const struct order_need *needs = NULL;
    size_t count = 0;
    assert_int_equal(order_add(order, NULL, call, &arena, &needs, &count, NULL), STATUS_OK);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%llu%s:%llu%s", i ? " " : "",
                 (unsigned long long)needs[i].lane / 2, needs[i].lane % 2 ? "c" : "",
                 (unsigned long long)needs[i].call_id, needs[i].end ? "" : " begun");
    arena_release(&arena);
    return text;
}

static void what_others_made_is_there(void **state)
{
    (void)state;
    struct order *order = order_create();
    struct api_call call = call_making(1, 1, API_ENTRY_clCreateBuffer, BUFFER);
    assert_string_equal(add(order, &call), "");
    call = call_about(2, 1, API_ENTRY_clRetainMemObject, BUFFER);
    assert_string_equal(add(order, &call), "");
    call = call_about(3, 2, API_ENTRY_clRetainMemObject, BUFFER);
    assert_string_equal(add(order, &call), "1:1");
    call = call_about(4, 2, API_ENTRY_clRetainMemObject, 0x99 /* of nobody's making */);
    assert_string_equal(add(order, &call), "");
    order_destroy(order);
}

static void releases_wait_for_users(void **state)
{
    (void)state;
    struct order *order = order_create();
    struct api_call call = call_making(1, 1, API_ENTRY_clCreateBuffer, BUFFER);
    add(order, &call);
    call = call_about(2, 2, API_ENTRY_clRetainMemObject, BUFFER);
    add(order, &call);
    call = call_about(3, 3, API_ENTRY_clReleaseMemObject, BUFFER);
    assert_string_equal(add(order, &call), "1:1 2:2");
    /* The handle is given out again: by then nobody means the old object. */
    call = call_making(4, 2, API_ENTRY_clCreateBuffer, BUFFER);
    assert_string_equal(add(order, &call), "1:1 3:3");
    call = call_about(5, 1, API_ENTRY_clRetainMemObject, BUFFER);
    assert_string_equal(add(order, &call), "2:4");
    order_destroy(order);
}

static void calls_on_one_queue_keep_their_order(void **state)
{
    (void)state;
    struct order *order = order_create();
    struct api_call call = call_making(1, 1, API_ENTRY_clCreateCommandQueue, QUEUE);
    add(order, &call);
    call = call_making(2, 1, API_ENTRY_clCreateCommandQueue, OTHER_QUEUE);
    add(order, &call);
    call = call_about(3, 2, API_ENTRY_clFlush, QUEUE);
    assert_string_equal(add(order, &call), "1:1");
    call = call_about(4, 3, API_ENTRY_clFlush, OTHER_QUEUE);
    assert_string_equal(add(order, &call), "1:2");
    call = call_about(5, 3, API_ENTRY_clFlush, QUEUE);
    assert_string_equal(add(order, &call), "1:1 2:3");
    order_destroy(order);
}

/* Of a call that had not returned only the beginning is needed: it may wait for this one. */
static void calls_at_once_wait_for_beginnings(void **state)
{
    (void)state;
    struct order *order = order_create();
    struct api_call call = call_making(1, 1, API_ENTRY_clCreateCommandQueue, QUEUE);
    add(order, &call);
    call = call_about(2, 1, API_ENTRY_clFinish, QUEUE);
    call.end_ns = 1000;
    add(order, &call);
    call = call_about(3, 2, API_ENTRY_clFlush, QUEUE);
    assert_string_equal(add(order, &call), "1:1 1:2 begun");
    order_destroy(order);
}

static void what_a_wait_told_is_known_to_all(void **state)
{
    (void)state;
    struct order *order = order_create();
    struct api_call call = call_making(1, 1, API_ENTRY_clCreateCommandQueue, QUEUE);
    add(order, &call);
    call = call_about(2, 1, API_ENTRY_clFinish, QUEUE);
    call.end_ns = 31;
    add(order, &call);
    call = call_about(3, 2, API_ENTRY_clRetainContext, CONTEXT);
    assert_string_equal(add(order, &call), "");
    call = call_about(4, 2, API_ENTRY_clRetainContext, CONTEXT);
    assert_string_equal(add(order, &call), "1:2");
    order_destroy(order);
}

/* A launch uses what its kernel's arguments name. */
static void kernels_use_their_arguments(void **state)
{
    (void)state;
    struct order *order = order_create();
    const uint64_t buffer = BUFFER;
    struct api_call call = call_making(1, 1, API_ENTRY_clCreateBuffer, BUFFER);
    add(order, &call);
    call = call_making(2, 1, API_ENTRY_clCreateKernel, KERNEL);
    add(order, &call);
    call = call_about(3, 2, API_ENTRY_clSetKernelArg, KERNEL);
    call.arguments[API_clSetKernelArg_arg_size].bits = sizeof buffer;
    call.arguments[API_clSetKernelArg_arg_value] = (struct api_value){
        .kind = API_VALUE_BYTES, .present = true, .size = sizeof buffer, .data = &buffer};
    assert_string_equal(add(order, &call), "1:2");
    call = call_about(4, 2, API_ENTRY_clEnqueueTask, QUEUE);
    call.arguments[API_clEnqueueTask_kernel] =
        (struct api_value){.kind = API_VALUE_HANDLE, .present = true, .bits = KERNEL};
    add(order, &call);
    call = call_about(5, 3, API_ENTRY_clReleaseMemObject, BUFFER);
    assert_string_equal(add(order, &call), "1:1 2:4");
    order_destroy(order);
}

/* A thread that waits in a call may run a callback meanwhile, on which that call depends. */
static void callbacks_have_a_lane_of_their_own(void **state)
{
    (void)state;
    struct order *order = order_create();
    struct api_call call = call_about(1, 1, API_ENTRY_clFinish, QUEUE);
    call.end_ns = 25;
    add(order, &call);
    call = call_about(2, 1, API_ENTRY_clRetainContext, CONTEXT);
    call.flags |= API_CALL_IN_CALLBACK;
    assert_string_equal(add(order, &call), "1:1 begun");
    call = call_about(3, 1, API_ENTRY_clRetainContext, CONTEXT);
    assert_string_equal(add(order, &call), "1c:2");
    order_destroy(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_made_is_there),
        cmocka_unit_test(releases_wait_for_users),
        cmocka_unit_test(calls_on_one_queue_keep_their_order),
        cmocka_unit_test(calls_at_once_wait_for_beginnings),
        cmocka_unit_test(what_a_wait_told_is_known_to_all),
        cmocka_unit_test(kernels_use_their_arguments),
        cmocka_unit_test(callbacks_have_a_lane_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
