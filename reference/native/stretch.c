#include "reference/native/stretch.h"

#include "reference/native/stretch_loads.h"
#include "reference/native/stretch_rows.h"
#include "reference/native/stretch_undefined.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool stretches_init(struct stretches *stretches)
{
    stretches->units = alloc_zero(stretches->code->frame_units, sizeof *stretches->units);
    stretches->checks = stretches->before = stretches->lane = (struct text)TEXT_INIT;
    stretches->undefined = stretches->steps = stretches->known = (struct text)TEXT_INIT;
    return stretches->units != NULL;
}

void stretches_release(struct stretches *stretches)
{
    alloc_free(stretches->units);
    text_release(&stretches->checks);
    text_release(&stretches->before);
    text_release(&stretches->lane);
    text_release(&stretches->undefined);
    text_release(&stretches->steps);
    text_release(&stretches->known);
}

void stretches_begin(struct stretches *stretches, uint32_t block, uint32_t first)
{
    stretches->number++;
    stretches->block = block;
    stretches->first = first;
    stretches->count = 0;
    stretches->loads = false;
    stretches->load_count = 0;
    stretches->value_count = 0;
    stretches->opens = stretches->leaves = stretches->spoils = stretches->has_loop = false;
    stretches->sets = false;
    stretches->failed |= stretches->checks.failed || stretches->before.failed ||
                         stretches->lane.failed || stretches->undefined.failed ||
                         stretches->steps.failed || stretches->known.failed;
    text_clear(&stretches->checks);
    text_clear(&stretches->before);
    text_clear(&stretches->lane);
    stretch_steps_begin(stretches);
}

void stretches_begin_loads(struct stretches *stretches, uint32_t block, uint32_t first,
                           uint32_t memo)
{
    stretches_begin(stretches, block, first);
    stretches->loads = true;
    stretches->memo = memo;
}

/* ---- ops ---- */

enum { OPERANDS_MAX = 3 };

/* An op of rows: its expression is of the names a, b and c. */
struct row_op {
    struct operand dst, operands[OPERANDS_MAX];
    const char *types[OPERANDS_MAX]; /* of a, b and c, as ops.def names them */
    uint32_t count;
    const struct vm_instruction *in;
    bool once;  /* it is done once for all lanes */
    bool opens; /* its result may be left open */
};

static bool can_do(struct stretches *stretches, const struct row_op *op)
{
    for (uint32_t i = 0; i < op->count; i++) {
        if (!stretch_can_read(stretches, &op->operands[i]))
            return false;
    }
    return stretch_can_write(stretches, &op->dst);
}

/* The declarations of a, b and c. Float numbers that were computed here are taken as they are
 * before their NaNs are made canonical, unless the op `shows` bits of NaNs. */
static void append_operands(struct stretches *stretches, const struct row_op *op, bool shows,
                            struct text *declarations)
{
    for (uint32_t i = 0; i < op->count; i++) {
        const char *type = op->types[i];
        const struct stretch_value *value = stretch_value_at(stretches, op->operands[i].row);
        if (!op->once && type[0] == 'f' && value && value->floating && !shows) {
            text_format(declarations, " const %s %c = f_%" PRIu32 ";", type, (char)('a' + i),
                        value->number);
            continue;
        }
        const struct name name = op->once ? stretch_read_uniform(stretches, &op->operands[i])
                                          : stretch_read_lane(stretches, &op->operands[i]);
        text_format(declarations, " const %s %c = in_%s(%s);", type, (char)('a' + i), type,
                    name.text);
    }
}

static bool shows_nans(const char *expression)
{
    return strstr(expression, "copysign") != NULL;
}

