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
/* Why races are not looked for, of some argument. */
enum parameters_lack {
    LACK_NOTHING,
    LACK_MEMORY,
    LACK_LOCAL, /* memory */
    LACK_ATOMICS /* the device's */,
    LACK_ORDER,
    LACKS
};
/* Sets them; the caller holds the kernel's mutex until it is enqueued. False when the driver
 * refuses one. */
bool parameters_set(const struct probed *probed, struct shadows *shadows,
                    const struct parameters_launch *launch, enum parameters_lack *lack);

#endif
