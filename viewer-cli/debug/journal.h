/* What was asked for that is to hold in every process of a session: breakpoints, catches, watches.
 * A process that is started anew is told the same in the same order, so that numbers stay. */
#ifndef VIEWER_CLI_DEBUG_JOURNAL_H
#define VIEWER_CLI_DEBUG_JOURNAL_H

#include "trace/base/arena.h"
#include "viewer-cli/debug/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_note;

/* Zero-initialise, and end with debug_journal_release. */
struct debug_journal {
    struct arena arena;
    struct debug_note *first, *last;
};
void debug_journal_release(struct debug_journal *journal);

/* Keeps a request that was answered. `number`: of the breakpoint that ends once it was hit; else
 * 0. Memory that is out makes the journal shorter. */
void debug_journal_keep(struct debug_journal *journal, const struct text *request, uint64_t number);
/* The breakpoint was hit: one that is temporary is deleted in later processes too. */
void debug_journal_hit(struct debug_journal *journal, uint64_t number);
/* Tells it all to a new process; stops at the first failure to speak with it. */
enum status debug_journal_tell(const struct debug_journal *journal, struct debug_session *session,
                               struct error *error);

#endif