static void append_op(struct stretches *stretches, const struct row_op *op, const char *type,
                      const char *expression)
{
    struct text *text = op->once ? &stretches->before : &stretches->lane;
    struct text declarations = TEXT_INIT;
    append_operands(stretches, op, shows_nans(expression), &declarations);
    const uint32_t step =
        op->once ? 0 : stretch_step(stretches, op->in, op->operands, op->count, op->opens);
    if (!op->once && type[0] == 'f') {
        const uint32_t number = stretch_give(stretches, &op->dst, STRETCH_LANE);
        stretches->values[stretches->value_count - 1].floating = true;
        text_format(text,
                    "const %s f_%" PRIu32 " = ({%s %s; });\nconst %s v_%" PRIu32
                    " = out_%s(f_%" PRIu32 ");\n",
                    type, number, declarations.bytes, expression, stretch_type(op->dst.width),
                    number, type, number);
    } else {
        stretch_begin_result(stretches, &op->dst, op->once);
        text_format(text, "({%s out_%s(%s); });\n", declarations.bytes, type, expression);
    }
    stretches->values[stretches->value_count - 1].step = step;
    text->failed |= declarations.failed;
    text_release(&declarations);
}

/* Where the result of the op would be left open. */
static void append_open(struct stretches *stretches, const struct row_op *op, const char *defined)
{
    struct text *text = op->once ? &stretches->before : &stretches->lane;
    stretches->opens = true;
    stretches->uses_active |= !op->once;
    struct text declarations = TEXT_INIT;
    append_operands(stretches, op, false, &declarations);
    if (op->once)
        text_format(text, "open |= ({%s (void)a; !(%s); });\n", declarations.bytes, defined);
    else
        text_format(text, "lane_open |= ({%s (void)a; !(%s); }) & (active_lanes[lane] != 0);\n",
                    declarations.bytes, defined);
    text->failed |= declarations.failed;
    text_release(&declarations);
}

static uint32_t width_of(const char *type)
{
    uint32_t bits = 0;
    for (const char *digit = type + 1; *digit >= '0' && *digit <= '9'; digit++)
        bits = bits * 10 + (uint32_t)(*digit - '0');
    return bits / 8;
}

static bool add_lane_op(struct stretches *stretches, const struct native_op *op,
                        const struct vm_instruction *in)
{
    const uint32_t rows[OPERANDS_MAX] = {in->a, in->b, in->c};
    const char *const types[OPERANDS_MAX] = {op->a, op->b, op->c};
    const bool once = vm_op_form((enum vm_op)in->op)->uniform;
    const bool truth = op->kind == NATIVE_OP_TRUTH;
    struct row_op row_op = {
        .dst = {.row = in->dst, .width = truth ? 0 : width_of(op->dst), .uniform = once},
        .in = in,
        .once = once,
        .opens = op->kind == NATIVE_OP_OPEN};
    for (uint32_t i = 0; i < OPERANDS_MAX && strcmp(types[i], "none") != 0; i++) {
        row_op.types[i] = types[i];
        row_op.operands[i] = once ? uniform_row(rows[i], width_of(types[i]))
                                  : varying_row(rows[i], width_of(types[i]));
        row_op.count++;
    }
    if (!can_do(stretches, &row_op))
        return false;
    if (op->kind == NATIVE_OP_OPEN)
        append_open(stretches, &row_op, op->defined);
    append_op(stretches, &row_op, !truth ? op->dst : once ? "all" : "truth", op->expression);
    return true;
}

/* ---- affine rows ---- */

/* "TERM2(u32, p1, p2, (u32)(a + b))": the expression of one term of each operand. */
static void append_term(struct text *text, const struct native_op *op, char x_term, uint32_t x,
                        char y_term, uint32_t y)
{
    if (strcmp(op->b, "none") == 0)
        text_format(text, "TERM1(%s, %c_%" PRIu32 ", %s)", op->a, x_term, x, op->expression);
    else
        text_format(text, "TERM2(%s, %s, %c_%" PRIu32 ", %c_%" PRIu32 ", %s)", op->a, op->b, x_term,
                    x, y_term, y, op->expression);
}

/* Expressions of sums, or of a sum and a number that is the same for all lanes: the sum of those
 * of the terms. Of `shifted` the second is such a number, of `scaled` one of them. */
