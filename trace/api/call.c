/* The wire form of a call.
 *
 *     version (1 byte), then numbers as little-endian base 128 (7 bits a byte, the high bit says
 * "more"): id thread entry flags begin_ns end_ns argument_count name_length+1 (0 = no name) name
 *     argument_count values, then the result; a value is
 *         a byte: kind, and 0x80 when present
 *         SCALAR, HANDLE, POINTER: bits
 *         lists, strings and bytes: bits count size, and `size` bytes
 *         NONE: nothing
 *
 * Elements of lists are little-endian, as on every machine that clerk runs on. */
#include "trace/api/call.h"

#include "trace/base/assert.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the wire form is written as memory holds it");

enum {
    WIRE_VERSION = 1,
    WIRE_PRESENT = 0x80,
    NUMBER_SIZE_MAX = 10,
    /* Everything of a call but names and data, which are of any size. */
    HEADER_SIZE_MAX = 1 + 8 * NUMBER_SIZE_MAX,
    VALUE_SIZE_MAX = 1 + 3 * NUMBER_SIZE_MAX,
};

static uint8_t *put_number(uint8_t *at, uint64_t number)
{
    while (number >= 0x80) {
        *at++ = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    *at++ = (uint8_t)number;
    return at;
}

static bool has_data(enum api_value_kind kind)
{
    return kind >= API_VALUE_HANDLES;
}

static uint8_t *put_value(uint8_t *at, const struct api_value *value)
{
    *at++ = (uint8_t)(value->kind | (value->present ? WIRE_PRESENT : 0));
    if (value->kind == API_VALUE_NONE)
        return at;
    at = put_number(at, value->bits);
    if (has_data(value->kind)) {
        at = put_number(at, value->count);
        at = put_number(at, value->size);
    }
    return at;
}

/* What was written so far goes into the text when bytes of any size follow, and at the end. */
void api_call_encode(const struct api_call *call, struct text *text)
{
    ASSERT(call->argument_count <= API_ARGUMENT_MAX);
    uint8_t buffer[HEADER_SIZE_MAX + (API_ARGUMENT_MAX + 1) * VALUE_SIZE_MAX];
    uint8_t *at = buffer;
    const size_t name_size = call->name ? strlen(call->name) : 0;
    *at++ = WIRE_VERSION;
    at = put_number(at, call->id);
    at = put_number(at, call->thread);
    at = put_number(at, call->entry);
    at = put_number(at, call->flags);
    at = put_number(at, call->begin_ns);
    at = put_number(at, call->end_ns);
    at = put_number(at, call->argument_count);
    at = put_number(at, call->name ? name_size + 1 : 0);
    if (name_size > 0) {
        text_append_n(text, buffer, (size_t)(at - buffer));
        text_append_n(text, call->name, name_size);
        at = buffer;
    }
    for (uint32_t i = 0; i <= call->argument_count; i++) {
        const struct api_value *value =
            i < call->argument_count ? &call->arguments[i] : &call->result;
        at = put_value(at, value);
        if (has_data(value->kind) && value->size > 0) {
            text_append_n(text, buffer, (size_t)(at - buffer));
            text_append_n(text, value->data, value->size);
            at = buffer;
        }
    }
    text_append_n(text, buffer, (size_t)(at - buffer));
}

/* ---- decoding: bytes from outside ---- */

struct wire {
    const uint8_t *at, *end;
    bool broken;
};

static uint64_t get_number(struct wire *wire)
{
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        if (wire->at == wire->end)
            break;
        const uint8_t byte = *wire->at++;
        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    wire->broken = true;
    return 0;
}

static const uint8_t *get_bytes(struct wire *wire, uint64_t size)
{
    if (wire->broken || size > (uint64_t)(wire->end - wire->at)) {
        wire->broken = true;
        return NULL;
    }
    const uint8_t *bytes = wire->at;
    wire->at += size;
    return bytes;
}

/* The bytes of STRINGS: `count` times a length and that many bytes, and nothing behind them. */
static bool strings_fit(const uint8_t *bytes, uint64_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t length;
        if (size < sizeof length)
            return false;
        memcpy(&length, bytes, sizeof length);
        size -= sizeof length;
        if (length > size)
            return false;
        size -= length;
        bytes += sizeof length + length;
    }
    return size == 0;
}

