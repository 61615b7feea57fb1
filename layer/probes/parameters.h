/* The parameters that a checked kernel has after its own, for one launch. */
#ifndef LAYER_PROBES_PARAMETERS_H
#define LAYER_PROBES_PARAMETERS_H

#include "layer/probes/allocations.h"
#include "layer/probes/kernels.h"
#include "layer/probes/shadows.h"
#include "layer/probes/touched.h"
#include "layer/probes/written.h"

#include <stdbool.h>
#include <stdint.h>

struct parameters_launch {
    cl_command_queue queue;
    const struct copy_device *device; /* of that */
    uint32_t number;
    cl_kernel kernel;                  /* whose parameters these are */
    bool is_apart;                     /* by form, and that has no cells where it is so */
    bool is_written;                   /* all local memory, before it is read: by form */
    const struct touching *touching;   /* NULL = it has no cells to itself */
    bool is_full;                      /* the kernel is that of the copy with all cells: */
    const struct following *following; /* NULL = all that it uses is written */
    struct allocations *allocations;
};
/* Why races are not looked for, of some argument. */
enum parameters_lack {
    LACK_NOTHING,
    LACK_MEMORY,
    LACK_LOCAL, /* memory */
    LACK_ATOMICS /* the device's */,
    LACK_ORDER,
    LACK_WAITS,
    LACK_FULL, /* there is no copy with all cells */
    LACKS
};
/* Does the form of the kernel (checkers/probe/apart.h) keep the work-items of a launch with these
 * sizes, 0 = not known, and with the arguments that it has now, apart? And is all its local memory
 * written before it is read? Under the kernel's mutex. */
bool parameters_are_apart(const struct probed *probed, uint32_t dimensions, const uint64_t *offset,
                          const uint64_t *global, const uint64_t *local, bool *is_written);
/* Sets them; the caller holds the kernel's mutex until it is enqueued. False when the driver
 * refuses one. */
bool parameters_set(struct probed *probed, struct shadows *shadows,
                    const struct parameters_launch *launch, enum parameters_lack *lack);

#endif
