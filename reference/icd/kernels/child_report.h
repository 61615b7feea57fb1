/* Findings about the kernels of a family (children.h) that belong to no single launch. `code` and
 * `site` are where something was enqueued or made. */
#ifndef REFERENCE_ICD_KERNELS_CHILD_REPORT_H
#define REFERENCE_ICD_KERNELS_CHILD_REPORT_H

#include "checkers/order/uses.h"
#include "reference/icd/options.h"
#include "reference/vm/code.h"

/* For whom: nothing is said of rules that are off, and all findings are of one call of the host. */
struct child_report {
    const struct checks *checks;
    uint64_t call_id;
};

/* A command, of a kernel `child` or a marker (NULL), waits for an event that nobody will set. */
void child_report_unset(const struct child_report *report, const struct vm_code *code,
                        uint32_t site, const char *child);
/* An event that was made there is not released. */
void child_report_leak(const struct child_report *report, const struct vm_code *code,
                       uint32_t site);

enum child_relation {
    CHILD_OF_OTHERS,       /* two that one did not enqueue the other */
    CHILD_WITHOUT_WAIT,    /* the earlier enqueued the later with CLK_ENQUEUE_FLAGS_NO_WAIT */
    CHILD_WITH_GROUP_WAIT, /* ... WAIT_WORK_GROUP, and the access is of another work-group */
};
struct child_side {
    const struct vm_code *code;
    uint32_t site; /* of the access */
    enum use_kind kind;
    const struct vm_code *parent_code; /* of the kernel that enqueued it; NULL = the host did */
    uint32_t parent_site;
};
struct child_race {
    const char *what; /* "bytes 0 to 3 of buffer#1 (64 bytes)" */
    enum child_relation relation;
    enum rule_index rule; /* RULE_RACE_CHILD, or one about scopes: both are atomic */
    struct child_side earlier, later;
};
void child_report_race(const struct child_report *report, const struct child_race *race);

#endif
