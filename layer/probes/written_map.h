/* The map of a memory object (written.h): a buffer beside it, with a byte for each of its bytes, 0
 * where nobody wrote. Its commands are those of a queue of our own, and have ended when these
 * functions return. */
#ifndef LAYER_PROBES_WRITTEN_MAP_H
#define LAYER_PROBES_WRITTEN_MAP_H

#include "layer/probes/byte_ranges.h"
#include "layer/probes/shadows.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct written_map {
    cl_mem buffer; /* NULL = there is none */
    uint64_t size;
    cl_command_queue queue; /* our own */
};

/* With the ranges written; `queue` is the program's. False when it cannot be had. */
bool written_map_create(struct written_map *map, struct shadows *shadows, cl_command_queue queue,
                        uint64_t size, const struct byte_ranges *ranges);
/* An empty one, to be copied to. */
bool written_map_create_empty(struct written_map *map, struct shadows *shadows,
                              cl_command_queue queue, uint64_t size);
/* Commands that have it may still run. NULL is none. */
void written_map_drop(struct written_map *map, struct shadows *shadows);

/* Written: */
bool written_map_fill(const struct written_map *map, uint64_t begin, uint64_t end);
/* The first byte, not before `from`, that nobody wrote; the size = there is none. When the driver
 * refuses, `from`. */
uint64_t written_map_find_empty(const struct written_map *map, uint64_t from);
/* Bits for `size` bytes from `offset` on, 1 = nobody wrote it; false when the driver refuses. */
bool written_map_read(const struct written_map *map, uint64_t offset, uint64_t size, uint8_t *bits);

#endif
