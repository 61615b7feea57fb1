/* What the forms of clerk export draw into a timeline besides calls and commands: which command a
 * call has enqueued, for the arrow from one to the other, and marks where something was found. */
#ifndef VIEWER_CLI_EXPORT_EXPORT_MARKS_H
#define VIEWER_CLI_EXPORT_EXPORT_MARKS_H

#include "viewer-cli/export_run.h"

/* A finding at one of the calls that it names. */
struct export_mark {
    uint64_t call;
    bool is_of_command; /* of a kernel: at the command that the call enqueued, not at the call */
    size_t finding;     /* its number, in the order of findings_open */
    const char *severity, *rule, *message;
};

struct export_marks {
    struct export_mark *list; /* by call, then is_of_command */
    size_t count, capacity, finding_count;
    const struct export_command **commands; /* by call; those of the run */
    size_t command_count;
    struct arena arena; /* the strings */
};

/* Fills *marks, zero-initialised; `run` is borrowed. Release it also after a failure. */
enum status export_marks_load(const struct export_run *run, struct export_marks *marks,
                              struct error *error);
void export_marks_release(struct export_marks *marks);

/* The command that the call enqueued; NULL if none. */
const struct export_command *export_marks_command(const struct export_marks *marks, uint64_t call);
/* The marks at a call, or at the command that it enqueued: *count of them, NULL for none. */
const struct export_mark *export_marks_at(const struct export_marks *marks, uint64_t call,
                                          bool is_of_command, size_t *count);

#endif
