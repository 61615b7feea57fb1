/* Which rules are on: a set of rules, and the CHECKS setting that describes one. */
#ifndef CHECKERS_CHECKS_H
#define CHECKERS_CHECKS_H

#include "checkers/rule.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { CHECKS_WORDS = (RULE_COUNT + 63) / 64 };

/* A value: copy it freely. Zero-initialised it holds no rule. */
struct checks {
    uint64_t words[CHECKS_WORDS];
};

void checks_set_all(struct checks *checks);

/* Parses "race,bounds-global,-race-local": a list of items separated by commas, applied from left
 * to right. An item is a group ("race"), a rule id, "host" or "kernel" (where rules run), "all",
 * "usual" (all but what only a pedant minds) or "none"; a "-" before it removes instead of adding.
 * The set starts empty, or with the usual rules when the first item removes; so does an empty list
 * end. STATUS_INVALID names the item that is neither, and the nearest
 * one that exists; *checks is then left alone. */
enum status checks_parse(const char *list, struct checks *checks, struct error *error);

static inline bool checks_has(const struct checks *checks, enum rule_index rule)
{
    return (checks->words[rule / 64] >> (rule % 64) & 1) != 0;
}

static inline void checks_add(struct checks *checks, enum rule_index rule)
{
    checks->words[rule / 64] |= UINT64_C(1) << (rule % 64);
}

static inline void checks_remove(struct checks *checks, enum rule_index rule)
{
    checks->words[rule / 64] &= ~(UINT64_C(1) << (rule % 64));
}

/* Is any rule of `where` in the set? Of a group of the rules of kernels? */
bool checks_has_any(const struct checks *checks, enum rule_where where);
bool checks_has_group(const struct checks *checks, const char *group);

#endif
