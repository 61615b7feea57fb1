#include "viewer-cli/debug/dap_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static enum status find(const char *bytes, size_t *begin, size_t *length)
{
    return dap_wire_find(bytes, strlen(bytes), begin, length, NULL);
}

static void finds_what_is_whole(void **state)
{
    (void)state;
    size_t begin = 0;
    size_t length = 0;
    const char bytes[] = "Content-Length: 2\r\n\r\n{}Content";
    assert_int_equal(find(bytes, &begin, &length), STATUS_OK);
    assert_int_equal(begin, 21);
    assert_int_equal(length, 2);
    /* Other headers, and any case. */
    assert_int_equal(find("Content-Type: x\r\ncontent-length:4\r\n\r\n[{}]", &begin, &length),
                     STATUS_OK);
    assert_int_equal(length, 4);
}

static void waits_for_the_rest(void **state)
{
    (void)state;
    size_t begin = 7;
    size_t length = 7;
    const char whole[] = "Content-Length: 2\r\n\r\n{}";
    for (size_t i = 0; i < sizeof whole - 1; ++i)
        assert_int_equal(dap_wire_find(whole, i, &begin, &length, NULL), STATUS_NOT_FOUND);
    assert_int_equal(begin, 7);
    assert_int_equal(length, 7);
}

static void refuses_what_is_none(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "Content-Type: x\r\n\r\n{}",
        "Content-Length: -2\r\n\r\n{}",
        "Content-Length: 2x\r\n\r\n{}",
        "Content-Length:\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 67108865\r\n\r\n{}",
        "Content-Length: 00000000000000000000000000000000002\r\n\r\n{}",
    };
    size_t begin;
    size_t length;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_int_equal(find(wrong[i], &begin, &length), STATUS_MALFORMED);
    char endless[DAP_HEADERS_MAX];
    memset(endless, 'x', sizeof endless);
    assert_int_equal(dap_wire_find(endless, sizeof endless, &begin, &length, NULL),
                     STATUS_MALFORMED);
}

static void takes_one_after_the_other(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct dap_wire in = {.input = ends[0], .output = -1, .read = TEXT_INIT};
    struct dap_wire out = {.input = -1, .output = ends[1], .read = TEXT_INIT};
    struct text json = TEXT_INIT;
    const char *taken;
    size_t size;
    text_append(&json, "{\"a\":1}");
    assert_int_equal(dap_wire_write(&out, &json, NULL), STATUS_OK);
    text_append(&json, " ");
    assert_int_equal(dap_wire_write(&out, &json, NULL), STATUS_OK);
    assert_int_equal(write(ends[1], "Content-Length: 3\r\n\r\n[1", 23), 23);
    dap_wire_read(&in);
    assert_int_equal(dap_wire_take(&in, &taken, &size, NULL), STATUS_OK);
    assert_int_equal(size, 7);
    assert_memory_equal(taken, "{\"a\":1}", 7);
    assert_int_equal(dap_wire_take(&in, &taken, &size, NULL), STATUS_OK);
    assert_int_equal(size, 8);
    assert_int_equal(dap_wire_take(&in, &taken, &size, NULL), STATUS_NOT_FOUND);
    assert_int_equal(write(ends[1], "]", 1), 1);
    dap_wire_read(&in);
    assert_int_equal(dap_wire_take(&in, &taken, &size, NULL), STATUS_OK);
    assert_memory_equal(taken, "[1]", 3);
    assert_false(in.ended);
    close(ends[1]);
    dap_wire_read(&in);
    assert_true(in.ended);
    close(ends[0]);
    dap_wire_release(&in);
    dap_wire_release(&out);
    text_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_whole),
        cmocka_unit_test(waits_for_the_rest),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(takes_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
