/* --shard: one of several parts of some work, each done by a process of its own, on any machine. */
#ifndef VIEWER_CLI_SHARD_H
#define VIEWER_CLI_SHARD_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For a verb's row of --shard. */
#define SHARD_VALUE "I/N|auto[/N]"
#define SHARD_AUTO                                                                                 \
    "; auto: the I, and unless it is given the N, that Slurm, GNU parallel or another scheduler "  \
    "tells"

struct shard {
    uint32_t index; /* from 1; 0 = the work is not divided */
    uint32_t count;
};

/* Of the option's value, NULL = it is not given. What a scheduler told is told on, on standard
 * error, in the name of the verb. */
enum status shard_parse(const char *verb, const char *value, struct shard *shard,
                        struct error *error);

/* Is the item, counted from 0, of the shard? */
static inline bool shard_has(const struct shard *shard, uint64_t item)
{
    return shard->count == 0 || item % shard->count == shard->index - 1;
}

/* ---- the shards whose outputs are put together ---- */

/* Zero is empty. */
struct shard_set {
    uint32_t count;
    bool *have; /* by index - 1 */
};

/* The output in the file is of that shard: every shard may be there once, all of one division. */
enum status shard_set_add(struct shard_set *set, const struct shard *shard, const char *path,
                          struct error *error);
/* Are all there? Otherwise a sentence names those that are not. */
enum status shard_set_check(const struct shard_set *set, struct error *error);
void shard_set_release(struct shard_set *set);

/* The last line of an output, which says that it is whole; NULL where it ends within a line. */
const char *shard_last_line(const char *text, size_t size);

#endif
