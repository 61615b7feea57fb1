/* Findings about barriers, collective functions and copies that not all work-items reach. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

#include <inttypes.h>

/* The set that should have come, with its number, and without. */
static const char *words_set(struct kernel_checker *checker,
                             const struct observer_divergence *divergence)
{
    const char *const group = words_id(checker, checker->now.group);
    if (!divergence->of_sub_group) {
        return words(checker, "work-group %s", group);
    }
    return words(checker, "sub-group %" PRIu32 " of work-group %s",
                 divergence->waiting_item / checker->launch.sub_group_size, group);
}

static const char *kind_of_set(const struct observer_divergence *divergence)
{
    return divergence->of_sub_group ? "sub-group" : "work-group";
}

static const char *operation(const char *name)
{
    return name != NULL ? name : "a barrier";
}

/* Both wait, at different places: "at one barrier and 2 work-items at another". */
static const char *two_places(struct kernel_checker *checker,
                              const struct observer_divergence *divergence)
{
    const char *const here = operation(divergence->operation);
    const char *const there = operation(divergence->other_operation);
    const char *const others = words_item_count(checker, divergence->other_count);
    if (strcmp(here, there) != 0) {
        return words(checker, "at %s and %s at %s", here, others, there);
    }
    return words(checker, "at one%s and %s at another", strchr(here, ' '), others);
}

static const char *divergence_message(struct kernel_checker *checker,
                                      const struct observer_divergence *divergence)
{
    const char *const what = operation(divergence->operation);
    const char *const set = words_set(checker, divergence);
    const char *const waiting = words_item_count(checker, divergence->waiting_count);
    const char *const others = words_item_count(checker, divergence->other_count);
    const char *const s = divergence->waiting_count == 1 ? "s" : "";
    switch (divergence->kind) {
    case OBSERVER_DIVERGENCE_FINISHED:
        return words(checker, "%s of %s wait%s at %s that %s will never reach", waiting, set, s,
                     what, others);
    case OBSERVER_DIVERGENCE_ELSEWHERE:
        return words(checker, "%s of %s wait%s %s", waiting, set, s,
                     two_places(checker, divergence));
    case OBSERVER_DIVERGENCE_ITERATION:
        return words(checker,
                     "%s of %s wait%s at %s in iteration %" PRIu64
                     " of a loop and %s in iteration %" PRIu64,
                     waiting, set, s, what, divergence->waiting_iteration, others,
                     divergence->other_iteration);
    case OBSERVER_DIVERGENCE_ARGUMENTS:
        if (divergence->other_count == 0) {
            return words(checker, "%s names a work-item that %s does not have", what, set);
        }
        return words(checker, "%s of %s call%s %s with other arguments than %s", waiting, set, s,
                     what, others);
    case OBSERVER_DIVERGENCE_CLUSTER:
        return words(checker, "%s takes clusters of %s, and a sub-group has %" PRIu64 " at most",
                     what, waiting, divergence->other_count);
    case OBSERVER_DIVERGENCE_MIXED:
        break;
    }
    return words(checker,
                 "%s of %s wait%s at a barrier of one kind and %s at one of the other kind",
                 waiting, set, s, others);
}

static const char *divergence_reason(struct kernel_checker *checker,
                                     const struct observer_divergence *divergence)
{
    const char *const what = operation(divergence->operation);
    const char *const the = words(checker, "the%s", strchr(what, ' '));
    switch (divergence->kind) {
    case OBSERVER_DIVERGENCE_FINISHED:
        return words(checker, "once one work-item reaches %s all of the %s must, but some have %s",
                     the, kind_of_set(divergence),
                     divergence->return_count != 0 ? "returned before it" : "ended");
    case OBSERVER_DIVERGENCE_ELSEWHERE:
        return words(checker,
                     "all work-items of the %s must execute the same%s, reached by the same calls",
                     kind_of_set(divergence), strchr(what, ' '));
    case OBSERVER_DIVERGENCE_ITERATION:
        return words(checker,
                     "inside a loop all work-items must execute %s in each iteration before any "
                     "goes on",
                     the);
    case OBSERVER_DIVERGENCE_ARGUMENTS:
        if (divergence->other_count == 0) {
            return divergence->of_sub_group
                       ? "the sub-group local id must be below the size of the sub-group"
                       : "the local id must be below the local size in each dimension";
        }
        return words(checker,
                     "%s is executed by the %s as one, so its arguments must be the same for all "
                     "work-items",
                     what, kind_of_set(divergence));
    case OBSERVER_DIVERGENCE_CLUSTER:
        return "what it gives is undefined if clusters are larger than the largest sub-group of "
               "the "
               "launch; how large that is the device chooses";
    case OBSERVER_DIVERGENCE_MIXED:
        break;
    }
    return "a work-group barrier and a sub-group barrier are different functions and never match";
}

/* Of those that ended before it. */
static const char *advice_to_come(struct kernel_checker *checker,
                                  const struct observer_divergence *divergence)
{
    const char *const what = strchr(operation(divergence->operation), ' ') + 1;
    if (divergence->return_count == 0) {
        return "Move it out of the conditional or loop; or, where a return before it ends some "
               "work-items, put the work between into an if instead, so that all of them execute "
               "it.";
    }
    return words(checker,
                 "Take out the return%s before it, put the work that is skipped into an if, and "
                 "leave the %s outside of that, so that all work-items of the %s execute it.",
                 divergence->return_count == 1 ? "" : "s", what, kind_of_set(divergence));
}

