#include "checkers/rule.h"

#include "trace/base/assert.h"
#include "trace/base/options.h"

#include <string.h>

static const struct rule rules[RULE_COUNT] = {
#define RULE(symbol, id_, severity_, claim_, specification_, since_, where_, group_, advice_)      \
    [RULE_##symbol] = {.id = id_,                                                                  \
                       .severity = SEVERITY_##severity_,                                           \
                       .claim = claim_,                                                            \
                       .specification = specification_,                                            \
                       .since = since_,                                                            \
                       .where = RULE_WHERE_##where_,                                               \
                       .group = group_,                                                            \
                       .advice = advice_},
#include "checkers/rules.def"
#undef RULE
};

static const char *const examples[RULE_COUNT] = {
#define EXAMPLE(symbol, lines) [RULE_##symbol] = lines,
#include "checkers/examples.def"
#undef EXAMPLE
};

static const struct advice_row {
    enum rule_index rule;
    const char *text;
} advices[ADVICE_COUNT] = {
#define ADVICE(symbol, rule_, text_) [ADVICE_##symbol] = {.rule = RULE_##rule_, .text = text_},
#include "checkers/advices.def"
#undef ADVICE
};

const struct rule *rule_get(enum rule_index index)
{
    ASSERT((unsigned)index < RULE_COUNT);
    return &rules[index];
}

const char *rule_advice(enum rule_index index, enum advice advice)
{
    ASSERT((unsigned)advice < ADVICE_COUNT);
    return advices[advice].rule == index ? advices[advice].text : NULL;
}

const char *rule_example(const struct rule *rule)
{
    return examples[rule - rules];
}

/* Nearly every program writes its build options so, and every driver takes them; and what depends
 * on the device may be meant for one device. */
bool rule_is_usual(const struct rule *rule)
{
    return rule != rule_get(RULE_BUILD_OPTIONS) && strcmp(rule->group, "portability") != 0;
}

enum rule_index rule_find(const char *id)
{
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        if (strcmp(rules[i].id, id) == 0)
            return (enum rule_index)i;
    return RULE_COUNT;
}

/* Not a slip of the finger. */
static bool is_too_long(const char *word)
{
    enum { ID_MAX = 64 };
    return strlen(word) > ID_MAX;
}

const char *rule_nearest_id(const char *id)
{
    const char *ids[RULE_COUNT];
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        ids[i] = rules[i].id;
    return is_too_long(id) ? NULL : nearest_word(id, ids, RULE_COUNT);
}

const char *rule_nearest_word(const char *word)
{
    const char *words[2 * RULE_COUNT];
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        words[i] = rules[i].group; /* the shorter one is meant rather */
        words[RULE_COUNT + i] = rules[i].id;
    }
    return is_too_long(word) ? NULL : nearest_word(word, words, (size_t)2 * RULE_COUNT);
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    ASSERT((unsigned)severity < sizeof names / sizeof *names);
    return names[severity];
}
