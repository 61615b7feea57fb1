/* One race, while its finding is written. For race.c and race_advice.c alone. */
#ifndef CHECKERS_KERNEL_RACE_CASE_H
#define CHECKERS_KERNEL_RACE_CASE_H

#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

enum { VALUE_SIZE_MAX = 128 };

struct race_side {
    const struct site_access *access;
    uint32_t site;
    struct work_item item;
    bool copy; /* it is an asynchronous copy, and its item none */
    bool value_known;
    uint8_t value[VALUE_SIZE_MAX]; /* of the bytes that both access */
};

/* Everything that the sentences are made of. */
struct race_case {
    struct kernel_checker *checker;
    const struct order_race *race;
    const struct lane_access *access; /* the later one */
    struct race_side earlier, later;
    struct why why; /* what the later side has read did not order them */
};

static inline unsigned race_atomic_sides(const struct race_case *c)
{
    return (unsigned)access_is_atomic(c->earlier.access->kind) +
           (unsigned)access_is_atomic(c->later.access->kind);
}

static inline bool race_is_volatile(const struct race_case *c)
{
    return c->earlier.access->is_volatile || c->later.access->is_volatile;
}

/* The latest barrier that both sides passed between the two, though its flags or its reach did not
 * order them; NULL if there is none. */
const struct passed_barrier *race_barrier_between(const struct race_case *c);
/* The latest barrier, if it does not hand on to the others of its work-group what one of them may
 * have acquired from the earlier side's. */
const struct passed_barrier *race_barrier_behind(const struct race_case *c);

/* race_advice.c: what to do about it. */
const char *race_advice(const struct race_case *c);

/* ---- predicted.c ---- */

/* While races are predicted: what was read, if it is one that only that read hides; else NULL. */
const struct order_message *predicted_message(const struct kernel_checker *checker,
                                              const struct order_race *race, enum rule_index rule);
struct kernel_prediction predicted_of(const struct kernel_checker *checker,
                                      const struct order_race *race,
                                      const struct order_message *message);
/* Why the two would not be ordered. */
const char *predicted_reason(struct kernel_checker *checker, const struct order_message *message);
/* Adds the read to the finding of a race that the launch is run to show. */
void predicted_add_read(const struct race_case *c, struct finding *finding);

#endif
