/* Two runs side by side: the calls that belong together, one pair after the other in the order of
 * the first run, and between them those that only one run has; and how the pairs differ. */
#ifndef VIEWER_CLI_DIFF_DIFF_COMPARE_H
#define VIEWER_CLI_DIFF_DIFF_COMPARE_H

#include "viewer-cli/diff/cmd_diff.h"

struct diff_row {
    const struct diff_step *steps[2]; /* NULL: the run has no such call there */
    /* The rest is of pairs. */
    const struct api_call *calls[2];
    bool differs;
    enum diff_how how;
    const char *what; /* differs of the call; NULL where it is the order */
    struct diff_values values;
};

struct diff_comparison;
/* The traces are borrowed. With `without_queries` there are no rows of calls that only ask. */
enum status diff_comparison_create(struct trace *const traces[2],
                                   const struct replay_tolerance *tolerance, bool without_queries,
                                   struct diff_comparison **comparison, struct error *error);
void diff_comparison_destroy(struct diff_comparison *comparison);          /* NULL is fine */
struct diff_run *diff_comparison_runs(struct diff_comparison *comparison); /* both */
/* The call lives until the next one of its thread is asked for, by a row or by this. */
enum status diff_comparison_call(struct diff_comparison *comparison, int side,
                                 const struct diff_step *step, const struct api_call **call,
                                 struct error *error);

/* Calls `visit` for each row until it fails; once. */
typedef enum status diff_visit(void *user, const struct diff_row *row, struct error *error);
enum status diff_comparison_each(struct diff_comparison *comparison, diff_visit *visit, void *user,
                                 struct error *error);

#endif
