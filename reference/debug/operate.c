/* What operators and built-in functions make of numbers. */
#include "reference/debug/evaluate.h"

#include "reference/debug/opaque.h"
#include "reference/vm/bits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

/* The numbers of OpenCL C: NAMED(symbol, name, bytes, DEBUG_ENCODING_...) */
#define NAMED_NUMBERS(NAMED)                                                                       \
    NAMED(BOOL, "bool", 1, BOOLEAN)                                                                \
    NAMED(CHAR, "char", 1, SIGNED_CHAR)                                                            \
    NAMED(UCHAR, "uchar", 1, UNSIGNED_CHAR)                                                        \
    NAMED(SHORT, "short", 2, SIGNED)                                                               \
    NAMED(USHORT, "ushort", 2, UNSIGNED)                                                           \
    NAMED(INT, "int", 4, SIGNED)                                                                   \
    NAMED(UINT, "uint", 4, UNSIGNED)                                                               \
    NAMED(LONG, "long", 8, SIGNED)                                                                 \
    NAMED(ULONG, "ulong", 8, UNSIGNED)                                                             \
    NAMED(HALF, "half", 2, FLOAT)                                                                  \
    NAMED(FLOAT, "float", 4, FLOAT)                                                                \
    NAMED(DOUBLE, "double", 8, FLOAT)                                                              \
    NAMED(SIZE_T, "size_t", 8, UNSIGNED)                                                           \
    NAMED(UINTPTR_T, "uintptr_t", 8, UNSIGNED)                                                     \
    NAMED(INTPTR_T, "intptr_t", 8, SIGNED)                                                         \
    NAMED(PTRDIFF_T, "ptrdiff_t", 8, SIGNED)

enum {
#define NAMED(symbol, word, bytes, how) NAMED_##symbol,
    NAMED_NUMBERS(NAMED)
#undef NAMED
        NAMED_COUNT
};

/* Of each the number, and its vectors. Constant: processes that were forked before have them, too.
 */
static const uint32_t counts[] = {1, 2, 3, 4, 8, 16};
static const struct debug_type none = {.kind = DEBUG_TYPE_UNKNOWN, .name = "", .base = &none};
static const struct debug_type named[NAMED_COUNT][sizeof counts / sizeof *counts] = {
#define VECTOR(symbol, bytes, components, elements)                                                \
    {                                                                                              \
        .kind = DEBUG_TYPE_VECTOR, .name = "", .size = (bytes) * (elements),                       \
        .base = &named[NAMED_##symbol][0], .count = (components)                                   \
    }
#define NAMED(symbol, word, bytes, how)                                                            \
    [NAMED_##symbol] = {{.kind = DEBUG_TYPE_BASIC,                                                 \
                         .base = &none,                                                            \
                         .name = (word),                                                           \
                         .size = (bytes),                                                          \
                         .bits = (bytes)*8,                                                        \
                         .encoding = DEBUG_ENCODING_##how},                                        \
                        VECTOR(symbol, bytes, 2, 2),                                               \
                        VECTOR(symbol, bytes, 3, 4),                                               \
                        VECTOR(symbol, bytes, 4, 4),                                               \
                        VECTOR(symbol, bytes, 8, 8),                                               \
                        VECTOR(symbol, bytes, 16, 16)},
    NAMED_NUMBERS(NAMED)
#undef NAMED
#undef VECTOR
};

const struct debug_type *debug_named_type(const char *name)
{
    for (size_t i = 0; i < NAMED_COUNT; i++) {
        const size_t size = strlen(named[i][0].name);
        if (strncmp(name, named[i][0].name, size) != 0)
            continue;
        if (name[size] == '\0')
            return &named[i][0];
        char *end;
        const unsigned long wanted = strtoul(name + size, &end, 10);
        for (size_t c = 1; *end == '\0' && c < sizeof counts / sizeof *counts; c++)
            if (wanted == counts[c])
                return &named[i][c];
    }
    return NULL;
}

bool debug_named_number(const char *name, struct debug_number *number, uint32_t *count)
{
    const struct debug_type *type = debug_named_type(name);
    return type && debug_number_of(type, number, count);
}

const char *debug_number_name(const struct debug_number *number)
{
    for (size_t i = 0; i < NAMED_COUNT; i++) {
        struct debug_number of;
        uint32_t count;
        debug_number_of(&named[i][0], &of, &count);
        if (of.width == number->width && of.is_floating == number->is_floating &&
            of.is_signed == number->is_signed && of.is_boolean == number->is_boolean &&
            of.is_character == number->is_character && !number->is_pointer)
            return named[i][0].name;
    }
    return NULL;
}

void debug_cast(struct debug_value *value, const struct debug_number *number, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        const uint32_t from = value->count == 1 ? 0 : c;
        if (value->undefined[from])
            value->undefined[c] = number->width == value->number.width &&
                                          number->is_floating == value->number.is_floating
                                      ? value->undefined[from]
                                      : bits_low(8 * number->width);
        else
            value->undefined[c] = 0;
        value->bits[c] = debug_convert(number, &value->number, value->bits[from]);
        if (value->count == 1 && c == 0 && count > 1) { /* the others are made of the first */
            for (uint32_t rest = 1; rest < count; rest++) {
                value->bits[rest] = value->bits[0];
                value->undefined[rest] = value->undefined[0];
            }
            break;
        }
    }
    value->number = *number;
    value->count = count;
    value->type = NULL;
    value->pointee = NULL;
    value->has_spot = false;
    value->bit_size = 0;
    value->opaque = DEBUG_NOT_OPAQUE;
    value->texel.size = 0;
    value->word = NULL;
}

