/* Bytes of the application's memory that replay needs: what the device is given (writes, host
 * pointers, what was written through a map) and what it gives back (reads, what a map shows).
 *
 * Input is saved when the call is made. What a blocking read gave is saved when the call returns;
 * what a non-blocking one gave, at the first moment when the application itself may know that it is
 * there: clFinish, a wait for its event, a query or callback that says CL_COMPLETE, a blocking
 * command; and each of these of a command that is after it in an in-order queue, or waited for it.
 * Before that the bytes are not there, and later they may have changed. A read whose completion the
 * application never learns in one of these ways is not saved.
 *
 * A map for writing is compared block by block, by digest, when it is unmapped, and only what
 * changed is saved; shared memory that needs no map, as layer/shared.c says. Functions may be
 * called from any thread. */
#ifndef LAYER_CONTENTS_H
#define LAYER_CONTENTS_H

#include "layer/live.h"
#include "layer/readable.h"
#include "trace/api/entry.h"
#include "trace/spool.h"

struct contents;

/* NULL when memory is out. The others are borrowed; it is these functions that tell `live` of
 * the calls. */
struct contents *contents_create(struct spool *spool, struct live *live);
void contents_destroy(struct contents *contents);

/* From now on bytes that commands read and write are not kept, or are again: only those that
 * objects are made with. Nobody is in the functions below meanwhile. */
void contents_hold_back(struct contents *contents, bool hold_back);

/* Before a call is forwarded, with its input captured. */
void contents_before(struct contents *contents, const struct api_call *call,
                     struct readable *readable);
/* After a call came back and its output was captured. */
void contents_after(struct contents *contents, const struct api_call *call,
                    struct readable *readable);
/* A native kernel has returned: what it left in the memory object that is so many-th in its list.
 */
void contents_native_left(struct contents *contents, uint64_t call_id, uint64_t index,
                          const void *bytes, uint64_t size);
/* The application is about to be told that the event's command is complete. */
void contents_event_complete(struct contents *contents, cl_event event, struct readable *readable);

#endif
