#include "reference/debug/value.h"

#include "reference/debug/opaque.h"
#include "reference/vm/bits.h"
#include "trace/base/half.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

static bool number_of_basic(const struct debug_type *type, struct debug_number *number)
{
    *number = (struct debug_number){.width = (uint8_t)type->size};
    switch (type->encoding) {
    case DEBUG_ENCODING_FLOAT:
        number->is_floating = true;
        return type->size == 2 || type->size == 4 || type->size == 8;
    case DEBUG_ENCODING_BOOLEAN:
        number->is_boolean = true;
        break;
    case DEBUG_ENCODING_SIGNED_CHAR:
        number->is_signed = number->is_character = true;
        break;
    case DEBUG_ENCODING_UNSIGNED_CHAR:
        number->is_character = true;
        break;
    case DEBUG_ENCODING_SIGNED:
        number->is_signed = true;
        break;
    case DEBUG_ENCODING_UNSIGNED:
        break;
    default:
        return false;
    }
    return type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
}

bool debug_number_of(const struct debug_type *type, struct debug_number *number, uint32_t *count)
{
    const struct debug_type *plain = debug_type_plain(type);
    *count = 1;
    switch (plain->kind) {
    case DEBUG_TYPE_BASIC:
        return number_of_basic(plain, number);
    case DEBUG_TYPE_ENUM:
        *number = (struct debug_number){.width = (uint8_t)plain->size};
        return plain->base->kind == DEBUG_TYPE_UNKNOWN
                   ? plain->size == 4 || plain->size == 8 || plain->size == 1 || plain->size == 2
                   : debug_number_of(plain->base, number, count);
    case DEBUG_TYPE_POINTER:
        *number = (struct debug_number){.width = (uint8_t)(plain->size ? plain->size : 8),
                                        .is_pointer = true};
        return number->width == 8;
    case DEBUG_TYPE_VECTOR:
        if (!debug_number_of(plain->base, number, count) || plain->count == 0 ||
            plain->count > DEBUG_COMPONENTS_MAX)
            return false;
        *count = (uint32_t)plain->count;
        return true;
    case DEBUG_TYPE_ARRAY:
    case DEBUG_TYPE_STRUCT:
    case DEBUG_TYPE_UNION:
    case DEBUG_TYPE_CLASS:
        *count = 0;
        return true;
    default:
        return false;
    }
}

static void append_tagged(const struct debug_type *type, const char *tag, struct text *text)
{
    if (type->name[0] != '\0' && strncmp(type->name, tag, strlen(tag)) != 0)
        text_format(text, "%s %s", tag, type->name);
    else
        text_append(text, type->name[0] != '\0' ? type->name : tag);
}

void debug_append_type(const struct debug_type *type, struct text *text)
{
    static const char *const qualifiers[] = {"const ", "volatile ", "restrict ", "_Atomic "};
    switch (type->kind) {
    case DEBUG_TYPE_QUALIFIER:
        if (debug_type_plain(type)->kind == DEBUG_TYPE_POINTER) {
            debug_append_type(type->base, text);
            text_format(text, " %.*s", (int)strlen(qualifiers[type->qualifier]) - 1,
                        qualifiers[type->qualifier]);
            return;
        }
        text_append(text, qualifiers[type->qualifier]);
        debug_append_type(type->base, text);
        return;
    case DEBUG_TYPE_POINTER:
        debug_append_type(type->base, text);
        text_append(text, " *");
        return;
    case DEBUG_TYPE_ARRAY: {
        const struct debug_type *element = type;
        while (element->kind == DEBUG_TYPE_ARRAY)
            element = element->base;
        debug_append_type(element, text);
        for (; type->kind == DEBUG_TYPE_ARRAY; type = type->base)
            text_format(text, "[%" PRIu64 "]", type->count);
        return;
    }
    case DEBUG_TYPE_VECTOR:
        debug_append_type(type->base, text);
        text_format(text, "%" PRIu64, type->count);
        return;
    case DEBUG_TYPE_STRUCT:
        append_tagged(type, "struct", text);
        return;
    case DEBUG_TYPE_UNION:
        append_tagged(type, "union", text);
        return;
    case DEBUG_TYPE_ENUM:
        append_tagged(type, "enum", text);
        return;
    case DEBUG_TYPE_VOID:
        text_append(text, "void");
        return;
    default:
        text_append(text, type->name[0] != '\0' ? type->name : "a type that is not known");
        return;
    }
}

