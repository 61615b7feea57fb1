/* What is shared with other interfaces, where a driver hands handles and numbers out again: which
 * no driver of tests/rules does. */
#include "stream.h"

#include "checkers/host/objects/imported.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CONTEXT = 0xc0, BUFFER = 0xb0, QUEUE = 0xa0, NUMBER = 7 };

/* ---- objects that were given back ---- */

static struct stream stream;

static void hand_over(uint32_t entry)
{
    const uint64_t buffer = BUFFER;
    struct api_call call = stream_call(&stream, entry);
    call_set(&call, "command_queue", QUEUE);
    call_set(&call, "num_mem_objects", 1);
    call_set_handles(&stream, &call, "mem_objects", &buffer, 1);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void use(void)
{
    hand_over(API_ENTRY_clEnqueueAcquireExternalMemObjectsKHR);
    hand_over(API_ENTRY_clEnqueueReleaseExternalMemObjectsKHR);
}

static void begin(void)
{
    stream_init(&stream, false, "none,interop-unordered");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_buffer(&stream, CONTEXT, BUFFER);
}

static void an_object_is_given_back(void **state)
{
    (void)state;
    begin();
    use();
    assert_int_equal(stream.finding_count, 0);
    use();
    assert_int_equal(stream.finding_count, 1);
    stream_release(&stream);
}

static void a_new_object_was_never_given_back(void **state)
{
    (void)state;
    begin();
    use();
    perform_on(&stream, API_ENTRY_clReleaseMemObject, BUFFER);
    make_buffer(&stream, CONTEXT, BUFFER);
    use();
    assert_int_equal(stream.finding_count, 0);
    stream_release(&stream);
}

/* ---- numbers of descriptors ---- */

static uint32_t last_mark; /* 0: what has the number is not marked */
static bool is_open;

static enum host_descriptor find(int32_t descriptor, uint32_t mark)
{
    assert_int_equal(descriptor, NUMBER);
    if (!is_open)
        return HOST_DESCRIPTOR_CLOSED;
    return mark == last_mark ? HOST_DESCRIPTOR_MARKED : HOST_DESCRIPTOR_OTHER;
}

static void mark(int32_t descriptor, uint32_t number)
{
    assert_int_equal(descriptor, NUMBER);
    last_mark = number;
}

static void open_anew(void)
{
    is_open = true;
    last_mark = 0;
}

static struct imported_table *make_table(void)
{
    const struct host_options options = {.descriptor_find = find, .descriptor_mark = mark};
    struct imported_table *table = imported_table_create(&options);
    assert_non_null(table);
    open_anew();
    return table;
}

static bool was_imported(struct imported_table *table, uint64_t call_id, struct imported *earlier)
{
    const struct api_call call = {.id = call_id};
    return imported_begin(table, &call, NUMBER, earlier);
}

static void import(struct imported_table *table, uint64_t call_id, uint64_t handle)
{
    const struct api_call call = {.id = call_id};
    imported_end(table, &call, NUMBER, &(struct imported){.handle = handle, .serial = handle});
}

static void what_has_the_number_is_known_as_long_as_it_is_open(void **state)
{
    struct imported_table *table = make_table();
    struct imported earlier = {0};
    (void)state;
    assert_false(was_imported(table, 1, &earlier));
    import(table, 1, BUFFER);
    assert_true(was_imported(table, 2, &earlier));
    assert_int_equal(earlier.handle, BUFFER);
    assert_false(earlier.closed);
    is_open = false;
    assert_true(was_imported(table, 3, &earlier));
    assert_true(earlier.closed);
    open_anew();
    assert_false(was_imported(table, 4, &earlier));
    imported_table_destroy(table);
}

static void what_failed_imported_nothing(void **state)
{
    struct imported_table *table = make_table();
    struct imported earlier;
    (void)state;
    assert_false(was_imported(table, 1, &earlier));
    assert_false(was_imported(table, 2, &earlier));
    imported_table_destroy(table);
}

/* While a call is under way the driver closes its descriptor, and another thread gets the number.
 */
static void the_number_may_go_to_another_thread(void **state)
{
    struct imported_table *table = make_table();
    struct imported earlier;
    (void)state;
    assert_false(was_imported(table, 1, &earlier));
    open_anew();
    assert_false(was_imported(table, 2, &earlier));
    import(table, 1, BUFFER);
    assert_false(was_imported(table, 3, &earlier)); /* the second call has failed */
    imported_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_given_back),
        cmocka_unit_test(a_new_object_was_never_given_back),
        cmocka_unit_test(what_has_the_number_is_known_as_long_as_it_is_open),
        cmocka_unit_test(what_failed_imported_nothing),
        cmocka_unit_test(the_number_may_go_to_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
