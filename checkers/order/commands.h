/* Happens-before among the commands of a program and its host (OpenCL API 3.0, 3.3.6, "Host-side
 * and Device-side Commands").
 *
 * A command begins after a set of commands has ended: its *past*. What the specification says makes
 * up that set:
 *
 *     in an in-order queue, all commands before it
 *     in an out-of-order queue, the barriers before it and what they waited for
 *     across several queues, that of each of them
 *     the events of its wait list and their pasts; of a user event, what the host knew when it set
 * it of a marker or barrier without a wait list, all commands before it in its queue all that the
 * host knew had ended when it enqueued it: by blocking calls, clFinish, clWaitForEvents, or a
 * callback
 *
 * Flushing a queue and asking an event for its status add nothing. How the threads of the host
 * synchronise among themselves nobody sees, so what one of them knows counts as known to all.
 *
 * A past is a set of numbered commands, kept as stretches of numbers per strand (a queue), so that
 * what a queue did up to some point is one stretch. When memory runs out, everything counts as
 * ordered from then on, so that nothing wrong is ever said.
 *
 * Any thread. Enqueueing needs the lock of its queue alone (commands_queue_lock); so does asking
 * for what a command waits for, of whichever queue the lock is. Making and ending queues, user
 * events, what the host does, and what looks at several queues needs them all (commands_lock). What
 * is said to need no lock needs none; where there is one thread nothing does. */
#ifndef CHECKERS_ORDER_COMMANDS_H
#define CHECKERS_ORDER_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct commands;
struct commands_queue;

/* A command, or a user event. Counted: whoever gets one drops it, without a lock. NULL, which
 * stands for one that memory had no room for, is allowed wherever a command is taken. Its storage
 * stays as long as the struct commands. */
struct ordered_command;

/* NULL when memory is out. All that is left of queues and commands ends with it. */
struct commands *commands_create(void);
void commands_destroy(struct commands *commands);

struct commands_queue *commands_queue_create(struct commands *commands, bool in_order);
/* Its storage stays for another one, so that a queue can be locked which has just been destroyed.
 */
void commands_queue_destroy(struct commands *commands, struct commands_queue *queue);
/* What the caller keeps of the storage; NULL at first, and kept from queue to queue. */
void **commands_queue_user(struct commands_queue *queue);
/* Is there anything but a single in-order queue? If not, all commands are ordered. */
bool commands_are_concurrent(const struct commands *commands);

struct commands_request {
    struct commands_queue *queue;
    struct ordered_command *const *events; /* the wait list */
    size_t event_count;
    bool orders; /* a marker or barrier: without a wait list it waits for all before it */
    bool bars;   /* a barrier: commands after it wait for it */
};
struct ordered_command *commands_enqueue(struct commands *commands,
                                         const struct commands_request *request);

/* A command in several queues at once: a command-buffer. OpenCL API 3.1, "Command-Buffers and
 * Multiple Devices": "Ordering of other commands submitted to the same command-queues as used to
 * enqueue a command-buffer is the responsibility of the programmer", by events "or command-queue
 * barriers". So it takes no place in a queue that is in order; but it waits for the barriers of all
 * its queues, and for it do their later barriers and markers without a wait list, and
 * commands_host_finished. The queues count as flushed after it. With commands_lock. */
struct commands_span {
    struct commands_queue *const *queues;
    size_t queue_count;
    struct ordered_command *const *events; /* the wait list */
    size_t event_count;
};
struct ordered_command *commands_enqueue_across(struct commands *commands,
                                                const struct commands_span *span);

void commands_lock(struct commands *commands);
void commands_unlock(struct commands *commands);
void commands_queue_lock(struct commands_queue *queue);
void commands_queue_unlock(struct commands_queue *queue);
/* The queue that it is in; of user events, what the host does and what is in several queues one of
 * their own. No lock. */
struct commands_queue *command_home(const struct ordered_command *command);
/* Small, and no other queue's as long as it is there. No lock. */
uint32_t commands_queue_number(const struct commands_queue *queue);

