/* The processes of a run that called OpenCL, as they told of themselves (checkers/process_notes.h).
 */
#ifndef VIEWER_CLI_PROCESSES_H
#define VIEWER_CLI_PROCESSES_H

#include "checkers/finding.h"
#include "trace/base/arena.h"

struct process_seen {
    struct finding_process process;
    bool ended; /* by itself */
};
struct processes {
    struct process_seen *seen;
    size_t count, capacity;
    struct arena arena; /* their strings */
};

/* How a report names a process: that which clerk itself has started without its id, which differs
 * from run to run, and what lies below the directory that clerk was called in relative to it. */
struct process_naming {
    uint64_t started;
    const char *directory; /* NULL = not known */
};
void process_name(const struct process_naming *naming, struct finding_process *process);

/* Reads the file. */
enum status processes_read(const char *path, const struct process_naming *naming,
                           struct processes *processes, struct error *error);
void processes_release(struct processes *processes);

/* Has a finding to tell which of them it is of? Not if there was none but the one that clerk
 * started. */
bool processes_are_several(const struct processes *processes);

/* The command of the one that recorded into this file; NULL if that is not known. */
const char *processes_find_trace(const struct processes *processes, const char *path);

/* "clerk: 3 processes called OpenCL: ./a, ./b size (2 processes)", where they are several. */
void processes_print(const struct processes *processes, struct text *text);

#endif
