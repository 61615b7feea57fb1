/* The executions of a litmus test, or of a kernel that was explored: which are asked for, and what
 * they come to, as text or JSON. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_EXECUTIONS_H
#define VIEWER_CLI_KERNEL_KERNEL_EXECUTIONS_H

#include "checkers/litmus/search.h"
#include "viewer-cli/verb.h"

/* What --explore, --sample, --unroll, --choices, --scope-rule and --seq-cst-rule ask for. */
struct executions_wanted {
    struct litmus_options search;
    bool replays; /* one execution alone */
    struct litmus_choices choices;
};

enum status executions_parse(const struct options *options, struct executions_wanted *wanted,
                             struct error *error);

struct executions {
    const struct litmus_test *test;
    const struct litmus_result *result; /* executions_print */
    const struct litmus_options *search;
    bool json;
    struct text *text; /* is appended to */
};

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

#endif
