/* The host's memory that a command reads or writes, put into the trace. */
#ifndef LAYER_HOST_BYTES_H
#define LAYER_HOST_BYTES_H

#include "layer/readable.h"
#include "trace/effect/effect.h"
#include "trace/spool.h"

/* The first byte of an effect on the host's memory. */
static inline const char *host_bytes_first(const struct effect *effect)
{
    return (const char *)effect->memory + effect->bytes.first;
}

/* The bytes from there to the end of the last row; false when there is no such rectangle
 * (rectangle_span), or no program has an address so high. */
bool host_bytes_span(const struct effect *effect, uint64_t *size);

/* Puts the bytes into the trace as belonging to the effect's argument of a call, one content for
 * each run without a gap. Nothing where they or a gap between them cannot be read: sizes may be as
 * wrong as the address. */
void host_bytes_save(const struct effect *effect, struct spool *spool, uint64_t call_id,
                     struct readable *readable);

#endif
