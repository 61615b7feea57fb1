/* What a launch that is debugged executes of a block where nobody stops in it, or stops are asked
 * about first: not the marks of
 * statements, which are there to be stopped at, and last of all what only debuggers look at. So a
 * loop of arithmetic does not keep the values of its variables in their home rows each time round:
 * a *late* value waits until somebody may look (settle), or until the block runs again for all of
 * these lanes, which makes it anew.
 *
 * Whoever looks finds each home row, and each row that is still read, as if all were executed in
 * order. The value of a late one lies in a row that neither the rest of its block writes, nor what
 * other blocks execute at once as long as it waits, nor its own block before a stop that is asked
 * about; and those of several blocks are kept in the order of those. */
#ifndef REFERENCE_VM_PLAN_H
#define REFERENCE_VM_PLAN_H

#include "reference/vm/code.h"
#include "reference/vm/exec.h"
#include "reference/vm/live.h"
#include "reference/vm/machine.h"
#include "trace/base/arena.h"

#include <string.h>

enum {
    VM_PLAN_STOPS = 1,      /* somebody stops before it */
    VM_PLAN_IS_NOTICED = 2, /* the debugger may be called from it */
};

struct vm_plan {
    uint32_t version;       /* that of struct vm_plans, or it is out of date */
    uint32_t quiet_version; /* the same if it is quiet; else 0 */
    /* Nobody stops in it without being asked, and none of its instructions can be noticed but by
     * rows; then only, some may be late. */
    bool is_quiet;
    uint32_t step_count, late_count, guard_count;
    struct vm_step {
        vm_op_function *run; /* NULL: the terminator, the last of them */
        const struct vm_instruction *in;
    } * steps;
    uint8_t *asks; /* by step: VM_PLAN_STOPS, VM_PLAN_IS_NOTICED, a set */
    struct vm_late {
        /* Copies, which may read another row with the same value. The set of a home row, and where
         * the value is uniform, what makes a row of it for that (its op; 0 = nothing). */
        struct vm_instruction splat, set;
        uint32_t site; /* of the set */
    } * late;
    /* Stops that are asked about, before the steps. */
    struct vm_guard {
        uint32_t step, site;
    } * guards;
    /* By unit, as bits: what it writes at once; what the late ones read, and write; and what any
     * instruction before the last guard writes. */
    uint64_t *written, *late_units, *early;
    uint64_t bit;          /* in sets of plans that have late ones; 0 = it has no place there */
    uint64_t spares;       /* itself, and those that are known to stay late while it runs */
    uint32_t runs, delays; /* times that values became late, and that those of others had to be kept
                              before it */
    /* While it is pending: the lanes that its late ones are of, and its neighbours in the order of
     * execution. */
    uint64_t lanes;
    struct vm_plan *before, *after;
};

/* Of one code, for one launch at a time. */
struct vm_plans {
    const struct vm_code *code;
    const uint8_t *stops;
    uint32_t version;
    size_t word_count; /* of sets of units */
    uint32_t longest;  /* instructions of a block */
    bool *homes;       /* by unit: it is a home row's */
    bool *prompt;      /* by site: it is never late */
    bool *at_once;     /* by instruction of the block that is being planned: it is executed there */
    struct live live;
    struct vm_plan *blocks;
    struct vm_plan *by_bit[64];
    uint32_t bit_count;
    uint64_t pending; /* a set: they have late values, */
    struct vm_plan *first, *last;
    struct vm_undefined_row *spare; /* for a row that is used for a moment */
    struct arena arena;
};

/* The plans stop where `stops` does, by site; both outlive them. NULL when memory is out. */
struct vm_plans *vm_plans_create(const struct vm_code *code, const uint8_t *stops);
void vm_plans_destroy(struct vm_plans *plans);
/* `stops` has other contents now. Nothing is late. */
void vm_plans_forget(struct vm_plans *plans);

/* Makes it anew, with these functions; it is not pending. False when memory is out, which is not
 * where it was made before. */
