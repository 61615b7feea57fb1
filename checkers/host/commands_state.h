/* What the files about the order of commands share: commands.c follows the stream of calls,
 * launched.c does so for launches, known.c says what handles mean, flushing.c what is flushed and
 * waited for. */
#ifndef CHECKERS_HOST_COMMANDS_STATE_H
#define CHECKERS_HOST_COMMANDS_STATE_H

#include "checkers/host/commands.h"
#include "checkers/host/object.h"

#include <stdatomic.h>

/* A call that has begun. */
struct under_way {
    struct under_way *next;
    uint64_t call_id;
    struct ordered_command *command;
};

/* What a kernel uses, by its latest launch in a queue: the same as long as nothing has changed. */
enum { LAUNCH_USES_MAX = 4 };
struct launch_uses {
    uint64_t kernel, changes, version; /* kernel 0 = nothing is known */
    char detail[OBJECT_DETAIL_SIZE];
    size_t count;
    struct use uses[LAUNCH_USES_MAX];
};

/* A queue; guarded by commands_queue_lock. Stays with the storage of the queue. */
struct known {
    struct known *next;
    uint64_t handle; /* 0 = the queue is gone */
    struct commands_queue *queue;
    bool elsewhere; /* its device judges memory itself */
    uint64_t ordinal;
    struct last_command last;
    struct under_way *under_way, *spare_under_way;
    struct launch_uses launch;
};

/* A command that is judged later. */
struct waiting {
    struct waiting *next;
    struct ordered_command *command, *unmap; /* held; unmap: of a map that was unmapped meanwhile */
    struct use_origin origin;
    struct call_uses found;
    bool keep;
};

/* Guarded by commands_lock; with any queue locked it may be read. */
struct host_commands {
    struct host_checker *checker;
    struct commands *commands;
    struct uses *uses;
    struct host_memory *memory; /* NULL: it is not watched */
    struct known *known;
    uint64_t *elsewhere; /* devices that judge memory themselves */
    size_t elsewhere_count, elsewhere_capacity;
    struct waiting *waiting, **last_waiting;
    bool blind;           /* an event or queue is unknown: what it orders nobody knows */
    bool several_threads; /* enqueue, flush or wait */
    /* Read without a lock: host_commands_now. Usually no transfer can still use the host's memory,
     * and no command is kept, so that most calls do not matter. */
    atomic_uint now;
};

/* ---- known.c: what handles mean; with commands_lock, unless it is said otherwise ---- */

/* NULL where a handle is not known, or is no such object. */
struct known *known_find(const struct host_commands *commands, uint64_t handle);
struct commands_queue *known_queue(const struct host_commands *commands, uint64_t handle);
struct ordered_command *known_event(const struct host_commands *commands, uint64_t handle);
/* The list of events of a call, as an array that is to be freed; false when one is unknown. */
bool known_events(const struct host_commands *commands, const struct api_call *call,
                  struct ordered_command ***events, size_t *count);
/* Without a lock: locks the queue (commands_queue_lock). NULL, nothing locked, where the handle is
 * not known. */
struct known *known_lock_queue(const struct host_commands *commands, uint64_t handle);
/* A driver gives a dead object's handle to a new one, which replaces it. Takes over the queue. When
 * memory is out nothing can be told any more. */
void known_remember_queue(struct host_commands *commands, uint64_t handle,
                          struct commands_queue *queue, bool elsewhere);
void known_forget_queue(struct host_commands *commands, struct known *known);
/* Without a lock: takes over the event, and returns the one that was there before; of a handle that
 * the object table does not have, the event itself. */
struct ordered_command *known_swap_event(struct host_commands *commands, uint64_t handle,
                                         struct ordered_command *event);
/* Without a lock: command_drop. */
void known_drop(struct ordered_command *command);
/* A queue or an event may be dead; the second, of an event, without a lock. */
void known_forget_dead(struct host_commands *commands, uint64_t handle);
void known_forget_dead_event(struct host_commands *commands, uint64_t handle);
/* Forgets all, for good. */
void known_release(struct host_commands *commands);

/* ---- commands.c ---- */

/* With the queue locked: a command of it begins with a call, NULL = memory is out; then the call
 * returns: NULL, it had none. */
bool under_way_add(struct known *known, uint64_t call_id, struct ordered_command *command);
struct ordered_command *under_way_take(struct known *known, uint64_t call_id);
/* With commands_lock: what the command does is compared with what others did. */
void judge_uses(struct host_commands *commands, const struct api_call *call,
                struct ordered_command *command, bool blocking);

/* ---- launched.c: the short way of launches, without commands_lock ---- */

/* A call that enqueues a kernel begins, or has returned. False: nothing was done, since all other
 * threads must stand still for it. */
bool launched_begin(struct host_commands *commands, const struct api_call *call);
bool launched_end(struct host_commands *commands, const struct api_call *call);

/* ---- flushing.c ---- */

/* A call that may flush begins; with commands_lock. */
void flushing_note(struct host_commands *commands, const struct api_call *call);

#endif
