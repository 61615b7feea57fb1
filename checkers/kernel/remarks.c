/* Findings about what is another thing on another device. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

static const struct {
    enum rule_index rule;
    const char *message, *reason;
} remarks[] = {
    [OBSERVER_REMARK_CAST] =
        {RULE_PORTABILITY_CAST, "a bit-cast changes the number of elements of a vector",
         "elements are numbered as in memory, and which half of a number lies first there depends "
         "on the byte order"},
    [OBSERVER_REMARK_SWIZZLE] =
        {RULE_PORTABILITY_SWIZZLE,
         "elements of a vector are rearranged and then taken as elements of another size",
         "which half of a number lies first depends on the byte order"},
    [OBSERVER_REMARK_PUN] = {RULE_PORTABILITY_PUN,
                             "elements in memory are accessed as elements of another size",
                             "which part of a number lies first depends on the byte order"},
    [OBSERVER_REMARK_SUB_GROUP] =
        {RULE_PORTABILITY_SUB_GROUP,
         "a function of sub-groups is called in a kernel that does not ask how large they are",
         "how many work-items are a sub-group is the device's to choose"},
    [OBSERVER_REMARK_DENORMAL] = {RULE_PORTABILITY_DENORMAL,
                                  "a float operation takes or gives a denormal number",
                                  "a device without CL_FP_DENORM takes and gives zero instead"},
};

void remark_report(void *state, uint32_t site, enum observer_remark kind, uint32_t item)
{
    struct kernel_checker *checker = state;
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = remarks[kind].rule, .site = site});
    if (finding == NULL) {
        return;
    }
    finding->message = remarks[kind].message;
    finding->reason = remarks[kind].reason;
    const struct work_item first = work_item_here(checker, item);
    words_add_place(checker, finding, site, words(checker, "by %s", words_item(checker, &first)));
}
