/* Which parts of a stretch of memory changed, told by digests of its blocks. One thread at a time.
 */
#ifndef LAYER_BLOCKS_H
#define LAYER_BLOCKS_H

#include "layer/readable.h"
#include "trace/spool.h"

#include <stdint.h>

struct blocks {
    const char *bytes; /* the program's, or the driver's */
    uint64_t size;
    uint64_t *digests; /* one a block; NULL = all counts as changed, always */
};

/* All counts as changed, at first. */
void blocks_init(struct blocks *blocks, const void *bytes, uint64_t size);
void blocks_release(struct blocks *blocks);

/* What the memory holds now is what it is compared with from now on. */
void blocks_note(struct blocks *blocks, struct readable *readable);
/* The same, and what changed goes into the trace as belonging to an argument of a call,
 * neighbouring blocks together; `offset` is where the first byte lies in the memory of that
 * argument. */
void blocks_save_changes(struct blocks *blocks, struct spool *spool, uint64_t call_id,
                         uint32_t argument, uint64_t offset, struct readable *readable);

#endif
