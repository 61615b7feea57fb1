/* The table of objects and the definedness of bytes, and the bits it is kept in. */
#include "reference/vm/bits.h"
#include "reference/vm/memory.h"
#include "tests/unit/vm/undefined_count.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

static struct vm_memory *memory;

static int setup(void **state)
{
    (void)state;
    return (int)vm_memory_create(&memory, NULL);
}

static int teardown(void **state)
{
    (void)state;
    vm_memory_destroy(memory);
    return 0;
}

static uint32_t make(struct vm_buffer_info info)
{
    uint32_t object = 0;
    assert_int_equal(vm_memory_create_object(memory, &info, &object, NULL), STATUS_OK);
    return object;
}

/* ---- pointers ---- */

static void pointers_keep_their_object_when_they_walk(void **state)
{
    (void)state;
    const uint64_t pointer = vm_pointer_make(5, 0);
    assert_int_equal(vm_pointer_object(pointer - 1), 5);
    assert_int_equal(vm_pointer_offset(pointer - 1), -1);
    assert_int_equal(vm_pointer_object(pointer + 12345), 5);
    assert_int_equal(vm_pointer_offset(pointer + 12345), 12345);
    assert_int_equal(vm_pointer_make(5, 77), pointer + 77);
    assert_true(pointer & VM_POINTER_TAG);
}

/* ---- objects ---- */

static void objects_are_numbered_in_order_and_stay(void **state)
{
    (void)state;
    const uint32_t first = make((struct vm_buffer_info){.size = 8, .defined = true, .name = "a"});
    const struct vm_object *object = vm_memory_find(memory, first);
    for (uint32_t i = 1; i < 3000; i++)
        assert_int_equal(make((struct vm_buffer_info){.size = 1}), first + i);
    assert_ptr_equal(vm_memory_find(memory, first), object);
    assert_string_equal(object->identity.name, "a");
    assert_int_equal(object->identity.id, first);
    assert_string_equal(vm_memory_find(memory, first + 2)->identity.name, "buffer#3");
    assert_null(vm_memory_find(memory, 0));
    assert_null(vm_memory_find(memory, first + 3000));
    assert_null(vm_memory_find(memory, UINT32_MAX));
}

static void freed_objects_are_known_by_name(void **state)
{
    (void)state;
    const uint32_t object = make(
        (struct vm_buffer_info){.size = 8, .name = "gone", .origin = "clCreateBuffer, 8 bytes"});
    vm_memory_free_object(memory, object);
    assert_true(vm_memory_find(memory, object)->freed);
    assert_string_equal(vm_memory_find(memory, object)->identity.name, "gone");
    assert_string_equal(vm_memory_find(memory, object)->identity.origin, "clCreateBuffer, 8 bytes");
    assert_int_not_equal(make((struct vm_buffer_info){.size = 8}), object);
}

static void a_loan_that_is_over_tells_of_whom_it_was(void **state)
{
    (void)state;
    const uint32_t object = make((struct vm_buffer_info){.size = 8, .name = "lent"});
    const struct observer_keeper keeper = {
        .launch = "kernel 'note' on 1 work-item",
        .at = {.function = "note", .file = "note.cl", .line = 3, .column = 5}};
    uint32_t loan = 0;
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status == STATUS_NO_MEMORY; n++) {
        alloc_fail_at(n);
        status = vm_memory_lend_object(memory, object, &keeper, &loan, NULL);
        alloc_fail_at(0);
        assert_true((status == STATUS_OK) == (loan != 0));
    }
    const struct vm_object *found = vm_memory_find(memory, loan);
    assert_ptr_equal(found->bytes, vm_memory_find(memory, object)->bytes);
    assert_int_equal(found->identity.id, object);
    vm_memory_free_object(memory, loan);
    assert_true(found->freed);
    assert_false(vm_memory_find(memory, object)->freed);
    assert_int_equal(found->lender, object);
    assert_string_equal(found->keeper->launch, keeper.launch);
    assert_string_equal(found->keeper->at.file, "note.cl");
    assert_null(found->keeper->at.source);
}

