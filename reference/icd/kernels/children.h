/* What kernels enqueue on the device. A launch and all that it enqueues, directly or not, is a
 * *family*; it is executed within the launch's own command, which so ends after its last child.
 *
 * Children run behind the launch that enqueued them, whatever their flags: those allow it. Of the
 * commands whose events have all ended, the one that was enqueued first runs first; a child's own
 * children are enqueued behind those that wait already. */
#ifndef REFERENCE_ICD_KERNELS_CHILDREN_H
#define REFERENCE_ICD_KERNELS_CHILDREN_H

#include "reference/icd/kernels/build.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/vm/exec.h"

struct family;

struct family_request {
    cl_context context;
    cl_device_id device;
    struct build *build; /* lives as long as the family, as the options do */
    const struct launch_options *options;
    const struct sched_launch *launch; /* what it begins with: the others are like it */
    struct touched *touched;           /* what that touches; NULL = nobody wants to know */
    /* Commands of the host may be unordered with it: races.h is told what children touch. */
    bool watched;
    const uint32_t *objects; /* as races_use_touched wants them */
    size_t object_count;
};

/* Do findings want to know what launches of a family touch, one site from another? */
bool family_wants_touched(const struct launch_options *options);

/* NULL when memory is out. */
struct family *family_create(const struct family_request *request);
void family_destroy(struct family *family);

/* The queues, for the launch that the family begins with. */
const struct vm_device *family_device(struct family *family);
/* That launch has ended: executes what it enqueued. Gives CL_SUCCESS, or the error of a child; adds
 * to *cost. Unlocked, on the thread of the launch. */
cl_int family_run(struct family *family, uint64_t *cost);

#endif
