/* What the files of the verb share. */
#ifndef VIEWER_CLI_KERNEL_CMD_KERNEL_H
#define VIEWER_CLI_KERNEL_CMD_KERNEL_H

#include "checkers/litmus/repair.h"
#include "checkers/sink.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "viewer-cli/kernel/kernel_argument.h"
#include "viewer-cli/kernel/kernel_assertion.h"
#include "viewer-cli/reporting.h"
#include "viewer-cli/shard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- kernel_host.c ---- */

/* The host side of `clerk kernel`: an OpenCL program over the loader that sees the reference device
 * alone.
 *
 * One host per process: it sets environment variables that the loader reads once. One thread at a
 * time. */

struct kernel_host;

/* What the kernel says of one of its parameters. */
struct kernel_parameter {
    enum kernel_argument_kind kind;
    char *name;      /* "" when the program has no names */
    char *type_name; /* "float4*"; "" when unknown */
};

struct kernel_program {
    void *bytes; /* as a device takes them */
    size_t size;
    bool il; /* SPIR-V, not OpenCL C */
};

struct kernel_range {
    uint32_t dimensions;
    size_t global[3], local[3], offset[3];
    bool has_local;
};

/* Opens the loader, finds the reference device and makes a context and a queue. Findings of every
 * launch go to `sink`, what kernels print to `print`. */
enum status kernel_host_create(sink_function *sink, sink_print *print, void *user,
                               struct kernel_host **host, struct error *error);
void kernel_host_destroy(struct kernel_host *host);
/* Programs that are built from now on can be debugged; the kernel is, by who has the other end of
 * the socket, which becomes the device's when the kernel is launched. */
enum status kernel_host_debug(struct kernel_host *host, int socket, struct error *error);

/* On failure the build log, if there is one, is appended to `log`. Program and options have to live
 * as long as the host. */
enum status kernel_host_build(struct kernel_host *host, const struct kernel_program *program,
                              const char *build_options, struct text *log, struct error *error);
/* The names of the kernels, separated by ';'. Lives as long as the host. */
const char *kernel_host_kernel_names(const struct kernel_host *host);
/* Makes this the kernel that the functions below speak of, in place of the one before. */
enum status kernel_host_select(struct kernel_host *host, const char *name, struct error *error);
/* Has the program variables of program scope? */
bool kernel_host_has_variables(const struct kernel_host *host);
/* Builds the program anew, and takes its kernel of this name, if it has such variables: a run
 * before may have changed them. */
enum status kernel_host_renew(struct kernel_host *host, const char *name, struct error *error);
size_t kernel_host_parameter_count(const struct kernel_host *host);
const struct kernel_parameter *kernel_host_parameter(const struct kernel_host *host, size_t index);
/* Of a parameter that is a value: its bytes, which the API does not tell, so sizes are tried; 0 =
 * none is taken. Sets the argument to zero. */
size_t kernel_host_value_size(const struct kernel_host *host, size_t index);

/* Runs the kernel once on fresh buffers in the order that `schedule` names, metered if `meter` is
 * not NULL. outputs[i] receives what buffer or image argument i holds afterwards (the caller frees
 * it with alloc_free); NULL for other kinds, and for what is null, empty or the same as another;
 * `outputs` may be NULL. *ended is the status of its event, 0 if the device ran it to its end. */
enum status kernel_host_run(struct kernel_host *host, const char *schedule,
                            struct sink_meter *meter, const struct kernel_range *range,
                            const struct kernel_argument *arguments, size_t argument_count,
                            uint8_t **outputs, int32_t *ended, struct error *error);
/* Did the device, ever, not get memory that it asked for? */
bool kernel_host_lacks_memory(const struct kernel_host *host);
/* Ends the kernel and the program: what runs then has run. Their parameters stay known. */
void kernel_host_end_program(struct kernel_host *host);
/* Explores it instead, as checkers/sink.h says. */
enum status kernel_host_explore(struct kernel_host *host, const struct sink_exploring *exploring,
                                const struct kernel_range *range,
                                const struct kernel_argument *arguments, size_t argument_count,
                                struct error *error);

/* ---- cmd_kernel.c ---- */