static void append_terms(struct stretches *stretches, const struct native_op *op, uint32_t x,
                         uint32_t y, uint32_t number)
{
    struct text *text = &stretches->before;
    if (op->kind == NATIVE_OP_SCALED) {
        text_format(text, "SWAP_UNIFORM(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n", x,
                    y, stretches->names + 1, stretches->names + 2);
        x = ++stretches->names;
        y = ++stretches->names;
    }
    const bool by_number = op->kind != NATIVE_OP_LINEAR;
    if (by_number)
        text_format(text, "leave |= (q_%" PRIu32 " | j_%" PRIu32 ") != 0;\n", y, y);
    for (const char *term = "pqj"; *term; term++) {
        text_format(text, "const u64 %c_%" PRIu32 " = ", *term, number);
        append_term(text, op, *term, x, by_number ? 'p' : *term, y);
        text_append(text, ";\n");
    }
    stretches->leaves |= by_number;
}

/* If no active lane wraps. */
static void append_widened(struct stretches *stretches, const struct native_op *op, uint32_t x,
                           uint32_t number)
{
    const uint32_t from = width_of(op->a), to = width_of(op->dst);
    const bool is_signed = op->a[0] == 's';
    stretches->leaves = true;
    text_format(&stretches->before,
                "leave |= !fits(p_%" PRIu32 ", q_%" PRIu32 ", j_%" PRIu32
                ", run_shift, first_lane, last_lane, %" PRIu32 ", %d);\n",
                x, x, x, from, is_signed);
    text_format(&stretches->before,
                "const u64 p_%" PRIu32 " = (%s)terms_widened_base(p_%" PRIu32 ", q_%" PRIu32
                ", j_%" PRIu32 ", run_shift, first_lane, %" PRIu32 ", %d), q_%" PRIu32
                " = (%s)(s%" PRIu32 ")q_%" PRIu32 ", j_%" PRIu32 " = (%s)(s%" PRIu32 ")j_%" PRIu32
                ";\n",
                number, stretch_type(to), x, x, x, from, is_signed, number, stretch_type(to),
                8 * from, x, number, stretch_type(to), 8 * from, x);
}

/* Either is the same for all lanes, and less than what the terms of the other are multiples of. */
static void append_joined(struct stretches *stretches, const struct native_op *op, uint32_t x,
                          uint32_t y, uint32_t number)
{
    const uint32_t a = ++stretches->names, b = ++stretches->names;
    stretches->leaves = true;
    text_format(&stretches->before,
                "SWAP_UNIFORM(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n"
                "leave |= (q_%" PRIu32 " | j_%" PRIu32 ") != 0 || p_%" PRIu32
                " >= lowest_bit(p_%" PRIu32 " | q_%" PRIu32 " | j_%" PRIu32 ");\n"
                "const u64 q_%" PRIu32 " = q_%" PRIu32 ", j_%" PRIu32 " = j_%" PRIu32 ", p_%" PRIu32
                " = ",
                x, y, a, b, b, b, b, a, a, a, number, a, number, a, number);
    append_term(&stretches->before, op, 'p', a, 'p', b);
    text_append(&stretches->before, ";\n");
}

/* A comparison: for all active lanes at once, if it does not differ between them, else of elements.
 */
static bool add_comparison(struct stretches *stretches, const struct native_op *op,
                           const struct vm_instruction *in)
{
    const uint32_t rows[] = {in->a, in->b};
    const uint32_t width = width_of(op->a);
    struct row_op row_op = {
        .dst = mask_row(in->dst), .types = {op->a, op->b}, .count = 2, .in = in};
    for (uint32_t i = 0; i < row_op.count; i++)
        row_op.operands[i] = affine_row(rows[i], width);
    if (!can_do(stretches, &row_op))
        return false;
    const uint32_t x = stretch_read_terms(stretches, &row_op.operands[0]);
    const uint32_t y = stretch_read_terms(stretches, &row_op.operands[1]);
    append_op(stretches, &row_op, "truth", op->expression);
    struct stretch_value *value = &stretches->values[stretches->value_count - 1];
    value->decided = true;
    text_format(&stretches->before,
                "DECIDE(%s, %" PRIu32 ", %s, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %d, %s)\n",
                op->kind == NATIVE_OP_EQUAL ? "EQUAL" : "ORDERED", value->number, op->a, x, y,
                width, op->a[0] == 's', op->expression);
    return true;
}

