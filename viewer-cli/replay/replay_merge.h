/* `clerk replay --merge FILE...`: what the shards of a replay gave, as one. */
#ifndef VIEWER_CLI_REPLAY_REPLAY_MERGE_H
#define VIEWER_CLI_REPLAY_REPLAY_MERGE_H

#include "viewer-cli/verb.h"

/* The operands are the outputs of `clerk replay --shard I/N --json`, in any order. Returns the exit
 * status. */
int replay_merge(const struct verb *verb, const struct options *options);

#endif