static void the_oldest_freed_number_is_given_anew(void **state)
{
    (void)state;
    const uint32_t kept = make((struct vm_buffer_info){.size = 8, .name = "kept"});
    const uint32_t oldest = make((struct vm_buffer_info){.size = 8, .name = "oldest"});
    vm_memory_free_object(memory, oldest);
    for (uint32_t i = 1; i < VM_MEMORY_FREED_MAX; i++) {
        const uint32_t number = make((struct vm_buffer_info){.size = 8});
        assert_int_equal(number, oldest + i);
        vm_memory_free_object(memory, number);
    }
    assert_string_equal(vm_memory_find(memory, oldest)->identity.name, "oldest");

    vm_memory_begin_launch(memory);
    assert_int_equal(make((struct vm_buffer_info){.size = 8}), oldest + VM_MEMORY_FREED_MAX);
    vm_memory_end_launch(memory);
    assert_int_not_equal(
        vm_memory_create_object(memory, &(struct vm_buffer_info){.size = VM_POINTER_BIAS + 1}, NULL,
                                NULL),
        STATUS_OK);
    assert_string_equal(vm_memory_find(memory, oldest)->identity.name, "oldest");

    assert_int_equal(make((struct vm_buffer_info){.size = 4, .name = "new"}), oldest);
    const struct vm_object *object = vm_memory_find(memory, oldest);
    assert_false(object->freed);
    assert_string_equal(object->identity.name, "new");
    assert_int_equal(object->identity.id, oldest);
    assert_int_equal(undefined_count(memory, oldest, 0, 4), 4);
    assert_string_equal(vm_memory_find(memory, kept)->identity.name, "kept");
    /* One fewer is known as freed now than is kept. */
    assert_int_equal(make((struct vm_buffer_info){.size = 8}), oldest + VM_MEMORY_FREED_MAX + 1);
}

static void the_applications_memory_is_used_in_place(void **state)
{
    (void)state;
    uint8_t host[16] = {1, 2, 3};
    const uint32_t object =
        make((struct vm_buffer_info){.size = 16, .host_bytes = host, .defined = true});
    const uint8_t byte = 9;
    vm_memory_write(memory, object, 5, &byte, 1);
    assert_int_equal(host[5], 9);
    assert_ptr_equal(vm_memory_find(memory, object)->bytes, host);
}

static void sub_buffers_share_bytes_and_definedness(void **state)
{
    (void)state;
    const uint32_t parent = make((struct vm_buffer_info){.size = 100, .name = "parent"});
    const uint32_t part = make(
        (struct vm_buffer_info){.size = 20, .parent = parent, .parent_offset = 40, .name = "part"});
    const uint8_t bytes[4] = {1, 2, 3, 4};
    uint8_t got[4];
    vm_memory_write(memory, part, 3, bytes, 4);
    vm_memory_read(memory, parent, 43, got, 4);
    assert_memory_equal(got, bytes, 4);
    assert_int_equal(undefined_count(memory, parent, 0, 100), 96);
    assert_int_equal(undefined_count(memory, part, 0, 20), 16);
    const struct vm_object *object = vm_memory_find(memory, part);
    assert_ptr_equal(object->root, vm_memory_find(memory, parent));
    assert_int_equal(object->root_offset, 40);
    assert_int_equal(object->identity.id, parent);
    vm_memory_free_object(memory, part);
    assert_int_equal(undefined_count(memory, parent, 0, 100), 96);
}

static void what_is_emptied_is_undefined_until_it_is_written(void **state)
{
    (void)state;
    const uint32_t object = make((struct vm_buffer_info){.size = 32, .defined = true});
    const uint32_t part =
        make((struct vm_buffer_info){.size = 8, .parent = object, .parent_offset = 8});
    const struct vm_object *found = vm_memory_find(memory, object);
    vm_memory_empty(memory, part, 0, 8);
    assert_int_equal(found->identity.emptied_first, 8);
    assert_int_equal(found->identity.emptied_end, 16);
    assert_false(bits_any(found->undefined, 0, 8));
    assert_true(bits_any(found->undefined, 15, 1));
    assert_false(bits_any(found->undefined, 16, 16));
    vm_memory_write(memory, object, 12, "1234", 4);
    assert_true(bits_any(found->undefined, 11, 1));
    assert_false(bits_any(found->undefined, 12, 4));
    vm_memory_empty(memory, object, 16, 4);
    assert_int_equal(found->identity.emptied_first, 8);
    assert_int_equal(found->identity.emptied_end, 20);
    vm_memory_empty(memory, object, 0, 2);
    assert_int_equal(found->identity.emptied_end, 2);
}

static void an_object_may_have_no_bytes(void **state)
{
    (void)state;
    const uint32_t number = make((struct vm_buffer_info){.size = 0, .name = "empty"});
    const struct vm_object *object = vm_memory_find(memory, number);
    assert_int_equal(object->size, 0);
    assert_non_null(object->bytes);
    vm_memory_free_object(memory, number);
    assert_true(object->freed);
}

