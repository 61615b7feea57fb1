/* What `catch` stops at. Findings come from the checkers; the others are looked for at the sites
 * where they may happen, which have a stop each while they are caught. */
#include "reference/debug/evaluate.h"
#include "reference/debug/look.h"
#include "reference/vm/shape.h"
#include "trace/base/alloc.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum happening { NAN_MADE, UNDEFINED_USED, LANES_PART, HAPPENING_COUNT };
static const char *const names[HAPPENING_COUNT] = {"nan", "undefined", "divergence"};

enum { OPERANDS = VM_OPERAND_COUNT - VM_OPERAND_A, ROW_SIZE = VM_LANES * 8 };

struct debug_catches {
    bool on[HAPPENING_COUNT];
    char *condition[HAPPENING_COUNT]; /* NULL = none */
    /* The instruction whose result is to be looked at before the next one: */
    bool expects;
    uint32_t site, vector;
    uint8_t operands[OPERANDS][ROW_SIZE]; /* what its operands were */
};

/* ---- rows of numbers ---- */

static bool is_nan(const uint8_t *row, uint32_t width, bool uniform, uint32_t lane)
{
    static const uint64_t infinities[] = {
        [2] = 0x7C00, [4] = 0x7F800000, [8] = UINT64_C(0x7FF0000000000000)};
    uint64_t bits = 0;
    memcpy(&bits, row + (uniform ? 0 : (size_t)lane * width), width);
    return (bits & ~(UINT64_C(1) << (8 * width - 1))) > infinities[width];
}

static bool is_number(const struct vm_operand_form *form)
{
    return form->kind == VM_OPERAND_ROW && form->floating;
}

/* Of fused multiplications of half the result is told as bits. */
static bool makes_number(const struct vm_instruction *in)
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    bool any = false;
    for (uint32_t i = VM_OPERAND_A; i < VM_OPERAND_COUNT; i++)
        any |= is_number(&form->operands[i]);
    return any && (is_number(&form->operands[VM_OPERAND_DST]) || in->op == VM_OP_fma_f16 ||
                   in->op == VM_OP_fma_f16_u);
}

static const uint32_t *operand_rows(const struct vm_instruction *in, uint32_t rows[OPERANDS])
{
    rows[0] = in->a;
    rows[1] = in->b;
    rows[2] = in->c;
    return rows;
}

static const uint8_t *row_bytes(const struct vm_vector *vector, vm_row row)
{
    return vector->units + (size_t)row * VM_UNIT_SIZE;
}

/* ---- what happens at a site ---- */

static uint64_t lanes_of_mask(const struct vm_vector *vector, vm_row row)
{
    uint64_t mask;
    memcpy(&mask, row_bytes(vector, row), sizeof mask);
    return mask & vector->active;
}

/* The row on which it depends where an access goes, or which way lanes go; 0 = none. */
static vm_row deciding_row(const struct vm_instruction *in)
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const struct vm_operand_form *address = &form->operands[VM_OPERAND_A];
    if (in->op == VM_OP_branch_if)
        return in->c;
    return (form->traits & VM_MEMORY) && address->kind == VM_OPERAND_ROW && address->width == 8
               ? in->a
               : 0;
}

static bool may_happen(const struct debug_catches *catches, const struct vm_instruction *in)
{
    return (catches->on[NAN_MADE] && makes_number(in)) ||
           (catches->on[UNDEFINED_USED] && deciding_row(in) != 0) ||
           (catches->on[LANES_PART] && in->op == VM_OP_branch_if);
}

bool debug_set_catches(struct debug_session *session)
{
    const struct debug_catches *catches = session->catches;
    bool any = false;
    if (!catches || session->move.mode == DEBUG_MODE_LEAVE)
        return false;
    for (uint32_t site = 0; site < session->code->instruction_count; site++) {
        if (may_happen(catches, &session->code->instructions[site]))
            any |= session->stops[site] |= DEBUG_STOP_CATCH;
    }
    return any;
}

void debug_catch_before(struct debug_session *session, const struct vm_vector *vector,
                        uint32_t site)
{
    struct debug_catches *catches = session->catches;
    const struct vm_instruction *in = &session->code->instructions[site];
    uint32_t rows[OPERANDS];
    if (!(session->stops[site] & DEBUG_STOP_CATCH) || !catches->on[NAN_MADE] || !makes_number(in))
        return;
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    operand_rows(in, rows);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const struct vm_operand_form *operand = &form->operands[VM_OPERAND_A + i];
        if (is_number(operand))
            memcpy(catches->operands[i], row_bytes(vector, rows[i]),
                   (size_t)operand->width * (form->uniform ? 1 : VM_LANES));
    }
    catches->expects = true;
    catches->site = site;
    catches->vector = vector->index;
    debug_stop_next(session);
}

