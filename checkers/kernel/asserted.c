/* Findings about what a kernel itself says must hold. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

static const struct asserted {
    enum rule_index rule;
    const char *name;
    const char *reason;
} asserted[] = {
    [OBSERVER_ASSERTED] = {RULE_ASSERTION, "clerk_assert", "the work-item ends here"},
    [OBSERVER_ASSUMED] = {RULE_ASSUMPTION, "clerk_assume",
                          "the work-item ends here: what it would do is not looked at"},
    [OBSERVER_PROMISED] = {RULE_ASSUMPTION_FALSE, "__builtin_assume",
                           "what the work-item does from here on is undefined: it ends here"},
};

void assertion_report(void *state, const struct observer_assertion *assertion)
{
    struct kernel_checker *checker = state;
    const struct asserted *kind = &asserted[assertion->kind];
    checker->has_stopped = true;
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = kind->rule, .site = assertion->site});
    if (finding == NULL) {
        return;
    }
    const bool has_sides = assertion->sides != NULL;
    finding->message = words(checker, "%s does not hold%s%s", kind->name, has_sides ? ": " : "",
                             has_sides ? assertion->sides : "");
    finding->reason = kind->reason;
    const struct work_item item = work_item_lowest(checker, assertion->mask);
    words_add_place(checker, finding, assertion->site,
                    words(checker, "by %s%s", words_item(checker, &item),
                          words_others(checker, assertion->mask)));
}
