#include "reference/native/stretch_rows.h"

#include "reference/native/stretch_undefined.h"

#include "trace/base/assert.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- what is known of rows ---- */

struct stretch_unit *stretch_unit_at(struct stretches *stretches, vm_row row)
{
    struct stretch_unit *unit = &stretches->units[row];
    if (unit->stretch != stretches->number)
        *unit = (struct stretch_unit){.stretch = stretches->number};
    return unit;
}

struct stretch_value *stretch_value_at(struct stretches *stretches, vm_row row)
{
    const uint32_t value = stretch_unit_at(stretches, row)->value;
    return value ? &stretches->values[value - 1] : NULL;
}

bool stretch_can_read(struct stretches *stretches, const struct operand *operand)
{
    const uint32_t units = operand_row_units(operand);
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    for (uint32_t i = 0; i < units; i++) {
        if (stretch_value_at(stretches, operand->row + i) != value)
            return false;
    }
    if (operand->affine && stretch_value_at(stretches, operand->row - 1) != value)
        return false;
    if (!value)
        return true;
    if (value->row != operand->row || value->units != units)
        return false;
    if (operand->affine)
        return value->kind == STRETCH_TERMS;
    if (operand->width == 0)
        return value->kind == STRETCH_TRUTH ||
               (value->kind == STRETCH_ONCE && value->width == sizeof(uint64_t));
    return operand->uniform ? value->kind == STRETCH_ONCE
                            : value->kind == STRETCH_LANE || value->kind == STRETCH_TERMS;
}

bool stretch_can_write(struct stretches *stretches, const struct operand *operand)
{
    const uint32_t units = operand_row_units(operand);
    for (uint32_t i = 0; i < units; i++) {
        const struct stretch_unit *unit = stretch_unit_at(stretches, operand->row + i);
        const struct stretch_value *value = stretch_value_at(stretches, operand->row + i);
        if (value && (value->row != operand->row || value->units != units))
            return false;
        if (unit->read && (unit->read != operand->row || unit->read_units != units))
            return false;
    }
    if (operand->affine) {
        const struct stretch_value *value = stretch_value_at(stretches, operand->row - 1);
        return !stretch_unit_at(stretches, operand->row - 1)->read &&
               (!value || (value->row == operand->row && value->kind == STRETCH_TERMS));
    }
    return true;
}

/* ---- reading ---- */

void stretch_check_defined(struct stretches *stretches, vm_row row, bool partly)
{
    struct stretch_unit *unit = stretch_unit_at(stretches, row);
    if (stretches->is_constant[row] || unit->checked)
        return;
    unit->checked = !partly;
    text_format(&stretches->checks,
                partly ? " | (undefined[%" PRIu32 "] & partly)" : " | undefined[%" PRIu32 "]", row);
}

/* The number of the sN that has what stands in the frame. */
static uint32_t read_once(struct stretches *stretches, vm_row row)
{
    struct stretch_unit *unit = stretch_unit_at(stretches, row);
    if (!unit->once) {
        unit->once = ++stretches->names;
        if (stretches->is_constant[row])
            text_format(&stretches->before, "const u64 s_%" PRIu32 " = %" PRIu64 "u;\n", unit->once,
                        stretches->constants[row]);
        else
            text_format(&stretches->before, "const u64 s_%" PRIu32 " = *ROW(u64, %" PRIu32 ");\n",
                        unit->once, row);
    }
    return unit->once;
}

static struct name name_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct name name_format(const char *format, ...)
{
    struct name name;
    va_list list;
    va_start(list, format);
    const int size = vsnprintf(name.text, sizeof name.text, format, list);
    va_end(list);
    ASSERT(size > 0 && (size_t)size < sizeof name.text);
    return name;
}

struct name stretch_read_uniform(struct stretches *stretches, const struct operand *operand)
{
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    if (!value)
        stretch_check_defined(stretches, operand->row, false);
    return name_format("(%s)s_%" PRIu32, stretch_type(operand->width ? operand->width : 8),
                       value ? value->number : read_once(stretches, operand->row));
}

