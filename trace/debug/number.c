#include "trace/debug/number.h"

#include "trace/base/half.h"

#include <math.h>
#include <string.h>

static uint64_t low_bits(uint32_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* ---- components ---- */

/* UINT32_MAX = it is none. */
static uint32_t hexadecimal(char digit)
{
    const char low = (char)(digit | 0x20);
    return digit >= '0' && digit <= '9' ? (uint32_t)(digit - '0')
           : low >= 'a' && low <= 'f'   ? (uint32_t)(low - 'a' + 10)
                                        : UINT32_MAX;
}

static uint32_t letter_position(char letter)
{
    static const char letters[] = "xyzwrgba";
    const char *found = strchr(letters, letter);
    return found ? (uint32_t)(found - letters) % 4 : UINT32_MAX;
}

uint32_t debug_read_swizzle(const char *name, uint32_t count, uint8_t components[16])
{
    uint32_t found = 0;
    const uint32_t half = (count + 1) / 2;
    const bool lo = strcmp(name, "lo") == 0;
    const bool even = strcmp(name, "even") == 0;
    if (lo || even || strcmp(name, "hi") == 0 || strcmp(name, "odd") == 0) {
        for (uint32_t i = 0; i < half; i++) {
            const uint32_t at = lo ? i : even ? 2 * i : name[0] == 'h' ? half + i : 2 * i + 1;
            components[found++] = (uint8_t)at;
        }
        return found;
    }
    const bool numbered = (name[0] == 's' || name[0] == 'S') && name[1] != '\0';
    for (const char *at = name + numbered; *at; at++) {
        const uint32_t position = numbered ? hexadecimal(*at) : letter_position(*at);
        if (position >= count || found == 16)
            return 0;
        components[found++] = (uint8_t)position;
    }
    return found;
}

uint32_t debug_find_component(const char *name, uint32_t count)
{
    uint8_t components[16];
    return debug_read_swizzle(name, count, components) == 1 ? components[0] : UINT32_MAX;
}

/* ---- conversions ---- */

uint64_t debug_extend(const struct debug_number *number, uint64_t bits)
{
    const uint32_t shift = 64 - 8 * (number->width ? number->width : 8);
    return number->is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift)
                             : bits << shift >> shift;
}

double debug_to_double(const struct debug_number *number, uint64_t bits)
{
    float small;
    double large;
    const uint32_t low = (uint32_t)bits;
    if (!number->is_floating)
        return number->is_signed ? (double)(int64_t)debug_extend(number, bits)
                                 : (double)debug_extend(number, bits);
    if (number->width == 2)
        return half_to_float((uint16_t)bits);
    memcpy(&small, &low, sizeof small);
    memcpy(&large, &bits, sizeof large);
    return number->width == 4 ? (double)small : large;
}

/* As the device converts to integers that do not hold the value, which C leaves open: to the
 * nearest one that does. */
static uint64_t integer_from_double(const struct debug_number *to, double value)
{
    const uint32_t count = 8 * to->width;
    const uint64_t most = low_bits(to->is_signed ? count - 1 : count);
    const double limit = ldexp(1, (int)(to->is_signed ? count - 1 : count));
    if (isnan(value) || (value <= 0 && !to->is_signed))
        return 0;
    if (value >= limit)
        return most;
    if (value < -limit)
        return most + 1;
    return (value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value) & low_bits(count);
}

