/* What becomes of undefined bits in a stretch of native code, which has computed the values, or is
 * about to: the same rules as of ops, once for all lanes. What lanes do not have alike is left to
 * the interpreter, and so to undefined_ops.c. */
#include "reference/vm/bits.h"
#include "reference/vm/undefined_rules.h"

#include <string.h>

/* Of all active lanes: bits that are undefined, born where those of a row were. The others are
 * those of `value`, but for those that are unknown, or not the same. */
struct shadow {
    uint64_t undefined, value, unknown;
    vm_row from;
};

static uint64_t element_bits(uint32_t width)
{
    return bits_low(width ? width * 8 : 1);
}

static void shadow_set(struct shadow *shadow, uint64_t undefined, uint32_t width, vm_row from)
{
    const uint64_t all = element_bits(width);
    shadow->undefined = undefined & all;
    shadow->value = 0;
    shadow->unknown = all & ~undefined;
    shadow->from = from;
}

static bool shadow_read(const struct vm_vector *vector, vm_row row, uint32_t width,
                        struct shadow *shadow)
{
    const uint64_t active = vector->active;
    const uint64_t lanes = vector->undefined[row] & active;
    uint64_t bits = 0;
    if (lanes != 0 && (active & ~(lanes & vm_undefined_alike(vector, row, width, &bits))) != 0)
        return false;
    shadow_set(shadow, bits, width, row);
    return true;
}

bool vm_undefined_is_whole(const struct vm_vector *vector, vm_row row, uint32_t width,
                           struct vm_origins *births)
{
    const struct vm_origins *known;
    uint64_t bits;
    const uint64_t lanes = vector->undefined[row] & vm_undefined_alike(vector, row, width, &bits) &
                           vm_undefined_births(vector, row, &known);
    if ((vector->active & ~lanes) != 0 || bits != element_bits(width))
        return false;
    *births = *known;
    return true;
}

/* Does what the rule makes of the operands, one of which is undefined, depend on bits that are
 * unknown? May say yes though it does not. */
static bool is_unclear(enum undefined_rule rule, uint32_t width, const struct shadow *a,
                       const struct shadow *b, const struct shadow *c)
{
    const uint64_t all = element_bits(width);
    switch (rule) {
    case RULE_WHOLE:
    case RULE_MOVE:
    case RULE_ZERO_EXTEND:
    case RULE_SIGN_EXTEND:
    case RULE_TRUNCATE:
    case RULE_XOR:
    case RULE_NEGATE:
    case RULE_SWAP:
        return false;
    case RULE_AND:
    case RULE_OR:
        return ((a->undefined & b->unknown) | (b->undefined & a->unknown)) != 0;
    case RULE_SHIFT_LEFT:
    case RULE_SHIFT_RIGHT:
    case RULE_SHIFT_SIGNED:
        return b->undefined == 0 && (b->unknown & (8 * width - 1)) != 0;
    case RULE_ADD:
    case RULE_SUBTRACT:
    case RULE_EQUAL:
        return a->undefined != all && b->undefined != all && (a->unknown | b->unknown) != 0;
    case RULE_SELECT:
        return c->undefined ? (a->unknown | b->unknown) != 0
                            : c->unknown != 0 && a->undefined != b->undefined;
    default:
        return (a->unknown | b->unknown | c->unknown) != 0;
    }
}

static struct vm_partial partial_of(const struct shadow *shadow)
{
    return (struct vm_partial){.value = shadow->value, .undefined = shadow->undefined};
}

/* Of operands one of which is undefined. */
static bool shadow_compute(const struct vm_native_step *step, const struct shadow *a,
                           const struct shadow *b, const struct shadow *c, struct shadow *result)
{
    const enum undefined_rule rule = (enum undefined_rule)undefined_rules[step->op];
    const vm_row from = a->undefined ? a->from : b->undefined ? b->from : c->from;
    if (rule == RULE_WHOLE) {
        shadow_set(result, ~UINT64_C(0), step->to, from);
        return true;
    }
    if (is_unclear(rule, step->width, a, b, c))
        return false;
    shadow_set(
        result,
        undefined_apply(rule, step->width, step->from, partial_of(a), partial_of(b), partial_of(c)),
        step->to, from);
    return true;
}

