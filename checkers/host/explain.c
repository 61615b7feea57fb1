/* Errors that a driver returned although clerk finds nothing wrong with the call. */
#include "checkers/host/checker.h"

#include "trace/api/enumerant.h"

/* Nothing is wrong with the call: the driver lacks something, or the answer is no. */
static bool is_no_mistake(int32_t error)
{
    switch (error) {
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_MAP_FAILURE:
    case CL_DEVICE_PARTITION_FAILED:
        return true;
    default:
        return !api_error_name(error);
    }
}

void blame_driver_error(struct judged *judged)
{
    /* A query that the driver does not answer is answered. */
    if (is_no_mistake(judged->returned) ||
        api_entry_find_role(judged->info, API_ROLE_INFO_VALUE) != API_PARAMETER_NONE)
        return;
    const struct blame blame = {.rule = RULE_DRIVER_ERROR,
                                .error = judged->returned,
                                .argument = API_PARAMETER_NONE,
                                .element = -1,
                                .unsure = true,
                                .reason = "None of the conditions that clerk decides explains it; "
                                          "the driver knows which of the others it is."};
    blame_call(judged, &blame, "returns %s", api_error_name(judged->returned));
}
