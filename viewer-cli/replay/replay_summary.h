/* What clerk replay says at the end: what was performed and compared, and what was not. */
#ifndef VIEWER_CLI_REPLAY_REPLAY_SUMMARY_H
#define VIEWER_CLI_REPLAY_REPLAY_SUMMARY_H

#include "replay/replay.h"

struct replay_summary {
    struct trace *trace; /* the recording */
    const struct replay_target *target;
    const struct replay_result *result;
    uint64_t call_count; /* of the recording */
    const char *traits;  /* that the target took from the recorded device; "" = none */
    uint64_t not_shown;  /* differences */
    uint64_t without_contents;
    uint32_t shard, shard_count; /* 0 = all */
    bool free_threads, runs_alone;
    const char *golden_path; /* NULL = none */
    bool golden_is_read;     /* else written */
};

void replay_summary_print(const struct replay_summary *summary, struct text *text);
/* One line of JSON, which clerk replay --merge reads. */
void replay_summary_print_json(const struct replay_summary *summary, struct text *text);

#endif
