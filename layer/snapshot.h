/* The bytes of all memory at a moment at which no thread is in a call. */
#ifndef LAYER_SNAPSHOT_H
#define LAYER_SNAPSHOT_H

#include "layer/live.h"
#include "trace/spool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *runs_own is true while all commands that run are clerk's own.
 *
 * Finishes every queue and records what each memory object and allocation holds, as what the call
 * of this number found: a clFinish of clerk's own. NULL, or why it could not be done. The calling
 * thread is inside the driver. */
const char *snapshot_take(struct live *live, struct spool *spool, uint64_t call_id, uint32_t thread,
                          atomic_bool *runs_own);
/* The name of a kernel; false when it is none that is alive. */
bool snapshot_kernel_name(struct live *live, uint64_t kernel, char *name, size_t size);

#endif