/* NULL: what the rule says. */
static const char *divergence_advice(struct kernel_checker *checker,
                                     const struct observer_divergence *divergence)
{
    switch (divergence->kind) {
    case OBSERVER_DIVERGENCE_FINISHED:
        return advice_to_come(checker, divergence);
    case OBSERVER_DIVERGENCE_CLUSTER:
        return "Take smaller clusters where get_max_sub_group_size() is less.";
    case OBSERVER_DIVERGENCE_ARGUMENTS:
        return words(checker,
                     divergence->other_count == 0
                         ? "Name a work-item that each %s has: the last one may be smaller."
                         : "Compute these arguments from what is the same for the whole %s.",
                     kind_of_set(divergence));
    default:
        return divergence->of_sub_group
                   ? "Move it out of the conditional or loop, so that every work-item of the "
                     "sub-group executes it the same number of times."
                   : NULL;
    }
}

static void add_ended(struct kernel_checker *checker, struct finding *finding,
                      const struct observer_divergence *divergence, const char *waits)
{
    if (divergence->return_count == 0) {
        const struct work_item other = work_item_here(checker, divergence->other_item);
        waits = words(checker, "%s, work-item %s has ended", waits, words_id(checker, other.local));
    }
    words_add_place(checker, finding, divergence->site, waits);
    for (uint32_t i = 0; i < divergence->return_count; i++) {
        const struct work_item item = work_item_here(checker, divergence->returns[i].item);
        words_add_place(checker, finding, divergence->returns[i].site,
                        words(checker, "%s has returned here", words_item(checker, &item)));
    }
}

void divergence_report(void *state, const struct observer_divergence *divergence)
{
    struct kernel_checker *checker = state;
    /* Those that are waited for may have been stopped, which is told. */
    if (checker->has_stopped && divergence->kind == OBSERVER_DIVERGENCE_FINISHED) {
        return;
    }
    const bool in_order = divergence->site <= divergence->other_site;
    struct finding *finding =
        case_count(checker, &(struct case_key){
                                .rule = RULE_DIVERGENCE_BARRIER,
                                .site = in_order ? divergence->site : divergence->other_site,
                                .other_site = in_order ? divergence->other_site : divergence->site,
                                .detail = (uint32_t)divergence->kind,
                            });
    if (finding == NULL) {
        return;
    }
    finding->message = divergence_message(checker, divergence);
    finding->reason = divergence_reason(checker, divergence);
    finding->advice = divergence_advice(checker, divergence);
    const bool nobody =
        divergence->kind == OBSERVER_DIVERGENCE_ARGUMENTS && divergence->other_count == 0;
    const bool cluster = divergence->kind == OBSERVER_DIVERGENCE_CLUSTER;
    if (nobody || cluster) {
        words_add_place(checker, finding, divergence->site, "here");
        return;
    }
    const struct work_item waiting = work_item_here(checker, divergence->waiting_item);
    const struct work_item other = work_item_here(checker, divergence->other_item);
    const char *waits = words(checker, "%s waits here", words_item(checker, &waiting));
    const char *others = words(checker, "%s waits here", words_item(checker, &other));
    if (divergence->kind == OBSERVER_DIVERGENCE_FINISHED) {
        add_ended(checker, finding, divergence, waits);
        return;
    }
    if (divergence->kind == OBSERVER_DIVERGENCE_ITERATION) {
        waits = words(checker, "%s, in iteration %" PRIu64, waits, divergence->waiting_iteration);
        others = words(checker, "%s, in iteration %" PRIu64, others, divergence->other_iteration);
    }
    words_add_place(checker, finding, divergence->site, waits);
    words_add_place(checker, finding, divergence->other_site, others);
}

void copy_lost_report(void *state, uint32_t site)
{
    struct kernel_checker *checker = state;
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = RULE_ASYNC_COPY_LOST, .site = site});
    if (finding == NULL) {
        return;
    }
    finding->message = words(checker,
                             "work-group %s ended without waiting for an asynchronous copy that it "
                             "started",
                             words_id(checker, checker->now.group));
    finding->reason = "what is not waited for may happen later, or not at all";
    words_add_place(checker, finding, site, "the copy");
}

void copy_overlap_report(void *state, const struct observer_overlap *overlap)
{
    struct kernel_checker *checker = state;
    static const char *const parts[] = {"elements", "lines", "planes"};
    struct finding *finding = case_count(
        checker, &(struct case_key){.rule = RULE_ASYNC_COPY_OVERLAP, .site = overlap->site});
    if (finding == NULL) {
        return;
    }
    const char *const part = parts[overlap->dimension];
    finding->message = words(checker,
                             "the %" PRIu64 " %s that an asynchronous copy %s are %" PRIu64
                             " element%s apart, fewer "
                             "than %" PRIu64,
                             overlap->count, part, overlap->written ? "writes" : "reads",
                             overlap->step, overlap->step == 1 ? "" : "s", overlap->least);
    finding->reason = words(checker, "what becomes of %s that overlap is undefined", part);
    words_add_place(checker, finding, overlap->site, "the copy");
}
