/* Steps about unified shared memory: of cl_intel_unified_shared_memory 1.0. */
#include "checkers/host/checker.h"

#include "trace/api/property.h"

#include <CL/cl_ext.h>
#include <inttypes.h>
#include <string.h>

/* What kinds of memory a device, or any of a context, has; false = not known. */
static bool capability_of(const struct judged *judged, uint64_t device, uint64_t context,
                          enum device_fact fact, uint64_t *capability)
{
    struct fact_range range;
    if (device != 0)
        return judged_device_fact(judged, device, fact, capability);
    if (!judged_fact(judged, context, fact, &range))
        return false;
    *capability = range.any;
    return true;
}

/* Has no device of the context, or not that device, such memory? */
static bool lacks(const struct judged *judged, uint64_t device, uint64_t context,
                  enum device_fact fact)
{
    uint64_t capability;
    return capability_of(judged, device, context, fact, &capability) && capability == 0;
}

/* argument context, other device or none */
void judge_usm_host(struct judged *judged, const struct step *step)
{
    if (lacks(judged, 0, judged_bits(judged, step->argument), DEVICE_FACT_USM_HOST))
        blame_step(judged, step, 0,
                   "has no device with host allocations (CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL)");
}

void judge_usm_device(struct judged *judged, const struct step *step)
{
    const uint64_t device = judged_bits(judged, step->argument);
    if (device != 0 && lacks(judged, device, 0, DEVICE_FACT_USM_DEVICE))
        blame_step(judged, step, device,
                   "has no device allocations (CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL)");
}

void judge_usm_shared(struct judged *judged, const struct step *step)
{
    const uint64_t context = judged_bits(judged, step->argument);
    const uint64_t device = judged_bits(judged, step->other);
    if (lacks(judged, device, context, DEVICE_FACT_USM_SHARED) &&
        lacks(judged, device, context, DEVICE_FACT_USM_CROSS))
        blame_as(judged, step->rule, step->error, device ? step->other : step->argument, 0,
                 "has no shared allocations "
                 "(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL)");
}

/* argument alignment: no more than the largest type needs, 128 bytes; drivers take more */
void judge_usm_alignment(struct judged *judged, const struct step *step)
{
    enum { LARGEST_TYPE = 128 };
    const uint64_t alignment = judged_bits(judged, step->argument);
    if (alignment > LARGEST_TYPE)
        blame_unsure(judged, step, "is %" PRIu64 ", more than any data type needs", alignment);
}

/* argument properties: where a shared allocation starts, and only of one */
void judge_usm_placement(struct judged *judged, const struct step *step)
{
    const uint64_t places =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    const bool shared = judged->call->entry == API_ENTRY_clSharedMemAllocINTEL;
    struct api_property property;
    if (!api_property_find(&judged->call->arguments[step->argument],
                           API_FAMILY_MEM_ALLOC_PROPERTIES, CL_MEM_ALLOC_FLAGS_INTEL, &property))
        return;
    const uint64_t flags = api_property_word(&property, 0) & places;
    if (shared && flags == places)
        blame_step(judged, step, 0, "asks for two places in which the allocation is to start");
    else if (!shared && flags != 0)
        blame_step(judged, step, 0,
                   "says where the allocation is to start, which only shared ones can");
}

/* argument size, other context, then device or none, then properties: some device can have it */
void judge_usm_size(struct judged *judged, const struct step *step)
{
    const uint64_t size = judged_bits(judged, step->argument);
    const uint64_t device =
        step->at[2] == API_PARAMETER_NONE ? 0 : judged_bits(judged, step->at[2]);
    const uint64_t known = CL_MEM_ALLOC_WRITE_COMBINED_INTEL |
                           CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL |
                           CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    struct api_property property;
    struct fact_range range;
    uint64_t limit;
    if (api_property_find(&judged->call->arguments[step->at[3]], API_FAMILY_MEM_ALLOC_PROPERTIES,
                          CL_MEM_ALLOC_FLAGS_INTEL, &property) &&
        (api_property_word(&property, 0) & ~known))
        return; /* a flag of a vendor's may lift the limit */
    if (device != 0 ? !judged_device_fact(judged, device, DEVICE_FACT_ALLOCATION_SIZE, &limit)
                    : !judged_fact(judged, judged_bits(judged, step->other),
                                   DEVICE_FACT_ALLOCATION_SIZE, &range))
        return;
    limit = device != 0 ? limit : range.most;
    if (size > limit)
        blame_step(judged, step, device,
                   "is %" PRIu64 ", more than the %" PRIu64
                   " bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE) of the device",
                   size, limit);
}

/* argument ptr: the start of an allocation, or NULL */
void judge_usm_free(struct judged *judged, const struct step *step)
{
    const uint64_t address = judged_bits(judged, step->argument);
    struct svm_range range;
    if (address == 0 || is_blind(judged->checker))
        return;
    if (!svm_find(judged->checker->svm, address, &range) || range.address != address ||
        !range.unified)
        blame_step(judged, step, 0,
                   "is not what clHostMemAllocINTEL, clDeviceMemAllocINTEL or "
                   "clSharedMemAllocINTEL returned");
}

/* argument kernel, other param_name (clSetKernelExecInfo): a device of its context has such memory
 */
void judge_usm_exec_info(struct judged *judged, const struct step *step)
{
    const uint64_t kernel = judged_bits(judged, step->argument);
    const uint64_t context = judged_context(judged, kernel);
    const bool host = lacks(judged, 0, context, DEVICE_FACT_USM_HOST);
    const bool device = lacks(judged, 0, context, DEVICE_FACT_USM_DEVICE);
    const bool shared = lacks(judged, 0, context, DEVICE_FACT_USM_SHARED);
    bool missing = false;
    switch (judged_bits(judged, step->other)) {
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        missing = host && device && shared;
        break;
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
        missing = host;
        break;
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
        missing = device;
        break;
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        missing = shared;
        break;
    default:
        break;
    }
    if (missing)
        blame_step(judged, step, kernel,
                   "is of a context whose devices have no such unified shared memory");
}

/* argument advice: one that the driver takes */
void judge_advice(struct judged *judged, const struct step *step)
{
    blame_unsure(judged, step, "is 0x%" PRIx64 ", which the driver does not take",
                 judged_bits(judged, step->argument));
}
