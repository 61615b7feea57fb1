#include "reference/native/stretch_loads.h"

#include "reference/native/stretch_rows.h"
#include "reference/native/stretch_undefined.h"
#include "reference/vm/native_call.h"

#include <inttypes.h>

static uint64_t alignment_of(const struct vm_instruction *in)
{
    return UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT);
}

/* The memo of the load that is added; VM_NATIVE_MEMOS: it has none. */
static uint32_t next_memo(const struct stretches *stretches)
{
    const uint32_t memo = stretches->memo + stretches->load_count;
    return memo < VM_NATIVE_MEMOS ? memo : VM_NATIVE_MEMOS;
}

/* One component for each lane. */
static bool add_affine_load(struct stretches *stretches, const struct vm_instruction *in)
{
    const struct operand dst = varying_row(in->dst, in->width);
    const struct operand address = affine_row(in->a, 8);
    const uint32_t memo = next_memo(stretches);
    if (in->count != 1 || memo == VM_NATIVE_MEMOS || !stretch_can_read(stretches, &address) ||
        !stretch_can_write(stretches, &dst))
        return false;
    const uint32_t terms = stretch_read_terms(stretches, &address);
    stretch_begin_result(stretches, &dst, false);
    struct stretch_value *value = &stretches->values[stretches->value_count - 1];
    const uint32_t number = value->number;
    text_format(&stretches->before,
                "LOAD_RUNS(%d, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu64 "u)\n",
                8 * in->width, number, memo, terms, alignment_of(in));
    value->step =
        stretch_load_step(stretches, memo, terms, (uint32_t)(in - stretches->code->instructions));
    text_format(&stretches->lane, "LOADED(%d, %" PRIu32 ");\n", 8 * in->width, number);
    return true;
}

/* All components for all lanes. */
static bool add_uniform_load(struct stretches *stretches, const struct vm_instruction *in)
{
    const struct operand address = uniform_row(in->a, 8);
    const uint32_t memo = next_memo(stretches), size = (uint32_t)in->width * in->count;
    bool can = memo < VM_NATIVE_MEMOS && size <= VM_UNIT_SIZE &&
               stretches->value_count + in->count <= STRETCH_MAX &&
               stretch_can_read(stretches, &address);
    for (uint32_t i = 0; i < in->count; i++) {
        const struct operand dst = uniform_row(in->dst + i, 8);
        can = can && stretch_can_write(stretches, &dst);
    }
    if (!can)
        return false;
    const struct name name = stretch_read_uniform(stretches, &address);
    const uint32_t number = ++stretches->names;
    text_format(&stretches->before,
                "LOAD_ONE(%" PRIu32 ", %" PRIu32 ", %s, %" PRIu64 "u, %" PRIu32 ")\n", number, memo,
                name.text, alignment_of(in), size);
    for (uint32_t i = 0; i < in->count; i++) {
        const struct operand dst = uniform_row(in->dst + i, 8);
        stretch_begin_result(stretches, &dst, true);
        text_format(&stretches->before, "LOADED_ONE(%d, %" PRIu32 ", %" PRIu32 ");\n",
                    8 * in->width, number, i);
    }
    return true;
}

/* What lies outside is told one by one. */
static bool add_subscript(struct stretches *stretches, const struct vm_instruction *in)
{
    const uint64_t count = stretches->code->subscripts[in->aux].array.count;
    const uint64_t limit = in->width == 4 ? (uint32_t)count : count;
    const bool uniform = (in->count & VM_SUBSCRIPT_UNIFORM) != 0;
    const struct operand index =
        uniform ? uniform_row(in->a, in->width) : affine_row(in->a, in->width);
    if (!(in->count & (VM_SUBSCRIPT_UNIFORM | VM_SUBSCRIPT_AFFINE)) ||
        !stretch_can_read(stretches, &index))
        return false;
    if (uniform) {
        text_format(&stretches->before, "leave |= %s >= %" PRIu64 "u;\n",
                    stretch_read_uniform(stretches, &index).text, count);
    } else {
        const uint32_t terms = stretch_read_terms(stretches, &index);
        text_format(&stretches->before,
                    "leave |= terms_outside(p_%" PRIu32 ", q_%" PRIu32 ", j_%" PRIu32
                    ", run_shift, first_lane, last_lane, %d, %" PRIu64 "u);\n",
                    terms, terms, terms, in->width, limit);
    }
    return true;
}

bool stretch_add_load(struct stretches *stretches, const struct vm_instruction *in)
{
    const bool is_load = in->op == VM_OP_load_a || in->op == VM_OP_load_u;
    if (is_load && (in->aux & VM_ACCESS_VOLATILE))
        return false;
    if (!(in->op == VM_OP_load_a      ? add_affine_load(stretches, in)
          : in->op == VM_OP_load_u    ? add_uniform_load(stretches, in)
          : in->op == VM_OP_subscript ? add_subscript(stretches, in)
                                      : false))
        return false;
    stretches->load_count += is_load;
    stretches->leaves = true;
    return true;
}