static bool add_affine_op(struct stretches *stretches, const struct native_op *op,
                          const struct vm_instruction *in)
{
    const bool two = strcmp(op->b, "none") != 0;
    const struct operand dst = affine_row(in->dst, width_of(op->dst));
    const struct operand a = affine_row(in->a, width_of(op->a));
    const struct operand b = affine_row(in->b, two ? width_of(op->b) : 1);
    if (!stretch_can_read(stretches, &a) || (two && !stretch_can_read(stretches, &b)) ||
        !stretch_can_write(stretches, &dst))
        return false;
    const uint32_t x = stretch_read_terms(stretches, &a);
    const uint32_t y = two ? stretch_read_terms(stretches, &b) : 0;
    const uint32_t number = stretch_give(stretches, &dst, STRETCH_TERMS);
    if (op->kind == NATIVE_OP_WIDENED)
        append_widened(stretches, op, x, number);
    else if (op->kind == NATIVE_OP_JOINED)
        append_joined(stretches, op, x, y, number);
    else
        append_terms(stretches, op, x, y, number);
    return true;
}

static bool add_affine_move(struct stretches *stretches, const struct vm_instruction *in,
                            uint32_t width)
{
    const struct operand dst = affine_row(in->dst, width);
    const struct operand a = affine_row(in->a, width);
    if (!stretch_can_read(stretches, &a) || !stretch_can_write(stretches, &dst))
        return false;
    const uint32_t x = stretch_read_terms(stretches, &a);
    const uint32_t number = stretch_give(stretches, &dst, STRETCH_TERMS);
    text_format(&stretches->before,
                "const u64 p_%" PRIu32 " = p_%" PRIu32 ", q_%" PRIu32 " = q_%" PRIu32 ", j_%" PRIu32
                " = j_%" PRIu32 ";\n",
                number, x, number, x, number, x);
    return true;
}

static bool add_affine_splat(struct stretches *stretches, const struct vm_instruction *in,
                             uint32_t width)
{
    const struct operand dst = affine_row(in->dst, width);
    const struct operand a = uniform_row(in->a, width);
    if (!stretch_can_read(stretches, &a) || !stretch_can_write(stretches, &dst))
        return false;
    const struct name name = stretch_read_uniform(stretches, &a);
    text_format(&stretches->before, "CONSTANT_TERMS(%" PRIu32 ", %s)\n",
                stretch_give(stretches, &dst, STRETCH_TERMS), name.text);
    return true;
}

static bool add_affine_index(struct stretches *stretches, const struct vm_instruction *in)
{
    const struct operand dst = affine_row(in->dst, 8);
    const struct operand a = affine_row(in->a, 8);
    const struct operand b = affine_row(in->b, 8);
    if (!stretch_can_read(stretches, &a) || !stretch_can_read(stretches, &b) ||
        !stretch_can_write(stretches, &dst))
        return false;
    const uint32_t x = stretch_read_terms(stretches, &a), y = stretch_read_terms(stretches, &b);
    const uint32_t number = stretch_give(stretches, &dst, STRETCH_TERMS);
    for (const char *term = "pqj"; *term; term++)
        text_format(&stretches->before,
                    "const u64 %c_%" PRIu32 " = %c_%" PRIu32 " + %c_%" PRIu32
                    " * (u64)(s64)%" PRId32 ";\n",
                    *term, number, *term, x, *term, y, (int32_t)in->c);
    return true;
}

/* ---- named ops ---- */

/* Of 64-bit numbers: uniform rows and masks as a whole. */
static bool add_once(struct stretches *stretches, const struct vm_instruction *in, uint32_t count,
                     uint32_t masks, bool to_mask, const char *expression)
{
    const uint32_t rows[OPERANDS_MAX] = {in->a, in->b, in->c};
    struct row_op op = {.dst = to_mask ? mask_row(in->dst) : uniform_row(in->dst, 8),
                        .count = count,
                        .in = in,
                        .once = true};
    for (uint32_t i = 0; i < count; i++) {
        const bool mask = (masks >> i & 1) != 0;
        const struct stretch_value *value = stretch_value_at(stretches, rows[i]);
        if (mask && value && value->kind != STRETCH_ONCE)
            return false;
        op.operands[i] = mask ? mask_row(rows[i]) : uniform_row(rows[i], 8);
        op.types[i] = "u64";
    }
    if (!can_do(stretches, &op))
        return false;
    append_op(stretches, &op, "u64", expression);
    return true;
}

