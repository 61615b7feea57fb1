/* Where a clerk_assert, clerk_assume or OpAssumeTrueKHR does not hold. */
#include "reference/vm/machine.h"
#include "trace/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void append_side(struct text *text, uint32_t aux, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (aux & VM_ASSERTION_SIGNED)
        text_format(text, "%" PRId64, (int64_t)bits);
    else if (!(aux & VM_ASSERTION_FLOATING))
        text_format(text, "%" PRIu64, bits);
    else if (isnan(value))
        text_append(text, "nan");
    else
        text_format(text, "%.9g", value);
}

void vm_assertion(struct vm_vector *vector, const struct vm_instruction *in)
{
    static const char *const signs[] = {VM_COMPARISONS};
    const struct observer *observer = vector->run->observer;
    if (!vector->active || !observer || !observer->assertion)
        return;
    const uint32_t lane = (uint32_t)__builtin_ctzll(vector->active);
    const uint32_t comparison = in->aux / VM_ASSERTION_COMPARISON;
    struct text sides = TEXT_INIT;
    if (comparison != 0) {
        append_side(&sides, in->aux, ROW(u64, in->a)[lane]);
        text_format(&sides, " %s ", signs[comparison]);
        append_side(&sides, in->aux, ROW(u64, in->b)[lane]);
    }
    const struct observer_assertion told = {
        .site = vm_site(vector, in),
        .kind = (in->aux & VM_ASSERTION_ASSUMED) != 0    ? OBSERVER_ASSUMED
                : (in->aux & VM_ASSERTION_PROMISED) != 0 ? OBSERVER_PROMISED
                                                         : OBSERVER_ASSERTED,
        .mask = vector->active,
        .sides = comparison != 0 && !sides.failed ? sides.bytes : NULL,
    };
    observer->assertion(observer->state, &told);
    text_release(&sides);
}
