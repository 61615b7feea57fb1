/* A finding: one thing that is wrong with an application, as data.
 *
 * Checkers make findings, reports (checkers/report.h) collect, count and print them, the trace
 * stores them. The rule says what is claimed in general (checkers/rules.def); the finding says
 * where, with which values, why it is certain and what to do. Every string is UTF-8, without a
 * newline at its end, and is owned as the maker of the finding says: a finding handed to a sink or
 * a report is valid during the call only, and is copied by finding_copy if it is to live on. Text
 * holds nothing that changes from run to run: no host address of the application's data, no time,
 * no process id. */
#ifndef CHECKERS_FINDING_H
#define CHECKERS_FINDING_H

#include "checkers/rule.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_place_kind {
    FINDING_PLACE_KERNEL, /* a line of kernel source: file, line, column, source */
    FINDING_PLACE_CALL,   /* an OpenCL call: function, argument, call_id, frames */
    FINDING_PLACE_OBJECT, /* where an object came from or went: function, call_id, frames */
};

/* Where a place of a kernel is for its compiler, which had the text of the program as a string. */
struct finding_compiled {
    const char *file; /* "<source>" */
    uint32_t line, column;
    const char *source;
};

/* One place that a finding talks about. Strings may be NULL where the place does not know them. */
struct finding_place {
    enum finding_place_kind kind;
    const char *label;    /* what happened there: "write of 4 bytes by work-item 1 of group 0" */
    const char *function; /* the kernel-side function, or the OpenCL entry point */
    const char *argument; /* of a call: "event_wait_list[2]" */
    const char *file;     /* of kernel source; "<source>" for clCreateProgramWithSource, unless the
                             file that it is from was found. Else of the program, who called: NULL
                             unless its lines are known */
    uint32_t line;        /* from 1; 0 = unknown */
    uint32_t column;      /* from 1; 0 = unknown */
    const char *source; /* the text of that line, so that a reader needs no file; NULL = unknown */
    uint64_t call_id;   /* id of the call in the trace; 0 = not recorded */
    /* Innermost first. KERNEL: who called `function`, without the place itself, "sum at
     * reduce.cl:30:5"; none in the kernel function itself. Else the host stack, "main+0x52
     * (/home/me/app+0x1139)" or, where lines are known, "main (app.c:12)".
     */
    const char *const *frames;
    size_t frame_count;
    /* Of kernel source whose file was found by its text (viewer-cli/origin): what the place was
     * before. NULL = it is as the compiler has it. */
    const struct finding_compiled *compiled;
};

/* The place as the compiler has it. */
struct finding_place finding_place_compiled(const struct finding_place *place);

/* A process that found something, of a run that may have several. */
struct finding_process {
    const char *command; /* its words, ", rank 2" behind them if an MPI has told it */
    const char *trace;   /* the file that has its calls; NULL = not recorded */
    uint64_t id;         /* 0 = the one that clerk run itself started */
};

/* How often what was found began in each part of an object. */
enum { FINDING_HEAT_PARTS = 64 };
struct finding_heat {
    uint64_t size; /* bytes of the object; 0 = nothing is known of parts */
    uint64_t parts[FINDING_HEAT_PARTS];
};
/* Bytes of each part but the last ones, which may have fewer or none. */
uint64_t finding_heat_part_size(const struct finding_heat *heat);

/* What `advice` would change, if it is a word of a line of the kernel's source. */
enum { FINDING_CHANGES_MAX = 2 };
struct finding_change {
    uint32_t line;      /* from 1, in its file; 0 = there is none */
    const char *source; /* the text of that line */
    const char *from, *to;
};

struct finding {
    enum rule_index rule;
    const char *message; /* the claim about this very case, with the values, one sentence */
    const char *reason;  /* the step that makes it certain; NULL = the message says it all */
    const char *advice;  /* what to do; NULL = the rule's own advice */
    struct finding_change changes[FINDING_CHANGES_MAX]; /* all of it, or none; not of its JSON */
    const char *subject; /* what it happened to: "buffer 'a' (64 bytes), bytes 4 to 7"; or NULL */
    const char *context; /* the launch: "kernel 'sum', NDRange 1024 in groups of 64"; NULL = none */
    const char *kernel;  /* its name alone, for filters: "sum"; NULL = no kernel is involved */
    const char *seen_on; /* the device of a driver that a checked copy of the kernel ran on, and saw
                            it (checkers/probe); NULL = the reference device, or no device */
    const char *schedule; /* the first under which it was found, if not the first one tried: "desc";
                             else NULL. It counts for nothing in keys */
    const char *repeat;   /* the command line that does so again; NULL = none */
    const struct finding_place *places; /* most important first; races: the later access first */
    size_t place_count;
    const struct finding_process *processes; /* that found it; none = unknown, or told by nobody */
    size_t process_count;
    uint64_t call_id;         /* the API call that it belongs to; 0 = unknown */
    uint64_t count;           /* how often; at least 1 */
    struct finding_heat heat; /* of races, in the object that `subject` names */
    bool is_known; /* a baseline has it (checkers/baseline.h), or had when it was reported */
};

