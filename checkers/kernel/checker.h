/* Judges what work-items do: from the events of an observer to findings.
 *
 * One checker serves one device. It watches launches one after the other, each ordered after all
 * before it, and hands its findings over when a launch ends: each distinct (rule, place, place)
 * once, with a count, in the order of first occurrence, with every side's work-item ids, source
 * line and call chain. It never allocates in proportion to the number of wrong accesses. */
#ifndef CHECKERS_KERNEL_CHECKER_H
#define CHECKERS_KERNEL_CHECKER_H

#include "checkers/checks.h"
#include "checkers/finding.h"
#include "checkers/kernel/observer.h"
#include "trace/base/status.h"

#include <stdint.h>

struct kernel_checker;
struct touched;

/* Called while launch_end runs, on its thread; the finding is valid during the call only.
 * Fits sink_function of checkers/sink.h. */
typedef void kernel_checker_report(void *user, const struct finding *finding);

/* `checks` is copied. STATUS_NO_MEMORY is the only failure. The caller destroys the checker,
 * between launches. */
enum status kernel_checker_create(const struct checks *checks, kernel_checker_report *report,
                                  void *user, struct kernel_checker **checker, struct error *error);
/* One that tells nobody what it finds, only whether it has found anything since the launch began,
 * or has not looked at all. Several of them may watch the groups of one launch, each some, of which
 * the accesses that must be remembered would be too many for one checker; so each has a limit of
 * its own, 0 = that of any checker. */
enum status kernel_checker_create_scout(const struct checks *checks, uint32_t record_limit,
                                        struct kernel_checker **checker, struct error *error);
bool kernel_checker_has_found(const struct kernel_checker *checker);
void kernel_checker_destroy(struct kernel_checker *checker);

/* Something new is to be reported, at the event that shows it; its words come with the report, when
 * the launch ends. `user` is that of the report. */
typedef void kernel_checker_notice(void *user, enum rule_index rule);
/* NULL = nobody wants to know. */
void kernel_checker_set_notice(struct kernel_checker *checker, kernel_checker_notice *notice);
/* Other rules, from the next launch on; to be called between launches only. */
void kernel_checker_set_checks(struct kernel_checker *checker, const struct checks *checks);
/* From the next launch on, what it touches is collected there; NULL = nowhere. Takes effect with
 * the next kernel_checker_set_checks. */
void kernel_checker_collect(struct kernel_checker *checker, struct touched *touched);

/* What to give to the device, asked anew for each launch: functions that no enabled rule needs are
 * NULL, so that the device spares their events. NULL when no kernel rule is on. Owned by the
 * checker. */
const struct observer *kernel_checker_observer(struct kernel_checker *checker);

/* Two accesses that only a read orders on which nothing depends. Had it come earlier, it would have
 * read an older value, all else would be as it is, and the two would race. */
struct kernel_prediction {
    uint32_t sites[2], read_site; /* of the two; of the read */
    /* The work-item that released the earlier access: its group and its number in that, in linear
     * order; and by which of its atomic operations, from 1. */
    uint64_t group;
    uint32_t item, operation;
};
/* As kernel_checker_report; the finding is of RULE_ACQUIRE_UNUSED. */
typedef void kernel_checker_predicted(void *user, const struct kernel_prediction *prediction,
                                      const struct finding *finding);
/* From the next launch on it looks for these, if the checks have their rule, and tells nothing
 * else; NULL = not any more. */
void kernel_checker_predict(struct kernel_checker *checker, kernel_checker_predicted *predicted,
                            void *user);
enum { KERNEL_EXPECTED_MAX = 4 };
/* The next launches may show these, at most so many: a race of the two is told with the read. They
 * are copied; none = not any more. */
void kernel_checker_expect(struct kernel_checker *checker, const struct kernel_prediction *expected,
                           uint32_t count);
/* Was there such a race since then? */
bool kernel_checker_has_shown(const struct kernel_checker *checker);

#endif