uint64_t debug_from_double(const struct debug_number *to, double value)
{
    const float small = (float)value;
    uint32_t low;
    uint64_t bits;
    if (to->is_boolean)
        return value != 0;
    if (!to->is_floating)
        return integer_from_double(to, value);
    if (to->width == 2)
        return half_from_double(value);
    memcpy(&low, &small, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    return to->width == 4 ? low : bits;
}

uint64_t debug_convert(const struct debug_number *to, const struct debug_number *from,
                       uint64_t bits)
{
    if (to->is_floating == from->is_floating && to->is_floating && to->width == from->width)
        return bits;
    if (from->is_floating)
        return debug_from_double(to, debug_to_double(from, bits));
    const uint64_t wide = debug_extend(from, bits);
    if (to->is_boolean)
        return wide != 0;
    if (!to->is_floating)
        return wide & low_bits(8 * to->width);
    if (to->width == 4) { /* rounded once */
        const float small = from->is_signed ? (float)(int64_t)wide : (float)wide;
        uint32_t low;
        memcpy(&low, &small, sizeof low);
        return low;
    }
    return debug_from_double(to, debug_to_double(from, bits));
}

struct debug_number debug_common_number(const struct debug_number *a, const struct debug_number *b)
{
    const struct debug_number integer = {.width = 4, .is_signed = true};
    if (!a->is_floating && a->width < 4)
        a = &integer;
    if (!b->is_floating && b->width < 4)
        b = &integer;
    const bool first = a->is_floating != b->is_floating ? a->is_floating
                       : a->width != b->width           ? a->width > b->width
                                                        : !a->is_signed;
    return first ? *a : *b;
}

/* ---- operators ---- */

static bool compare(enum expression_operator op, bool less, bool equal, bool unordered,
                    uint64_t *result)
{
    switch (op) {
    case OPERATOR_LESS:
        *result = less;
        return true;
    case OPERATOR_LESS_EQUAL:
        *result = less || equal;
        return true;
    case OPERATOR_GREATER:
        *result = !less && !equal && !unordered;
        return true;
    case OPERATOR_GREATER_EQUAL:
        *result = !less && !unordered;
        return true;
    case OPERATOR_EQUAL:
        *result = equal;
        return true;
    case OPERATOR_NOT_EQUAL:
        *result = !equal;
        return true;
    default:
        return false;
    }
}

static bool operate_floating(enum expression_operator op, const struct debug_number *number,
                             uint64_t a, uint64_t b, uint64_t *result)
{
    const double x = debug_to_double(number, a);
    const double y = debug_to_double(number, b);
    if (compare(op, x < y, x == y, isnan(x) || isnan(y), result))
        return true;
    /* One operation of doubles, rounded again, is that of floats and halves: they have more than
     * twice the digits. */
    switch (op) {
    case OPERATOR_ADD:
        *result = debug_from_double(number, x + y);
        return true;
    case OPERATOR_SUBTRACT:
        *result = debug_from_double(number, x - y);
        return true;
    case OPERATOR_MULTIPLY:
        *result = debug_from_double(number, x * y);
        return true;
    case OPERATOR_DIVIDE:
        *result = debug_from_double(number, x / y);
        return true;
    default:
        return false;
    }
}

static uint64_t divide(const struct debug_number *number, uint64_t a, uint64_t b, bool rest)
{
    if (!number->is_signed)
        return rest ? a % b : a / b;
    const int64_t x = (int64_t)a;
    const int64_t y = (int64_t)b;
    if (y == -1)
        return rest ? 0 : 0 - a;
    return (uint64_t)(rest ? x % y : x / y);
}

bool debug_operate(enum expression_operator op, const struct debug_number *number, uint64_t a,
                   uint64_t b, uint64_t *result, bool *open)
{
    *open = false;
    if (number->is_floating)
        return operate_floating(op, number, a, b, result);
    const uint64_t x = debug_extend(number, a);
    const uint64_t y = debug_extend(number, b);
    const bool less = number->is_signed ? (int64_t)x < (int64_t)y : x < y;
    const uint32_t shift = (uint32_t)(y & (8U * number->width - 1));
    if (compare(op, less, x == y, false, result))
        return true;
    switch (op) {
    case OPERATOR_ADD:
        *result = x + y;
        break;
    case OPERATOR_SUBTRACT:
        *result = x - y;
        break;
    case OPERATOR_MULTIPLY:
        *result = x * y;
        break;
    case OPERATOR_DIVIDE:
    case OPERATOR_REMAINDER:
        *open = y == 0;
        *result = y == 0 ? 0 : divide(number, x, y, op == OPERATOR_REMAINDER);
        break;
    case OPERATOR_SHIFT_LEFT:
        *result = x << shift;
        break;
    case OPERATOR_SHIFT_RIGHT:
        *result = number->is_signed ? (uint64_t)((int64_t)x >> shift) : x >> shift;
        break;
    case OPERATOR_AND:
        *result = x & y;
        break;
    case OPERATOR_OR:
        *result = x | y;
        break;
    case OPERATOR_EXCLUSIVE_OR:
        *result = x ^ y;
        break;
    default:
        return false;
    }
    *result &= low_bits(8 * number->width);
    return true;
}