static bool has_truth(struct stretches *stretches, vm_row row)
{
    const struct stretch_value *value = stretch_value_at(stretches, row);
    return value && value->kind == STRETCH_TRUTH;
}

/* Masks of which one is computed in the loop are computed there, too. */
static bool add_mask_op(struct stretches *stretches, const struct vm_instruction *in,
                        uint32_t count, const char *whole, const char *lane)
{
    const uint32_t rows[OPERANDS_MAX] = {in->a, in->b, in->c};
    struct row_op op = {.dst = mask_row(in->dst), .count = count, .in = in};
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any |= has_truth(stretches, rows[i]);
        op.operands[i] = mask_row(rows[i]);
        op.types[i] = "truth";
    }
    if (!any)
        return add_once(stretches, in, count, (1U << count) - 1, true, whole);
    if (!can_do(stretches, &op))
        return false;
    append_op(stretches, &op, "truth", lane);
    return true;
}

/* Of varying rows: `width` bytes of each but for c, which is a mask. */
static bool add_rows_op(struct stretches *stretches, const struct vm_instruction *in,
                        uint32_t width, uint32_t count, const char *expression)
{
    const uint32_t rows[OPERANDS_MAX] = {in->a, in->b, in->c};
    struct row_op op = {.dst = varying_row(in->dst, width), .count = count, .in = in};
    for (uint32_t i = 0; i < count; i++) {
        op.operands[i] = varying_row(rows[i], i == 2 ? 0 : width);
        op.types[i] = i == 2 ? "truth" : stretch_type(width);
    }
    if (!can_do(stretches, &op))
        return false;
    append_op(stretches, &op, stretch_type(width), expression);
    return true;
}

static bool add_splat(struct stretches *stretches, const struct vm_instruction *in, uint32_t width)
{
    const struct operand dst = varying_row(in->dst, width);
    const struct operand from = uniform_row(in->a, width);
    if (!stretch_can_read(stretches, &from) || !stretch_can_write(stretches, &dst))
        return false;
    const struct name name = stretch_read_uniform(stretches, &from);
    const struct stretch_value *value = stretch_value_at(stretches, in->a);
    const uint32_t once = value ? value->number : stretch_unit_at(stretches, in->a)->once;
    stretch_begin_result(stretches, &dst, false);
    stretches->values[stretches->value_count - 1].once = once;
    text_format(&stretches->lane, "%s;\n", name.text);
    return true;
}

/* dst, of `width` bytes or a mask, = a in active lanes: what it was before is an operand, which
 * counts where not all lanes are active. */
static bool add_set(struct stretches *stretches, const struct vm_instruction *in, uint32_t width)
{
    const struct operand from = varying_row(in->a, width);
    const struct operand dst = varying_row(in->dst, width);
    if (!stretch_can_read(stretches, &from) || !stretch_can_read(stretches, &dst) ||
        !stretch_can_write(stretches, &dst))
        return false;
    const struct name name = stretch_read_lane(stretches, &from);
    const bool known = stretch_value_at(stretches, in->dst) != NULL;
    struct stretch_unit *unit = stretch_unit_at(stretches, in->dst);
    const bool checked = unit->checked;
    unit->checked = true;
    const struct name before = stretch_read_lane(stretches, &dst);
    unit->checked = checked;
    if (!known)
        stretch_check_defined(stretches, in->dst, true);
    stretches->uses_active = true;
    const uint32_t step = stretch_step_of(stretches, &from);
    stretch_begin_result(stretches, &dst, false);
    stretches->values[stretches->value_count - 1].step = step;
    text_format(&stretches->lane, "EVERY || active_lanes[lane] != 0 ? %s : %s;\n", name.text,
                before.text);
    stretches->sets = true;
    return true;
}

