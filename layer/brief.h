/* Calls that programs make most, in few words: when nothing records them they are not captured. */
#ifndef LAYER_BRIEF_H
#define LAYER_BRIEF_H

#include "layer/session.h"
#include "layer/thread.h"
#include "trace/api/entry.h"

/* Performs the call, which has its number, thread and entry, if that can be done so; else false,
 * and nothing was done. */
bool brief_perform(struct session *session, struct layer_thread *thread, struct api_call *call,
                   api_function *target, const uint64_t *words, uint64_t *result);

#endif