/* The queue was flushed: its commands so far begin in any case. No lock. */
void commands_flushed(struct commands_queue *queue);
/* The same of the queue that the command is in. */
void commands_event_flushed(const struct ordered_command *event);
/* Was its queue flushed after it? No lock. */
bool command_is_flushed(const struct ordered_command *command);
/* The driver refused the command: there is nothing to flush of it. With the lock of its queue. */
void commands_refused(const struct ordered_command *command);
/* Are there commands that it was not flushed after, and of which the host does not know that they
 * have ended? */
bool commands_has_unflushed(struct commands *commands, const struct commands_queue *queue);
/* What must end before the host goes on: the events, and with `queue` what a command in it would
 * wait for, or, if `finishes`, all that is in it. Of this a command in another queue that was not
 * flushed after it, so that it need never begin: that queue; NULL = there is none. The queues of
 * the events themselves count as flushed. */
struct commands_wait {
    const struct commands_queue *queue; /* NULL = none */
    bool finishes;
    struct ordered_command *const *events;
    size_t event_count;
};
const struct commands_queue *commands_find_unflushed(struct commands *commands,
                                                     const struct commands_wait *wait);

/* Is there a user event among what must end, directly or not, that is not set? */
bool commands_wait_for_user_event(const struct commands *commands,
                                  const struct commands_wait *wait);

/* What the host does now, as a command of its own. */
struct ordered_command *commands_host_acts(struct commands *commands);

struct ordered_command *commands_create_user_event(struct commands *commands);
/* The host sets its status. */
void commands_set_user_event(struct commands *commands, struct ordered_command *event);
/* A command that is settled sets it, by its end: who waits for the event waits for the command. */
void commands_end_user_event(struct commands *commands, struct ordered_command *event,
                             const struct ordered_command *command);

/* No lock. command_retain_living: of one that nobody may hold any more: false, and nothing is done.
 */
struct ordered_command *command_retain(struct ordered_command *command);
bool command_retain_living(struct ordered_command *command);
void command_drop(struct ordered_command *command);
/* So many times at once. */
void command_retain_times(struct ordered_command *command, uint32_t count);
void command_drop_times(struct ordered_command *command, uint32_t count);

/* The host knows that the command, or that all commands of the queue so far, have ended. With the
 * lock of a queue; the second with that of this one. */
void commands_host_waited(struct commands *commands, const struct ordered_command *command);
void commands_host_finished(struct commands *commands, const struct commands_queue *queue);

/* Does `earlier` happen before `command` begins? Final once the command is settled. */
bool command_follows(const struct commands *commands, const struct ordered_command *command,
                     const struct ordered_command *earlier);
/* Does it follow that one, or is it the same, in one in-order queue, which is locked? Quick. */
bool command_is_next(const struct ordered_command *command, const struct ordered_command *earlier);
/* Has every user event that the command waits for, directly or not, been set? */
bool command_is_settled(const struct ordered_command *command);
/* A number that changes whenever the host learns something. No lock, like commands_host_knows. */
uint64_t commands_host_version(const struct commands *commands);
bool commands_host_knows(struct commands *commands, const struct ordered_command *command);

/* Why two commands are not ordered, for reports. */
enum {
    COMMAND_QUEUES_DIFFER = 1, /* they are in different queues; else in one out-of-order queue */
    COMMAND_LIST_BETWEEN = 2,  /* the later one waits for a marker or barrier that stands after the
                                  earlier one in its queue, but has a wait list without it */
    COMMAND_STATUS_ASKED = 4,  /* the program asked for the status of the earlier one's event */
    COMMAND_LATER_IS_HOST = 8, /* the later one is commands_host_acts */
    COMMAND_RECORDED = 16,     /* both are recorded into one command-buffer: the caller's to say */
    COMMAND_EARLIER_ACROSS = 32, /* it is in several queues: commands_enqueue_across */
    COMMAND_LATER_ACROSS = 64,
};
unsigned command_why_unordered(const struct ordered_command *earlier,
                               const struct ordered_command *later);
/* The program asked for its status and was told that it is complete: which orders nothing. No
 * lock, and it may be gone. */
void command_note_status_asked(struct ordered_command *command);

#endif
