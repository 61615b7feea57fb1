/* The table of launches whose memory replay compared: one row each, or one JSON object. */
#ifndef VIEWER_CLI_REPLAY_REPLAY_LAUNCHES_H
#define VIEWER_CLI_REPLAY_REPLAY_LAUNCHES_H

#include "replay/replay.h"
#include "viewer-cli/verb.h"

struct replay_launches;

/* NULL when memory is out. `trace` is borrowed; NULL where nobody asks for kernels. */
struct replay_launches *replay_launches_create(struct trace *trace);
void replay_launches_destroy(struct replay_launches *launches); /* NULL is fine */
/* The kernel that a call launched, "?" where the trace does not know; valid until the next
 * question.
 */
const char *replay_launches_kernel(struct replay_launches *launches, uint64_t call_id);

void replay_launches_add(struct replay_launches *launches, uint64_t call_id, const char *kernel,
                         const struct replay_launch *launch);
/* Appends the table; nothing when there are no rows. */
void replay_launches_print(struct replay_launches *launches, struct text *text);
void replay_launches_print_json(uint64_t call_id, const char *kernel,
                                const struct replay_launch *launch, struct text *text);

#endif
