/* A recording that begins later than its program: what is before is taken out of the trace. */
#ifndef TRACE_BEGINNING_H
#define TRACE_BEGINNING_H

#include "trace/store.h"

/* It begins after this call. Within a transaction, as the next. */
enum status beginning_note(struct store *store, uint64_t begins_after, struct error *error);
/* Leaves of the calls up to that one those that are needed, and what belongs to them; findings
 * stay. Doing it again changes nothing. All calls up to that one are stored. */
enum status beginning_apply(struct store *store, uint64_t begins_after, struct error *error);
/* The call after which the stored trace is to begin; 0 = it has the start. */
enum status beginning_find(struct store *store, uint64_t *begins_after, struct error *error);

#endif
