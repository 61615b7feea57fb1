/* What session.c leaves to others. */
#ifndef LAYER_SESSION_PARTS_H
#define LAYER_SESSION_PARTS_H

#include "checkers/finding.h"
#include "checkers/host/host.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* What file descriptors of the process stand for: whether one is still what it was when it was
 * marked, in the shapes of host_descriptor_find and host_descriptor_mark (checkers/host/host.h). */

host_descriptor_find descriptors_find;
host_descriptor_mark descriptors_mark;

/* What OpenGL says of its objects, in the shape of a host_gl_ask (checkers/host/host.h). */

host_gl_ask gl_ask;

/* Which calls enqueued commands on the reference device, and from where: what a finding of the
 * device is completed with when it comes, some time after the call. Any thread may call. */

struct launches;

struct launch_call {
    uint64_t call_id; /* of the trace */
    uint64_t stack;   /* a number of layer/stack.h */
    uint32_t entry;   /* trace/api: the entry point */
};

/* NULL when memory is out. */
struct launches *launches_create(void);
void launches_destroy(struct launches *launches); /* NULL is fine */

/* A command that memory has no room for is forgotten. */
void launches_add(struct launches *launches, const struct launch_call *call);
/* False when the call is none that was added. */
bool launches_find(struct launches *launches, uint64_t call_id, struct launch_call *call);

/* A file of lines that several processes append to: where findings go under `clerk run`. Lines are
 * written at once, so that a crash loses nothing and those of several processes do not mix. Any
 * thread. */

struct lines;

/* Makes the file, for its owner alone, if there is none; what is not a regular file is refused. */
enum status lines_open(const char *path, struct lines **lines, struct error *error);
/* NULL is fine. */
void lines_close(struct lines *lines);
/* Appends `line` and a newline, which is added to it. The program may have closed our descriptor,
 * and opened a file of its own under its number: then the file is opened anew. */
enum status lines_append(struct lines *lines, struct text *line, struct error *error);

/* This process as findings name it, in `arena`, with its trace (NULL = none). The command is NULL
 * when memory is out. */
struct finding_process own_process(const char *trace, struct arena *arena);
/* Tells clerk run, in the file of checkers/process_notes.h (NULL: there is none), that the process
 * began to call OpenCL, or that it ended. */
void own_process_note(const char *path, const struct finding_process *process, bool began);

#endif
