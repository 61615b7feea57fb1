/* What launches do to memory, which is the same as long as nothing has changed. */
#include "checkers/host/commands/commands_state.h"

#include "checkers/host/checker.h"
#include "checkers/host/commands/certain_bytes.h"

#include <string.h>

static struct launch_key make_key(struct object_table *objects, const struct api_call *call)
{
    const uint64_t handle = call->arguments[API_clEnqueueNDRangeKernel_kernel].bits;
    const struct kernel_traits *kernel = object_kernel_traits(objects, handle);
    struct launch_key key = {
        .kernel = handle,
        .changes = kernel ? atomic_load_explicit(&kernel->changes, memory_order_acquire) : 0,
        .version = object_version(objects)};
    if (kernel && kernel->has_must) {
        const struct launch_ids ids = launch_ids_of(call);
        key.first_id = ids.first;
        key.end_id = ids.end;
        key.limits = certain_bytes_limits(kernel);
    }
    return key;
}

const struct launch_uses *launch_uses_of(const struct host_commands *commands,
                                         struct order_note *queue, const struct api_call *call)
{
    struct object_table *objects = commands->checker->objects;
    const struct launch_key key = make_key(objects, call);
    struct object_facts facts;
    for (size_t i = 0; i < LAUNCHES_MAX; i++)
        if (memcmp(&queue->launches[i].key, &key, sizeof key) == 0)
            return &queue->launches[i];
    struct launch_uses *launch = &queue->launches[queue->next_launch++ % LAUNCHES_MAX];
    call_uses_find(call, objects, commands->checker->svm, &launch->found);
    if (!object_describe(objects, key.kernel, &facts))
        facts.detail[0] = '\0';
    launch->key = key;
    memcpy(launch->detail, facts.detail, sizeof launch->detail);
    return launch;
}
