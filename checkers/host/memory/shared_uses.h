/* Which commands use shared virtual memory, unified too, until the host knows that they have ended:
 * freeing it "does not wait for previously enqueued commands that may be using svm_pointer to
 * finish" (OpenCL API 3.0, 5.6.1). A command uses an allocation that it names, by a pointer, an
 * argument, or a buffer over it; it speaks for those that it waits for. Of an allocation 64 count
 * that no other one speaks for.
 *
 * A part of commands.c, under commands_lock, unless it is said otherwise. */
#ifndef CHECKERS_HOST_MEMORY_SHARED_USES_H
#define CHECKERS_HOST_MEMORY_SHARED_USES_H

#include "checkers/host/memory/watched.h"

#include <stdatomic.h>

struct shared_use;
struct shared_uses {
    struct watched watched; /* its checker, commands and world alone */
    struct shared_use *list;
    atomic_bool begun; /* there was an allocation */
    atomic_bool any;   /* the list is not empty */
};

void shared_uses_init(struct shared_uses *uses, struct host_checker *checker,
                      struct commands *commands);
void shared_uses_release(struct shared_uses *uses);

/* Is a call of it, which need not be a command, to be told of, at its beginning or end? No lock. */
bool shared_uses_concern_begin(uint32_t entry);
bool shared_uses_concern_end(uint32_t entry);
/* A call that frees memory is about to be made: also one that frees it by a command, since the
 * program's function that then does so may be called before the call returns. */
void shared_uses_begin(struct shared_uses *uses, const struct api_call *call);
/* It was made, and has succeeded; or it has enqueued this command. */
struct shared_command {
    struct ordered_command *command; /* NULL = none */
    bool judged; /* a launch on a device that finds what it touches, once it runs */
};
void shared_uses_end(struct shared_uses *uses, const struct api_call *call,
                     const struct shared_command *command);
/* The program asked for the event of this command, which has ended. */
void shared_uses_asked(struct shared_uses *uses, const struct ordered_command *event);

#endif