uint32_t stretch_read_terms(struct stretches *stretches, const struct operand *operand)
{
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    struct stretch_unit *unit = stretch_unit_at(stretches, operand->row - 1);
    if (value || unit->terms)
        return value ? value->number : unit->terms;
    unit->terms = ++stretches->names;
    if (stretches->is_constant[operand->row]) {
        text_format(&stretches->before, "CONSTANT_TERMS(%" PRIu32 ", (%s)%" PRIu64 "u)\n",
                    unit->terms, stretch_type(operand->width), stretches->constants[operand->row]);
        return unit->terms;
    }
    text_format(&stretches->checks, " | (TERMS(%" PRIu32 ")->form == NO_TERMS)", operand->row);
    text_format(&stretches->before, "READ_TERMS(%" PRIu32 ", %" PRIu32 ")\n", unit->terms,
                operand->row);
    return unit->terms;
}

/* The mask sN as bytes, one a lane. */
static uint32_t spread(struct stretches *stretches, vm_row row, uint32_t once)
{
    struct stretch_unit *unit = stretch_unit_at(stretches, row);
    if (!unit->spread) {
        unit->spread = ++stretches->names;
        text_format(&stretches->before, "SPREAD(e_%" PRIu32 ", s_%" PRIu32 ")\n", unit->spread,
                    once);
    }
    return unit->spread;
}

static struct name read_truth(struct stretches *stretches, const struct operand *operand)
{
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    if (value && value->kind == STRETCH_TRUTH)
        return name_format("b_%" PRIu32, value->number);
    if (!value)
        stretch_check_defined(stretches, operand->row, false);
    const uint32_t once = value ? value->number : read_once(stretches, operand->row);
    return name_format("(e_%" PRIu32 "[lane] != 0)", spread(stretches, operand->row, once));
}

struct name stretch_read_lane(struct stretches *stretches, const struct operand *operand)
{
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    stretches->has_loop = true;
    if (operand->width == 0)
        return read_truth(stretches, operand);
    if (operand->affine || (value && value->kind == STRETCH_TERMS))
        return name_format("ELEMENT(%s, %" PRIu32 ")", stretch_type(operand->width),
                           operand->affine ? stretch_read_terms(stretches, operand)
                                           : value->number);
    if (value)
        return name_format("v_%" PRIu32, value->number);
    if (stretches->is_constant[operand->row])
        return name_format("(%s)%" PRIu64 "u", stretch_type(operand->width),
                           stretches->constants[operand->row]);
    stretch_read_step(stretches, operand);
    for (uint32_t i = 0; i < operand->width; i++) {
        struct stretch_unit *unit = stretch_unit_at(stretches, operand->row + i);
        unit->read = operand->row;
        unit->read_units = operand->width;
    }
    return name_format("ROW(%s, %" PRIu32 ")[lane]", stretch_type(operand->width), operand->row);
}

/* ---- writing ---- */

uint32_t stretch_give(struct stretches *stretches, const struct operand *dst,
                      enum stretch_kind kind)
{
    ASSERT(stretches->value_count < STRETCH_MAX);
    struct stretch_value *value = &stretches->values[stretches->value_count++];
    *value = (struct stretch_value){.kind = kind,
                                    .row = dst->row,
                                    .units = operand_row_units(dst),
                                    .width = dst->width ? dst->width : sizeof(uint64_t),
                                    .number = ++stretches->names};
    for (uint32_t i = 0; i < value->units; i++) {
        struct stretch_unit *unit = stretch_unit_at(stretches, dst->row + i);
        unit->value = stretches->value_count;
        unit->spread = 0;
    }
    if (kind == STRETCH_TERMS)
        stretch_unit_at(stretches, dst->row - 1)->value = stretches->value_count;
    stretches->has_loop |= kind == STRETCH_LANE || kind == STRETCH_TRUTH;
    return value->number;
}

void stretch_begin_result(struct stretches *stretches, const struct operand *dst, bool once)
{
    if (once)
        text_format(&stretches->before, "const %s s_%" PRIu32 " = ",
                    stretch_type(dst->width ? dst->width : sizeof(uint64_t)),
                    stretch_give(stretches, dst, STRETCH_ONCE));
    else if (dst->width == 0)
        text_format(&stretches->lane, "const _Bool b_%" PRIu32 " = ",
                    stretch_give(stretches, dst, STRETCH_TRUTH));
    else
        text_format(&stretches->lane, "const %s v_%" PRIu32 " = ", stretch_type(dst->width),
                    stretch_give(stretches, dst, STRETCH_LANE));
}
