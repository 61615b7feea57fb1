#include "replay/compare.h"

#include <CL/cl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool replay_compare_bytes(const void *recorded, const void *replayed, uint64_t size, uint64_t phase,
                          uint32_t element_size, struct replay_bytes_difference *difference)
{
    const unsigned char *a = recorded;
    const unsigned char *b = replayed;
    if (size == 0 || memcmp(a, b, size) == 0)
        return false;
    *difference = (struct replay_bytes_difference){0};
    uint64_t first = 0;
    while (a[first] == b[first])
        ++first;
    for (uint64_t i = first; i < size; ++i)
        difference->byte_count += a[i] != b[i];

    const uint64_t within = (first + phase) % element_size;
    const uint64_t start = within > first ? 0 : first - within;
    uint64_t length = element_size > REPLAY_VALUE_MAX ? REPLAY_VALUE_MAX : element_size;
    if (length > size - start)
        length = size - start;
    difference->offset = start;
    difference->first_byte = first;
    difference->value_size = (uint32_t)length;
    memcpy(difference->recorded, a + start, length);
    memcpy(difference->replayed, b + start, length);
    return true;
}

enum scalar_kind { SCALAR_UNKNOWN, SCALAR_SIGNED, SCALAR_UNSIGNED, SCALAR_FLOAT };

/* OpenCL C 3.0, 6.3.1. A vector type is its scalar's name and a number of components. */
static const struct scalar {
    const char *name;
    enum scalar_kind kind;
    uint32_t size;
} scalars[] = {
    {"char", SCALAR_SIGNED, 1},
    {"uchar", SCALAR_UNSIGNED, 1},
    {"short", SCALAR_SIGNED, 2},
    {"ushort", SCALAR_UNSIGNED, 2},
    {"int", SCALAR_SIGNED, 4},
    {"uint", SCALAR_UNSIGNED, 4},
    {"long", SCALAR_SIGNED, 8},
    {"ulong", SCALAR_UNSIGNED, 8},
    {"float", SCALAR_FLOAT, 4},
    {"double", SCALAR_FLOAT, 8},
    {"unsigned char", SCALAR_UNSIGNED, 1},
    {"unsigned short", SCALAR_UNSIGNED, 2},
    {"unsigned int", SCALAR_UNSIGNED, 4},
    {"unsigned long", SCALAR_UNSIGNED, 8},
};

static const struct scalar *scalar_find(const char *type)
{
    static const struct scalar unknown = {"", SCALAR_UNKNOWN, 1};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i) {
        const size_t length = strlen(scalars[i].name);
        if (strncmp(type, scalars[i].name, length) != 0)
            continue;
        const char *rest = type + length;
        rest += strspn(rest, "0123456789");
        if (strcmp(rest, "*") == 0)
            return &scalars[i];
    }
    return &unknown;
}

uint32_t replay_type_scalar_size(const char *type)
{
    return scalar_find(type)->size;
}

/* The shortest of the usual precisions that reads back as the same value. */
static void print_double(double value, bool is_single, struct text *text)
{
    char buffer[64];
    for (int digits = is_single ? 6 : 15; digits <= 17; ++digits) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        double parsed = 0;
        sscanf(buffer, "%lf", &parsed);
        if (is_single ? (float)parsed == (float)value : parsed == value)
            break;
    }
    text_append(text, buffer);
}

static void print_hexadecimal(const unsigned char *bytes, uint32_t size, struct text *text)
{
    for (uint32_t i = 0; i < size; ++i)
        text_format(text, i ? " %02x" : "%02x", bytes[i]);
}

void replay_print_value(const char *type, const void *bytes, uint32_t size, struct text *text)
{
    const struct scalar *scalar = scalar_find(type);
    if (scalar->kind == SCALAR_UNKNOWN || size < scalar->size) {
        print_hexadecimal(bytes, size, text);
        return;
    }
    if (scalar->kind == SCALAR_FLOAT) {
        cl_float single;
        cl_double twice;
        memcpy(&single, bytes, sizeof single);
        if (scalar->size == sizeof twice)
            memcpy(&twice, bytes, sizeof twice);
        print_double(scalar->size == sizeof twice ? twice : (double)single,
                     scalar->size == sizeof single, text);
        return;
    }
    uint64_t value = 0;
    for (uint32_t i = scalar->size; i-- > 0;)
        value = value << 8 | ((const unsigned char *)bytes)[i];
    const unsigned shift = 64 - 8 * scalar->size;
    if (scalar->kind == SCALAR_SIGNED)
        text_format(text, "%" PRId64, (int64_t)(value << shift) >> shift);
    else
        text_format(text, "%" PRIu64, value);
}
