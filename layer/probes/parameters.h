/* The parameters that a checked kernel has after its own, for one launch. */
#ifndef LAYER_PROBES_PARAMETERS_H
#define LAYER_PROBES_PARAMETERS_H

#include "layer/probes/kernels.h"
#include "layer/probes/shadows.h"

#include <stdbool.h>
#include <stdint.h>

struct parameters_launch {
    cl_command_queue queue;
    const struct copy_device *device; /* of that */
    uint32_t number;
};
/* Sets them; the caller holds the kernel's mutex until it is enqueued. False when the driver
 * refuses one. *lacks_cells: there was no memory to look for races of all its arguments. */
bool parameters_set(const struct probed *probed, struct shadows *shadows,
                    const struct parameters_launch *launch, bool *lacks_cells);

#endif