bool vm_plan_make(struct vm_plans *plans, uint32_t block, vm_op_function *const *functions);
/* Finds out whose late values have to be kept before the block runs; 0 = nobody's. */
uint64_t vm_plan_ask(struct vm_plans *plans, struct vm_plan *plan);
/* They were; the plan itself may be one, because fewer lanes run now. Where that is so most times,
 * what stands in its way is late no more. */
void vm_plan_note_delays(struct vm_plans *plans, struct vm_plan *plan, uint64_t set,
                         vm_op_function *const *functions);

/* The block has been executed, but for what is late. */
static inline void vm_plan_wait(struct vm_plans *plans, struct vm_plan *plan, uint64_t lanes)
{
    plans->pending |= plan->bit;
    if (plans->last != plan) {
        if (plan->lanes) { /* it is in the list, and not the last */
            *(plan->before ? &plan->before->after : &plans->first) = plan->after;
            plan->after->before = plan->before;
        }
        plan->before = plans->last;
        plan->after = NULL;
        *(plans->last ? &plans->last->after : &plans->first) = plan;
        plans->last = plan;
    }
    plan->lanes = lanes;
}

/* Where the value of a home row is for the active lanes: in that row, or, where it is late, in
 * another one; *uniform: only in its first element, which is defined. */
static inline vm_row vm_plan_find(struct vm_debugger *debugger, vm_row home, bool *uniform)
{
    const struct vm_vector *vector = debugger->vector;
    const struct vm_plan *plan = debugger->plans ? debugger->plans->last : NULL;
    *uniform = false;
    for (; plan; plan = plan->before) {
        for (uint32_t i = 0; i < plan->late_count; i++) {
            const struct vm_late *late = &plan->late[i];
            if (late->set.dst != home)
                continue;
            const vm_row row = late->splat.op ? late->splat.a : late->set.a;
            *uniform = late->splat.op != 0;
            if ((vector->active & ~plan->lanes) == 0 && !(*uniform && vector->undefined[row]))
                return row;
            vm_debugger_settle(debugger);
            *uniform = false;
            return home;
        }
    }
    return home;
}

/* Keeps a value for the active lanes. The row that is made of a uniform one may be somebody else's
 * by now. */
static inline void vm_plan_keep(struct vm_vector *vector, struct vm_plans *plans,
                                const struct vm_late *late, vm_op_function *const *functions)
{
    const struct vm_instruction *splat = &late->splat;
    if (splat->op == 0) {
        functions[late->set.op](vector, &late->set);
        return;
    }
    uint8_t units[8 * VM_UNIT_SIZE];
    uint8_t *row = vector->units + (size_t)splat->dst * VM_UNIT_SIZE;
    struct vm_undefined_row **bits =
        vector->undefined_rows ? &vector->undefined_rows[splat->dst] : &plans->spare;
    struct vm_undefined_row *const row_bits = *bits;
    const uint64_t undefined = vector->undefined[splat->dst];
    memcpy(units, row, (size_t)splat->width * VM_UNIT_SIZE);
    *bits = plans->spare;
    functions[splat->op](vector, splat);
    functions[late->set.op](vector, &late->set);
    plans->spare = *bits;
    *bits = row_bits;
    vector->undefined[splat->dst] = undefined;
    memcpy(row, units, (size_t)splat->width * VM_UNIT_SIZE);
}

/* Keeps what is pending of the set, and what came before it, by these functions. */
static inline void vm_plan_settle(struct vm_vector *vector, struct vm_plans *plans, uint64_t set,
                                  vm_op_function *const *functions)
{
    const uint64_t active = vector->active;
    while (plans->pending & set) {
        struct vm_plan *plan = plans->first;
        vector->active = plan->lanes;
        for (uint32_t i = 0; i < plan->late_count; i++)
            vm_plan_keep(vector, plans, &plan->late[i], functions);
        plan->lanes = 0;
        plans->pending &= ~plan->bit;
        plans->first = plan->after;
        *(plan->after ? &plan->after->before : &plans->last) = NULL;
    }
    vector->active = active;
}

#endif
