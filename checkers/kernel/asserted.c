/* Findings about what a kernel itself says must hold. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

void assertion_report(void *state, const struct observer_assertion *assertion)
{
    struct kernel_checker *checker = state;
    checker->has_stopped = true;
    struct finding *finding =
        case_count(checker, &(struct case_key){
                                .rule = assertion->is_assumption ? RULE_ASSUMPTION : RULE_ASSERTION,
                                .site = assertion->site,
                            });
    if (finding == NULL) {
        return;
    }
    const bool has_sides = assertion->sides != NULL;
    finding->message = words(checker, "%s does not hold%s%s",
                             assertion->is_assumption ? "clerk_assume" : "clerk_assert",
                             has_sides ? ": " : "", has_sides ? assertion->sides : "");
    finding->reason = assertion->is_assumption
                          ? "the work-item ends here: what it would do is not looked at"
                          : "the work-item ends here";
    const struct work_item item = work_item_lowest(checker, assertion->mask);
    words_add_place(checker, finding, assertion->site,
                    words(checker, "by %s%s", words_item(checker, &item),
                          words_others(checker, assertion->mask)));
}
