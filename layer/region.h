/* Regions of host memory that a command reads or writes: rows of bytes, pitches apart, behind one
 * pointer. */
#ifndef LAYER_REGION_H
#define LAYER_REGION_H

#include "layer/probe.h"
#include "trace/spool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region {
    const char *base;                /* the pointer that the application passed, or got */
    uint64_t offset;                 /* of the first byte, from base */
    uint64_t row_size;               /* bytes */
    uint64_t rows, slices;           /* at least 1 each, or the region is empty */
    uint64_t row_pitch, slice_pitch; /* bytes from one row, or slice, to the next */
};

struct region region_linear(const void *base, uint64_t size);

/* The bytes from base + offset to the end of the last row; false when that overflows, or no
 * program has an address so high, or when rows or slices overlap, which OpenCL refuses: the same
 * bytes could be named any number of times. */
bool region_span(const struct region *region, uint64_t *size);

/* Puts the region's bytes into the trace as belonging to an argument of a call
 * (API_ARGUMENT_RESULT: its return value), one content for each run without a gap. Nothing where
 * the region or a gap in it cannot be read: its sizes may be as wrong as the address. */
void region_save(const struct region *region, struct spool *spool, uint64_t call_id,
                 uint32_t argument, struct probe *probe);

#endif
