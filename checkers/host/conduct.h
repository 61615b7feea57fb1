/* What no error code tells and one call alone does not show: user events that commands wait for,
 * and kernels that several threads change. Any thread. */
#ifndef CHECKERS_HOST_CONDUCT_H
#define CHECKERS_HOST_CONDUCT_H

#include "trace/api/call.h"

#include <stdatomic.h>
#include <stdbool.h>

struct host_checker;
struct judged;

enum { CONDUCT_KERNELS = 64 };

struct conduct {
    /* User events whose status was not set, and those of them that enqueued commands wait for. */
    _Atomic uint64_t unset_events, awaited_events;
    /* Memory objects whose content_undefined is set: an upper bound. */
    _Atomic uint64_t undefined_contents;
    atomic_bool contents_unknown; /* a command may have written any of them: 0 from then on */
    atomic_bool fork_told;
    /* Calls under way that change a kernel, in the slot of its handle; of two kernels with one slot
     * the second is not watched. */
    struct conduct_kernel {
        _Alignas(64) _Atomic uint64_t handle; /* 0 = none; threads do not share the lines */
        _Atomic uint64_t call_id;
        _Atomic uint64_t second; /* the latest call that came while another one was under way */
        _Atomic uint64_t told;   /* the last kernel that a finding was made of: one is enough */
    } kernels[CONDUCT_KERNELS];
};

/* Does a call of it change the kernel that is its first parameter, which only one thread may do? */
bool conduct_changes_kernel(uint32_t entry);
void conduct_kernel_begin(struct judged *judged);
/* The same for a call that is told of in few words (host.h). False: another one is under way; this
 * one is then told of by conduct_kernel_begin as well. */
bool conduct_kernel_enter(struct host_checker *checker, uint64_t kernel, uint64_t call_id);
void conduct_kernel_leave(struct host_checker *checker, uint64_t kernel, uint64_t call_id);
void conduct_kernel_end(struct host_checker *checker, const struct api_call *call);

/* The call is made while the program ends. */
void judge_at_exit(struct judged *judged);

/* A user event was made; its status is about to be set. */
void conduct_event_made(struct host_checker *checker);
void conduct_event_set(struct host_checker *checker, uint64_t event);
/* A command was enqueued: what becomes of the contents of memory objects. */
void conduct_contents(struct host_checker *checker, const struct api_call *call);
/* A command was enqueued that waits for these events. */
void conduct_events_awaited(struct host_checker *checker, const struct api_value *list);

#endif
