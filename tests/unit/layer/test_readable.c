#include "layer/readable.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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
    struct readable readable = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = middle(page);
    errno = 77;
    assert_true(readable_bytes(&readable, bytes, page));
    assert_true(readable_bytes(&readable, bytes + page - 1, 1));
    assert_false(readable_bytes(&readable, bytes + page - 1, 2));
    assert_false(readable_bytes(&readable, bytes - 1, 1));
    assert_true(readable_bytes(&readable, bytes - 1, 0));
    assert_int_equal(errno, 77);
    munmap(bytes - page, 3 * page);
}

static void nonsense_is_not_readable(void **state)
{
    (void)state;
    struct readable readable = {0};
    assert_false(readable_bytes(&readable, NULL, 1));
    assert_false(readable_bytes(&readable, (const void *)64, 8));
    assert_false(readable_bytes(&readable, (const void *)0xdead000000000000, 8));
    assert_false(readable_bytes(&readable, &readable, UINT64_MAX));
}

static void what_was_forgotten_is_asked_again(void **state)
{
    (void)state;
    struct readable readable = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = middle(page);
    assert_true(readable_bytes(&readable, bytes, 1));
    assert_int_equal(mprotect(bytes, page, PROT_NONE), 0);
    readable_forget(&readable);
    assert_false(readable_bytes(&readable, bytes, 1));
    munmap(bytes - page, 3 * page);
}

static void a_string_ends_within_readable_memory(void **state)
{
    (void)state;
    struct readable readable = {0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = middle(page);
    size_t length = 0;
    memset(bytes, 'a', page);
    assert_false(readable_string(&readable, bytes, 1 << 20, &length));
    bytes[page - 1] = '\0';
    assert_true(readable_string(&readable, bytes + 10, 1 << 20, &length));
    assert_int_equal(length, page - 11);
    assert_false(readable_string(&readable, bytes, 10, &length));
    munmap(bytes - page, 3 * page);
}

enum { MANY_PAGES = 600 }; /* more than a thread remembers, and more than one batch */

/* All of them can be read but the one with that number. */
static bool many_are_readable(size_t unreadable)
{
    struct readable readable = {0};
    const size_t size = (size_t)MANY_PAGES << READABLE_PAGE_SHIFT;
    char *pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    if (unreadable < MANY_PAGES)
        assert_int_equal(
            mprotect(pages + (unreadable << READABLE_PAGE_SHIFT), READABLE_PAGE_SIZE, PROT_NONE),
            0);
    errno = 77;
    const bool are_readable = readable_bytes(&readable, pages + 100, size - 200);
    assert_int_equal(errno, 77);
    munmap(pages, size);
    return are_readable;
}

static void check_many(void)
{
    assert_true(many_are_readable(MANY_PAGES));
    assert_false(many_are_readable(0));
    assert_false(many_are_readable(300));
    assert_false(many_are_readable(MANY_PAGES - 1));
}

static void one_unreadable_page_among_many_is_found(void **state)
{
    (void)state;
    if (sysconf(_SC_PAGESIZE) != READABLE_PAGE_SIZE)
        skip(); /* the pages of the test would lie within one of the system's */
    const int free_before = dup(0);
    close(free_before);
    check_many();
    const int free_behind = dup(0);
    close(free_behind);
    assert_int_equal(free_behind, free_before);
}

static void without_descriptors_it_is_found_too(void **state)
{
    (void)state;
    struct rlimit limit;
    if (sysconf(_SC_PAGESIZE) != READABLE_PAGE_SIZE)
        skip(); /* the pages of the test would lie within one of the system's */
    getrlimit(RLIMIT_NOFILE, &limit);
    assert_int_equal(
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max}), 0);
    assert_int_equal(dup(0), -1);
    check_many();
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* A file may be shorter than its map: what is after its end cannot be read. */
static void the_end_of_a_mapped_file_is_found(void **state)
{
    (void)state;
    struct readable readable = {0};
    const size_t size = (size_t)MANY_PAGES << READABLE_PAGE_SHIFT;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int file = memfd_create("short", MFD_CLOEXEC);
    assert_int_equal(ftruncate(file, (off_t)(size - page)), 0);
    char *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    assert_ptr_not_equal(bytes, MAP_FAILED);
    close(file);
    assert_true(readable_bytes(&readable, bytes, size - page));
    assert_false(readable_bytes(&readable, bytes, size));
    munmap(bytes, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_readable_up_to_its_last_byte),
        cmocka_unit_test(nonsense_is_not_readable),
        cmocka_unit_test(what_was_forgotten_is_asked_again),
        cmocka_unit_test(a_string_ends_within_readable_memory),
        cmocka_unit_test(one_unreadable_page_among_many_is_found),
        cmocka_unit_test(without_descriptors_it_is_found_too),
        cmocka_unit_test(the_end_of_a_mapped_file_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
