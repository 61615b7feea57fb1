/* llvm-spirv 15 ends with an assertion at two kinds of constants.
 *
 * A number whose bits are taken as those of another type, as by as_uchar4(0x01020304u), which LLVM
 * makes a vector of one component:
 *
 *     bitcast (<1 x i32> <i32 16909060> to <4 x i8>)
 *
 * Here that is computed: <i8 4, i8 3, i8 2, i8 1>.
 *
 * CLK_NULL_QUEUE, which is `null`. It becomes a value of its own in each function that has it, as
 * clang makes CLK_NULL_EVENT one:
 *
 *     %clerk.no_queue = inttoptr i64 0 to %opencl.queue_t* */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"
#include "reference/limits/limits.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- numbers as vectors ---- */

struct number_type {
    const char *name;
    unsigned bits;
};

static const struct number_type number_types[] = {
    {"i8", 8}, {"i16", 16}, {"i32", 32}, {"i64", 64}, {"half", 16}, {"float", 32}, {"double", 64},
};

/* A number of components of a type; of one that is not a vector 1. */
struct value_type {
    const struct number_type *number;
    unsigned count;
    bool vector;
};

/* Reads "<4 x i8>" or "float" at *at, and goes after it. */
static bool take_type(const char **at, struct value_type *type)
{
    *type = (struct value_type){.count = 1};
    if (**at == '<') {
        char *end;
        type->vector = true;
        type->count = (unsigned)strtoul(*at + 1, &end, 10);
        if (strncmp(end, " x ", 3) != 0 || type->count == 0 || type->count > 16)
            return false;
        *at = end + 3;
    }
    for (size_t i = 0; i < sizeof(number_types) / sizeof(number_types[0]); i++) {
        const size_t size = strlen(number_types[i].name);
        if (strncmp(*at, number_types[i].name, size) != 0 || strchr(" >),", (*at)[size]) == NULL)
            continue;
        type->number = &number_types[i];
        *at += size + type->vector;
        return !type->vector || (*at)[-1] == '>';
    }
    return false;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* LLVM writes a float as the double of the same value, in hexadecimal where decimals would not
 * say it exactly. */
static uint64_t float_bits(uint64_t wide)
{
    const uint64_t exponent = wide >> 52 & 0x7ff;
    if (exponent == 0x7ff) /* keeps what a NaN carries */
        return (wide >> 32 & 0x80000000) | 0x7f800000 | (wide >> 29 & 0x7fffff);
    double value;
    memcpy(&value, &wide, sizeof(value));
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

static uint64_t widened_bits(uint64_t narrow)
{
    const uint32_t bits = (uint32_t)narrow;
    if ((bits >> 23 & 0xff) == 0xff)
        return (uint64_t)(bits & 0x80000000) << 32 | 0x7ffull << 52 |
               (uint64_t)(bits & 0x7fffff) << 29;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return double_bits((double)value);
}

/* Reads the number at *at, and goes after it. */
static bool take_number(const char **at, const struct number_type *type, uint64_t *bits)
{
    char *end;
    const bool floating = type->name[0] != 'i';
    if (strncmp(*at, "0xH", 3) == 0)
        *bits = strtoull(*at + 3, &end, 16);
    else if (floating)
        *bits = strncmp(*at, "0x", 2) == 0 ? strtoull(*at, &end, 16)
                                           : double_bits(text_read_double(*at, &end));
    else if (**at == '-')
        *bits = (uint64_t)strtoll(*at, &end, 10);
    else
        *bits = strtoull(*at, &end, 10);
    if (end == *at || *end != '>')
        return false;
    if (floating && type->bits == 32)
        *bits = float_bits(*bits);
    *at = end;
    return true;
}

static void append_number(struct text *text, const struct number_type *type, uint64_t bits)
{
    bits &= type->bits < 64 ? (1ull << type->bits) - 1 : UINT64_MAX;
    if (type->name[0] == 'i')
        text_format(text, "%llu", (unsigned long long)bits);
    else if (type->bits == 16)
        text_format(text, "0xH%04llX", (unsigned long long)bits);
    else
        text_format(text, "0x%016llX",
                    (unsigned long long)(type->bits == 32 ? widened_bits(bits) : bits));
}

static void append_value(struct text *text, const struct value_type *type, uint64_t bits,
                         bool big_endian)
{
    const unsigned size = type->number->bits;
    text_append(text, type->vector ? "<" : "");
    for (unsigned i = 0; i < type->count; i++) {
        if (type->vector)
            text_format(text, "%s%s ", i > 0 ? ", " : "", type->number->name);
        append_number(text, type->number, bits >> (big_endian ? type->count - 1 - i : i) * size);
    }
    text_append(text, type->vector ? ">" : "");
}

/* Computes the bitcast at `at` of a vector of one component; returns where it ends, NULL when it is
 * no such thing. */
static const char *append_cast(struct text *text, const char *at, bool big_endian)
{
    struct value_type from, inner, to;
    uint64_t bits;
    at += strlen("bitcast (");
    if (!take_type(&at, &from) || !from.vector || from.count != 1 || strncmp(at, " <", 2) != 0)
        return NULL;
    at += 2;
    if (!take_type(&at, &inner) || *at++ != ' ' || !take_number(&at, inner.number, &bits) ||
        strncmp(at, "> to ", 5) != 0)
        return NULL;
    at += 5;
    if (!take_type(&at, &to) || *at != ')' || to.count * to.number->bits != from.number->bits)
        return NULL;
    append_value(text, &to, bits, big_endian);
    return at + 1;
}

/* ---- no queue ---- */

static const char queue[] = "%opencl.queue_t*";
static const char no_queue[] = "%clerk.no_queue";

/* Is the `null` at `at` a queue? Operands of icmp have their type at the front alone. */
static bool is_queue(struct ir_piece line, const char *at)
{
    const struct ir_piece before = {.at = line.at, .size = (size_t)(at - line.at)};
    static const char *const fronts[] = {" = phi %opencl.queue_t* [",
                                         " = icmp eq %opencl.queue_t* ",
                                         " = icmp ne %opencl.queue_t* "};
    static const char *const types[] = {"%opencl.queue_t* ", "%opencl.queue_t* noundef "};
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++) {
        if (ir_find(before, fronts[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const size_t size = strlen(types[i]);
        if (before.size >= size && memcmp(at - size, types[i], size) == 0)
            return true;
    }
    return false;
}

/* ---- lines ---- */

struct repair {
    struct text *text;
    bool big_endian, changed;
};

/* A line with its constants; `body`: of a function. */
static void append_line(struct repair *repair, struct ir_piece line, bool body)
{
    const char *const end = line.at + line.size;
    for (const char *at = line.at; at < end;) {
        const struct ir_piece rest = ir_rest(line, at);
        const char *behind = NULL;
        if (ir_starts(rest, "bitcast (<1 x "))
            behind = append_cast(repair->text, at, repair->big_endian);
        else if (body && ir_starts(rest, "null") && is_queue(line, at)) {
            text_append(repair->text, no_queue);
            behind = at + strlen("null");
        }
        repair->changed |= behind != NULL;
        if (!behind)
            text_append_char(repair->text, *at);
        at = behind ? behind : at + 1;
    }
    text_append_char(repair->text, '\n');
}

/* Has the function whose head this is such a constant? */
static bool has_no_queue(struct ir_piece head)
{
    struct ir_piece line = head;
    while (line.at[0] != '}' && line.at[0] != '\0') {
        line = ir_line(ir_next_line(line));
        const char *null = ir_find(line, queue) ? ir_find(line, "null") : NULL;
        for (; null; null = strstr(null + 1, "null")) {
            if (null >= line.at + line.size)
                break;
            if (is_queue(line, null))
                return true;
        }
    }
    return false;
}

bool repair_constants(const char *ir, struct text *repaired)
{
    struct repair repair = {.text = repaired, .big_endian = limits_personality()->big_endian};
    bool body = false, wanted = false;
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
        at = ir_next_line(line);
        append_line(&repair, line, body);
        if (ir_defines(line)) {
            body = true;
            wanted = has_no_queue(line);
        } else if (body && wanted && line.size > 0 && line.at[line.size - 1] == ':') {
            wanted = false; /* after the label of the first block */
            text_format(repaired, "  %s = inttoptr i64 0 to %s\n", no_queue, queue);
        }
        body = body && line.at[0] != '}';
    }
    return repair.changed && !repaired->failed;
}
