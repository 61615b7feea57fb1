/* What the files about the order of commands share: commands.c follows the stream of calls,
 * launch_uses.c does so for launches, enqueue_recording.c for command-buffers, order_notes.c says
 * what handles mean, flushing.c what is flushed and waited for, call_uses.c what a call uses of
 * memory, recordings.c what is recorded, seen_launches.c which launches come again,
 * interop_release.c what was given back to another API, clashes.c what is reported, awaited.h what
 * is decided later. */
#ifndef CHECKERS_HOST_COMMANDS_COMMANDS_STATE_H
#define CHECKERS_HOST_COMMANDS_COMMANDS_STATE_H

#include "checkers/host/commands/commands.h"
#include "checkers/host/memory/watched.h"
#include "checkers/host/objects/object.h"

#include <stdatomic.h>

struct awaited;
struct recorded_list;

/* A call that has begun. */
struct under_way {
    struct under_way *next;
    uint64_t call_id;
    struct ordered_command *command;
};

/* What kernels use, by the latest launches in a queue: the same as long as nothing has changed. */
enum { LAUNCHES_MAX = 4 };
struct launch_uses {
    struct launch_key {
        uint64_t kernel, changes, version; /* kernel 0 = nothing is known */
        uint64_t first_id, end_id, limits; /* certain_bytes.h; 0 = these do not matter */
    } key;
    char detail[OBJECT_DETAIL_SIZE];
    struct call_uses found;
};

/* A queue; guarded by commands_queue_lock, but made and ended with commands_lock. Stays with the
 * storage of the queue. */
struct order_note {
    struct order_note *next;
    uint64_t handle; /* 0 = the queue is gone */
    struct commands_queue *queue;
    bool elsewhere; /* its device judges memory itself */
    bool in_order;
    uint64_t context; /* its handle */
    uint64_t ordinal;
    struct last_command last;
    struct under_way *under_way, *spare_under_way;
    struct launch_uses launches[LAUNCHES_MAX];
    uint32_t next_launch; /* the one that is forgotten next */
};

/* A command that is judged later. */
struct waiting {
    struct waiting *next;
    struct ordered_command *command, *unmap; /* held; unmap: of a map that was unmapped meanwhile */
    struct use_origin origin;
    struct call_uses found;
    struct recorded_list *recorded; /* of a command-buffer, for which `found` is empty: held */
    bool elsewhere;                 /* of this the device judges all but the host's memory */
    bool keep;
};

/* A shared object that a command gives back to the other interface. */
struct handed {
    uint64_t object, serial; /* its handle, and life */
    uint64_t call_id;
    struct ordered_command *command; /* held */
};

/* Guarded by commands_lock, with any queue locked it may be read; what is atomic needs no lock. */
struct host_commands {
    struct host_checker *checker;
    struct commands *commands;
    struct uses *uses;
    struct awaited *awaited;
    struct host_memory *memory; /* NULL: it is not watched */
    struct shared_uses shared;
    struct order_note *known;
    uint64_t *elsewhere; /* devices that judge memory themselves */
    size_t elsewhere_count, elsewhere_capacity;
    struct waiting *waiting, **last_waiting;
    struct handed *handed;
    size_t handed_count, handed_capacity;
    atomic_bool has_handed;
    atomic_bool has_waited;      /* a command was judged later, once */
    atomic_bool blind;           /* an event or queue is unknown: what it orders nobody knows */
    atomic_bool several_threads; /* enqueue, flush or wait */
};

/* ---- commands.c ---- */

/* A call has begun whose command is in the locked queue, or in several, this one first: takes it
 * over, or not, false, where memory is out. And the command again; NULL = there is none. */
bool under_way_add(struct order_note *known, uint64_t call_id, struct ordered_command *command);
struct ordered_command *under_way_take(struct order_note *known, uint64_t call_id);
/* What a command does is judged once it is settled; what that is, is the caller's to fill in. NULL
 * when memory is out. With commands_lock. */
