/* Random statements that all work-items of a group execute together: exchanges through local
 * memory, collective functions, asynchronous copies, counting in local memory. */
#ifndef TESTS_FUZZ_RANDOM_GROUP_H
#define TESTS_FUZZ_RANDOM_GROUP_H

#include "tests/fuzz/random_expression.h"

/* In uniform control flow only. */
void group_statement(struct scope *scope);

#endif
