/* Messages of the debugger through a socket, whole, in pieces, and wrong. */
#include "trace/debug/message.h"
#include "trace/debug/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void open_pair(int sockets[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
}

static void test_messages_arrive_as_sent(void **state)
{
    (void)state;
    int sockets[2];
    struct text text = TEXT_INIT;
    struct error error;
    char large[20000];
    open_pair(sockets);
    memset(large, 'a', sizeof large);
    assert_false(message_waits(sockets[1]));
    assert_int_equal(message_send(sockets[0], "{}", 2, &error), STATUS_OK);
    assert_int_equal(message_send(sockets[0], large, sizeof large, &error), STATUS_OK);
    assert_true(message_waits(sockets[1]));
    assert_int_equal(message_receive(sockets[1], &text, &error), STATUS_OK);
    assert_string_equal(text.bytes, "{}");
    text_clear(&text);
    assert_int_equal(message_receive(sockets[1], &text, &error), STATUS_OK);
    assert_int_equal(text.size, sizeof large);
    assert_memory_equal(text.bytes, large, sizeof large);
    close(sockets[0]);
    assert_int_equal(message_receive(sockets[1], &text, &error), STATUS_NOT_FOUND);
    assert_int_equal(message_send(sockets[1], "{}", 2, &error), STATUS_IO);
    close(sockets[1]);
    text_release(&text);
}

static bool is_b(const char *bytes, size_t size)
{
    return size == 1 && *bytes == 'b';
}

static void test_messages_are_foreseen(void **state)
{
    (void)state;
    int sockets[2];
    struct text text = TEXT_INIT;
    struct error error;
    bool closed;
    open_pair(sockets);
    assert_false(message_foresee(sockets[1], is_b, &closed));
    assert_int_equal(message_send(sockets[0], "a", 1, &error), STATUS_OK);
    assert_int_equal(write(sockets[0], "\1\0\0\0", 4), 4);
    assert_false(message_foresee(sockets[1], is_b, &closed));
    assert_int_equal(write(sockets[0], "b", 1), 1);
    assert_true(message_foresee(sockets[1], is_b, &closed));
    assert_int_equal(message_receive(sockets[1], &text, &error), STATUS_OK);
    assert_string_equal(text.bytes, "a");
    assert_true(message_foresee(sockets[1], is_b, &closed));
    assert_int_equal(message_receive(sockets[1], &text, &error), STATUS_OK);
    assert_false(closed);
    close(sockets[0]);
    assert_false(message_foresee(sockets[1], is_b, &closed));
    assert_true(closed);
    close(sockets[1]);
    text_release(&text);
}

static enum status receive_bytes(const void *bytes, size_t size)
{
    int sockets[2];
    struct text text = TEXT_INIT;
    open_pair(sockets);
    assert_int_equal(write(sockets[0], bytes, size), size);
    close(sockets[0]);
    const enum status status = message_receive(sockets[1], &text, NULL);
    close(sockets[1]);
    text_release(&text);
    return status;
}

static void test_wrong_messages_are_refused(void **state)
{
    (void)state;
    assert_int_equal(receive_bytes("\2\0\0\0{}", 6), STATUS_OK);
    assert_int_equal(receive_bytes("\2\0\0", 3), STATUS_MALFORMED);
    assert_int_equal(receive_bytes("\2\0\0\0{", 5), STATUS_MALFORMED);
    assert_int_equal(receive_bytes("\2\0\0\0", 4), STATUS_MALFORMED);
    assert_int_equal(receive_bytes("\2\0\0\0{\0", 6), STATUS_MALFORMED);
    assert_int_equal(receive_bytes("\0\0\0\x7f", 4), STATUS_MALFORMED);
}

static void test_requests_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < DEBUG_REQUEST_COUNT; i++)
        assert_int_equal(debug_request_find(debug_request_name((enum debug_request)i)), i);
    assert_int_equal(debug_request_find("fly"), DEBUG_REQUEST_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_arrive_as_sent),
        cmocka_unit_test(test_messages_are_foreseen),
        cmocka_unit_test(test_wrong_messages_are_refused),
        cmocka_unit_test(test_requests_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
