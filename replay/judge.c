/* What a call returned against what it returned in the recording, and why the target refuses what
 * the recorded device did. */
#include "replay/state.h"

#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool replay_is_completed(const struct api_call *call)
{
    return (call->flags & API_CALL_COMPLETED) != 0;
}

int32_t replay_recorded_status(const struct api_call *call, const struct api_entry_info *info)
{
    if (info->return_role == API_ROLE_STATUS)
        return (int32_t)call->result.bits;
    return (int32_t)replay_output(call, api_entry_find_role(info, API_ROLE_OUT_STATUS));
}

const char *replay_status_name(int32_t status, char buffer[16])
{
    const char *name = api_error_name(status);
    if (!name)
        snprintf(buffer, 16, "%" PRId32, status);
    return name ? name : buffer;
}

bool replay_is_waiting(const struct api_call *call)
{
    return call->entry == API_ENTRY_clFinish || call->entry == API_ENTRY_clWaitForEvents;
}

/* ---- why ---- */

/* The program that the call was to build; clLinkProgram makes it, also where linking fails (OpenCL
 * API 3.0, 5.8.3). NULL of other calls. */
static cl_program program_to_build(const struct replay_prepared *prepared, uint64_t result)
{
    switch (prepared->entry) {
    case API_ENTRY_clBuildProgram:
    case API_ENTRY_clCompileProgram:
        return (cl_program)(uintptr_t)prepared->words[API_clBuildProgram_program];
    case API_ENTRY_clLinkProgram:
        return (cl_program)(uintptr_t)result;
    default:
        return NULL;
    }
}

/* The build log of the target, cut to what fits a sentence. */
static void append_build_log(const struct replay *replay, cl_program program, struct error *error)
{
    if (!program)
        return;
    char log[ERROR_TEXT_SIZE] = "";
    const size_t length = strlen(error->text);
    size_t size = 0;
    CL(replay->target, clGetProgramBuildInfo)
    (program, replay->target->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *whole = alloc_zero(1, size + 1);
    if (whole && size &&
        CL(replay->target, clGetProgramBuildInfo)(
            program, replay->target->device, CL_PROGRAM_BUILD_LOG, size, whole, NULL) == CL_SUCCESS)
        snprintf(log, sizeof log, "%s", whole);
    alloc_free(whole);
    if (log[0])
        snprintf(error->text + length, sizeof error->text - length, ":\n%s", log);
}

/* A program asks the device for its limit: a larger device was recorded than this one is. */
static void append_group_size(const struct replay *replay, const struct api_call *call,
                              int32_t status, struct error *error)
{
    const struct api_value *list = &call->arguments[API_clEnqueueNDRangeKernel_local_work_size];
    const size_t length = strlen(error->text);
    uint64_t items = 1;
    size_t limit = 0;
    if (call->entry != API_ENTRY_clEnqueueNDRangeKernel || !list->present ||
        (status != CL_INVALID_WORK_GROUP_SIZE && status != CL_INVALID_WORK_ITEM_SIZE) ||
        CL(replay->target, clGetDeviceInfo)(replay->target->device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                            sizeof limit, &limit, NULL) != CL_SUCCESS)
        return;
    for (uint32_t i = 0; i < list->count; ++i)
        items *= replay_element(list, i);
    if (items > limit)
        snprintf(error->text + length, sizeof error->text - length,
                 ": the recorded device took work-groups of %" PRIu64
                 " work-items, the target takes %zu",
                 items, limit);
}

/* ---- and what then ---- */

/* May replay go on when this call fails only here? What only waits or counts references, yes; what
 * later calls rely on, no. */
static bool failure_is_survivable(const struct api_call *call)
{
    const char *name = api_entry_get(call->entry)->name;
    return strncmp(name, "clRetain", 8) == 0 || strncmp(name, "clRelease", 9) == 0 ||
           replay_is_waiting(call) || call->entry == API_ENTRY_clFlush ||
           call->entry == API_ENTRY_clSetUserEventStatus;
}

/* With a callback the call returned before anyone knew whether the build succeeds; here it waits
 * for it. A build that fails is told by the calls that use the program. */
static bool is_build_in_background(const struct api_call *call)
{
    const uint32_t callback = api_entry_find_role(api_entry_get(call->entry), API_ROLE_CALLBACK);
    return (call->entry == API_ENTRY_clBuildProgram || call->entry == API_ENTRY_clCompileProgram) &&
           call->arguments[callback].present;
}

static int32_t performed_status(const struct replay_prepared *prepared, uint64_t result)
{
    if (prepared->info->return_role == API_ROLE_STATUS)
        return (int32_t)result;
    return prepared->status ? *prepared->status : CL_SUCCESS;
}

/* What clLinkProgram gave in vain. */
static void release_unlinked(const struct replay *replay, const struct replay_prepared *prepared,
                             uint64_t result)
{
    if (prepared->entry == API_ENTRY_clLinkProgram && result)
        CL(replay->target, clReleaseProgram)((cl_program)(uintptr_t)result);
}

static enum status judge(struct replay *replay, const struct replay_prepared *prepared,
                         uint64_t result, bool *succeeded, struct error *error)
{
    const struct api_call *call = prepared->call;
    const int32_t replayed = performed_status(prepared, result);
    char number[16];
    *succeeded = replayed == CL_SUCCESS;
    if (!replay_is_completed(call) || is_build_in_background(call))
        return STATUS_OK;
    const int32_t recorded = replay_recorded_status(call, prepared->info);
    if ((recorded == CL_SUCCESS) == *succeeded) {
        replay->result->failed_both += !*succeeded;
        return STATUS_OK;
    }
    if (!*succeeded && !failure_is_survivable(call)) {
        replay_fail(call, STATUS_UNSUPPORTED, error,
                    "it succeeded in the recording and fails on the target with %s",
                    replay_status_name(replayed, number));
        if (error) {
            append_build_log(replay, program_to_build(prepared, result), error);
            append_group_size(replay, call, replayed, error);
        }
        return STATUS_UNSUPPORTED;
    }
    ++replay->result->status_differences;
    if (replay->options->status_difference)
        replay->options->status_difference(
            replay->options->user, &(struct replay_status_difference){
                                       .call = call, .recorded = recorded, .replayed = replayed});
    return STATUS_OK;
}

enum status replay_judge_status(struct replay *replay, const struct replay_prepared *prepared,
                                uint64_t result, bool *succeeded, struct error *error)
{
    const enum status status = judge(replay, prepared, result, succeeded, error);
    if (!*succeeded)
        release_unlinked(replay, prepared, result);
    return status;
}
