/* What is recorded into command-buffers: what each command does to memory, and what orders it among
 * the others of its command-buffer. Learned from the calls that came back; a launch has the
 * arguments that its kernel had then, and those of later updates. A copy that
 * clRemapCommandBufferKHR makes does the same to memory; of its own order nothing is known.
 *
 * Any thread. */
#ifndef CHECKERS_HOST_COMMANDS_RECORDINGS_H
#define CHECKERS_HOST_COMMANDS_RECORDINGS_H

#include "checkers/order/uses.h"
#include "trace/api/call.h"

struct host_checker;
struct recordings;

/* Uses that are kept of one command-buffer; of more, and of the commands after them, nothing is
 * known. */
enum { RECORDED_USES_MAX = 4096 };

/* NULL when memory is out. */
struct recordings *recordings_create(struct host_checker *checker);
void recordings_destroy(struct recordings *recordings);

/* A call that came back with success: of a function about command-buffers. */
void recordings_learn(struct recordings *recordings, const struct api_call *call);

/* What a recorded command does to an object, in the life that the object had then. */
struct recorded_use {
    struct use use;
    uint64_t serial;
    uint32_t argument; /* of a kernel */
    /* An earlier command does just the same: for all but the command-buffer itself that is enough.
     */
    bool repeats;
};

#define RECORDED_NO_POINT UINT64_MAX
struct recorded_command {
    struct use_origin origin; /* without the queue, and the call that enqueues it */
    uint64_t point;           /* its synchronization point; RECORDED_NO_POINT = it gave none */
    uint64_t handle;          /* by which it can be changed; 0 = it cannot */
    uint64_t only_reads;      /* of a launch: a bit for each argument, call_only_reads */
    struct recorded_use *uses;
    size_t use_count;
};

/* The commands as they were when a command-buffer was enqueued; stays as it is. */
struct recorded_list {
    _Atomic uint32_t references;
    struct recorded_command *commands;
    size_t count;
    bool complete; /* all is known that they write */
    bool of_host;  /* some of them use the host's memory */
};
/* Held by the caller; NULL = nothing is known of the command-buffer. */
struct recorded_list *recordings_hold(struct recordings *recordings, uint64_t command_buffer);
void recorded_list_drop(struct recorded_list *list);
/* The use of a command, if its object lives still: false when it does not. */
bool recorded_use_lives(const struct host_checker *checker, const struct recorded_use *recorded);

/* Tells which commands of a command-buffer clash with each other, with the call that enqueues them:
 * once, until they are changed. `report` must not call back. */
void recordings_judge(struct recordings *recordings, uint64_t command_buffer,
                      const struct use_origin *enqueued, uses_report *report, void *user);

#endif
