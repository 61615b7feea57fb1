/* The files of a spool, mapped into memory: trace/segment.h draws what is in them. */
#ifndef TRACE_MAPPING_H
#define TRACE_MAPPING_H

#include "trace/base/status.h"

#include <stdint.h>

struct mapping {
    unsigned char *bytes;
    uint64_t size;
    unsigned number; /* of the file */
    _Atomic(struct mapping *) next;
};

/* Makes file `number` of the spool in `directory`, of that many bytes, with the header of a segment
 * that is not used yet. */
enum status mapping_create(const char *directory, unsigned number, uint64_t size,
                           struct mapping **mapping, struct error *error);
/* Makes it a segment that is not used yet again. */
void mapping_empty(struct mapping *mapping);
/* Removes the file and its mapping. */
void mapping_destroy(const char *directory, struct mapping *mapping);

#endif
