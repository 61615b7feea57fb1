/* Another way to go through all executions than checkers/litmus/trust.c, for small tests: in every
 * order of reads, and what was come to before is known by its key. */
#ifndef TESTS_UNIT_LITMUS_MEMO_SEARCH_H
#define TESTS_UNIT_LITMUS_MEMO_SEARCH_H

#include "checkers/litmus/search_private.h"

/* More states than that, or than the options say, are not gone through: LITMUS_LEFT_STATES. */
enum { MEMO_STATES_MAX = 30000 };

/* First all interleavings, then all weak executions: calls search->visit, with the options' indices
 * as choices, and says whether there is a hang. */
enum status memo_search(struct search *search, struct error *error);

/* Says which execution a graph is, whatever the order of its events. */
enum {
    MEMO_EVENTS_MAX = 512, /* of the first room that a search has */
    MEMO_OPTIONS_MAX = 100,
    MEMO_KEY_MAX = 2 * MEMO_EVENTS_MAX + LITMUS_THREADS_MAX + LITMUS_LOCATIONS_MAX,
};
size_t memo_key(const struct litmus_test *test, const struct graph *graph,
                uint16_t key[MEMO_KEY_MAX]); /* returns bytes */

#endif
