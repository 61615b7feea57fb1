/* Going back: the history of the launch that runs is run again, in other processes.
 *
 * The *original* is the process that the host started. Now and then it forks a *checkpoint*, on the
 * thread that executes: a process that stands where it was made, for ever, and has children of its
 * own whenever somebody needs the history again from there. Such a child is on an *errand*:
 *
 *     searching  it runs up to a moment, tells the original what it found last, and ends
 *     living     it runs up to a moment, and stands there in the original's place: it answers the
 *                front end, through the socket that all of them have
 *
 * The original waits meanwhile at the furthest moment that was reached. A living one that comes
 * there hands the conversation back and ends: only the original ever returns into the program, goes
 * on to what nobody has seen, and tells the host of outputs and findings. What a child prints or
 * finds was told when the original was there.
 *
 *     front end --- socket ---+-- original ---- channel ---+
 *                             |     | control              |
 *                             |   checkpoint  (one for each place in the history)
 *                             |     | fork                 |
 *                             +-- living, or searching ----+
 *
 * All of them have settings (breakpoints and the like): the requests by which these were made are
 * kept, and told to a child that was forked earlier. Children end with their parents.
 *
 * A moment is a number: 0 is the launch's beginning, 2p + 1 is before the instruction at position
 * p, 2p + 2 in the midst of it (findings are made there). */
#ifndef REFERENCE_DEBUG_PAST_H
#define REFERENCE_DEBUG_PAST_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct debug_session;

static inline uint64_t debug_moment_before(uint64_t position)
{
    return 2 * position + 1;
}
static inline uint64_t debug_moment_position(uint64_t moment)
{
    return moment == 0 ? 0 : (moment - 1) / 2;
}
/* Now. */
uint64_t debug_moment(const struct debug_session *session);

/* ---- searching ---- */

enum { DEBUG_QUESTION_MAX = 320, DEBUG_NOTE_MAX = 2048 };

/* What is looked for while the history runs again. */
struct debug_question {
    /* Called in the process that runs again, where it begins and before anything is executed, with
     * the words. It may observe what follows, and calls debug_past_note. NULL: the stops are what
     * is looked for. */
    void (*begin)(struct debug_session *session, const void *words, size_t size);
    uint8_t words[DEBUG_QUESTION_MAX];
    size_t size;
};

/* The last that was noted. */
struct debug_find {
    uint64_t moment;
    size_t note_size;
    uint8_t note[DEBUG_NOTE_MAX];
};

/* Runs the history again, from the launch's beginning to before `until`, in pieces, the last one
 * first, and gives the last that was noted of it. In the process that stands, original or living,
 * on its thread. STATUS_NOT_FOUND: nothing was; others: the past is not to be had, with a sentence
 * why. May take as long as the launch took. */
enum status debug_past_search(struct debug_session *session, const struct debug_question *question,
                              uint64_t until, struct debug_find *find, struct error *error);
/* In the process that runs again: this happens now, if it is a moment that was asked for. A later
 * note takes its place. The note is the asker's, at most DEBUG_NOTE_MAX bytes. */
void debug_past_note(struct debug_session *session, const void *note, size_t size);

/* Is this a process that runs again what is known, for somebody who does not look yet? Then
 * nothing stops, and nothing is told. */
bool debug_past_is_silent(const struct debug_session *session);
/* Is this any other process than the original? */
bool debug_past_is_again(const struct debug_session *session);

#endif