bool debug_balance(struct debug_value *a, struct debug_value *b)
{
    const uint32_t count = a->count > b->count ? a->count : b->count;
    if (a->count != b->count && a->count != 1 && b->count != 1)
        return false;
    struct debug_number number = a->count > 1 ? a->number : b->number;
    if (count == 1)
        number = debug_common_number(&a->number, &b->number);
    number.is_boolean = number.is_character = false;
    debug_cast(a, &number, count);
    debug_cast(b, &number, count);
    return true;
}

/* ---- built-in functions ---- */

static bool refuse(const char *name, struct error *error)
{
    error_set(error, STATUS_INVALID,
              "%s cannot be called: known are min, max, clamp, abs, fabs, isnan, isinf, isfinite, "
              "any, all, dot, as_TYPE, convert_TYPE, and the functions of work-items and images",
              name);
    return false;
}

static void set_number(struct debug_value *value, struct debug_number number, uint64_t bits)
{
    *value = (struct debug_value){.number = number, .count = 1};
    value->bits[0] = bits & bits_low(8 * number.width);
}

static bool call_as(const char *name, const struct debug_value *list, struct debug_value *value,
                    struct error *error)
{
    struct debug_number number;
    uint32_t count;
    uint8_t bytes[DEBUG_COMPONENTS_MAX * 8] = {0};
    uint8_t open[DEBUG_COMPONENTS_MAX * 8] = {0};
    const uint32_t width = list->number.width;
    if (!debug_named_number(name + 3, &number, &count) ||
        (uint32_t)number.width * count != width * list->count) {
        error_set(error, STATUS_INVALID, "%s wants a value of as many bytes", name);
        return false;
    }
    for (uint32_t i = 0; i < width * list->count; i++) {
        bytes[i] = (uint8_t)(list->bits[i / width] >> 8 * (i % width));
        open[i] = (uint8_t)(list->undefined[i / width] >> 8 * (i % width));
    }
    *value = (struct debug_value){.number = number, .count = count};
    for (uint32_t i = 0; i < number.width * count; i++) {
        value->bits[i / number.width] |= (uint64_t)bytes[i] << 8 * (i % number.width);
        value->undefined[i / number.width] |= (uint64_t)open[i] << 8 * (i % number.width);
    }
    return true;
}

static bool call_convert(const char *name, const struct debug_value *list,
                         struct debug_value *value, struct error *error)
{
    struct debug_number number;
    uint32_t count;
    if (!debug_named_number(name + strlen("convert_"), &number, &count) || count != list->count) {
        error_set(error, STATUS_INVALID, "%s is not known; saturation and roundings are not", name);
        return false;
    }
    *value = *list;
    debug_cast(value, &number, count);
    return true;
}

static bool is_nan(const struct debug_number *number, uint64_t bits)
{
    return number->is_floating && isnan(debug_to_double(number, bits));
}

/* The lower or greater one; of a NaN and a number the number (OpenCL C 3.0, 6.15.2, fmin). */
static bool call_pair(bool greater, const struct debug_value *list, struct debug_value *value)
{
    struct debug_value a = list[0];
    struct debug_value b = list[1];
    uint64_t less;
    bool open;
    if (!debug_balance(&a, &b))
        return false;
    *value = a;
    for (uint32_t c = 0; c < a.count; c++) {
        debug_operate(OPERATOR_LESS, &a.number, a.bits[c], b.bits[c], &less, &open);
        const bool second = is_nan(&a.number, a.bits[c]) ||
                            (!is_nan(&b.number, b.bits[c]) && (less != 0) == greater);
        value->bits[c] = second ? b.bits[c] : a.bits[c];
        if (a.undefined[c] | b.undefined[c])
            value->undefined[c] = bits_low(8 * a.number.width);
    }
    return true;
}