static bool add_index(struct stretches *stretches, const struct vm_instruction *in)
{
    const bool once = in->op == VM_OP_index_64_u;
    const struct operand a = once ? uniform_row(in->a, 8) : varying_row(in->a, 8);
    const struct operand b = once ? uniform_row(in->b, 8) : varying_row(in->b, 8);
    const struct row_op op = {.dst = once ? uniform_row(in->dst, 8) : varying_row(in->dst, 8),
                              .operands = {a, b},
                              .types = {"u64", "u64"},
                              .count = 2,
                              .in = in,
                              .once = once};
    char expression[64];
    if (!can_do(stretches, &op))
        return false;
    snprintf(expression, sizeof expression, "a + b * (u64)(s64)%" PRId32, (int32_t)in->c);
    append_op(stretches, &op, "u64", expression);
    return true;
}

#define ROWS(W)                                                                                    \
    case VM_OP_splat_##W:                                                                          \
        return add_splat(stretches, in, (W) / 8);                                                  \
    case VM_OP_mov_##W:                                                                            \
        return add_rows_op(stretches, in, (W) / 8, 1, "a");                                        \
    case VM_OP_set_##W:                                                                            \
        return add_set(stretches, in, (W) / 8);                                                    \
    case VM_OP_select_##W:                                                                         \
        return add_rows_op(stretches, in, (W) / 8, 3, "c ? a : b");                                \
    case VM_OP_splat_##W##_a:                                                                      \
        return add_affine_splat(stretches, in, (W) / 8);                                           \
    case VM_OP_mov_##W##_a:                                                                        \
    case VM_OP_set_##W##_a:                                                                        \
        return add_affine_move(stretches, in, (W) / 8);

static bool add_named(struct stretches *stretches, const struct vm_instruction *in)
{
    switch ((enum vm_op)in->op) {
        ROWS(8)
        ROWS(16)
        ROWS(32)
        ROWS(64)
    case VM_OP_index_64:
    case VM_OP_index_64_u:
        return add_index(stretches, in);
    case VM_OP_index_64_a:
        return add_affine_index(stretches, in);
    case VM_OP_mov_u:
        return add_once(stretches, in, 1, 0, false, "a");
    case VM_OP_select_u:
        return add_once(stretches, in, 3, 4, false, "c ? a : b");
    case VM_OP_mov_mask:
        return add_mask_op(stretches, in, 1, "a", "a");
    case VM_OP_set_mask:
        return add_set(stretches, in, 0);
    case VM_OP_mask_and:
        return add_mask_op(stretches, in, 2, "a & b", "a & b");
    case VM_OP_mask_or:
        return add_mask_op(stretches, in, 2, "a | b", "a | b");
    case VM_OP_mask_xor:
        return add_mask_op(stretches, in, 2, "a ^ b", "a ^ b");
    case VM_OP_mask_not:
        return add_mask_op(stretches, in, 1, "~a", "!a");
    case VM_OP_mask_select:
        return add_mask_op(stretches, in, 3, "(a & c) | (b & ~c)", "c ? a : b");
    default:
        return false;
    }
}
#undef ROWS

/* ---- the whole ---- */

/* Does the instruction write what the stretch, or itself, has read from the frame? */
static bool will_spoil(struct stretches *stretches, const struct vm_instruction *in)
{
    const uint32_t rows[OPERANDS_MAX] = {in->a, in->b, in->c};
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    for (uint32_t i = 0; i < OPERANDS_MAX; i++) {
        if (shape.operands[VM_OPERAND_A + i].kind == VM_OPERAND_ROW && rows[i] == in->dst &&
            !stretch_value_at(stretches, in->dst))
            return true;
    }
    if (shape.operands[VM_OPERAND_DST].affine && stretch_unit_at(stretches, in->dst - 1)->terms)
        return true;
    for (uint32_t i = 0; i < operand_units(&shape.operands[VM_OPERAND_DST]); i++) {
        const struct stretch_unit *unit = stretch_unit_at(stretches, in->dst + i);
        if (unit->read || unit->once)
            return true;
    }
    return (shape.traits & VM_PARTLY) != 0 && !stretch_value_at(stretches, in->dst);
}