void debug_append_type_of(const struct debug_value *value, struct text *text)
{
    static const char *const integers[] = {"char", "short", "int", "long"};
    static const char *const floats[] = {"", "half", "float", "double"};
    const struct debug_number *number = &value->number;
    const uint32_t index = number->width == 1   ? 0
                           : number->width == 2 ? 1
                           : number->width == 4 ? 2
                                                : 3;
    if (value->type && value->slice == 0) {
        text_append(text, debug_opaque_type_prefix(value));
        debug_append_type(value->type, text);
        return;
    }
    if (value->slice) {
        debug_append_type(value->type, text);
        text_format(text, "[%" PRIu64 "]", value->slice);
        return;
    }
    if (number->is_pointer) {
        if (value->pointee)
            debug_append_type(value->pointee, text);
        text_append(text, value->pointee ? " *" : "void *");
        return;
    }
    if (number->is_boolean)
        text_append(text, "bool");
    else if (number->is_floating)
        text_append(text, floats[index]);
    else
        text_format(text, "%s%s", number->is_signed ? "" : "u", integers[index]);
    if (value->count > 1)
        text_format(text, "%u", value->count);
}

/* ---- loads ---- */

static void turn(uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size / 2; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

static uint64_t gather(const uint8_t *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

void debug_load(const struct debug_lane *lane, const struct debug_type *type,
                struct debug_spot spot, struct debug_value *value)
{
    uint8_t bytes[DEBUG_COMPONENTS_MAX * 8];
    uint8_t undefined[DEBUG_COMPONENTS_MAX * 8];
    if (!spot.variable)
        spot = debug_spot_at(lane, spot.offset);
    *value = (struct debug_value){.type = type, .has_spot = true, .spot = spot};
    const struct debug_type *plain = debug_type_plain(type);
    const enum debug_opaque opaque = debug_opaque_of(type, &spot);
    if (opaque != DEBUG_NOT_OPAQUE) {
        debug_load_opaque(lane, opaque, spot, value);
        return;
    }
    if (plain->kind == DEBUG_TYPE_POINTER)
        value->pointee = plain->base;
    if (!debug_number_of(type, &value->number, &value->count)) {
        value->unknown =
            plain->kind == DEBUG_TYPE_OPAQUE ? "it is opaque" : "its type has no values to show";
        value->count = 1;
        return;
    }
    const uint32_t width = value->number.width;
    const char *why;
    if (value->count == 0)
        return;
    if (!debug_peek(lane, spot, (uint64_t)width * value->count, bytes, undefined, &why)) {
        value->unknown = why;
        return;
    }
    for (uint32_t c = 0; c < value->count; c++) {
        if (lane->session->code->big_endian && !spot.variable) {
            turn(bytes + c * width, width);
            turn(undefined + c * width, width);
        }
        value->bits[c] = gather(bytes + c * width, width);
        value->undefined[c] = gather(undefined + c * width, width);
    }
}

void debug_load_field(const struct debug_lane *lane, const struct debug_type *type,
                      struct debug_spot spot, uint64_t bit_offset, uint64_t bit_size,
                      struct debug_value *value)
{
    uint8_t bytes[9];
    uint8_t undefined[9];
    const uint64_t size = (bit_offset % 8 + bit_size + 7) / 8;
    spot.offset += bit_offset / 8;
    *value = (struct debug_value){.type = type, .count = 1};
    if (!debug_number_of(type, &value->number, &value->count) || value->count != 1 ||
        bit_size == 0 || bit_size > 64 || lane->session->code->big_endian) {
        value->unknown = "this bit-field cannot be shown";
        return;
    }
    const char *why;
    if (!debug_peek(lane, spot, size, bytes, undefined, &why)) {
        value->unknown = why;
        return;
    }
    const uint32_t shift = bit_offset % 8;
    uint64_t bits = gather(bytes, size < 8 ? (uint32_t)size : 8) >> shift;
    uint64_t open = gather(undefined, size < 8 ? (uint32_t)size : 8) >> shift;
    if (size > 8) {
        bits |= (uint64_t)bytes[8] << (64 - shift);
        open |= (uint64_t)undefined[8] << (64 - shift);
    }
    bits &= bits_low((uint32_t)bit_size);
    if (value->number.is_signed && bits >> (bit_size - 1) & 1)
        bits |= ~bits_low((uint32_t)bit_size);
    value->bits[0] = bits & bits_low(8 * value->number.width);
    value->undefined[0] = open & bits_low((uint32_t)bit_size);
}

/* ---- parts ---- */

uint64_t debug_part_count(const struct debug_value *value)
{
    if (value->unknown)
        return 0;
    if (value->slice)
        return value->slice;
    if (value->count > 1)
        return value->count;
    if (value->opaque)
        return debug_opaque_part_count(value);
    if (value->number.is_pointer && value->count == 1)
        return 0;
    if (!value->type || value->count != 0)
        return 0;
    const struct debug_type *plain = debug_type_plain(value->type);
    return plain->kind == DEBUG_TYPE_ARRAY ? plain->count : plain->member_count;
}

bool debug_value_has_gaps(const struct debug_value *value)
{
    return value->slice > 1 && value->slice_gap != 0;
}

uint64_t debug_value_size(const struct debug_value *value)
{
    if (value->texel.size)
        return value->texel.size;
    if (value->slice)
        return value->slice * value->type->size;
    if (value->bit_size)
        return (value->bit_offset % 8 + value->bit_size + 7) / 8;
    return value->type && value->type->size ? value->type->size
                                            : (uint64_t)value->number.width * value->count;
}

static void part_of_vector(const struct debug_value *value, uint64_t index,
                           struct debug_value *part)
{
    *part = (struct debug_value){.number = value->number, .count = 1};
    part->bits[0] = value->bits[index];
    part->undefined[0] = value->undefined[index];
    if (value->type)
        part->type = debug_type_plain(value->type)->base;
    part->has_spot = value->has_spot && value->texel.size == 0;
    part->spot = value->spot;
    part->spot.offset += index * value->number.width;
}

static void part_of_struct(const struct debug_lane *lane, const struct debug_value *value,
                           const struct debug_member *member, struct debug_value *part)
{
    struct debug_spot spot = value->spot;
    if (member->bit_field) {
        debug_load_field(lane, member->type, spot, member->bit_offset, member->bit_size, part);
        return;
    }
    spot.offset += member->bit_offset / 8;
    debug_load(lane, member->type, spot, part);
}

void debug_part(const struct debug_lane *lane, const struct debug_value *value, uint64_t index,
                struct debug_value *part, const char **name)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    struct arena *arena = &lane->session->held;
    const char *made = NULL;
    if (value->opaque) {
        debug_opaque_part(value, (uint32_t)index, part, &made);
    } else if (value->count > 1) {
        part_of_vector(value, index, part);
        made = value->count <= 4 ? letters[index] : arena_format(arena, "s%x", (unsigned)index);
    } else {
        const struct debug_type *plain = debug_type_plain(value->type);
        const struct debug_type *element = value->slice ? value->type : plain->base;
        if (value->slice || plain->kind == DEBUG_TYPE_ARRAY) {
            struct debug_spot spot = value->spot;
            spot.offset += index * (element->size + value->slice_gap);
            debug_load(lane, element, spot, part);
            made = arena_format(arena, "[%" PRIu64 "]", value->slice_first + index);
        } else {
            part_of_struct(lane, value, &plain->members[index], part);
            made = plain->members[index].name;
        }
    }
    *name = made ? made : "";
}

/* ---- texts ---- */

static void append_floating(const struct debug_number *number, uint64_t bits, struct text *text)
{
    const double value = debug_to_double(number, bits);
    const int most = number->width == 8 ? 17 : number->width == 4 ? 9 : 5;
    char digits[64];
    if (isfinite(value) && fabs(value) < 0x1p53 && value == trunc(value) &&
        (value != 0 || !signbit(value))) {
        text_format(text, "%.0f", value);
        return;
    }
    for (int precision = 1; precision <= most; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (isnan(value) || debug_from_double(number, text_read_double(digits, NULL)) == bits)
            break;
    }
    text_append(text, isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : digits);
}

static void append_binary(uint64_t bits, uint32_t width, struct text *text)
{
    text_append(text, "0b");
    for (uint32_t i = 8 * width; i-- > 0;)
        text_append_char(text, bits >> i & 1 ? '1' : '0');
}

static const char *enumerator_of(const struct debug_type *type, uint64_t value)
{
    const struct debug_type *plain = type ? debug_type_plain(type) : NULL;
    for (uint32_t i = 0; plain && plain->kind == DEBUG_TYPE_ENUM && i < plain->enumerator_count;
         i++) {
        if (plain->enumerators[i].value == value)
            return plain->enumerators[i].name;
    }
    return NULL;
}

static void append_number(const struct debug_lane *lane, const struct debug_value *value,
                          uint32_t component, char format, struct text *text)
{
    const struct debug_number *number = &value->number;
    const uint64_t bits = value->bits[component];
    const uint64_t undefined = value->undefined[component];
    const uint64_t all = bits_low(8 * number->width);
    const uint64_t wide = debug_extend(number, bits);
    const char *enumerator = enumerator_of(value->type, wide);
    if (undefined &&
        (undefined == all || number->is_floating || number->is_pointer || number->is_boolean)) {
        text_append(text, undefined == all || number->is_boolean ? "undef" : "partly undef");
        return;
    }
    if (format == 'x')
        text_format(text, "0x%" PRIx64, bits & all);
    else if (format == 't')
        append_binary(bits & all, number->width, text);
    else if (number->is_pointer)
        debug_append_pointer(lane, bits, text);
    else if (number->is_floating && format != 'd' && format != 'u')
        append_floating(number, bits, text);
    else if (format == 'f')
        text_format(text, "%g", debug_to_double(number, bits));
    else if (number->is_boolean && format == 0)
        text_append(text, bits ? "true" : "false");
    else if (enumerator && format == 0)
        text_append(text, enumerator);
    else if (number->is_floating)
        text_format(text, "%.0f", debug_to_double(number, bits));
    else if ((number->is_signed || format == 'd') && format != 'u')
        text_format(text, "%" PRId64, (int64_t)wide);
    else
        text_format(text, "%" PRIu64, bits & all);
    if (number->is_character && (format == 0 || format == 'c') && bits >= 32 && bits < 127)
        text_format(text, " '%c'", (char)bits);
    if (undefined)
        text_format(text, " (bits 0x%" PRIx64 " undef)", undefined);
}

/* What is printed of one value: places in it, and characters. */
enum { PARTS_SHOWN = 64, TEXT_SHOWN = 4096, DEPTH_SHOWN = 8 };

static void print_parts(const struct debug_lane *lane, const struct debug_value *value, char format,
                        uint32_t depth, struct text *text);

static void print(const struct debug_lane *lane, const struct debug_value *value, char format,
                  uint32_t depth, struct text *text)
{
    if (value->unknown)
        text_format(text, "<%s>", value->unknown);
    else if (value->opaque == DEBUG_IMAGE && format == 0)
        debug_append_image(lane, value, text);
    else if (value->word && format == 0)
        text_append(text, value->word);
    else if (value->count == 0 || value->slice || (value->opaque && format == 0))
        print_parts(lane, value, format, depth, text);
    else if (value->count == 1)
        append_number(lane, value, 0, format, text);
    else {
        text_append(text, "{");
        for (uint32_t c = 0; c < value->count; c++) {
            text_append(text, c ? ", " : "");
            append_number(lane, value, c, format, text);
        }
        text_append(text, "}");
    }
}

static void print_parts(const struct debug_lane *lane, const struct debug_value *value, char format,
                        uint32_t depth, struct text *text)
{
    const uint64_t count = debug_part_count(value);
    const bool named = !value->slice && debug_type_plain(value->type)->kind != DEBUG_TYPE_ARRAY;
    text_append(text, "{");
    for (uint64_t i = 0; i < count; i++) {
        struct debug_value part;
        const char *name;
        text_append(text, i ? ", " : "");
        if (text->size > TEXT_SHOWN || (i >= PARTS_SHOWN && !value->slice) ||
            depth >= DEPTH_SHOWN) {
            text_append(text, "...");
            break;
        }
        debug_part(lane, value, i, &part, &name);
        if (named && name[0] != '\0')
            text_format(text, "%s = ", name);
        print(lane, &part, format, depth + 1, text);
    }
    text_append(text, "}");
}

void debug_print_value(const struct debug_lane *lane, const struct debug_value *value, char format,
                       struct text *text)
{
    print(lane, value, format, 0, text);
}

/* Sets what of it is defined: 1 = some, 2 = not all. */
static uint32_t definedness(const struct debug_lane *lane, const struct debug_value *value,
                            uint32_t depth)
{
    uint32_t found = 0;
    if (value->unknown)
        return 4;
    for (uint32_t c = 0; c < value->count && !value->slice; c++) {
        const uint64_t all = bits_low(8 * value->number.width);
        found |= value->undefined[c] == 0 ? 1 : value->undefined[c] == all ? 2 : 3;
    }
    const uint64_t parts = value->count == 0 || value->slice ? debug_part_count(value) : 0;
    for (uint64_t i = 0; i < parts && i < PARTS_SHOWN && depth < DEPTH_SHOWN; i++) {
        struct debug_value part;
        const char *name;
        debug_part(lane, value, i, &part, &name);
        found |= definedness(lane, &part, depth + 1);
    }
    return found;
}

const char *debug_value_state(const struct debug_lane *lane, const struct debug_value *value)
{
    const uint32_t found = definedness(lane, value, 0);
    return found & 4 ? "unknown" : found == 3 ? "partly" : found == 2 ? "undefined" : "defined";
}
