/* The wire form of a call.
 *
 *     version 2 (1 byte), name_length+1 (0 = no name) and the name, argument_count,
 *     argument_count values, then the result; a value is
 *         a byte: kind, 0x10 when present, and in the upper three bits how long `bits` is
 *         bits, without the zero bytes above
 *         of lists, strings and bytes: count size, and `size` bytes
 *
 * Numbers other than bits are little-endian base 128 (7 bits a byte, the high bit says "more").
 * Elements of lists are little-endian, as on every machine that clerk runs on.
 *
 * Version 1, in older traces, has id thread entry flags begin_ns end_ns argument_count before the
 * name; a value has bits in base 128, and 0x80 in its first byte when present. */
#include "trace/api/call.h"

#include "trace/base/assert.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the wire form is written as memory holds it");

enum {
    WIRE_VERSION = 2,
    WIRE_VERSION_FIRST = 1,
    WIRE_KIND = 0x0f,
    WIRE_PRESENT = 0x10,
    WIRE_LENGTH_SHIFT = 5,
    FIRST_PRESENT = 0x80, /* of version 1 */
    NUMBER_SIZE_MAX = 10,
    /* Everything of a call but names and data, which are of any size. */
    HEADER_SIZE_MAX = 1 + 2 * NUMBER_SIZE_MAX,
    VALUE_SIZE_MAX = 1 + 8 + 2 * NUMBER_SIZE_MAX,
};

/* How many bytes of `bits` there are, by the three bits that say it. */
static const uint8_t lengths[] = {0, 1, 2, 3, 4, 5, 6, 8};

