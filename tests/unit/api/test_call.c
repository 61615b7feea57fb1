/* The wire form of a call: an inverse, and safe against any bytes. */
#include "trace/api/entry.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t handles[] = {0x100, 0x200, UINT64_MAX};
static const char strings[] = "\3\0\0\0\0\0\0\0abc\0\0\0\0\0\0\0\0";

/* A call with a value of every kind. */
static struct api_call sample(void)
{
    struct api_call call = {
        .id = 123456789012,
        .thread = 3,
        .entry = API_ENTRY_clEnqueueReadBuffer,
        .flags = API_CALL_COMPLETED | API_CALL_IN_CALLBACK,
        .begin_ns = 1000,
        .end_ns = UINT64_MAX,
        .argument_count = 9,
        .result = {.kind = API_VALUE_SCALAR, .present = true, .bits = (uint64_t)-5},
        .name = "clSomethingEXT",
    };
    call.arguments[0] =
        (struct api_value){.kind = API_VALUE_HANDLE, .present = true, .bits = 0x7fff12345678};
    call.arguments[1] = (struct api_value){.kind = API_VALUE_POINTER};
    call.arguments[2] = (struct api_value){.kind = API_VALUE_HANDLES,
                                           .present = true,
                                           .bits = 16,
                                           .count = 3,
                                           .size = 24,
                                           .data = handles};
    call.arguments[3] = (struct api_value){.kind = API_VALUE_SIZES,
                                           .present = true,
                                           .bits = 17,
                                           .count = 1,
                                           .size = 8,
                                           .data = handles};
    call.arguments[4] = (struct api_value){
        .kind = API_VALUE_STRING, .present = true, .bits = 18, .size = 5, .data = "hello"};
    call.arguments[5] = (struct api_value){
        .kind = API_VALUE_STRINGS, .present = true, .count = 2, .size = 19, .data = strings};
    call.arguments[6] =
        (struct api_value){.kind = API_VALUE_BYTES, .present = true, .size = 0, .data = ""};
    call.arguments[7] = (struct api_value){
        .kind = API_VALUE_PROPERTIES, .present = true, .count = 2, .size = 16, .data = handles};
    return call;
}

static void assert_values_equal(const struct api_value *a, const struct api_value *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->present, b->present);
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->size, b->size);
    if (a->size > 0)
        assert_memory_equal(a->data, b->data, a->size);
}

static struct text encode(const struct api_call *call)
{
    struct text text = TEXT_INIT;
    char bytes[2048];
    assert_in_range(api_call_size_max(call), 1, sizeof bytes);
    const size_t size = api_call_encode(call, bytes);
    assert_in_range(size, 1, api_call_size_max(call));
    text_append_n(&text, bytes, size);
    return text;
}

static void decoding_is_the_inverse_of_encoding(void **state)
{
    (void)state;
    const struct api_call call = sample();
    struct api_call decoded = {.id = 17, .end_ns = 18};
    struct arena arena = {0};
    struct text text = encode(&call);
    assert_int_equal(api_call_decode(text.bytes, text.size, &arena, &decoded, NULL), STATUS_OK);
    assert_int_equal(decoded.id, 17);
    assert_int_equal(decoded.end_ns, 18);
    assert_string_equal(decoded.name, call.name);
    assert_int_equal(decoded.argument_count, call.argument_count);
    for (uint32_t i = 0; i < call.argument_count; i++)
        assert_values_equal(&decoded.arguments[i], &call.arguments[i]);
    assert_values_equal(&decoded.result, &call.result);
    arena_release(&arena);
    text_release(&text);
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    const struct api_call call = sample();
    struct text text = encode(&call);
    for (size_t size = 0; size < text.size; size++) {
        struct arena arena = {0};
        struct api_call decoded = {0};
        struct error error = {0};
        /* In a block of exactly that size, so that a sanitizer sees a read beyond it. */
        char *cut = alloc(size);
        memcpy(cut, text.bytes, size);
        assert_int_equal(api_call_decode(cut, size, &arena, &decoded, &error), STATUS_MALFORMED);
        assert_true(error.text[0] != '\0');
        alloc_free(cut);
        arena_release(&arena);
    }
    text_append_char(&text, 0);
    struct arena arena = {0};
    struct api_call decoded = {0};
    assert_int_equal(api_call_decode(text.bytes, text.size, &arena, &decoded, NULL),
                     STATUS_MALFORMED);
    arena_release(&arena);
    text_release(&text);
}

