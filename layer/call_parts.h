/* What call.c leaves to others. */
#ifndef LAYER_CALL_PARTS_H
#define LAYER_CALL_PARTS_H

#include "layer/session.h"
#include "layer/thread.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"

#include <stdint.h>

/* Extension functions: what clGetExtensionFunctionAddress(ForPlatform) returns is wrapped when the
 * entry-point table knows it, and otherwise passed through, counted and named in the trace. */

/* The word that the application gets for `result`, the driver's, of the completed call: `result`
 * itself unless the call asked for an extension function. If calls of that function will not be
 * seen, that is said in call->flags. */
uint64_t extensions_wrap_result(struct session *session, struct api_call *call, uint64_t result);

/* Calls that programs make most, in few words: when nothing records them they are not captured. */

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
