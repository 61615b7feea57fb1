/* What the order of commands needs to know of handles, and the calls that teach it; inside
 * checkers/host/commands.c, whose state this shows. Under its mutex. */
#ifndef CHECKERS_HOST_KNOWN_H
#define CHECKERS_HOST_KNOWN_H

#include "checkers/host/checker.h"
#include "checkers/host/commands.h"
#include "trace/base/alloc.h"

#include <pthread.h>

/* A failed insertion leaves `hh.tbl` NULL and the table as it was. */
#define HASH_NONFATAL_OOM        1
#define uthash_malloc(size)      alloc(size)
#define uthash_free(block, size) alloc_free(block)
#include <uthash.h>

/* What is known of a handle. A driver gives a dead object's handle to a new one, which replaces it.
 */
struct known {
    uint64_t handle;
    enum api_object_kind kind;
    struct commands_queue *queue;  /* QUEUE */
    bool elsewhere;                /* QUEUE, DEVICE: its device judges memory itself */
    struct ordered_command *event; /* EVENT */
    struct call_memory memory;     /* MEM */
    bool owns;                     /* MEM: its bytes are its own */
    struct call_kernel kernel;     /* KERNEL */
    UT_hash_handle hh;
};

struct under_way;
struct waiting;

struct host_commands {
    struct host_checker *checker;
    pthread_mutex_t mutex; /* guards what follows */
    struct commands *commands;
    struct uses *uses;
    struct known *known;
    struct under_way *under_way;
    struct waiting *waiting, **last_waiting;
    uint64_t object_count;
    bool blind; /* an event or queue is unknown: what it orders nobody knows */
};

/* NULL when there is none of that kind. */
struct known *known_find(const struct host_commands *commands, uint64_t handle,
                         enum api_object_kind kind);
/* Anew; NULL when memory is out: then nothing can be told any more. */
struct known *known_remember(struct host_commands *commands, uint64_t handle,
                             enum api_object_kind kind);
void known_forget(struct host_commands *commands, struct known *known);
/* For call_facts: the user is a struct host_commands *. */
const struct call_memory *known_memory(void *commands, uint64_t handle);
const struct call_kernel *known_kernel(void *commands, uint64_t handle);

/* A call that came back. */
typedef void known_handler(struct host_commands *commands, const struct api_call *call);
known_handler known_queue_created, known_queue_released, known_user_event_created,
    known_event_released, known_buffer_created, known_sub_buffer_created, known_image_created,
    known_memory_released, known_kernel_created, known_kernel_cloned, known_kernel_released,
    known_argument_set, known_argument_described;

#endif
