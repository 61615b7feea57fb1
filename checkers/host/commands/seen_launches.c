#include "checkers/host/commands/commands.h"

#include "checkers/host/checker.h"

/* The sizes behind a pointer; false when there are some that could not be read. */
static bool mix_sizes(uint64_t *digest, const struct api_value *sizes)
{
    *digest = traits_mix(*digest, sizes->present ? sizes->count : UINT64_MAX);
    if (sizes->present && (sizes->kind != API_VALUE_SIZES || !sizes->data))
        return false;
    for (uint32_t i = 0; sizes->present && i < sizes->count; ++i)
        *digest = traits_mix(*digest, list_word(sizes, i));
    return true;
}

/* What a launch does to contents, and to the memory of two owners, is told each time. */
static bool is_looked_at_always(const struct judged *judged)
{
    const struct api_call *call = judged->call;
    return call->flags != 0 ||
           call->arguments[API_clEnqueueNDRangeKernel_num_events_in_wait_list].bits != 0 ||
           call->arguments[API_clEnqueueNDRangeKernel_event_wait_list].present ||
           host_ptr_any(judged->checker->owned) ||
           atomic_load_explicit(&judged->checker->conduct.undefined_contents,
                                memory_order_relaxed) != 0;
}

struct seen_launch seen_launch_find(const struct judged *judged)
{
    const struct api_call *call = judged->call;
    struct object_table *objects = judged->checker->objects;
    struct seen_launch launch = {0};
    uint64_t digest = traits_mix(judged_bits(judged, API_clEnqueueNDRangeKernel_command_queue),
                                 judged_bits(judged, API_clEnqueueNDRangeKernel_work_dim));
    if (is_looked_at_always(judged) ||
        !mix_sizes(&digest, &call->arguments[API_clEnqueueNDRangeKernel_global_work_offset]) ||
        !mix_sizes(&digest, &call->arguments[API_clEnqueueNDRangeKernel_global_work_size]) ||
        !mix_sizes(&digest, &call->arguments[API_clEnqueueNDRangeKernel_local_work_size]))
        return launch;
    launch.kernel =
        object_kernel_traits(objects, judged_bits(judged, API_clEnqueueNDRangeKernel_kernel));
    if (!launch.kernel)
        return launch;
    digest =
        traits_mix(digest, atomic_load_explicit(&launch.kernel->changes, memory_order_acquire));
    digest = traits_mix(digest, svm_version(judged->checker->svm));
    launch.digest = traits_mix(digest, object_version(objects));
    return launch;
}

bool seen_launch_is_right(const struct seen_launch *launch)
{
    return launch->kernel && rights_have(&launch->kernel->right, launch->digest);
}

void seen_launch_note(const struct seen_launch *launch)
{
    if (launch->kernel)
        rights_note(&launch->kernel->right, launch->digest);
}
