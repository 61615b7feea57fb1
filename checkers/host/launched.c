/* What launches do to memory, which is the same as long as nothing has changed. */
#include "checkers/host/commands_state.h"

#include "checkers/host/checker.h"

#include <string.h>

const struct launch_uses *launched_uses(const struct host_commands *commands, struct known *queue,
                                        const struct api_call *call)
{
    struct object_table *objects = commands->checker->objects;
    struct launch_uses *launch = &queue->launch;
    const uint64_t handle = call->arguments[API_clEnqueueNDRangeKernel_kernel].bits;
    const struct kernel_traits *kernel = object_kernel_traits(objects, handle);
    const uint64_t changes =
        kernel ? atomic_load_explicit(&kernel->changes, memory_order_acquire) : 0;
    const uint64_t version = object_version(objects);
    struct object_facts facts;
    if (launch->kernel == handle && launch->changes == changes && launch->version == version)
        return launch;
    call_uses_find(call, objects, &launch->found);
    if (!object_describe(objects, handle, &facts))
        facts.detail[0] = '\0';
    launch->kernel = handle;
    launch->changes = changes;
    launch->version = version;
    memcpy(launch->detail, facts.detail, sizeof launch->detail);
    return launch;
}
