/* What the files about the order of commands share: commands.c follows the stream of calls, known.c
 * says what handles mean, flushing.c what is flushed and waited for. */
#ifndef CHECKERS_HOST_COMMANDS_STATE_H
#define CHECKERS_HOST_COMMANDS_STATE_H

#include "checkers/host/commands.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uthash.h>

/* What the order has for a handle. A driver gives a dead object's handle to a new one, which
 * replaces it. */
struct known {
    uint64_t handle;
    struct commands_queue *queue;  /* NULL = not a queue */
    struct ordered_command *event; /* NULL = not an event */
    bool elsewhere;                /* a queue's device, or a device, judges memory itself */
    struct last_command last;      /* of a queue */
    UT_hash_handle hh;
};

/* A call that has begun. */
struct under_way {
    struct under_way *next;
    uint64_t call_id;
    struct ordered_command *command;
};

/* A command that is judged later. */
struct waiting {
    struct waiting *next;
    struct ordered_command *command, *unmap; /* held; unmap: of a map that was unmapped meanwhile */
    struct use_origin origin;
    struct call_uses found;
    bool keep;
};

struct host_commands {
    struct host_checker *checker;
    pthread_mutex_t mutex; /* guards what follows */
    struct commands *commands;
    struct uses *uses;
    struct host_memory *memory; /* NULL: it is not watched */
    struct known *known;
    struct under_way *under_way, *spare_under_way;
    struct known *spare_known; /* linked by hh.next */
    struct waiting *waiting, **last_waiting;
    bool blind;           /* an event or queue is unknown: what it orders nobody knows */
    bool several_threads; /* enqueue, flush or wait */
    /* Read without the mutex: host_commands_now. Usually no transfer can still use the host's
     * memory, and no command is kept, so that most calls do not matter. */
    atomic_uint now;
};

/* ---- known.c: with the mutex held ---- */

/* NULL where a handle is not known, or is no such object. */
struct known *known_find(const struct host_commands *commands, uint64_t handle);
struct commands_queue *known_queue(const struct host_commands *commands, uint64_t handle);
struct ordered_command *known_event(const struct host_commands *commands, uint64_t handle);
/* The list of events of a call, as an array that is to be freed; false when one is unknown. */
bool known_events(const struct host_commands *commands, const struct api_call *call,
                  struct ordered_command ***events, size_t *count);
void known_forget(struct host_commands *commands, struct known *known);
/* Takes over queue and event. When memory is out nothing can be told any more. */
void known_remember(struct host_commands *commands, const struct known *filled);
/* Forgets all, for good. */
void known_release(struct host_commands *commands);

/* ---- flushing.c ---- */

/* A call that may flush begins; with the mutex held. */
void flushing_note(struct host_commands *commands, const struct api_call *call);

#endif
