/* Files and directories for a moment, in $TMPDIR or /tmp, under names that nobody else has
 * ("clerk-scratch-XXXXXX"). A lock says that they are in use: what a killed process left is removed
 * when the next process makes its first. */
#ifndef TRACE_BASE_SCRATCH_H
#define TRACE_BASE_SCRATCH_H

#include "trace/base/file.h"
#include "trace/base/status.h"

/* What their names begin with. */
#define SCRATCH_PREFIX "clerk-scratch-"

/* Zero-initialised: none. */
struct scratch {
    char *path;
    int lock; /* its descriptor, of the file that is */
    struct file_identity file;
};

/* An empty file of mode 0600. */
enum status scratch_make_file(struct scratch *scratch, struct error *error);
/* A directory of mode 0700. */
enum status scratch_make_directory(struct scratch *scratch, struct error *error);
/* Removes it with all that is in it. */
void scratch_release(struct scratch *scratch);

#endif
