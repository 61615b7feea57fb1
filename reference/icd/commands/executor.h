/* Commands and their execution, one at a time, but that kernels which wait let others run.
 *
 * A command waits for others: those in its wait list, in an in-order queue the one before it, in an
 * out-of-order queue the last barrier. It is submitted when *any* queue is flushed, so no command
 * waits for ever because another queue was not flushed. Of the commands that are ready, the
 * one of the queue created first runs first, and in it the one enqueued first. A flush returns when
 * nothing is left that can run: what a program with one thread sees depends on its calls alone,
 * never on time. So the flushing thread may as well run them; those that run the program's own
 * code, like native kernels, and kernels that may wait for the host have a thread of their own.
 *
 * A kernel that waits for what the host stores *stands still* when it has looked and found nothing
 * new. That is for calls as if nothing could run: they return, so that the thread which called may
 * store it. Calls that depend on commands let the kernel look anew first, so what they see depends
 * on what the program did before them, as ever. Between calls the kernel looks each millisecond,
 * and what is ready after it runs on its thread.
 *
 * The six states: QUEUED at the enqueue, SUBMITTED at the flush, RUNNING, COMPLETE, or a negative
 * error. A status query that answers CL_QUEUED submits, so that a program which polls gets on. */
#ifndef REFERENCE_ICD_COMMANDS_EXECUTOR_H
#define REFERENCE_ICD_COMMANDS_EXECUTOR_H

#include "reference/icd/types.h"
#include "reference/sched/ndrange.h"

struct command {
    struct command *next, *previous; /* in its queue */
    cl_event event;                  /* held */
    uint64_t ordinal;                /* in its queue */
    uint32_t waits;                  /* events that have not ended yet */
    bool submitted, failed;          /* failed: an event of the wait list ended with an error */
    struct command_work work;
};

enum command_order {
    COMMAND_PLAIN,
    COMMAND_WAITS_ALL, /* a marker or barrier without wait list: waits for all commands before it */
    COMMAND_BARRIER = 2, /* a flag: later commands wait for it */
};

struct recording;
struct command_request;
/* Keeps the command for later. `data` is taken over, also on failure. Unlocked. */
typedef cl_int command_record(const struct command_request *request);

struct command_request {
    cl_command_queue queue;
    cl_command_type type;
    cl_uint wait_count;
    const cl_event *wait_list; /* checked by command_check */
    enum command_order order;  /* COMMAND_WAITS_ALL | COMMAND_BARRIER */
    cl_bool blocking;
    cl_event *event; /* may be NULL */
    struct command_work work;
    /* Of a call that records (recording_request), else NULL: its parameters, and what keeps the
     * command instead of a queue. */
    const struct recording *recording;
    command_record *record;
    cl_int refused; /* what is wrong with that call: CL_SUCCESS = nothing */
};

/* The request of a clEnqueue..., with the parameters that all of them have. */
static inline struct command_request command_request_of(cl_command_queue queue,
                                                        cl_command_type type, cl_uint wait_count,
                                                        const cl_event *wait_list, cl_event *event)
{
    return (struct command_request){.queue = queue,
                                    .type = type,
                                    .wait_count = wait_count,
                                    .wait_list = wait_list,
                                    .event = event};
}

/* The checks that every enqueue makes of its queue and wait list, and what recording_request found
 * wrong. Unlocked or locked. */
cl_int command_check(const struct command_request *request);

/* Enqueues, and if it blocks waits for the end; or records. `data` is the command's from now on,
 * also on failure. Unlocked. */
cl_int command_enqueue(const struct command_request *request);
/* The two parts of it, locked, the lock being held all the time. Enqueues, whatever `blocking` and
 * `event` say: *event has a reference. */
cl_int command_add(const struct command_request *request, cl_event *event);
/* Gives the reference to the application if it wants the event, else away. */
void command_give_event(const struct command_request *request, cl_event event);

/* Submits all commands of all queues and waits until none is left that can run. Locked; lets go of
 * the lock while it waits. */
void executor_flush(void);

/* Submits all commands, and waits until none is left; does nothing where one is executed. Locked,
 * as above. */
void executor_finish(void);

/* Runs submitted commands, and waits for those that run elsewhere, until none is left that can run.
 * Locked, as above. The program's own code, called by such a command, does nothing here. A kernel
 * that stands still goes on only when the lock is given away. */
void executor_settle(void);
/* The same where a kernel has stood still, which may have got on since; else nothing. */
void executor_catch_up(void);
/* The same as executor_settle, but until no kernel stands still either. */
void executor_stop(void);

/* Waits for a change, as icd_wait_change does, of what only commands change that have been
 * submitted. */
void executor_wait(void);
/* Waits until the command has ended, or the user event is set. Locked, as above. */
void executor_wait_end(cl_event event);

/* Of the running command, which has waits_for_host: a kernel has looked, and found nothing new; a
 * while passes. As sched_launch has it; `label`: of the launch. Unlocked. */
bool executor_wait_for_host(const char *label, bool anew);

/* Of a launch that runs: what sched_launch.run_others is. Commands that are ready run to their end
 * beside it, and launches that let others run go on. Unlocked. */
bool executor_run_others(const struct sched_launch *request, struct launch *launch, bool waits);
/* Does the running command run beside another one, are there others that could beside it? Locked.
 */
bool executor_is_beside(void);
bool executor_has_others(void);

/* An event ended: COMPLETE or negative. Wakes what waits for it. Locked. */
void executor_end_event(cl_event event, cl_int status);

/* Of the command that runs: what the kernels cost that it enqueued on the device, which come after
 * its own end. Locked. */
void executor_add_children_cost(uint64_t cost);

/* The device's clock in nanoseconds: counted, or measured with CLERK_REAL_TIME. Each reading is
 * later than the one before. Locked. */
uint64_t executor_clock(void);

/* ---- callbacks.c: what runs on the callback thread, in the order of these calls. Locked. A call
 * is lost when memory is out. ---- */

void callbacks_add_event(cl_event event, cl_int status,
                         void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user);
/* `handle` is of that kind, and need not exist any more when the callback runs. */
void callbacks_add(object_function *function, enum object_kind kind, void *handle, void *user);
/* All of the list, the last registered first; the list is freed. */
void callbacks_add_destructors(struct destructor_callback *list, enum object_kind kind,
                               void *handle);

#endif
