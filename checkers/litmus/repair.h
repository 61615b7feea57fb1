/* What mends a test or kernel: the fewest changes of memory orders, scopes and flags after which no
 * execution is wrong, or, where those do not do, of these and fences. Each change is one of a line
 * of the source, as whoever applies it would make it: of all operations of one kind that the line
 * has.
 *
 * Executions that are wrong are kept. A set of changes is looked for that makes each of them right
 * or impossible; then the test is explored with it, and if an execution is still wrong, that one is
 * kept, too, and another set looked for. So what is found at last was verified by exploring. */
#ifndef CHECKERS_LITMUS_REPAIR_H
#define CHECKERS_LITMUS_REPAIR_H

#include "checkers/litmus/search.h"

enum { LITMUS_REPAIR_MAX = 4 }; /* changes */

struct litmus_repair {
    enum litmus_repaired {
        LITMUS_REPAIR_UNWANTED, /* nothing is wrong that an order could mend */
        LITMUS_REPAIR_NONE,     /* no set of so many changes mends it */
        LITMUS_REPAIR_UNKNOWN,  /* it was not found in so many explorations */
        LITMUS_REPAIR_TRIED,    /* nothing wrong was found with these, but not all was looked at */
        LITMUS_REPAIR_VERIFIED,
    } kind;
    struct litmus_edit edits[LITMUS_REPAIR_MAX]; /* by line */
    size_t edit_count;
    uint32_t explorations;
};

/* Looks for a repair of what `result`, of all executions of the test with these options, has found:
 * races, and then the condition of a test that is no question, assertions in a kernel and claims
 * that only weak ordering violates; where there is nothing of these, outcomes that only weak
 * ordering has. The test is afterwards as it was. */
enum status litmus_repair(struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_result *result, struct litmus_repair *repair,
                          struct error *error);

#endif
