/* The process's own memory as kernels see it. */
#include "reference/vm/memory.h"
#include "reference/vm/system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const char mappings[] =
    "1000-3000 rw-p 00000000 00:00 0\n"
    "3000-4000 rw-p 00000000 00:00 0                          [heap]\n"
    "4000-5000 r--p 00000000 08:01 77                         /a file/of (spaces)\n"
    "5000-6000 ---p 00000000 00:00 0\n"
    "6000-7000 rw-p 00000000 08:01 78                         /lib/libclerk_device.so\n"
    "8000-c000 rw-p 00000000 00:00 0\n"
    "7fff00000000-7fff00001000 r-xp 00000000 00:00 0          [vdso]\n";

static void expect_range(const struct system_ranges *ranges, size_t index, uint64_t first,
                         uint64_t end, bool writable)
{
    assert_int_equal(ranges->items[index].first, first);
    assert_int_equal(ranges->items[index].end, end);
    assert_int_equal(ranges->items[index].writable, writable);
}

static void neighbours_are_joined_and_what_is_no_kernels_is_left_out(void **state)
{
    (void)state;
    struct system_ranges ranges = {0};
    assert_int_equal(system_ranges_parse(&ranges, mappings, 0, 0, NULL), STATUS_OK);
    assert_int_equal(ranges.count, 4);
    expect_range(&ranges, 0, 0x1000, 0x4000, true);
    expect_range(&ranges, 1, 0x4000, 0x5000, false);
    expect_range(&ranges, 2, 0x8000, 0xc000, true);
    expect_range(&ranges, 3, 0x7fff00000000, 0x7fff00001000, false);
    system_ranges_release(&ranges);
}

static void hidden_bytes_divide_a_mapping(void **state)
{
    (void)state;
    struct system_ranges ranges = {0};
    assert_int_equal(system_ranges_parse(&ranges, mappings, 0x9000, 0xb000, NULL), STATUS_OK);
    assert_int_equal(ranges.count, 5);
    expect_range(&ranges, 2, 0x8000, 0x9000, true);
    expect_range(&ranges, 3, 0xb000, 0xc000, true);
    assert_int_equal(system_ranges_parse(&ranges, mappings, 0x7000, 0xd000, NULL), STATUS_OK);
    assert_int_equal(ranges.count, 3);
    system_ranges_release(&ranges);
}

static void all_bytes_of_an_access_lie_in_one_range(void **state)
{
    (void)state;
    struct system_ranges ranges = {0};
    assert_null(system_ranges_find(&ranges, 0x1000, 1));
    assert_int_equal(system_ranges_parse(&ranges, mappings, 0, 0, NULL), STATUS_OK);
    assert_null(system_ranges_find(&ranges, 0xfff, 4));
    assert_ptr_equal(system_ranges_find(&ranges, 0x1000, 4), &ranges.items[0]);
    assert_ptr_equal(system_ranges_find(&ranges, 0x3ffc, 4), &ranges.items[0]);
    assert_null(system_ranges_find(&ranges, 0x3ffd, 4));
    assert_null(system_ranges_find(&ranges, 0x7000, 1));
    assert_null(system_ranges_find(&ranges, 0x7fff00001000, 1));
    assert_null(system_ranges_find(&ranges, UINT64_MAX - 2, 4));
    system_ranges_release(&ranges);
}

static void a_byte_is_always_in_the_same_object(void **state)
{
    (void)state;
    struct vm_memory *memory;
    struct vm_shared_range first, later;
    char *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    const uint64_t address = (uintptr_t)pages + 100;
    assert_int_equal(vm_memory_create(&memory, NULL), STATUS_OK);
    assert_false(vm_memory_find_system(memory, NULL, address, 4, &first));
    vm_memory_share_system(memory);
    vm_memory_begin_launch(memory);
    assert_false(vm_memory_met_system(memory));
    assert_true(vm_memory_find_system(memory, NULL, address, 4, &first));
    assert_true(vm_memory_met_system(memory));
    assert_true(first.first <= address && address - first.first < first.size);
    const struct vm_object *object =
        vm_memory_find(memory, vm_pointer_object(address + first.difference));
    assert_ptr_equal(object->bytes + vm_pointer_offset(address + first.difference), pages + 100);
    assert_false(object->sealed);
    vm_memory_end_launch(memory);
    munmap(pages + 4096 * 16, (1 << 20) - 4096 * 16);
    vm_memory_begin_launch(memory);
    assert_true(vm_memory_find_system(memory, NULL, address, 4, &later));
    assert_int_equal(first.difference, later.difference);
    assert_false(vm_memory_find_system(memory, NULL, (uintptr_t)pages + 4096 * 16 - 3, 4, &later));
    assert_false(vm_memory_find_system(memory, NULL, 16, 4, &later));
    assert_int_equal(mprotect(pages, 4096 * 16, PROT_READ), 0);
    vm_memory_end_launch(memory);
    vm_memory_begin_launch(memory);
    assert_true(vm_memory_find_system(memory, NULL, address, 4, &later));
    object = vm_memory_find(memory, vm_pointer_object(address + later.difference));
    assert_true(object->sealed);
    assert_int_equal(vm_memory_address(memory, vm_pointer_object(address + later.difference),
                                       (uint64_t)vm_pointer_offset(address + later.difference)),
                     address);
    vm_memory_end_launch(memory);
    vm_memory_destroy(memory);
    munmap(pages, 4096 * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_joined_and_what_is_no_kernels_is_left_out),
        cmocka_unit_test(hidden_bytes_divide_a_mapping),
        cmocka_unit_test(all_bytes_of_an_access_lie_in_one_range),
        cmocka_unit_test(a_byte_is_always_in_the_same_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