static uint8_t *put_number(uint8_t *at, uint64_t number)
{
    while (number >= 0x80) {
        *at++ = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    *at++ = (uint8_t)number;
    return at;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(at, bytes, size);
    return at + size;
}

static bool has_data(enum api_value_kind kind)
{
    return kind >= API_VALUE_HANDLES;
}

/* Apart, so that values without data save no registers for it. */
static __attribute__((noinline)) uint8_t *put_data(uint8_t *at, const struct api_value *value)
{
    at = put_number(at, value->count);
    at = put_number(at, value->size);
    return put_bytes(at, value->data, value->size);
}

static inline uint8_t *put_value(uint8_t *at, const struct api_value *value)
{
    const uint64_t bits = value->bits;
    const unsigned needed = bits ? (unsigned)(64 - __builtin_clzll(bits) + 7) / 8 : 0;
    const unsigned length = needed <= 6 ? needed : 7;
    *at++ = (uint8_t)(value->kind | value->present * (unsigned)WIRE_PRESENT |
                      length << WIRE_LENGTH_SHIFT);
    /* All of it, since that is faster: what is too much is overwritten. */
    memcpy(at, &bits, sizeof bits);
    at += lengths[length];
    return has_data(value->kind) ? put_data(at, value) : at;
}

size_t api_call_size_max(const struct api_call *call)
{
    size_t size = HEADER_SIZE_MAX + (call->argument_count + 1) * (size_t)VALUE_SIZE_MAX;
    size += call->name ? strlen(call->name) : 0;
    for (uint32_t i = 0; i < call->argument_count; i++)
        size += call->arguments[i].size;
    return size + call->result.size;
}

size_t api_call_encode(const struct api_call *call, void *bytes)
{
    ASSERT(call->argument_count <= API_ARGUMENT_MAX);
    uint8_t *at = bytes;
    const size_t name_size = call->name ? strlen(call->name) : 0;
    *at++ = WIRE_VERSION;
    at = put_number(at, call->name ? name_size + 1 : 0);
    at = put_bytes(at, call->name, name_size);
    at = put_number(at, call->argument_count);
    for (uint32_t i = 0; i < call->argument_count; i++)
        at = put_value(at, &call->arguments[i]);
    at = put_value(at, &call->result);
    return (size_t)(at - (uint8_t *)bytes);
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

/* The bytes of STRINGS: `count` times a length and that many bytes, and nothing after them. */
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

/* The first byte and the bits of a value. */
static void get_bits(struct wire *wire, uint8_t version, struct api_value *value)
{
    const uint8_t *tag = get_bytes(wire, 1);
    if (!tag)
        return;
    value->kind = version == WIRE_VERSION_FIRST ? *tag & ~FIRST_PRESENT : *tag & WIRE_KIND;
    value->present = (*tag & (version == WIRE_VERSION_FIRST ? FIRST_PRESENT : WIRE_PRESENT)) != 0;
    if (value->kind > API_VALUE_PROPERTIES) {
        wire->broken = true;
        return;
    }
    if (version == WIRE_VERSION_FIRST) {
        value->bits = value->kind == API_VALUE_NONE ? 0 : get_number(wire);
        return;
    }
    const uint8_t length = lengths[*tag >> WIRE_LENGTH_SHIFT];
    const uint8_t *bits = get_bytes(wire, length);
    if (bits)
        memcpy(&value->bits, bits, length);
}

/* False when memory is out; what is malformed is noted in `wire`. */
static bool get_value(struct wire *wire, uint8_t version, struct arena *arena,
                      struct api_value *value)
{
    *value = (struct api_value){0};
    get_bits(wire, version, value);
    if (wire->broken || !has_data(value->kind))
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

static void get_first_header(struct wire *wire, struct api_call *call)
{
    call->id = get_number(wire);
    const uint64_t thread = get_number(wire);
    const uint64_t entry = get_number(wire);
    const uint64_t flags = get_number(wire);
    call->begin_ns = get_number(wire);
    call->end_ns = get_number(wire);
    wire->broken |= thread > UINT32_MAX || entry > UINT32_MAX || flags > UINT32_MAX;
    call->thread = (uint32_t)thread;
    call->entry = (uint32_t)entry;
    call->flags = (uint32_t)flags;
}

/* The number of arguments and the name. */
static enum status get_header(struct wire *wire, uint8_t version, struct arena *arena,
                              struct api_call *call, struct error *error)
{
    uint64_t count = 0;
    if (version == WIRE_VERSION_FIRST) {
        get_first_header(wire, call);
        count = get_number(wire);
    }
    const uint64_t name_length = get_number(wire);
    const uint8_t *name = name_length > 0 ? get_bytes(wire, name_length - 1) : NULL;
    if (version != WIRE_VERSION_FIRST)
        count = get_number(wire);
    if (wire->broken || count > API_ARGUMENT_MAX)
        return error_set(error, STATUS_MALFORMED, "a recorded call has no valid header");
    call->argument_count = (uint32_t)count;
    call->name = NULL;
    if (name && !(call->name = arena_string_n(arena, (const char *)name, name_length - 1)))
        return error_no_memory(error, name_length);
    return STATUS_OK;
}

enum status api_call_decode(const void *bytes, size_t size, struct arena *arena,
                            struct api_call *call, struct error *error)
{
    struct wire wire = {.at = bytes, .end = (const uint8_t *)bytes + size};
    struct api_call decoded = *call;
    const uint8_t *version = get_bytes(&wire, 1);
    if (!version)
        return error_set(error, STATUS_MALFORMED, "a recorded call is empty");
    if (*version != WIRE_VERSION && *version != WIRE_VERSION_FIRST)
        return error_set(error, STATUS_UNSUPPORTED,
                         "a recorded call is of version %d; this clerk reads versions up to %d",
                         *version, WIRE_VERSION);
    const enum status status = get_header(&wire, *version, arena, &decoded, error);
    if (status)
        return status;
    for (uint32_t i = 0; i <= decoded.argument_count && !wire.broken; i++)
        if (!get_value(&wire, *version, arena,
                       i < decoded.argument_count ? &decoded.arguments[i] : &decoded.result))
            return error_no_memory(error, size);
    if (wire.broken || wire.at != wire.end)
        return error_set(error, STATUS_MALFORMED,
                         "recorded call %llu of %zu bytes breaks the format of its arguments",
                         (unsigned long long)decoded.id, size);
    *call = decoded;
    return STATUS_OK;
}
