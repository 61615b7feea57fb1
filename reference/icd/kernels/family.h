/* A family while it runs (children.h): between children.c, which executes it, and device_call.c,
 * which answers its kernels. */
#ifndef REFERENCE_ICD_KERNELS_FAMILY_H
#define REFERENCE_ICD_KERNELS_FAMILY_H

#include "reference/icd/findings.h"
#include "reference/icd/kernels/children.h"
#include "reference/icd/kernels/range.h"
#include "reference/sched/ndrange.h"
#include "trace/base/arena.h"

/* A kernel of the family: the launch that it begins with, or a child that runs or has run. */
struct member {
    struct member *parent; /* NULL = the first */
    const struct vm_code *code;
    size_t pending;             /* its own run, and its children that have not ended */
    cl_int status;              /* CL_COMPLETE, or what went wrong in it or its children */
    struct device_event *event; /* NULL = nobody wanted one */
    struct child_run *run;      /* child_races.c */
    uint64_t start, end;
    const struct waiting *command; /* that it was; of the first NULL */
    bool ran;                      /* what it waited for went well */
    /* While its launch is under way. */
    struct launch *launch; /* NULL = it is not */
    struct sched_launch request;
    struct touched own_touched;
    struct touched *touched; /* by it; NULL = nobody wants to know */
    uint32_t place;          /* findings_take_place; of the first one the caller's */
    struct sched_counts counts;
    enum sched_state state;
    uint64_t seen;       /* family.changes, when it was found to wait, */
    uint64_t acquirings; /* and family.acquirings */
};

/* A command that waits in a queue of the device. */
struct waiting {
    struct waiting *next;
    uint64_t id; /* struct api_child's; of a marker 0 */
    struct member *parent;
    cl_command_queue queue; /* held */
    cl_uint size;           /* what it takes of the queue */
    struct device_event **events;
    size_t event_count;
    struct device_event *event; /* NULL = nobody wanted one */
    struct child_origin origin;
    bool group_ended;               /* the one that enqueued it */
    const struct kernel_device *on; /* NULL = a marker */
    struct range range;
    struct sched_argument *arguments;
};

struct family {
    struct family_request request;
    struct child_report report;
    struct arena arena; /* of members and commands */
    struct vm_device device;
    struct member *root, *running;
    struct member *under_way[FINDINGS_PLACES]; /* in the order in which they began */
    uint32_t under_way_count;
    uint64_t group;       /* that runs, of the running member, if that enqueues */
    uint64_t group_waits; /* commands so far that wait for a group */
    uint64_t acquirings;  /* turns of members that may release and acquire */
    uint64_t steps;
    uint64_t changes;       /* after which members that wait may find something new */
    uint64_t asked;         /* `changes` when the host was given a while */
    struct member *changer; /* that made the last of them */
    struct child_races *races;
    struct waiting *first, **last; /* in the order of the calls */
    uint64_t command_count;
    struct kernel_device *children; /* by the child's number */
    uint64_t clock;
    cl_int status; /* of the launch that it begins with, alone */
};

/* ---- children.c ---- */

/* The event is one that somebody wanted, or NULL. */
void family_end_event(struct device_event *event, cl_int status, const uint64_t times[2]);

/* ---- device_call.c ---- */

/* As vm_device has it; `state`: the family. */
uint64_t family_call(void *state, struct vm_device_request *request);

#endif
