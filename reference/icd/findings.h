/* Where findings go, and the checker that makes them. Everything but clerk_set_finding_sink runs
 * while a command does. */
#ifndef REFERENCE_ICD_FINDINGS_H
#define REFERENCE_ICD_FINDINGS_H

#include "checkers/finding.h"
#include "checkers/kernel/checker.h"
#include "checkers/kernel/observer.h"
#include "reference/icd/options.h"
#include "reference/vm/code.h"

struct touched;

/* The observer for a launch with these checks, which also collects what the launch touches unless
 * `touched` is NULL. NULL when nothing is to be observed, or memory is out, which the device says
 * once on standard error. */
const struct observer *findings_observer(const struct launch_options *options,
                                         struct touched *touched);
/* The same for launches that are under way at a time, each at a place of its own. What runs alone
 * has the first one. */
enum { FINDINGS_PLACES = 32 };
bool findings_has_place(void);
uint32_t findings_take_place(void);
void findings_leave_place(uint32_t place);
const struct observer *findings_observer_beside(const struct launch_options *options,
                                                struct touched *touched, uint32_t place);
/* Of the same launch, for the workers among which its groups are divided. Good until the next call;
 * `options` must live as long. */
const struct sched_scouts *findings_scouts(const struct launch_options *options);

/* What is found on a thread while it runs a launch, and then runs it again under other schedules.
 * Zero-initialise. */
struct findings_turns {
    bool wrong;     /* told so far: an error, apart from who waits for whom */
    bool warned;    /* told so far: an error or a warning */
    uint64_t *keys; /* of what was told so far */
    size_t key_count, key_capacity;
    bool again;            /* one of the further runs goes on: what it finds is held */
    struct finding **held; /* NULL where memory was out; in `arena` */
    size_t held_count, held_capacity;
    struct arena arena;
};
/* From now on, on the calling thread; NULL = not any more. Borrowed meanwhile. */
void findings_follow(struct findings_turns *turns);
/* The launch is run again. */
void findings_begin_turn(struct findings_turns *turns);
/* It has been, under that schedule, on a copy of memory where all that it was not known to write is
 * read-only: tells what no earlier run found. False: not all that it did was looked at, and where
 * it met that bound nothing is told. */
bool findings_end_turn(struct findings_turns *turns, const char *schedule);
void findings_turns_release(struct findings_turns *turns);

/* The observer of a launch that is run again to see which of its accesses only reads order on which
 * nothing depends. They are told to `predicted`, and nothing is to the sink; NULL as above. */
const struct observer *findings_predictor(kernel_checker_predicted *predicted, void *user);
/* The next launches may show these, by observers of findings_observer: as kernel_checker_expect. */
void findings_expect(const struct kernel_prediction *expected, uint32_t count);
/* It has. */
bool findings_have_shown(void);

/* The place of a site, and who called the function that it is in. */
struct finding_place findings_place(const struct vm_code *code, uint32_t site, const char *label,
                                    struct arena *arena);
/* Takes a finding; fits sink_function. */
void findings_receive(void *user, const struct finding *finding);

#endif