bool stretches_add(struct stretches *stretches, const struct vm_instruction *in)
{
    const struct native_op *op = native_op_find(stretches->set, (enum vm_op)in->op);
    const bool opens = stretches->opens || (op && op->kind == NATIVE_OP_OPEN);
    const bool spoils = stretches->spoils || will_spoil(stretches, in);
    if (stretches->count == STRETCH_MAX || stretches->value_count == STRETCH_MAX ||
        (opens && spoils))
        return false;
    if (stretches->is_idle[stretches->first + stretches->count]) {
        stretches->count++;
        return true;
    }
    if (!(!op ? (stretches->loads && stretch_add_load(stretches, in)) || add_named(stretches, in)
          : op->kind == NATIVE_OP_ORDERED || op->kind == NATIVE_OP_EQUAL
              ? add_comparison(stretches, op, in)
          : vm_op_form((enum vm_op)in->op)->affine ? add_affine_op(stretches, op, in)
                                                   : add_lane_op(stretches, op, in)))
        return false;
    stretches->spoils = spoils;
    stretches->count++;
    return true;
}

/* Is the value the last one of its row, and are its elements read after the stretch? */
static bool is_wanted(struct stretches *stretches, uint32_t index)
{
    const struct stretch_value *value = &stretches->values[index];
    bool read = false;
    for (uint32_t i = 0; i < value->units; i++)
        read |= stretches->live->now[value->row + i];
    return read && stretch_unit_at(stretches, value->row)->value == index + 1;
}

/* Or its terms? */
static bool wants_terms(struct stretches *stretches, uint32_t index)
{
    const struct stretch_value *value = &stretches->values[index];
    return value->kind == STRETCH_TERMS && stretches->live->now[value->row - 1] &&
           stretch_unit_at(stretches, value->row - 1)->value == index + 1;
}

/* Has the loop nothing to give but comparisons that may be decided without it? */
static bool only_decides(struct stretches *stretches)
{
    bool any = false;
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        const struct stretch_value *value = &stretches->values[i];
        if ((value->kind != STRETCH_ONCE && is_wanted(stretches, i) && !value->decided) ||
            value->step != 0)
            return false;
        any |= value->decided;
    }
    return any && !stretches->opens;
}

static void append_undecided(struct stretches *stretches)
{
    text_append(stretches->text, "if (0");
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        if (stretches->values[i].decided && is_wanted(stretches, i))
            text_format(stretches->text, " || decided_%" PRIu32 " == 0",
                        stretches->values[i].number);
    }
    text_append(stretches->text, ")\n");
}

static void append_lanes(struct stretches *stretches)
{
    struct text *text = stretches->text;
    text_append(text, stretches->load_count ? "RUNS {\n" : "LANES {\n");
    text_append_n(text, stretches->lane.bytes, stretches->lane.size);
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        const struct stretch_value *value = &stretches->values[i];
        if (!is_wanted(stretches, i))
            continue;
        if (value->kind == STRETCH_TRUTH)
            text_format(text, "t_%" PRIu32 "[lane] = b_%" PRIu32 ";\n", value->number,
                        value->number);
        else if (value->kind == STRETCH_LANE)
            text_format(text, "ROW(%s, %" PRIu32 ")[lane] = v_%" PRIu32 ";\n",
                        stretch_type(value->width), value->row, value->number);
        else if (value->kind == STRETCH_TERMS)
            text_format(text, "ROW(%s, %" PRIu32 ")[lane] = ELEMENT(%s, %" PRIu32 ");\n",
                        stretch_type(value->width), value->row, stretch_type(value->width),
                        value->number);
    }
    text_append(text, "}\n");
}

static void end_loop(struct stretches *stretches)
{
    struct text *text = stretches->text;
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        if (stretches->values[i].kind == STRETCH_TRUTH && is_wanted(stretches, i))
            text_format(text, "TRUTHS(t_%" PRIu32 ")\n", stretches->values[i].number);
    }
    if (stretches->decides)
        append_undecided(stretches);
    if (!stretches->sets) {
        append_lanes(stretches);
        return;
    }
    text_append(text, "if (partly) {\nenum { EVERY = 0 };\n");
    append_lanes(stretches);
    text_append(text, "} else {\nenum { EVERY = 1 };\n");
    append_lanes(stretches);
    text_append(text, "}\n");
}

