/* What kernels enqueue on the device. A launch and all that it enqueues, directly or not, is a
 * *family*; it is executed within the launch's own command, which so ends after its last child.
 *
 * What is enqueued with CLK_ENQUEUE_FLAGS_NO_WAIT may run beside the kernel that enqueues it, with
 * CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP beside its other work-groups; other children run after that. In
 * ascending order a kernel goes on until all its work-groups have ended or wait; then others do,
 * whoever began first, and then, of the commands whose events have all ended, the one that was
 * enqueued first begins. Other schedules begin commands sooner (children.c). */
#ifndef REFERENCE_ICD_KERNELS_CHILDREN_H
#define REFERENCE_ICD_KERNELS_CHILDREN_H

#include "checkers/kernel/touched.h"
#include "checkers/order/commands.h"
#include "reference/icd/kernels/build.h"
#include "reference/icd/kernels/child_report.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/vm/code.h"
#include "reference/vm/exec.h"

/* ---- child_races.c ---- */

/* Races among the kernels of a family (children.h), each as a whole, or a work-group of it: what is
 * ordered before what, by flags and events, and what each did to global memory. OpenCL API 3.0,
 * 3.3.6, "Host-side and Device-side Commands".
 *
 * A kernel runs after what it waited for. What it did is a *run*: of the work-groups whose children
 * wait for them alone, and of all others. */

struct child_races;
struct child_run;

bool child_races_wanted(const struct checks *checks);
/* NULL when no rule is on, or memory is out; every function takes NULL, and then does nothing.
 * `beside_others`: the host, or kernels of no family, may answer its atomic operations. */
struct child_races *child_races_create(const struct child_report *report, bool beside_others);
void child_races_destroy(struct child_races *races);

enum child_wait { CHILD_WAITS_FOR_NOTHING, CHILD_WAITS_FOR_KERNEL, CHILD_WAITS_FOR_GROUP };

/* How a command came about: in which run, at which site of it, by which group, after what. */
struct child_origin {
    uint64_t number; /* of the commands of the family, in the order of the calls; the launch: 0 */
    struct child_run *parent; /* NULL = the launch that the family begins with */
    uint32_t site;
    uint64_t group; /* that enqueued it, counted in ascending order */
    enum child_wait wait;
    bool tangled; /* what the group did is not known apart from what others did */
};

/* An event that a command waits for: a command that has ended, or, with a `setter`, a user event
 * that this run has set. Zeroes: nothing is known of it. */
struct child_event {
    struct ordered_command *command; /* borrowed: it lives as long as the races */
    struct child_run *setter;
};

/* The command begins, after all that began before it. */
struct child_run *child_races_begin(struct child_races *races, const struct vm_code *code,
                                    const struct child_origin *origin,
                                    const struct child_event *events, size_t event_count);
/* It has gone on, for a step in which no other one did, or to its end: what it touched in the step
 * may be taken over until it has `ended`, and then is all that it touched. */
void child_races_step(struct child_races *races, struct child_run *run, struct touched *touched,
                      bool ended);
/* It has run, and this is what it touched, kept `apart`; which may be taken over, and is empty
 * then: not that of the launch that the family begins with. */
void child_races_ran(struct child_races *races, struct child_run *run, struct touched *touched);
/* It has ended, and all that it enqueued: what waits for its event comes after that. */
struct ordered_command *child_races_end(struct child_races *races, struct child_run *run);

/* ---- device_event.c ---- */

/* Events of commands on queues of the device, and those that kernels make themselves: clk_event_t.
 * They live as long as kernels refer to them, from one launch to the next. One launch runs at a
 * time, and all functions are called on its thread. */

struct vm_code;

struct device_event {
    uint64_t handle;     /* what a clk_event_t holds */
    uint32_t references; /* of kernels */
    uint32_t waiting;    /* commands that wait for it */
    bool user;           /* of create_user_event */
    bool marker;         /* of enqueue_marker */
    bool captured;       /* by capture_event_profiling_info */
    cl_int status;       /* CL_SUBMITTED, CL_COMPLETE or negative */
    uint64_t
        times[2]; /* of a command that has ended: how long it took, alone and with its children */
    uint64_t *captures; /* pointers to where they are wanted */
    size_t capture_count, capture_capacity;
    /* Who made it: good while the family runs that it belongs to. */
    const struct family *family;
    const struct member *maker;
    const struct vm_code *code;
    uint32_t site;
    struct ordered_command *order; /* child_races.c: the command; of a user event: who set it */
    struct child_run *setter;
};

/* With one reference. NULL when memory or room is out. It stays until device_event_end, too. */
struct device_event *device_event_create(bool user);
/* NULL for what is not an event, or no longer one. */
struct device_event *device_event_find(uint64_t handle);
/* The first event from that index on, which is moved after it; NULL at the end. */
struct device_event *device_event_next(size_t *index);

void device_event_release(struct device_event *event);
/* A command does not wait for it any more. */
void device_event_waited(struct device_event *event);

/* The times go to the `pointer` when the event has ended. False when memory is out. */
bool device_event_capture(struct device_event *event, uint64_t pointer);
/* COMPLETE or negative. The event may be gone afterwards. */
void device_event_end(struct device_event *event, cl_int status);

struct family;

struct family_request {
    cl_context context;
    cl_device_id device;
    struct build *build; /* lives as long as the family, as the options do */
    const struct launch_options *options;
    const struct sched_launch *launch; /* what it begins with: the others are like it */
    struct touched *touched;           /* what that touches; NULL = nobody wants to know */
    /* Commands of the host may be unordered with it: races.h is told what children touch. */
    bool watched;
    const uint32_t *objects; /* as races_use_touched wants them */
    size_t object_count;
};

/* NULL when memory is out. */
struct family *family_create(const struct family_request *request);
void family_destroy(struct family *family);

/* Executes the launch, which adds to *cost, and all that it enqueues, which adds to
 * *children_cost. Gives CL_SUCCESS, or the error of the launch or a child. Unlocked. */
cl_int family_run(struct family *family, uint64_t *cost, uint64_t *children_cost);

#endif