static bool test(const char *name, double x, uint64_t *result)
{
    if (strcmp(name, "isnan") == 0)
        *result = isnan(x) != 0;
    else if (strcmp(name, "isinf") == 0)
        *result = isinf(x) != 0;
    else if (strcmp(name, "isfinite") == 0)
        *result = isfinite(x) != 0;
    else
        return false;
    return true;
}

static bool call_one(const char *name, const struct debug_value *list, struct debug_value *value)
{
    const struct debug_number truth = {.width = 4, .is_signed = true};
    const struct debug_number *number = &list->number;
    uint64_t result = 0;
    *value = *list;
    value->type = NULL;
    value->has_spot = false;
    for (uint32_t c = 0; c < list->count; c++) {
        if (number->is_floating && strcmp(name, "fabs") == 0) {
            value->bits[c] = list->bits[c] & bits_low(8 * number->width - 1);
        } else if (!number->is_floating && strcmp(name, "abs") == 0) {
            const uint64_t wide = debug_extend(number, list->bits[c]);
            const bool is_negative = number->is_signed && (int64_t)wide < 0;
            value->bits[c] = (is_negative ? 0 - wide : wide) & bits_low(8 * number->width);
            value->number.is_signed = false;
        } else if (number->is_floating &&
                   test(name, debug_to_double(number, list->bits[c]), &result)) {
            value->number = truth;
            value->bits[c] = list->count > 1 ? (0 - result) & UINT32_MAX : result;
            value->undefined[c] = list->undefined[c] ? UINT32_MAX : 0;
        } else {
            return false;
        }
    }
    return true;
}

static bool call_fold(const char *name, const struct debug_value *list, uint32_t count,
                      struct debug_value *value)
{
    const struct debug_number truth = {.width = 4, .is_signed = true};
    uint64_t undefined = 0;
    for (uint32_t c = 0; c < list[0].count; c++)
        undefined |= list[0].undefined[c] | (count == 2 ? list[1].undefined[c] : 0);
    if (count == 2 && strcmp(name, "dot") == 0 && list[0].count == list[1].count &&
        list[0].number.is_floating && list[1].number.is_floating) {
        double sum = 0;
        for (uint32_t c = 0; c < list[0].count; c++)
            sum += debug_to_double(&list[0].number, list[0].bits[c]) *
                   debug_to_double(&list[1].number, list[1].bits[c]);
        set_number(value, list[0].number, debug_from_double(&list[0].number, sum));
    } else if (count == 1 && (strcmp(name, "any") == 0 || strcmp(name, "all") == 0)) {
        bool any = false;
        bool all = true;
        for (uint32_t c = 0; c < list[0].count; c++) {
            const bool top = list[0].bits[c] >> (8 * list[0].number.width - 1) & 1;
            any |= top;
            all &= top;
        }
        set_number(value, truth, name[1] == 'n' ? any : all);
    } else {
        return false;
    }
    value->undefined[0] = undefined ? bits_low(8 * value->number.width) : 0;
    return true;
}

bool debug_call(const struct debug_lane *lane, const char *name, const struct debug_value *list,
                uint32_t count, struct debug_value *value, struct error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].unknown || list[i].count == 0) {
            *value = list[i];
            value->unknown = list[i].unknown ? list[i].unknown : "an operand has parts";
            return true;
        }
    }
    if (debug_item_function(lane, name, list, count, value))
        return true;
    if (count == 0)
        return refuse(name, error);
    if (list[0].opaque)
        return debug_opaque_call(lane, name, list, count, value, error);
    if (count == 1 && strncmp(name, "as_", 3) == 0)
        return call_as(name, list, value, error);
    if (count == 1 && strncmp(name, "convert_", strlen("convert_")) == 0)
        return call_convert(name, list, value, error);
    if (count == 2 && (strcmp(name, "min") == 0 || strcmp(name, "fmin") == 0) &&
        call_pair(false, list, value))
        return true;
    if (count == 2 && (strcmp(name, "max") == 0 || strcmp(name, "fmax") == 0) &&
        call_pair(true, list, value))
        return true;
    if (count == 3 && strcmp(name, "clamp") == 0) {
        struct debug_value pair[2] = {list[0], list[1]};
        if (!call_pair(true, pair, value))
            return refuse(name, error);
        pair[0] = *value;
        pair[1] = list[2];
        return call_pair(false, pair, value) || refuse(name, error);
    }
    if ((count == 1 && call_one(name, list, value)) || call_fold(name, list, count, value))
        return true;
    return refuse(name, error);
}