static bool data_fits(const struct api_value *value, const uint8_t *bytes)
{
    switch (value->kind) {
    case API_VALUE_HANDLES:
    case API_VALUE_SIZES:
    case API_VALUE_PROPERTIES:
        return value->size == (uint64_t)value->count * sizeof(uint64_t);
    case API_VALUE_STRINGS:
        return strings_fit(bytes, value->size, value->count);
    default:
        return true;
    }
}

/* False when memory is out; what is malformed is noted in `wire`. */
static bool get_value(struct wire *wire, struct arena *arena, struct api_value *value)
{
    const uint8_t *tag = get_bytes(wire, 1);
    if (!tag || (*tag & ~WIRE_PRESENT) > API_VALUE_PROPERTIES) {
        wire->broken = true;
        return true;
    }
    value->kind = *tag & ~WIRE_PRESENT;
    value->present = (*tag & WIRE_PRESENT) != 0;
    if (value->kind == API_VALUE_NONE)
        return true;
    value->bits = get_number(wire);
    if (!has_data(value->kind))
        return true;
    const uint64_t count = get_number(wire);
    value->size = get_number(wire);
    value->count = (uint32_t)count;
    const uint8_t *bytes = get_bytes(wire, value->size);
    if (!bytes || count > UINT32_MAX || !data_fits(value, bytes)) {
        wire->broken = true;
        return true;
    }
    value->data = arena_copy(arena, bytes, value->size);
    return value->data != NULL;
}

enum status api_call_decode(const void *bytes, size_t size, struct arena *arena,
                            struct api_call *call, struct error *error)
{
    struct wire wire = {.at = bytes, .end = (const uint8_t *)bytes + size};
    struct api_call decoded = {0};
    const uint8_t *version = get_bytes(&wire, 1);
    if (version && *version != WIRE_VERSION)
        return error_set(error, STATUS_UNSUPPORTED,
                         "a recorded call is of version %d; this clerk reads version %d", *version,
                         WIRE_VERSION);
    decoded.id = get_number(&wire);
    const uint64_t thread = get_number(&wire);
    const uint64_t entry = get_number(&wire);
    const uint64_t flags = get_number(&wire);
    decoded.begin_ns = get_number(&wire);
    decoded.end_ns = get_number(&wire);
    const uint64_t argument_count = get_number(&wire);
    const uint64_t name_length = get_number(&wire);
    const uint8_t *name = name_length > 0 ? get_bytes(&wire, name_length - 1) : NULL;
    if (wire.broken || thread > UINT32_MAX || entry > UINT32_MAX || flags > UINT32_MAX ||
        argument_count > API_ARGUMENT_MAX)
        return error_set(error, STATUS_MALFORMED,
                         "a recorded call of %zu bytes has no valid header", size);
    decoded.thread = (uint32_t)thread;
    decoded.entry = (uint32_t)entry;
    decoded.flags = (uint32_t)flags;
    decoded.argument_count = (uint32_t)argument_count;
    if (name && !(decoded.name = arena_string_n(arena, (const char *)name, name_length - 1)))
        return error_no_memory(error, name_length);
    for (uint32_t i = 0; i <= decoded.argument_count && !wire.broken; i++)
        if (!get_value(&wire, arena,
                       i < decoded.argument_count ? &decoded.arguments[i] : &decoded.result))
            return error_no_memory(error, size);
    if (wire.broken || wire.at != wire.end)
        return error_set(error, STATUS_MALFORMED,
                         "recorded call %llu of %zu bytes breaks the format of its arguments",
                         (unsigned long long)decoded.id, size);
    *call = decoded;
    return STATUS_OK;
}