/* ---- has it happened? ---- */

/* The first of the lanes for which the condition holds; VM_LANES = none. */
static uint32_t first_lane(struct debug_session *session, enum happening what, uint32_t vector,
                           uint64_t lanes)
{
    const char *condition = session->catches->condition[what];
    FOR_EACH_LANE(lane, lanes) {
        const struct debug_lane at = debug_lane_of(session, vector, (uint32_t)lane, 0);
        struct debug_value value;
        struct error error;
        if (!condition || (debug_evaluate_text(&at, condition, false, &value, &error) &&
                           debug_is_true_value(&value)))
            return (uint32_t)lane;
    }
    return VM_LANES;
}

static void append_item(struct debug_session *session, uint32_t vector, uint32_t lane,
                        uint64_t lanes, struct text *text)
{
    const int count = __builtin_popcountll(lanes);
    text_append(text, "item (");
    for (uint32_t d = 0; d < 3; d++)
        text_format(text, d ? ",%" PRIu64 : "%" PRIu64,
                    debug_item(session, vector, lane, d, false));
    text_append(text, ")");
    if (count > 1)
        text_format(text, " and %d more", count - 1);
}

/* It stands for one of the lanes, if its condition holds. */
static bool stand_for(struct debug_session *session, enum happening what, uint32_t vector,
                      uint32_t lane, const struct text *text)
{
    session->stop.reason = names[what];
    session->vector = vector;
    session->lane = lane;
    debug_say(session, text->bytes);
    return true;
}

static uint64_t lanes_made_nan(const struct debug_catches *catches, const struct vm_vector *vector,
                               const struct vm_instruction *in)
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const struct vm_operand_form *result = &form->operands[VM_OPERAND_DST];
    uint64_t lanes = 0;
    FOR_EACH_LANE(lane, vector->active & ~vector->undefined[in->dst]) {
        bool made =
            is_nan(row_bytes(vector, in->dst), result->width, form->uniform, (uint32_t)lane);
        for (uint32_t i = 0; i < OPERANDS && made; i++) {
            const struct vm_operand_form *operand = &form->operands[VM_OPERAND_A + i];
            made = !is_number(operand) ||
                   !is_nan(catches->operands[i], operand->width, form->uniform, (uint32_t)lane);
        }
        lanes |= (uint64_t)made << lane;
    }
    return lanes;
}

/* "fdiv_f32 of 0 and 0" */
static void append_operation(const struct debug_catches *catches, const struct vm_instruction *in,
                             uint32_t lane, struct text *text)
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const char *name = vm_op_name((enum vm_op)in->op);
    const char *before = " of ";
    text_append_n(text, name, strcspn(name, "_"));
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const struct vm_operand_form *operand = &form->operands[VM_OPERAND_A + i];
        const struct debug_number number = {.width = operand->width, .is_floating = true};
        uint64_t bits = 0;
        if (!is_number(operand))
            continue;
        memcpy(&bits, catches->operands[i] + (form->uniform ? 0 : (size_t)lane * operand->width),
               operand->width);
        text_format(text, "%s%.9g", before, debug_to_double(&number, bits));
        before = " and ";
    }
}

static bool caught_nan(struct debug_session *session, const struct vm_vector *vector)
{
    struct debug_catches *catches = session->catches;
    const struct vm_instruction *in = &session->code->instructions[catches->site];
    struct text text = TEXT_INIT;
    if (!catches->expects || vector->index != catches->vector)
        return false;
    catches->expects = false;
    const uint64_t lanes = lanes_made_nan(catches, vector, in);
    const uint32_t lane = first_lane(session, NAN_MADE, vector->index, lanes);
    if (lane == VM_LANES)
        return false;
    const struct vm_place *place = debug_place(session, debug_site_place(session, catches->site));
    append_item(session, vector->index, lane, lanes, &text);
    text_append(&text, " made a NaN");
    if (place->line)
        text_format(&text, ", line %u", place->line);
    text_append(&text, ": ");
    append_operation(catches, in, lane, &text);
    stand_for(session, NAN_MADE, vector->index, lane, &text);
    text_release(&text);
    return true;
}

