/* Which bytes a launch is certain to write, from what is known of its kernel (facts.h). */
#ifndef LAYER_PROBES_CERTAIN_WRITE_H
#define LAYER_PROBES_CERTAIN_WRITE_H

#include "layer/probes/byte_ranges.h"
#include "layer/probes/kernels.h"

#include <stdbool.h>
#include <stdint.h>

struct launch_sizes {
    uint32_t dimensions;
    uint64_t offset[3], global[3];
};

/* Of the memory object that the argument leads to. False: none are certain. Under the kernel's
 * mutex. */
bool certain_write_find(const struct probed *probed, uint64_t argument,
                        const struct launch_sizes *sizes, struct byte_range *range);
/* May the kernel read what was in the object? */
bool certain_write_may_read(const struct probed *probed, uint64_t object);

#endif
