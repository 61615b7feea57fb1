/* One process under the layer, from its first OpenCL call to its end: settings, trace, checker,
 * findings.
 *
 * A session fails open: when it cannot do what it was asked to it says so once on standard error,
 * and every call is forwarded untouched from then on. A forked child gets a session of its own at
 * its first call. */
#ifndef LAYER_SESSION_H
#define LAYER_SESSION_H

#include "checkers/finding.h"
#include "checkers/host/host.h"
#include "trace/base/spin.h"
#include "trace/spool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct contents;
struct guards;
struct kernel_facts;
struct launch_memory;
struct layer_thread;
struct live;
struct probes;
struct profile;
struct range;
struct own_memory;

struct session {
    uint64_t generation;               /* from 1; differs between a process and its forked child */
    struct spool *spool;               /* NULL = no trace */
    struct host_checker *checker;      /* NULL = no host rules */
    struct live *live;                 /* what is alive, for these two: */
    struct contents *contents;         /* NULL = no bytes of memory are kept */
    struct own_memory *found;          /* the same: memory of the program's own is not found */
    struct guards *guards;             /* NULL = maps are the driver\'s own */
    struct kernel_facts *kernel_facts; /* NULL = of kernels only the driver tells */
    struct probes *probes;             /* NULL = kernels run as they are */
    struct launch_memory *launch_memory; /* NULL = nor those that launches find and leave */
    struct profile *profile;             /* NULL = times are recorded that the program asks for */
    struct range *range;                 /* NULL = all of the run is recorded */
    atomic_bool runs_own;    /* the commands that the device runs are clerk's, no other thread's */
    bool shuffles_callbacks; /* callbacks.c */
    struct session_output *output; /* where findings go */
    /* Of the reference device, when it is there: tells it the call that enqueues the next launch.
     */
    sink_call_function *_Atomic set_launch_call;
    sink_left_out_function *_Atomic left_out;    /* says which launches it has left out, */
    sink_memory_function *_Atomic lacks_memory;  /* and says whether it got the memory it needs */
    atomic_uint_fast64_t reference_platform;     /* its handle; 0 = none */
    atomic_bool ran_unchecked;                   /* kernels, on a device that does not check them */
    atomic_bool maps_unwatched, reads_unwatched; /* there were buffers mapped without guards, and
                                                  * reads that did not block */
    atomic_uint_fast64_t failed_builds;          /* of programs for the reference device */
    struct session *inherited; /* the parent's, in a forked child: kept, never used */
    bool finished;             /* session_finish was here */
    /* In a line of memory of their own: all threads read what stands before. */
    _Alignas(64) atomic_uint_fast64_t call_count;
    atomic_uint_fast32_t thread_count;
    /* Calls that made objects get their end and the objects' numbers together, so that the trace,
     * which goes by ends, counts objects as the rules do. */
    _Alignas(64) struct spin numbering;
    uint64_t numbered_ns; /* the last of those ends; no two are alike */
};

enum session_state { SESSION_UNOPENED, SESSION_ACTIVE, SESSION_PASSIVE };
extern atomic_int session_state;

/* Forward everything untouched: nothing was asked for, something failed, or the process ends. */
static inline bool session_is_passive(void)
{
    return atomic_load_explicit(&session_state, memory_order_relaxed) == SESSION_PASSIVE;
}

/* The session, opened by the first call of the process. NULL when it is passive. */
struct session *session_get(void);

/* Is this a child that was forked, in a callback, since the calling thread took the session? Then
 * it is the parent's, and the call that the thread returns from is too. */
bool session_is_inherited(const struct session *session);

/* The number of the calling thread in this session. */
uint32_t session_thread_number(struct session *session, struct layer_thread *thread);

/* The number of the next call of this thread, which has its number. In a trace calls are numbered
 * in the order in which they begin; without one each thread takes numbers in portions, so that
 * threads do not wait for each other. */
uint64_t session_call_number(struct session *session, struct layer_thread *thread);

/* Tells where the program calls from, which may not come back. The thread has its number. */
void session_note_place(const struct session *session, const struct layer_thread *thread);

/* Takes a finding from the host checker, on any thread: `session` is a struct session *. */
void session_report(void *session, const struct finding *finding);

/* A signal handler that interrupted clerk made a call, which is only passed on: what it changed, no
 * rule knows. For any signal handler. */
void session_note_interruption(uint32_t entry);
/* The program left a call by longjmp, and with it what clerk and the driver were about: the session
 * becomes passive. */
void session_left_call(uint32_t entry);

/* Tells `clerk run` what was not checked, which would otherwise take silence for a clean run. */
void session_leave_word(enum severity severity, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The calling thread is about to enqueue a command on the reference device. */
void session_note_command(struct session *session, const struct api_call *call);
/* Takes a finding from the reference device, on its thread, and adds what it cannot know: the call
 * that enqueued the kernel, the host stacks of calls. The shape of a sink_function. */
void session_take_finding(void *session, const struct finding *finding);

/* The program ended normally: leaks, report, trace. Does nothing the second time, and in a forked
 * child that made no call. */
void session_finish(void);

#endif
