/* Events of commands on queues of the device, and those that kernels make themselves: clk_event_t.
 * They live as long as kernels refer to them, from one launch to the next. One launch runs at a
 * time, and all functions are called on its thread. */
#ifndef REFERENCE_ICD_KERNELS_DEVICE_EVENT_H
#define REFERENCE_ICD_KERNELS_DEVICE_EVENT_H

#include "reference/icd/types.h"

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
    const struct vm_code *code;
    uint32_t site;
    struct ordered_command *order; /* child_races.h: the command; of a user event: who set it */
    const struct child_run *setter;
};

/* With one reference. NULL when memory or room is out. It stays until device_event_end, too. */
struct device_event *device_event_create(bool user);
/* NULL for what is no event, or no longer one. */
struct device_event *device_event_find(uint64_t handle);
/* The first event from that index on, which is moved behind it; NULL at the end. */
struct device_event *device_event_next(size_t *index);

void device_event_release(struct device_event *event);
/* For commands that wait. */
void device_event_wait(struct device_event *event);
void device_event_waited(struct device_event *event);

/* The times go to the `pointer` when the event has ended. False when memory is out. */
bool device_event_capture(struct device_event *event, uint64_t pointer);
/* COMPLETE or negative. The event may be gone afterwards. */
void device_event_end(struct device_event *event, cl_int status);

#endif
