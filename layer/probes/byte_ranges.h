/* Bytes of a memory object as a list of ranges, in ascending order, that neither overlap nor touch.
 * Begins as zeroes; of one thread at a time. */
#ifndef LAYER_PROBES_BYTE_RANGES_H
#define LAYER_PROBES_BYTE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_range {
    uint64_t begin, end;
};
struct byte_ranges {
    struct byte_range *items;
    size_t count, room;
};

/* False when memory is out, or there are too many: then nothing is added. Nothing is to be added
 * where begin is not below end. */
bool byte_ranges_add(struct byte_ranges *ranges, uint64_t begin, uint64_t end);
/* False as above: then more stays than should. */
bool byte_ranges_remove(struct byte_ranges *ranges, uint64_t begin, uint64_t end);
/* Are all of these bytes there? */
bool byte_ranges_hold(const struct byte_ranges *ranges, uint64_t begin, uint64_t end);
void byte_ranges_release(struct byte_ranges *ranges);

#endif