static const struct shadow *operand_shadow(uint32_t operand, const struct shadow *before,
                                           const uint64_t *known, struct shadow *made)
{
    static const struct shadow varying = {.unknown = ~UINT64_C(0)};
    if (operand < VM_NATIVE_KNOWN)
        return &before[operand];
    if (operand == VM_NATIVE_VARYING)
        return &varying;
    made->value = known[operand - VM_NATIVE_KNOWN];
    made->undefined = made->unknown = 0;
    return made;
}

static bool follow_step(const struct vm_vector *vector, const struct vm_native_step *step,
                        const uint64_t *known, const struct shadow *before, struct shadow *result)
{
    struct shadow made[3];
    if (step->op == VM_NATIVE_READ)
        return shadow_read(vector, step->from, step->width, result);
    const struct shadow *a = operand_shadow(step->operands[0], before, known, &made[0]);
    const struct shadow *b = operand_shadow(step->operands[1], before, known, &made[1]);
    const struct shadow *c = operand_shadow(step->operands[2], before, known, &made[2]);
    if ((a->undefined | b->undefined | c->undefined) != 0)
        return !step->opens && shadow_compute(step, a, b, c, result);
    shadow_set(result, 0, 8, 0);
    return true;
}

/* Births that no pattern says are taken from one row to another only where no other row is put
 * meanwhile. */
static bool can_get(const struct vm_vector *vector, const struct vm_native_steps *steps, vm_row row,
                    const struct shadow *shadow)
{
    const struct vm_origins *births;
    return steps->get_count == 1 || shadow->undefined == 0 || shadow->from == row ||
           (vector->active & ~vm_undefined_births(vector, shadow->from, &births)) == 0;
}

bool vm_undefined_follow(const struct vm_vector *vector, const struct vm_native_steps *steps,
                         const uint64_t *known, struct vm_native_undefined *undefined)
{
    struct shadow shadows[VM_NATIVE_STEPS];
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!follow_step(vector, &steps->steps[i], known, shadows, &shadows[i]))
            return false;
    }
    for (uint32_t i = 0; i < steps->get_count; i++) {
        const struct shadow *shadow = &shadows[steps->gets[i].step];
        if (!can_get(vector, steps, steps->gets[i].row, shadow))
            return false;
        undefined[i].bits = shadow->undefined;
        undefined[i].from = shadow->from;
    }
    return true;
}

/* The births that the row gets, if a pattern says them and they are not its own. */
static const struct vm_origins *births_got(const struct vm_vector *vector, vm_row row,
                                           const struct vm_native_undefined *undefined)
{
    const struct vm_origins *births;
    if (!undefined->bits || undefined->from == row ||
        (vector->active & ~vm_undefined_births(vector, undefined->from, &births)) != 0)
        return NULL;
    return births;
}

static void put_undefined(struct vm_vector *vector, vm_row row,
                          const struct vm_native_undefined *undefined,
                          const struct vm_origins *births)
{
    const uint64_t active = vector->active;
    struct vm_origin each[VM_LANES];
    vector->undefined[row] = undefined->bits ? active : 0;
    if (!undefined->bits)
        return;
    if (births) {
        vm_undefined_put_alike(vector, row, 0, active, undefined->bits, births);
        return;
    }
    vm_undefined_put_bits(vector, row, 0, active, undefined->bits);
    if (undefined->from != row) {
        vm_undefined_births_each(vector, undefined->from, active, each);
        vm_undefined_put_each(vector, row, active, NULL, each);
    }
}

/* Births are copied before rows are put that they may stand in. */
void vm_undefined_put_steps(struct vm_vector *vector, const struct vm_native_steps *steps,
                            const struct vm_native_undefined *undefined)
{
    struct vm_origins copies[VM_NATIVE_GETS];
    const struct vm_origins *births[VM_NATIVE_GETS];
    const uint32_t count = steps->get_count;
    for (uint32_t i = 0; i < count; i++) {
        births[i] = births_got(vector, steps->gets[i].row, &undefined[i]);
        if (births[i] && count > 1)
            births[i] = memcpy(&copies[i], births[i], sizeof copies[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        put_undefined(vector, steps->gets[i].row, &undefined[i], births[i]);
}
