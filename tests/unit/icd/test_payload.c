/* The payload of a semaphore that processes share: a signal is taken once, whoever takes it, and
 * the system knows who is left. */
#include "reference/icd/commands/payload.h"
#include "tests/unit/icd/unit.h"

#include <fcntl.h>
#include <unistd.h>

static struct payload *create(void)
{
    struct payload *payload = NULL;
    struct error error;
    assert_int_equal(payload_create(&payload, &error), STATUS_OK);
    return payload;
}

static struct payload *share(struct payload *payload, int *descriptor)
{
    struct payload *other = NULL;
    struct error error;
    assert_int_equal(payload_export(payload, descriptor, &error), STATUS_OK);
    assert_int_equal(payload_import(*descriptor, &other, &error), STATUS_OK);
    return other;
}

static void a_signal_is_taken_once(void **state)
{
    (void)state;
    int descriptor;
    struct payload *one = create();
    struct payload *other = share(one, &descriptor);
    assert_false(payload_is_signalled(one));
    assert_false(payload_take(one));
    payload_signal(one);
    assert_true(payload_is_signalled(other));
    assert_true(payload_take(other));
    assert_false(payload_take(one));
    payload_destroy(other);
    payload_destroy(one);
}

static void the_system_tells_who_is_left(void **state)
{
    (void)state;
    int descriptor;
    struct error error;
    struct payload *one = create();
    assert_int_equal(payload_company(one), PAYLOAD_PRIVATE);
    assert_int_equal(payload_export(one, &descriptor, &error), STATUS_OK);
    assert_int_equal(payload_company(one), PAYLOAD_SHARED);
    close(descriptor);
    assert_int_equal(payload_company(one), PAYLOAD_ALONE);

    struct payload *other = share(one, &descriptor);
    int way; /* by which one more could still get it */
    assert_int_equal(payload_export(one, &way, &error), STATUS_OK);
    assert_int_equal(payload_company(one), PAYLOAD_SHARED);
    payload_destroy(other);
    assert_int_equal(payload_company(one), PAYLOAD_LEFT);
    close(way);
    assert_int_equal(payload_company(one), PAYLOAD_ALONE);
    payload_destroy(one);
}

/* The payload closes the number that it was imported by, but not what has that number since. */
static void an_imported_number_is_closed_once(void **state)
{
    (void)state;
    int descriptor;
    struct payload *one = create();
    struct payload *other = share(one, &descriptor);
    payload_let_go(other);
    assert_int_equal(fcntl(descriptor, F_GETFD), -1);
    payload_destroy(other);

    other = share(one, &descriptor);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(dup2(null, descriptor), descriptor);
    payload_destroy(other);
    assert_true(fcntl(descriptor, F_GETFD) >= 0);
    close(descriptor);
    close(null);
    payload_destroy(one);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct payload *payload = NULL;
    struct error error;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(payload_import(null, &payload, &error), STATUS_INVALID);
    assert_int_equal(payload_import(-1, &payload, &error), STATUS_INVALID);
    assert_null(payload);
    assert_true(fcntl(null, F_GETFD) >= 0);
    close(null);
    payload_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_is_taken_once),
        cmocka_unit_test(the_system_tells_who_is_left),
        cmocka_unit_test(an_imported_number_is_closed_once),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
