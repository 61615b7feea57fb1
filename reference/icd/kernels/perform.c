#include "reference/icd/kernels/perform.h"

#include "reference/icd/kernels/byte_order.h"
#include "trace/base/visible.h"

#include <inttypes.h>

cl_int launch_outcome(const struct sched_launch *launch, enum status status,
                      const struct sched_result *result, const struct error *error)
{
    if (status != STATUS_OK) {
        visible_tell("clerk: %s: %s\n", launch->label, error->text);
        return CL_OUT_OF_RESOURCES;
    }
    if (!result->exhausted)
        return CL_SUCCESS;
    if (launch->budget && launch->budget->spent)
        return CL_OUT_OF_RESOURCES;
    const bool told = launch->observer && launch->observer->unfinished;
    if (!told && result->hangs)
        visible_tell("clerk: %s: ended, because no work-item can go on\n", launch->label);
    else if (!told)
        visible_tell("clerk: %s: ended at the operation limit, %" PRIu64 "\n", launch->label,
                     launch->operation_limit);
    return CL_OUT_OF_RESOURCES;
}

cl_int launch_perform(const struct sched_launch *launch, uint64_t *cost)
{
    struct sched_result result = {0};
    struct error error;
    uint8_t **copies;
    enum status status = byte_order_enter(launch, &copies, &error);
    if (status == STATUS_OK) {
        status = sched_run(launch, &result, &error);
        byte_order_leave(launch, copies);
    }
    *cost += result.operation_count;
    return launch_outcome(launch, status, &result, &error);
}
