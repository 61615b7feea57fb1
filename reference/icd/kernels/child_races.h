/* Races among the kernels of a family (children.h), each as a whole, or a work-group of it: what is
 * ordered before what, by flags and events, and what each did to global memory. OpenCL API 3.0,
 * 3.3.6, "Host-side and Device-side Commands".
 *
 * A kernel runs after what it waited for. What it did is a *run*: of the work-groups whose children
 * wait for them alone, and of all others. */
#ifndef REFERENCE_ICD_KERNELS_CHILD_RACES_H
#define REFERENCE_ICD_KERNELS_CHILD_RACES_H

#include "checkers/kernel/touched.h"
#include "checkers/order/commands.h"
#include "reference/icd/kernels/child_report.h"
#include "reference/vm/code.h"

struct child_races;
struct child_run;

/* NULL when the rule is off, or memory is out; every function takes NULL, and then does nothing. */
struct child_races *child_races_create(const struct child_report *report);
void child_races_destroy(struct child_races *races);

enum child_wait { CHILD_WAITS_FOR_NOTHING, CHILD_WAITS_FOR_KERNEL, CHILD_WAITS_FOR_GROUP };

/* How a command came about: in which run, at which site of it, by which group, behind what. */
struct child_origin {
    const struct child_run *parent; /* NULL = the launch that the family begins with */
    uint32_t site;
    uint64_t group; /* that enqueued it, counted in ascending order */
    enum child_wait wait;
};

/* An event that a command waits for: a command that has ended, or, with a `setter`, a user event
 * that this run has set. Zeroes: nothing is known of it. */
struct child_event {
    struct ordered_command *command; /* borrowed: it lives as long as the races */
    const struct child_run *setter;
};

/* The command begins. */
struct child_run *child_races_begin(struct child_races *races, const struct vm_code *code,
                                    const struct child_origin *origin,
                                    const struct child_event *events, size_t event_count);
/* It has run, and this is what it touched, kept `apart`. */
void child_races_ran(struct child_races *races, struct child_run *run,
                     const struct touched *touched);
/* It has ended, and all that it enqueued: what waits for its event comes behind that. */
struct ordered_command *child_races_end(struct child_races *races, struct child_run *run);

#endif
