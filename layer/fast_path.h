/* Calls that programs make most, in few words: when nothing records them they are not captured. */
#ifndef LAYER_FAST_PATH_H
#define LAYER_FAST_PATH_H

#include "layer/session.h"
#include "layer/thread.h"
#include "trace/api/entry.h"

/* Is it one of them: setting an argument, asking for the status of a command, retaining? */
static inline bool fast_path_knows(uint32_t entry)
{
    switch (entry) {
    case API_ENTRY_clSetKernelArg:
    case API_ENTRY_clGetEventInfo:
    case API_ENTRY_clRetainContext:
    case API_ENTRY_clRetainDevice:
    case API_ENTRY_clRetainCommandQueue:
    case API_ENTRY_clRetainMemObject:
    case API_ENTRY_clRetainProgram:
    case API_ENTRY_clRetainKernel:
    case API_ENTRY_clRetainEvent:
    case API_ENTRY_clRetainSampler:
        return true;
    default:
        return false;
    }
}

/* Performs such a call, which has its number, thread and entry, if that can be done so; else false,
 * and nothing was done. */
bool fast_path_perform(struct session *session, struct layer_thread *thread, struct api_call *call,
                       api_function *target, const uint64_t *words, uint64_t *result);

#endif