static void append_after(struct stretches *stretches)
{
    struct text *text = stretches->text;
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        const struct stretch_value *value = &stretches->values[i];
        const bool terms = wants_terms(stretches, i);
        if (terms)
            text_format(text, "WRITE_TERMS(%" PRIu32 ", %" PRIu32 ", %s)\n", value->row,
                        value->number, is_wanted(stretches, i) ? "BOTH" : "ONLY");
        if (!is_wanted(stretches, i) && !terms)
            continue;
        if (value->kind == STRETCH_TRUTH && stretches->decides)
            text_format(text,
                        "*ROW(u64, %" PRIu32 ") = decided_%" PRIu32 " == 0 ? gather(t_%" PRIu32
                        ") : decided_%" PRIu32 " == ALL ? ~(u64)0 : 0;\n",
                        value->row, value->number, value->number, value->number);
        else if (value->kind == STRETCH_TRUTH)
            text_format(text, "*ROW(u64, %" PRIu32 ") = gather(t_%" PRIu32 ");\n", value->row,
                        value->number);
        else if (value->kind == STRETCH_ONCE)
            text_format(text, "*ROW(%s, %" PRIu32 ") = s_%" PRIu32 ";\n",
                        stretch_type(value->width), value->row, value->number);
        text_format(text, "undefined[%" PRIu32 "] = 0;\n", value->row);
    }
}

/* What is done instead of the stretch. */
static void append_otherwise(struct stretches *stretches)
{
    if (stretches->loads)
        text_format(stretches->text, "goto apart_%" PRIu32 ";\n", stretches->number);
    else
        text_format(stretches->text, "INTERPRET(%" PRIu32 ", %" PRIu32 ")\n",
                    stretches->code->blocks[stretches->block].first + stretches->first,
                    stretches->count);
    text_append(stretches->text, "} else {\n");
}

void stretches_end(struct stretches *stretches)
{
    struct text *text = stretches->text;
    if (stretches->count == 0)
        return;
    stretches->failed |= text->failed;
    live_after(stretches->live, stretches->block, stretches->first + stretches->count);
    bool wanted[STRETCH_MAX];
    for (uint32_t i = 0; i < stretches->value_count; i++)
        wanted[i] = is_wanted(stretches, i);
    const bool follows = !stretches->loads && stretch_steps_end(stretches, wanted);
    if (stretches->loads)
        text_format(text, "if (may_load(call, %" PRIu32 ")) {\n", stretches->memo);
    text_format(text, "if (RARE((0%s) != 0)) {\n", stretches->checks.bytes);
    append_otherwise(stretches);
    if (stretches->opens)
        text_append(text, "u8 open = 0, lane_open = 0;\n");
    if (stretches->leaves)
        text_append(text, "u8 leave = 0;\n");
    if (stretches->loads)
        stretch_whole_begin(stretches);
    text_append_n(text, stretches->before.bytes, stretches->before.size);
    if (stretches->leaves) {
        text_append(text, "if (RARE(leave)) {\n");
        append_otherwise(stretches);
    }
    for (uint32_t i = 0; i < stretches->value_count; i++)
        stretches->has_loop |=
            stretches->values[i].kind == STRETCH_TERMS && is_wanted(stretches, i);
    stretches->decides = only_decides(stretches);
    if (stretches->has_loop)
        end_loop(stretches);
    if (stretches->opens) {
        text_append(text, "if (RARE(open | lane_open)) {\n");
        append_otherwise(stretches);
    }
    append_after(stretches);
    if (follows)
        text_append(text, "PUT_UNDEFINED\n");
    if (stretches->loads)
        stretch_whole_end(stretches, wanted);
    if (stretches->loads)
        text_format(text, "call->memos[%" PRIu32 "].tries = 0;\ngoto done_%" PRIu32 ";\n",
                    stretches->memo, stretches->number);
    text_append(text, stretches->opens ? "}\n}\n" : "}\n");
    text_append(text, stretches->leaves ? "}\n" : "");
    if (stretches->loads)
        text_format(text, "}\napart_%" PRIu32 ":;\n", stretches->number);
}
