/* The rules: an index, and what checkers/rules.def and checkers/examples.def say of each. */
#ifndef CHECKERS_RULE_H
#define CHECKERS_RULE_H

#include <stdbool.h>
#include <stddef.h>

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };
enum rule_where { RULE_WHERE_HOST, RULE_WHERE_KERNEL };

enum rule_index {
#define RULE(symbol, ...) RULE_##symbol,
#include "checkers/rules.def"
#undef RULE
    RULE_COUNT
};

struct rule {
    const char *id;
    enum severity severity;
    const char *claim;
    const char *specification;
    const char *since;
    enum rule_where where;
    const char *group;
    const char *advice;
};

/* What to do in cases that need another advice than their rule's (checkers/advices.def). */
enum advice {
    ADVICE_OF_RULE,
#define ADVICE(symbol, ...) ADVICE_##symbol,
#include "checkers/advices.def"
#undef ADVICE
    ADVICE_COUNT
};

const struct rule *rule_get(enum rule_index index);
/* NULL for ADVICE_OF_RULE, and for an advice of another rule. */
const char *rule_advice(enum rule_index index, enum advice advice);
/* Lines of a difference: code that breaks the rule, and what mends it. NULL if there is none, which
 * a test sees. */
const char *rule_example(const struct rule *rule);
/* Is it on unless something else is asked for? */
bool rule_is_usual(const struct rule *rule);
/* RULE_COUNT when no rule has that id. */
enum rule_index rule_find(const char *id);
/* The id that `id` was probably meant to be; NULL when none is near. */
const char *rule_nearest_id(const char *id);
/* The id or group that `word` was probably meant to be; NULL when none is near. */
const char *rule_nearest_word(const char *word);
const char *severity_name(enum severity severity); /* "note", "warning", "error" */

#endif
