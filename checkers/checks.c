#include "checkers/checks.h"

#include <string.h>

void checks_set_all(struct checks *checks)
{
    *checks = (struct checks){0};
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        checks_add(checks, (enum rule_index)i);
}

bool checks_has_any(const struct checks *checks, enum rule_where where)
{
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        if (rule_get((enum rule_index)i)->where == where && checks_has(checks, (enum rule_index)i))
            return true;
    return false;
}

bool checks_has_group(const struct checks *checks, const char *group)
{
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        const struct rule *rule = rule_get((enum rule_index)i);
        if (rule->where == RULE_WHERE_KERNEL && checks_has(checks, (enum rule_index)i) &&
            strcmp(rule->group, group) == 0)
            return true;
    }
    return false;
}

/* Does an item of a list, "race" or "kernel" or "race-global", name this rule? */
static bool item_covers(const char *item, const struct rule *rule)
{
    if (strcmp(item, "all") == 0)
        return true;
    if (strcmp(item, "usual") == 0)
        return rule_is_usual(rule);
    if (strcmp(item, "host") == 0)
        return rule->where == RULE_WHERE_HOST;
    if (strcmp(item, "kernel") == 0)
        return rule->where == RULE_WHERE_KERNEL;
    return strcmp(item, rule->group) == 0 || strcmp(item, rule->id) == 0;
}

/* Adds or removes what `item` names; false when it names nothing. */
static bool item_apply(const char *item, bool removes, struct checks *checks)
{
    bool known = false;
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        if (!item_covers(item, rule_get((enum rule_index)i)))
            continue;
        known = true;
        if (removes)
            checks_remove(checks, (enum rule_index)i);
        else
            checks_add(checks, (enum rule_index)i);
    }
    return known;
}

static enum status item_unknown(const char *item, struct error *error)
{
    const char *nearest = rule_nearest_id(item);
    if (nearest)
        return error_set(error, STATUS_INVALID,
                         "checks: '%s' is neither a rule nor a group of rules; '%s' is a rule",
                         item, nearest);
    return error_set(error, STATUS_INVALID,
                     "checks: '%s' is neither a rule nor a group of rules (clerk rules lists them)",
                     item);
}

enum status checks_parse(const char *list, struct checks *checks, struct error *error)
{
    enum { ITEM_MAX = 64 };
    struct checks result = {0};
    bool first = true;
    while (*list) {
        const char *start = list + strspn(list, " \t");
        const size_t span = strcspn(start, ",");
        list = start + span + (start[span] == ',');
        size_t length = span;
        while (length && (start[length - 1] == ' ' || start[length - 1] == '\t'))
            --length;
        if (length == 0)
            continue;
        const bool removes = start[0] == '-';
        start += removes;
        length -= removes;
        if (length >= ITEM_MAX)
            return error_set(error, STATUS_INVALID, "checks: '%.*s...' is not the name of a rule",
                             20, start);
        char item[ITEM_MAX];
        memcpy(item, start, length);
        item[length] = 0;
        if (first && removes)
            item_apply("usual", false, &result);
        first = false;
        if (strcmp(item, "none") == 0 && !removes)
            result = (struct checks){0};
        else if (!item_apply(item, removes, &result))
            return item_unknown(item, error);
    }
    if (first)
        item_apply("usual", false, &result);
    *checks = result;
    return STATUS_OK;
}
