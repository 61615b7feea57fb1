/* How clerk replay tells one difference, to people and, a line of JSON each, to programs. */
#ifndef VIEWER_CLI_REPLAY_REPLAY_DIFFERENCES_H
#define VIEWER_CLI_REPLAY_REPLAY_DIFFERENCES_H

#include "replay/replay.h"
#include "viewer-cli/replay/replay_launches.h"

/* `is_golden`: what was expected is a reference output, not the recording's. */
void replay_difference_print(const struct replay_difference *difference,
                             struct replay_launches *launches, bool is_golden, struct text *text);
void replay_difference_print_json(const struct replay_difference *difference,
                                  struct replay_launches *launches, struct text *text);
void replay_status_print(const struct replay_status_difference *difference, struct text *text);
void replay_status_print_json(const struct replay_status_difference *difference, struct text *text);

/* How far apart values are that devices may round differently: "up to 3 ULP apart, 2.4e-07 of the
 * value". */
void replay_apart_print(uint64_t ulp, double relative, struct text *text);
void replay_apart_print_json(uint64_t ulp, double relative, struct text *text);

#endif
