/* What cmd_replay.c leaves to others. */
#ifndef VIEWER_CLI_REPLAY_CMD_REPLAY_H
#define VIEWER_CLI_REPLAY_CMD_REPLAY_H

#include "checkers/sink.h"
#include "replay/replay.h"
#include "trace/debug/requests.h"
#include "trace/store.h"
#include "viewer-cli/reporting.h"
#include "viewer-cli/source_lines.h"

#include <pthread.h>

enum { REPLAY_DIFFERENCES_SHOWN = 10 };

struct cJSON;

/* ---- cmd_replay.c ---- */

/* What the reference device is to be: what is asked for (NULL: by the setting), and what the
 * recorded device was, which is left in *traits. */
enum status replay_choose_personality(struct trace *trace, const char *asked, struct text *traits,
                                      struct error *error);

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
                          const struct reporting *reporting);
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

/* ---- replay_launches.c ---- */

/* The table of launches whose memory replay compared: one row each, or one JSON object. */

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

/* ---- replay_differences.c ---- */

/* How clerk replay tells one difference, to people and, a line of JSON each, to programs. */

/* `is_golden`: what was expected is a reference output, not the recording's. */
void replay_difference_print(const struct replay_difference *difference,
                             struct replay_launches *launches, bool is_golden, struct text *text);
void replay_difference_print_json(const struct replay_difference *difference,
                                  struct replay_launches *launches, struct text *text);
void replay_status_print(const struct replay_status_difference *difference, struct text *text);
void replay_status_print_json(const struct replay_status_difference *difference, struct text *text);

/* ---- replay_merge.c ---- */

/* `clerk replay --merge FILE...`: what the shards of a replay gave, as one. */

/* The operands are the outputs of `clerk replay --shard I/N --json`, in any order. Returns the exit
 * status. */
int replay_merge(const struct verb *verb, const struct options *options);

/* Members of what is read back of a line of JSON; 0 and "" where there is none. */
uint64_t replay_number_of(const struct cJSON *object, const char *name);
const char *replay_string_of(const struct cJSON *object, const char *name);

/* ---- replay_personalities.c ---- */

/* `clerk replay --personalities LIST`: the run on devices unlike the usual one, each in a process
 * of its own, compared with the usual reference device launch by launch. */

/* Returns the exit status: VERB_FOUND when a result differs on one of them. That the run cannot be
 * performed on one, because it exceeds a limit or uses what is optional, is told and no failure. */
int replay_personalities(const struct verb *verb, const struct options *options);
/* Appends what the shards of such a run, in their order, gave as lines of JSON: so many
 * personalities in the order of the list, as one process would have told them. The array's pointers
 * move over the lines, which are ended by NULs. */
enum status replay_personalities_merge(char **shards, size_t shard_count, uint64_t count, bool json,
                                       bool *different, struct text *out, struct error *error);

/* ---- replay_debug.c ---- */

/* A replay under a debugger: programs are built for it, and launches are its own from one on. */

struct replay_debugging {
    debug_set_function *set; /* NULL: nobody debugs */
    int socket;              /* to the debugger */
    uint64_t launch;         /* the call of the first that it wants; 0 = the first of all */
    bool is_on;              /* that has been reached: the socket is the device's */
};

/* Does what the verb does with these words of a command line, for a debugger at the other end of
 * the socket, which is told of launches from --launch on. Returns the exit status. */
int replay_debug(int word_count, char **words, int socket);

struct replay_session;
/* Which launches are performed, and how. */
enum status replay_debug_choose(struct replay_session *session, struct replay_options *options,
                                struct error *error);
/* Before any program is built. */
/* Does the call run kernels, and is no launch of one? It is a command-buffer's then, which is come
 * to from the run's beginning. */
bool replay_debug_comes_to(struct trace *trace, uint64_t call);
enum status replay_debug_connect(struct replay_session *session, struct error *error);
/* Before a command is enqueued. */
void replay_debug_note_command(struct replay_session *session, const struct api_call *call);

/* What the callbacks of replay and of the device share. The device reports on a thread of its own.
 */
struct replay_session {
    struct trace *trace;
    struct reporting reporting;
    bool json;
    bool free_threads;
    struct text traits; /* of the reference device, as the recorded one has them */
    char *compiler;     /* the driver of the reference device, where that is not the target */
    bool is_debugged;
    struct replay_debugging debugging;
    bool runs_alone; /* launches only: */
    struct replay_selection selection;
    struct replay_target *target;
    struct replay_result result;
    uint64_t call_count;          /* of the recording */
    bool has_sink;                /* the target is the reference device: it tells what it finds */
    sink_call_function *set_call; /* and takes the call that a thread enqueues a command with */
    sink_memory_function *lacks_memory;
    uint64_t difference_count; /* of both kinds */
    struct replay_launches *launches;
    struct replay_golden golden;
    struct source_lines *lines; /* under the lock, as */
    struct trace *stacks;       /* the trace once more */
    struct arena arena;         /* of the run */
    struct text out;            /* printed by the main thread, as it goes */
    pthread_mutex_t lock;       /* of the launch, and of what is doubted: */
    struct replay_doubts doubts;
    uint64_t launch_id; /* the call that enqueued what runs now; 0 = unknown */
    const char *launch_name;
    struct arena launch_arena;
    const char *const *frames; /* the host stack of that call */
    size_t frame_count;
};

/* ---- replay_summary.c ---- */

/* What clerk replay says at the end: what was performed and compared, and what was not. */
void replay_summary_print(const struct replay_session *session, struct text *text);
/* One line of JSON, which clerk replay --merge reads. */
void replay_summary_print_json(const struct replay_session *session, struct text *text);

#endif