/* The runs of one invocation, as kernel_schedules.c makes them. */
struct kernel_schedules {
    const char *only;   /* the one that was asked for; NULL = more than one are run */
    uint64_t pct_count; /* random ones among these; at most, unless so many are asked for */
    bool is_asked_for;
    struct arena arena; /* their names */
    bool may_be_more;   /* than those that are always run */
    const char *name;   /* of the run that is under way */
    bool is_repeated;   /* it is not the first */
    uint8_t **outputs;  /* of the first, by argument; NULL where the argument has none */
    uint8_t **others; /* the same of the first run that ended with other values; NULL = none did */
    const char *differs; /* the name of that */
    struct sink_meter meter;
    uint64_t budget;   /* of instructions, of each that is not always run; 0 = none is run */
    bool communicates; /* the kernel, as the first run has it */
};

/* What --assert says, as kernel_assert.c looks at it. */
struct kernel_asserts {
    const struct kernel_assertion **list;
    size_t count;
    uint8_t **bytes; /* of the buffers at the end of an explored execution, by argument; or NULL */
    struct arena arena;
};

/* The advice of findings, as kernel_trial.c tries it. */
enum { KERNEL_TRIAL_CHANGES = 8, KERNEL_TRIAL_RUNS = 8 };
struct kernel_trial {
    bool is_under_way; /* what is found and printed is the trial's */
    bool wrong;        /* an error was found */
    bool lost;         /* there is nothing to try */
    struct finding_change changes[KERNEL_TRIAL_CHANGES + FINDING_CHANGES_MAX];
    size_t change_count;
    const char *schedules[KERNEL_TRIAL_RUNS]; /* the usual ones first */
    size_t schedule_count, usual_count;
    struct kernel_program program;
    struct arena arena;
};

/* Everything of one invocation. */
struct kernel_command {
    const struct options *options;
    const char *path;
    struct kernel_program program;
    struct kernel_range range;
    struct kernel_schedules schedules;
    struct kernel_asserts asserts;
    struct kernel_trial trial;
    struct kernel_argument *arguments;
    size_t argument_count;
    struct reporting reporting;
    struct kernel_host *host;
    const char *kernel;
    int debugger;                   /* a socket that leads to it; -1 = there is none */
    enum verb_status explored_exit; /* what was explored, by itself, comes to */
    struct text explored;
    struct text text;
};

/* Does what the verb does with these words of a command line, once and in ascending order unless
 * they name another one, for a debugger at the other end of the socket. What the kernel prints
 * goes to the debugger alone. Returns the exit status. */
int kernel_debug(int word_count, char **words, int socket);

/* ---- kernel_merge.c ---- */

/* `clerk kernel --merge FILE...`: the outputs of all shards of --sample with --json, as lines of
 * JSON of one that had all samples. Returns the exit status. */
int kernel_merge(const struct verb *verb, const struct options *options);

/* ---- kernel_wanted.c, kernel_executions.c ---- */

enum { EXECUTIONS_MIB = 1 << 20 }; /* bytes of --memory 1 */

/* The executions of a litmus test, or of a kernel that was explored: which are asked for, and what
 * they come to, as text or JSON. */

/* What --explore, --sample, --shard, --unroll, --time, --memory, --executions, --choices,
 * --scope-rule,
 * --seq-cst-rule and --seq-cst-scope ask for. For executions_release. */
struct executions_wanted {
    struct litmus_options search;
    bool replays;        /* one execution alone */
    bool tells_progress; /* there is a line of it on the terminal */
    struct litmus_choices choices;
    struct shard shard; /* of the samples; `search` has those of it, and a seed of its own */
};

enum status executions_parse(const struct options *options, struct executions_wanted *wanted,
                             struct error *error);
void executions_release(struct executions_wanted *wanted);

/* An assertion about how a kernel ends. */
struct executions_assertion {
    const char *text;
    enum litmus_verdict verdict;          /* found: it does not hold */
    const struct litmus_outcome *outcome; /* then the first one in which it does not */
    const char *where;                    /* and what is to blame, or "" */
};

struct executions {
    const struct litmus_test *test;
    const struct litmus_result *result; /* executions_print */
    const struct litmus_options *search;
    const struct shard *shard;
    const struct executions_assertion *assertions;
    size_t assertion_count;
    const struct litmus_repair *repair; /* NULL = none was looked for */
    const char *source; /* of the kernel or test, for its lines; NULL = it has none */
    bool json;
    struct text *text; /* is appended to */
};

/* Clears what was told of progress. */
void executions_clear_progress(struct executions_wanted *wanted);
/* Outcomes, condition, races, counts, and what was not looked at. */
void executions_print(const struct executions *executions);
/* "race: found; hang: not decided": nothing of what is in no execution. */
void executions_print_verdicts(const struct executions *executions);
/* One execution, event by event. */
void executions_print_graph(const struct executions *executions, const struct graph *graph);
/* "x[0]=1 x[1]=0" */
void executions_print_values(const struct executions *executions,
                             const struct litmus_outcome *outcome, struct text *text);