static bool caught_undefined(struct debug_session *session, const struct vm_vector *vector,
                             const struct vm_instruction *in)
{
    const vm_row row = deciding_row(in);
    struct text text = TEXT_INIT;
    const uint64_t lanes = row ? vector->undefined[row] & vector->active : 0;
    const uint32_t lane = first_lane(session, UNDEFINED_USED, vector->index, lanes);
    if (lane == VM_LANES)
        return false;
    append_item(session, vector->index, lane, lanes, &text);
    text_append(&text, in->op == VM_OP_branch_if
                           ? ": the way to go depends on an undefined value"
                           : ": the address of the access depends on an undefined value");
    stand_for(session, UNDEFINED_USED, vector->index, lane, &text);
    text_release(&text);
    return true;
}

static bool caught_divergence(struct debug_session *session, const struct vm_vector *vector,
                              const struct vm_instruction *in)
{
    struct text text = TEXT_INIT;
    const uint64_t taken = in->op == VM_OP_branch_if ? lanes_of_mask(vector, in->c) : 0;
    const uint64_t rest = vector->active & ~taken;
    const uint32_t lane =
        taken && rest ? first_lane(session, LANES_PART, vector->index, vector->active) : VM_LANES;
    if (lane == VM_LANES)
        return false;
    text_format(&text, "work-items part: for %d the condition holds, for %d it does not",
                __builtin_popcountll(taken), __builtin_popcountll(rest));
    stand_for(session, LANES_PART, vector->index, lane, &text);
    text_release(&text);
    return true;
}

bool debug_caught(struct debug_session *session, const struct vm_vector *vector, uint32_t site)
{
    const struct debug_catches *catches = session->catches;
    const struct vm_instruction *in = &session->code->instructions[site];
    if (!catches)
        return false;
    bool caught = caught_nan(session, vector);
    if (!(session->stops[site] & DEBUG_STOP_CATCH))
        return caught;
    caught |= catches->on[UNDEFINED_USED] && caught_undefined(session, vector, in);
    return (catches->on[LANES_PART] && caught_divergence(session, vector, in)) || caught;
}

/* ---- requests ---- */

void debug_catches_release(struct debug_session *session)
{
    for (uint32_t i = 0; i < HAPPENING_COUNT && session->catches; i++)
        alloc_free(session->catches->condition[i]);
    alloc_free(session->catches);
}

static bool set_catch(struct debug_session *session, enum happening what, bool on,
                      const char *condition, struct error *error)
{
    if (!session->catches)
        session->catches = alloc_zero(1, sizeof *session->catches);
    char *copy = condition ? alloc_string(condition) : NULL;
    if (!session->catches || (condition && !copy)) {
        error_no_memory(error, sizeof *session->catches);
        return false;
    }
    alloc_free(session->catches->condition[what]);
    session->catches->condition[what] = copy;
    session->catches->on[what] = on;
    session->catches->expects = false;
    return true;
}

bool debug_answer_catch(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error)
{
    const char *what = json_object_text(request, "what");
    const char *rule = json_object_text(request, "rule");
    const char *condition = json_object_text(request, "condition");
    const bool on = !json_object_item(request, "on") || json_object_flag(request, "on");
    (void)answer;
    for (uint32_t i = 0; what && i < HAPPENING_COUNT; i++) {
        if (strcmp(what, names[i]) == 0)
            return set_catch(session, (enum happening)i, on, condition, error);
    }
    if (condition) {
        error_set(error, STATUS_INVALID,
                  "a condition can be of nan, undefined and divergence; not of '%s'",
                  what ? what : "");
        return false;
    }
    if (what && strcmp(what, "finding") == 0) {
        session->catches_finding = on;
        alloc_free(session->caught_rule);
        session->caught_rule = on && rule ? alloc_string(rule) : NULL;
    } else if (what && strcmp(what, "barrier") == 0) {
        session->catches_barrier = on;
    } else if (what && strcmp(what, "launch") == 0) {
        session->catches_launch = on;
    } else if (what && strcmp(what, "end") == 0) {
        session->catches_end = on;
    } else {
        error_set(error, STATUS_INVALID,
                  "caught can be: finding, nan, undefined, divergence, barrier, launch, end; "
                  "not '%s'",
                  what ? what : "");
        return false;
    }
    return true;
}
