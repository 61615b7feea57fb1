/* Shared memory that the host uses when it likes: fine-grained buffers of shared virtual memory,
 * and unified memory of the host, or of both.
 *
 * No call tells what the host wrote there. It is found, by blocks, when the program gives a command
 * to a device that can reach the memory: it is what changed since the host last saw the memory.
 * What the host sees is what changed when the program learns that the last such command is
 * complete. In between nobody can tell who wrote what, and what the host wrote then counts as seen.
 * Both become contents of a call, of API_ARGUMENT_HOST_WROTE and API_ARGUMENT_HOST_SEES. Functions
 * may be called from any thread. */
#ifndef LAYER_SHARED_H
#define LAYER_SHARED_H

#include "layer/live.h"
#include "layer/probe.h"
#include "trace/spool.h"

/* What one command can reach of it. */
struct shared_uses;

/* The call is about to give a command to a device. NULL if that can reach no such memory; else
 * shared_complete or shared_drop must follow. */
struct shared_uses *shared_begin(struct live *live, struct spool *spool,
                                 const struct api_call *call, struct probe *probe);
/* The program learns by the call with this id (0: by a callback) that the command is complete. */
void shared_complete(struct shared_uses *uses, struct spool *spool, uint64_t call_id,
                     struct probe *probe);
/* The command did not come about, or is forgotten. */
void shared_drop(struct shared_uses *uses);

#endif
