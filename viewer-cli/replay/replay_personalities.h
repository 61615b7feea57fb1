/* `clerk replay --personalities LIST`: the run on devices unlike the usual one, each in a process
 * of its own, compared with the usual reference device launch by launch. */
#ifndef VIEWER_CLI_REPLAY_REPLAY_PERSONALITIES_H
#define VIEWER_CLI_REPLAY_REPLAY_PERSONALITIES_H

#include "viewer-cli/verb.h"

/* Returns the exit status: VERB_FOUND when a result differs on one of them. That the run cannot be
 * performed on one, because it exceeds a limit or uses what is optional, is told and no failure. */
int replay_personalities(const struct verb *verb, const struct options *options);

#endif