static void impossible_objects_are_refused(void **state)
{
    (void)state;
    uint32_t object = 4711;
    struct error error;
    const uint32_t parent = make((struct vm_buffer_info){.size = 100});
    const struct vm_buffer_info infos[] = {
        {.size = VM_POINTER_BIAS + 1},
        {.size = 20, .parent = parent, .parent_offset = 81},
        {.size = UINT64_C(1) << 39, .parent = parent, .parent_offset = UINT64_MAX},
        {.size = 20, .parent = parent + 1},
    };
    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++)
        assert_int_equal(vm_memory_create_object(memory, &infos[i], &object, &error),
                         STATUS_INVALID);
    assert_int_equal(object, 4711);
    vm_memory_free_object(memory, parent);
    assert_int_equal(vm_memory_create_object(memory,
                                             &(struct vm_buffer_info){.size = 20, .parent = parent},
                                             &object, &error),
                     STATUS_INVALID);
    assert_string_equal(error.text, "a part of 20 bytes at 0 does not lie in object 1");
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    const uint64_t live = alloc_live_count();
    uint32_t object = 0;
    enum status status = STATUS_NO_MEMORY;
    const struct vm_buffer_info info = {.size = 100, .origin = "here"};
    for (uint64_t n = 1; status != STATUS_OK; n++) {
        struct vm_memory *made = NULL;
        alloc_fail_at(n);
        status = vm_memory_create(&made, NULL);
        if (status == STATUS_OK)
            status = vm_memory_create_object(made, &info, &object, NULL);
        alloc_fail_at(0);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        vm_memory_destroy(made);
        assert_int_equal(alloc_live_count(), live);
        assert_true(n < 20);
    }
}

/* ---- definedness ---- */

static void copies_carry_definedness(void **state)
{
    (void)state;
    const uint32_t from = make((struct vm_buffer_info){.size = 1000});
    const uint32_t to = make((struct vm_buffer_info){.size = 1000, .defined = true});
    uint8_t bytes[100];
    memset(bytes, 7, sizeof bytes);
    vm_memory_write(memory, from, 200, bytes, 100);
    vm_memory_copy(memory, from, 101, to, 203, 300);
    assert_int_equal(undefined_count(memory, to, 0, 1000), 200);
    assert_int_equal(undefined_count(memory, to, 302, 100), 0);
    assert_int_equal(undefined_count(memory, to, 203, 99), 99);
    vm_memory_define(memory, to, 203, 50);
    assert_int_equal(undefined_count(memory, to, 0, 1000), 150);
}

/* ---- bits, against arrays of booleans ---- */

enum { BITS = 400 };

static uint64_t random_state = 7;
static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (random_state >> 33) % limit;
}

static void check_bits(const uint64_t *words, const bool *want)
{
    for (uint32_t i = 0; i < BITS; i++)
        assert_int_equal(words[i / 64] >> i % 64 & 1, want[i]);
}

/* ---- copies of memory ---- */

static uint8_t byte_at(const struct vm_memory *of, uint32_t object, uint64_t offset)
{
    uint8_t byte;
    vm_memory_read(of, object, offset, &byte, 1);
    return byte;
}

/* What a launch that is run once more finds: what was kept as it was then, the rest as it is. */
static void a_copy_has_what_was_kept(void **state)
{
    (void)state;
    const uint32_t whole = make((struct vm_buffer_info){.size = 64});
    const uint32_t part =
        make((struct vm_buffer_info){.size = 16, .parent = whole, .parent_offset = 32});
    const uint32_t other = make((struct vm_buffer_info){.size = 8, .defined = true});
    const uint32_t shared = make((struct vm_buffer_info){.size = 8, .svm = OBSERVER_SVM_COARSE});
    const uint32_t objects[] = {0, part, shared, whole};
    assert_int_equal(vm_memory_kept_size(memory, objects, 4), 64 + 8);
    vm_memory_write(memory, part, 0, "a", 1);
    vm_memory_write(memory, shared, 0, "b", 1);
    struct vm_kept *kept = vm_memory_keep(memory, objects, 4);
    vm_memory_write(memory, part, 0, "ABC", 3);
    vm_memory_write(memory, shared, 0, "B", 1);
    vm_memory_write(memory, other, 0, "C", 1);
    struct vm_memory *copy = vm_memory_create_copy(memory, kept);
    assert_non_null(copy);
    assert_int_equal(byte_at(copy, whole, 32), 'a');
    assert_int_equal(byte_at(copy, part, 0), 'a');
    assert_int_equal(byte_at(copy, shared, 0), 'b');
    assert_int_equal(byte_at(copy, other, 0), 'C');
    const struct vm_object *object = vm_memory_find(copy, part);
    assert_ptr_equal(object->root, vm_memory_find(copy, whole));
    assert_int_equal(bits_get(object->undefined, 32, 3), 6);
    assert_false(object->sealed);
    assert_true(vm_memory_find(copy, other)->sealed);
    assert_int_equal(vm_memory_address(copy, shared, 4), vm_memory_address(memory, shared, 4));
    /* Neither is the other one's. */
    vm_memory_write(copy, part, 1, "x", 1);
    vm_memory_set_writer(copy, whole, "writer");
    assert_int_equal(byte_at(memory, part, 1), 'B');
    assert_int_equal(byte_at(copy, whole, 33), 'x');
    assert_null(vm_memory_find(memory, whole)->identity.writer);
    vm_memory_destroy_copy(copy);
    vm_kept_destroy(kept);
}