struct waiting *commands_tell_later(struct host_commands *commands, struct ordered_command *command,
                                    const struct use_origin *origin, bool keep);
/* The host knows that the command of the event has ended. Without a lock. */
void commands_waited(struct host_commands *commands, const struct ordered_command *event);

/* ---- watched_launches.c ---- */

/* Those of the checker, if they are to be told of anything. */
struct host_commands *host_commands_of(const struct host_checker *checker);
/* A uses_postpone, whose user is the struct host_commands. */
bool commands_postpone(void *user, const struct uses_conflict *conflict, const struct use *earlier,
                       const struct use *later);

/* ---- clashes.c ---- */

/* A uses_report, whose user is the struct host_commands: one finding for two places of the program.
 */
void commands_report(void *user, const struct uses_conflict *conflict);

/* ---- enqueue_recording.c: enqueued command-buffers ---- */

/* clEnqueueCommandBufferKHR begins, and has returned: its command, which is to be dropped; NULL =
 * it is not known. */
void enqueue_recording_begin(struct host_commands *commands, const struct api_call *call);
struct ordered_command *enqueue_recording_end(struct host_commands *commands,
                                              const struct api_call *call, bool succeeded);
/* What is recorded does what it does, as the command, which is settled. With commands_lock. */
void enqueue_recording_tell(struct host_commands *commands, const struct waiting *waiting);

/* ---- order_notes.c: what handles mean; without a lock, unless it is said otherwise ---- */

/* With commands_lock: NULL where a handle is not known, or is no such object. */
struct order_note *order_note_find(const struct host_commands *commands, uint64_t handle);
/* Locks the queue (commands_queue_lock). NULL, nothing locked, where the handle is not known. */
struct order_note *order_note_lock_queue(const struct host_commands *commands, uint64_t handle);
/* The event, held; NULL where a handle is not known, or is no such object. */
struct ordered_command *order_note_event(const struct host_commands *commands, uint64_t handle);
/* The events in the list of a call, held: to be dropped. An unknown one is left out. */
struct order_note_events {
    struct ordered_command **list;
    size_t count;
    bool complete; /* all are known */
};
struct order_note_events order_note_events(const struct host_commands *commands,
                                           const struct api_call *call);
void order_note_events_drop(struct order_note_events *events);
/* A driver gives a dead object's handle to a new one, which replaces it. Takes over the queue. When
 * memory is out nothing can be told any more. With commands_lock. */
void order_note_remember_queue(struct host_commands *commands, uint64_t handle,
                               struct commands_queue *queue, bool elsewhere);
/* Takes over the event. */
void order_note_remember_event(struct host_commands *commands, uint64_t handle,
                               struct ordered_command *event);
/* A queue or an event may be dead. An event is kept beyond its release for a callback that is to
 * come. */
void order_note_forget_dead_queue(struct host_commands *commands, uint64_t handle);
void order_note_forget_dead_event(struct host_commands *commands, uint64_t handle);
/* That callback has come. */
void order_note_event_told(struct host_commands *commands, uint64_t handle);
/* Forgets all, for good. */
void order_note_release(struct host_commands *commands);

/* ---- launch_uses.c: launches, which a program makes most ---- */

/* What the call, a launch in the queue, does to memory: as call_uses_find, which is asked only if
 * something has changed since the last ones. With the queue locked, which keeps it. */
const struct launch_uses *launch_uses_of(const struct host_commands *commands,
                                         struct order_note *queue, const struct api_call *call);

/* ---- interop_release.c: shared objects that were given back, and nobody was told when ---- */

/* The command of the call, which has succeeded. */
void interop_release_note(struct host_commands *commands, const struct api_call *call,
                          struct ordered_command *command);
void interop_release_drop_all(struct host_commands *commands);

/* ---- flushing.c ---- */

/* A call that may flush begins, the queue that it names being locked (NULL: it names none). */
void flushing_note(struct host_commands *commands, const struct api_call *call,
                   const struct order_note *queue);

#endif
