/* What cmd_replay.c leaves to others. */
#ifndef VIEWER_CLI_REPLAY_CMD_REPLAY_H
#define VIEWER_CLI_REPLAY_CMD_REPLAY_H

#include "checkers/report.h"
#include "replay/replay.h"
#include "trace/reader.h"
#include "trace/store.h"
#include "viewer-cli/verb.h"

/* ---- replay_doubts.c ---- */

/* Findings that may come of the replay and not of the program. A replay has no host program: what
 * that wrote into shared memory while a command was under way is not there when the command is
 * performed again. So what the device finds in launches that such memory could reach is kept until
 * it is known whether the program did write there, and a launch that waits for it ends the replay.
 */

/* Zero is empty. */
struct replay_doubts {
    uint64_t *launches; /* their calls, ascending but with free threads */
    size_t launch_count, launch_capacity;
    const struct finding **findings; /* in the arena */
    size_t finding_count, finding_capacity;
    uint64_t unanswered; /* the call of a launch that waited for ever; 0 = none */
    bool failed;         /* memory is out: something was not kept */
    struct arena arena;
};

/* A launch that the program's memory could reach is to be performed. */
void replay_doubts_add(struct replay_doubts *doubts, uint64_t call_id);
/* Is the finding one of such a launch? Then it is kept. */
bool replay_doubts_keep(struct replay_doubts *doubts, const struct finding *finding);
/* Fails if a launch waited for the host. */
enum status replay_doubts_check(const struct replay_doubts *doubts, struct error *error);
/* At the end: reports what was kept, or that it is not told, and why. */
void replay_doubts_finish(struct replay_doubts *doubts, const struct replay_result *result,
                          struct report *report);
void replay_doubts_release(struct replay_doubts *doubts);

/* ---- replay_golden.c ---- */

/* `clerk replay --golden FILE`: reference outputs. The first replay writes them, later ones are
 * compared with them instead of the recording. */

struct replay_golden {
    const char *path;    /* NULL: not asked for */
    struct trace *trace; /* to compare with; or */
    struct store *store; /* to write to */
};

/* Opens the file for comparing if it exists, otherwise for writing. A file that is of another run
 * than `trace` is refused. replay_golden_close also after a failure. */
enum status replay_golden_open(const char *path, struct trace *trace, struct replay_golden *golden,
                               struct error *error);
/* What was written is complete. */
enum status replay_golden_finish(struct replay_golden *golden, struct error *error);
/* Removes a file that was not finished. */
void replay_golden_close(struct replay_golden *golden);

/* ---- replay_merge.c ---- */

/* `clerk replay --merge FILE...`: what the shards of a replay gave, as one. */

/* The operands are the outputs of `clerk replay --shard I/N --json`, in any order. Returns the exit
 * status. */
int replay_merge(const struct verb *verb, const struct options *options);

/* ---- replay_personalities.c ---- */

/* `clerk replay --personalities LIST`: the run on devices unlike the usual one, each in a process
 * of its own, compared with the usual reference device launch by launch. */

/* Returns the exit status: VERB_FOUND when a result differs on one of them. That the run cannot be
 * performed on one, because it exceeds a limit or uses what is optional, is told and no failure. */
int replay_personalities(const struct verb *verb, const struct options *options);

/* ---- replay_summary.c ---- */

/* What clerk replay says at the end: what was performed and compared, and what was not. */

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