static void a_copy_may_lack_memory(void **state)
{
    (void)state;
    const uint32_t object = make((struct vm_buffer_info){.size = 64});
    struct vm_memory *copy = NULL;
    for (unsigned n = 1; !copy; n++) {
        alloc_fail_at(n);
        struct vm_kept *kept = vm_memory_keep(memory, &object, 1);
        if (kept)
            copy = vm_memory_create_copy(memory, kept);
        alloc_fail_at(0);
        vm_kept_destroy(kept);
    }
    vm_memory_destroy_copy(copy);
}

static void bits_do_what_booleans_do(void **state)
{
    (void)state;
    uint64_t words[BITS / 64 + 2] = {0};
    uint64_t copy[BITS / 64 + 2] = {0};
    bool want[BITS] = {false};
    bool want_copy[BITS] = {false};
    for (uint32_t round = 0; round < 20000; round++) {
        const uint64_t first = random_below(BITS);
        const uint64_t count = random_below(BITS - first + 1);
        const uint64_t other = random_below(BITS - count + 1);
        uint64_t sum = 0;
        switch (random_below(4)) {
        case 0:
            bits_fill(words, first, count, round % 2);
            for (uint64_t i = 0; i < count; i++)
                want[first + i] = round % 2;
            break;
        case 1:
            bits_copy(copy, other, words, first, count);
            memcpy(want_copy + other, want + first, count);
            check_bits(copy, want_copy);
            break;
        case 2:
            for (uint64_t i = 0; i < count; i++)
                sum += want[first + i];
            assert_int_equal(bits_any(words, first, count), sum != 0);
            break;
        default:
            if (count > 0 && count <= 64) {
                const uint64_t value = random_state * round;
                bits_put(words, first, (uint32_t)count, value);
                for (uint64_t i = 0; i < count; i++)
                    want[first + i] = value >> i & 1;
                assert_int_equal(bits_get(words, first, (uint32_t)count),
                                 value & bits_low((uint32_t)count));
            }
            break;
        }
        check_bits(words, want);
    }
}

/* ---- threads ---- */

static void *create_many(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t object = 0;
        struct vm_buffer_info info = {.size = 4};
        if (vm_memory_create_object(memory, &info, &object, NULL) != STATUS_OK)
            return NULL;
        if (vm_memory_find(memory, object)->identity.id != object)
            return NULL;
        if (i % 2)
            vm_memory_free_object(memory, object);
    }
    return memory;
}

static void threads_create_while_others_find(void **state)
{
    (void)state;
    pthread_t threads[3];
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, create_many, NULL), 0);
    for (uint32_t i = 0; i < 3; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, memory);
    }
    assert_non_null(vm_memory_find(memory, 6000));
    assert_null(vm_memory_find(memory, 6001));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(pointers_keep_their_object_when_they_walk),
        TEST(objects_are_numbered_in_order_and_stay),
        TEST(freed_objects_are_known_by_name),
        TEST(a_loan_that_is_over_tells_of_whom_it_was),
        TEST(the_oldest_freed_number_is_given_anew),
        TEST(the_applications_memory_is_used_in_place),
        TEST(sub_buffers_share_bytes_and_definedness),
        TEST(what_is_emptied_is_undefined_until_it_is_written),
        TEST(an_object_may_have_no_bytes),
        TEST(impossible_objects_are_refused),
        TEST(every_failed_allocation_is_survived),
        TEST(copies_carry_definedness),
        TEST(a_copy_has_what_was_kept),
        TEST(a_copy_may_lack_memory),
        TEST(bits_do_what_booleans_do),
        TEST(threads_create_while_others_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