/* "w0.1.0" */
void executions_print_choices(const struct litmus_choices *choices, struct text *text);
/* What the verb's exit status says: found, not decided, nothing. */
enum verb_status executions_status(const struct executions *executions);

/* The parts of its words: "release", "work_group", "local and global",
 * "atomic write of f (release, device)". */
const char *executions_order_word(enum oracle_order order);
const char *executions_scope_word(enum oracle_scope scope);
void executions_print_flags(struct text *text, uint32_t flags);
void executions_print_operation(struct text *text, const struct litmus_test *test,
                                const struct litmus_instruction *instruction,
                                enum oracle_kind kind);

/* ---- kernel_repair.c ---- */

/* What mends what was found: a line, or in JSON an object; nothing where there is nothing to mend.
 */
void executions_print_repair(const struct executions *executions);

/* ---- kernel_explore.c ---- */

/* clerk kernel FILE --explore: all executions of a small kernel, by the device. */

/* Is the kernel to be explored instead of executed? */
bool kernel_explore_wanted(const struct options *options);
/* Are the options such that go together? */
enum status kernel_explore_check(struct kernel_command *command, struct error *error);

/* Appends what was found to `explored`, and gives the report a finding if an outcome needs weak
 * ordering. `explored_exit`: VERB_FOUND if there are races, faults, hangs, or barriers that not all
 * reach, else VERB_FAILED if not all was looked at. */
enum status kernel_explore(struct kernel_command *command, struct error *error);

/* ---- kernel_assert.c ---- */

/* Reads --assert; the kernel is selected, and its arguments fit. */
enum status kernel_assert_parse(struct kernel_command *command, struct error *error);
/* Gives the report a finding for each assertion that does not hold behind the run that has ended,
 * which left these outputs. */
enum status kernel_assert_check(struct kernel_command *command, uint8_t *const *outputs,
                                struct error *error);
/* What an exploration is to mend, if only weak ordering violates it; the command is the user's. */
void kernel_assert_claim(struct kernel_command *command, struct litmus_claims *claims);
/* Judges them by the outcomes of an exploration: gives `executions` its assertions, which live as
 * long as the command. */
enum status kernel_assert_explored(struct kernel_command *command, struct executions *executions,
                                   struct error *error);
void kernel_assert_release(struct kernel_command *command);

/* ---- kernel_trial.c ---- */

/* A finding of the run that is under way for it. */
void kernel_trial_take(struct kernel_trial *trial, const struct finding *finding);
/* Tries what the findings of the report advise; appends a line to `explored` if nothing was found
 * then. The program has ended, and its last turn is over; the kernel stays known. */
void kernel_trial_run(struct kernel_command *command);
void kernel_trial_release(struct kernel_command *command);

/* ---- kernel_litmus.c ---- */

/* clerk kernel FILE.litmus: what a litmus test comes to. */

/* Returns the exit status. */
int kernel_litmus_run(const struct verb *verb, const struct options *options, const char *path);

/* ---- kernel_match.c ---- */

/* The arguments of `clerk kernel` against the parameters of the kernel, which is selected. */

/* Are number, kinds and types of the arguments those that the kernel wants? If not, what it wants
 * goes to standard error, with a command line to copy, and the error says what does not fit. */
enum status kernel_match_arguments(struct kernel_command *command, struct error *error);

/* Prints to standard error what the kernel wants, and a command line to copy. */
void kernel_match_show(const struct kernel_command *command, const char *kernel);

/* ---- kernel_schedules.c ---- */

/* The runs of a kernel that is not explored, and what is told of which. */

enum status kernel_schedules_parse(struct kernel_command *command, struct error *error);
enum status kernel_schedules_run(struct kernel_command *command, struct error *error);
/* A finding of the run that is under way: says under which schedule it was found, if that has to be
 * said, by strings in `arena`. False: it is not to be told. */
bool kernel_schedules_take(struct kernel_command *command, struct finding *finding,
                           struct arena *arena);
void kernel_schedules_release(struct kernel_command *command);

/* ---- kernel_program.c ---- */

/* Reads the file, a .cl or .spv, or assembles a .spvasm with spirv-as. STATUS_INVALID for another
 * name, STATUS_MALFORMED with the assembler's words. */
enum status kernel_program_load(struct kernel_command *command, struct error *error);

#endif
