/* `clerk replay --golden FILE`: reference outputs. The first replay writes them, later ones are
 * compared with them instead of the recording. */
#ifndef VIEWER_CLI_REPLAY_REPLAY_GOLDEN_H
#define VIEWER_CLI_REPLAY_REPLAY_GOLDEN_H

#include "trace/reader.h"
#include "trace/store.h"

struct replay_golden {
    const char *path;    /* NULL: not asked for */
    struct trace *trace; /* to compare with; or */
    struct store *store; /* to write to */
};

/* Opens the file for comparing if it exists, otherwise for writing. A file that is of another run
 * than `trace` is refused. replay_golden_close also after a failure. */
enum status replay_golden_open(const char *path, struct trace *trace, struct replay_golden *golden,
                               struct error *error);
/* What was written is complete. */
enum status replay_golden_finish(struct replay_golden *golden, struct error *error);
/* Removes a file that was not finished. */
void replay_golden_close(struct replay_golden *golden);

#endif
