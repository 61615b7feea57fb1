#include "layer/probe.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Three pages, of which the middle one is readable. */
static char *middle(size_t page)
{
    char *pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
    return pages + page;
}

static void memory_is_readable_up_to_its_last_byte(void **state)
{
    (void)state;
    struct probe probe = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = middle(page);
    errno = 77;
    assert_true(probe_readable(&probe, bytes, page));
    assert_true(probe_readable(&probe, bytes + page - 1, 1));
    assert_false(probe_readable(&probe, bytes + page - 1, 2));
    assert_false(probe_readable(&probe, bytes - 1, 1));
    assert_true(probe_readable(&probe, bytes - 1, 0));
    assert_int_equal(errno, 77);
    munmap(bytes - page, 3 * page);
}

static void nonsense_is_not_readable(void **state)
{
    (void)state;
    struct probe probe = {0};
    assert_false(probe_readable(&probe, NULL, 1));
    assert_false(probe_readable(&probe, (const void *)64, 8));
    assert_false(probe_readable(&probe, (const void *)0xdead000000000000, 8));
    assert_false(probe_readable(&probe, &probe, UINT64_MAX));
}

static void what_was_forgotten_is_asked_again(void **state)
{
    (void)state;
    struct probe probe = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = middle(page);
    assert_true(probe_readable(&probe, bytes, 1));
    assert_int_equal(mprotect(bytes, page, PROT_NONE), 0);
    probe_forget(&probe);
    assert_false(probe_readable(&probe, bytes, 1));
    munmap(bytes - page, 3 * page);
}

static void a_string_ends_within_readable_memory(void **state)
{
    (void)state;
    struct probe probe = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = middle(page);
    size_t length = 0;
    memset(bytes, 'a', page);
    assert_false(probe_string(&probe, bytes, 1 << 20, &length));
    bytes[page - 1] = '\0';
    assert_true(probe_string(&probe, bytes + 10, 1 << 20, &length));
    assert_int_equal(length, page - 11);
    assert_false(probe_string(&probe, bytes, 10, &length));
    munmap(bytes - page, 3 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_readable_up_to_its_last_byte),
        cmocka_unit_test(nonsense_is_not_readable),
        cmocka_unit_test(what_was_forgotten_is_asked_again),
        cmocka_unit_test(a_string_ends_within_readable_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
