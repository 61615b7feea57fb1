/* From two commands that clash (checkers/order/uses.h) to a finding. Used by the host checker and
 * by the reference device, which both know commands, each in its own way. */
#ifndef CHECKERS_HOST_COMMANDS_CLASH_H
#define CHECKERS_HOST_COMMANDS_CLASH_H

#include "checkers/checks.h"
#include "checkers/host/host.h"
#include "checkers/order/uses.h"

enum rule_index clash_rule(const struct uses_conflict *conflict);
/* Is any of these rules on, but for that about atomics, which calls alone cannot tell? */
bool clash_wanted(const struct checks *checks);

struct clash_words {
    const char *what;                    /* they share: "bytes 0 to 63 of buffer#1 (64 bytes)" */
    host_describe_stack *describe_stack; /* NULL = no stacks */
    void *stack_user;
};
/* Hands the finding to `report`. */
void clash_report(const struct uses_conflict *conflict, const struct clash_words *words,
                  sink_function *report, void *user);

#endif
