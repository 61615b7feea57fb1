/* Suspicions that come again and again, as of a program that is built anew all the time: told some
 * times, then counted. Thread-safe. */
#ifndef LAYER_PROBES_REPEATED_H
#define LAYER_PROBES_REPEATED_H

#include "checkers/sink.h"

#include <stdbool.h>

struct repeated;

struct repeated *repeated_create(void);           /* NULL when memory is out */
void repeated_destroy(struct repeated *repeated); /* NULL is fine */
/* Is it to be told? Else it is counted. */
bool repeated_is_new(struct repeated *repeated, const struct finding *finding);
/* Tells of each how often it was counted, and forgets that. */
void repeated_tell(struct repeated *repeated, sink_function *report, void *user);

#endif