/* A deep copy in `arena`; NULL when memory is out. */
struct finding *finding_copy(struct arena *arena, const struct finding *finding);

/* One more place, at the end: its strings and frames are borrowed, the array is in `arena`. False
 * when memory is out: the finding is as it was. */
bool finding_add_place(struct finding *finding, const struct finding_place *place,
                       struct arena *arena);

/* The call that enqueued the kernel of a finding of the device, as whoever sees the calls knows it.
 */
struct finding_launch {
    uint64_t call_id;
    const char *function; /* the entry point */
    const char *const *frames;
    size_t frame_count;
};

/* Gives the finding the call and a last place, "enqueued by clEnqueueNDRangeKernel", in `arena`;
 * function and frames are borrowed. False when memory is out: the finding is as it was. */
bool finding_add_launch(struct finding *finding, const struct finding_launch *launch,
                        struct arena *arena);

/* Is it such a place? */
bool finding_place_is_launch(const struct finding_place *place);

/* 64 bits that are equal for findings that count as the same: rule, message-independent, and the
 * kind, function, argument, file, line and column of the places, in whatever order the places
 * stand; for calls and objects also the host stack, so that two call sites are two findings. Where
 * lines of a kernel are known, who enqueued it does not count: a wrong line is one finding, from
 * wherever the kernel is launched, and finding_add_launches lists the places. */
uint64_t finding_key(const struct finding *finding);
/* Adds the launches of `other`, a finding of the same key, that `finding` does not have: copies in
 * `arena`. False when memory is out: it has some of them. */
bool finding_add_launches(struct finding *finding, const struct finding *other,
                          struct arena *arena);

/* Adds the processes of `other` that `finding` does not have, as copies in `arena`. False when
 * memory is out: it has some of them. */
bool finding_add_processes(struct finding *finding, const struct finding *other,
                           struct arena *arena);
bool finding_process_is(const struct finding_process *process, const struct finding_process *other);
/* "./a, ./b size (2 processes)"; of many the first few. */
void finding_append_processes(const struct finding *finding, struct text *text);

/* What the program calls the object that the finding is about: "tile" of "local memory 'tile' (256
 * bytes), bytes 4 to 7". Of `length` bytes, within the subject; NULL if it has no name. */
const char *finding_object(const struct finding *finding, size_t *length);

/* 64 bits that stay as a program is edited and built again, and from one clerk to the next: rule,
 * kernel, the name of the object, and of the places kind, function and argument; of those in a
 * kernel, as its compiler has them, the file's last component, the text of the line (where it is
 * known: else its number) and the column in it; of others the program's own function that made the
 * call. Of launches the first counts, none where a line of the kernel is known. Two findings may
 * have the same. */
uint64_t finding_fingerprint(const struct finding *finding);

/* One JSON object on one line, without a newline: the documented, versioned form of `--json`, of
 * CLERK_FINDINGS files and of the trace. finding_parse_json is its inverse; strings go to `arena`.
 */
void finding_print_json(const struct finding *finding, struct text *text);
enum status finding_parse_json(const char *json, struct arena *arena, struct finding *finding,
                               struct error *error);

/* The line of such a list that says what was not checked, so that silence is not taken for a clean
 * run: {"unchecked":"why","severity":"error"}. In a CLERK_FINDINGS file an observer says so, in a
 * whole sentence, when it can watch no longer, or sees that there is nothing to watch. */
struct finding_unchecked {
    const char *why;
    enum severity severity;
    struct finding_process process; /* whose; its command is NULL if that is not known */
};
void finding_print_unchecked(const struct finding_unchecked *unchecked, struct text *text);
/* Its inverse, in `arena`; false for every other line, or when memory is out. A line without a
 * severity, as older ones are, is an error. */
bool finding_parse_unchecked(const char *json, struct arena *arena,
                             struct finding_unchecked *unchecked);
/* The line that says how many findings of a rule a list leaves out: {"not_shown":3,"rule":ID}.
 * False for every other line. */
bool finding_parse_not_shown(const char *json, enum rule_index *rule, uint64_t *count);

/* The last line of a list that has one of several parts of what is to be found:
 * {"shard":I,"shard_count":N}, with its newline. */
void finding_print_shard(uint32_t index, uint32_t count, struct text *text);
/* False for every other line. */
bool finding_parse_shard(const char *json, uint32_t *index, uint32_t *count);

/* That sentence where the OpenCL loader has nothing to offer. */
extern const char finding_no_driver[];

/* As a person reads it, several lines, ending in a newline. `color`: use terminal escapes. Lines
 * have `width` columns, within 40 and 100; 0: 100. Of host stacks, frames that are not the
 * program's own (checkers/frame.h) are folded into one line that counts them; unfolded, all are
 * there. */
void finding_print_text(const struct finding *finding, bool color, size_t width, struct text *text);
void finding_print_text_unfolded(const struct finding *finding, bool color, size_t width,
                                 struct text *text);

#endif
