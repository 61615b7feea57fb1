/* Recordings of a part of a run: where they begin and end, and those that keep the end alone.
 *
 * Before a recording begins, only calls are recorded that may be needed (trace/needed.h). Where it
 * begins no other thread is in a call: every queue is finished, and the bytes of all memory are
 * recorded. That cannot be while a user event is open, a thread stays in a call, or where
 * commands may wait for what only this thread would do; it is tried again at later calls. A
 * recording that keeps the end begins anew again and again, each time later. Functions may be
 * called from any thread. */
#ifndef LAYER_RANGE_H
#define LAYER_RANGE_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct range;
struct session;
struct layer_thread;
struct api_call;

/* From the settings. NULL in *range: all of the run is recorded. The session has spool and
 * contents, which are borrowed. */
enum status range_create(struct session *session, struct range **range, struct error *error);
void range_destroy(struct range *range); /* NULL is fine */

/* Before a call gets its number; it may begin or end the recording. range_leave must follow. */
void range_enter(struct range *range, struct layer_thread *thread, uint32_t entry,
                 const uint64_t *words);
void range_leave(struct range *range, const struct layer_thread *thread);
/* A call came back. */
void range_note(struct range *range, const struct api_call *call);

/* Is the call not recorded, as the recording has not begun? */
bool range_leaves_out(const struct range *range, const struct api_call *call);
/* Has it not begun, or is it over? */
bool range_is_outside(const struct range *range);
/* At the end of the program: why the recording never began; NULL = it did. */
const char *range_hindrance(const struct range *range);

#endif
