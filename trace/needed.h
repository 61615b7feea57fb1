/* Which calls of a recording are needed so that it can begin later than its program did: those that
 * made the objects that are alive there, and that say what these are (builds, arguments, retains).
 * Commands are not: what they did is in the contents of memory where the recording begins.
 *
 * What is needed follows from the calls alone, whichever device they were made on. */
#ifndef TRACE_NEEDED_H
#define TRACE_NEEDED_H

#include "trace/api/call.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/* How a needed call stands in the recording that begins later. */
enum needed_form {
    NEEDED_AS_MARKER,     /* a command of which only the event is needed: a marker has it */
    NEEDED_WITHOUT_WAITS, /* a map that is not over: what it waited for was complete */
    NEEDED_AS_IS,
};

struct needed_call {
    uint64_t id;
    enum needed_form form;
};

/* Can the call be needed, by its entry point and what it asks for, when it has begun? What cannot
 * need not even be stored. */
bool needed_perhaps(const struct api_call *call);

/* The calls up to `last`, in ascending order, that those after it need; the array lives in the
 * arena. A call that is under way there is not one of them. `path` is for the sentences. */
enum status needed_calls(struct sqlite3 *database, const char *path, uint64_t last,
                         struct arena *arena, struct needed_call **calls, size_t *count,
                         struct error *error);

/* The queue that a command is enqueued to; 0 = it names none, as a command-buffer may. */
uint64_t needed_queue(const struct api_call *call);

/* Gives the call that form. */
void needed_shape(struct api_call *call, enum needed_form form);

#endif