/* What older traces hold: clRetainKernel(0x12345678) = CL_SUCCESS, call 7 of thread 1. */
static void the_first_version_is_read(void **state)
{
    (void)state;
    static const unsigned char first[] = {1, 7,    1,    63,   1,    100,  0xac, 0x02, 1,
                                          0, 0x83, 0xf8, 0xac, 0xd1, 0x91, 0x01, 0x81, 0};
    struct arena arena = {0};
    struct api_call decoded = {0};
    assert_int_equal(api_call_decode(first, sizeof first, &arena, &decoded, NULL), STATUS_OK);
    assert_int_equal(decoded.id, 7);
    assert_int_equal(decoded.thread, 1);
    assert_int_equal(decoded.entry, 63);
    assert_int_equal(decoded.begin_ns, 100);
    assert_int_equal(decoded.end_ns, 300);
    assert_int_equal(decoded.argument_count, 1);
    assert_int_equal(decoded.arguments[0].kind, API_VALUE_HANDLE);
    assert_true(decoded.arguments[0].present);
    assert_int_equal(decoded.arguments[0].bits, 0x12345678);
    assert_int_equal(decoded.result.kind, API_VALUE_SCALAR);
    arena_release(&arena);
}

/* Each byte changed to each of some values: whatever comes out, it can be printed. */
static void damage_never_crashes(void **state)
{
    (void)state;
    static const unsigned char damage[] = {0, 1, 0x7f, 0x80, 0xff};
    const struct api_call call = sample();
    struct text text = encode(&call);
    struct text printed = TEXT_INIT;
    for (size_t at = 0; at < text.size; at++)
        for (size_t i = 0; i < sizeof damage; i++) {
            struct arena arena = {0};
            struct api_call decoded = {0};
            const char saved = text.bytes[at];
            text.bytes[at] = (char)damage[i];
            if (api_call_decode(text.bytes, text.size, &arena, &decoded, NULL) == STATUS_OK) {
                text_clear(&printed);
                api_call_print(&decoded, NULL, NULL, &printed);
                api_call_print_json(&decoded, NULL, NULL, &printed);
            }
            text.bytes[at] = saved;
            arena_release(&arena);
        }
    text_release(&printed);
    text_release(&text);
}

/* Recorded values of a kind that the entry's role does not expect: a trace is bytes from outside.
 */
static void any_value_of_any_entry_can_be_printed(void **state)
{
    (void)state;
    struct api_call call = sample();
    struct text printed = TEXT_INIT;
    for (uint32_t entry = 0; entry <= API_ENTRY_COUNT; entry++)
        for (uint32_t turn = 0; turn < 9; turn++) {
            struct api_call turned = call;
            turned.entry = entry;
            turned.name = NULL;
            turned.argument_count = API_ARGUMENT_MAX;
            for (uint32_t i = 0; i < API_ARGUMENT_MAX; i++)
                turned.arguments[i] = call.arguments[(i + turn) % 9];
            turned.result = call.arguments[turn];
            text_clear(&printed);
            api_call_print(&turned, NULL, NULL, &printed);
            api_call_print_json(&turned, NULL, NULL, &printed);
            assert_false(printed.failed);
        }
    text_release(&printed);
}

static void want_of_memory_is_reported(void **state)
{
    (void)state;
    const struct api_call call = sample();
    struct text text = encode(&call);
    struct arena arena = {0};
    struct api_call decoded = {0};
    alloc_fail_at(1);
    assert_int_equal(api_call_decode(text.bytes, text.size, &arena, &decoded, NULL),
                     STATUS_NO_MEMORY);
    alloc_fail_at(0);
    arena_release(&arena);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_is_the_inverse_of_encoding),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(the_first_version_is_read),
        cmocka_unit_test(damage_never_crashes),
        cmocka_unit_test(any_value_of_any_entry_can_be_printed),
        cmocka_unit_test(want_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
