/* Findings about launches that do not end, or would not on other devices; and about what could not
 * be judged. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

#include <inttypes.h>

static const char *standing_words(struct kernel_checker *checker,
                                  const struct observer_standing *standing)
{
    const struct work_item first = work_item_here(checker, standing->first_item);
    const bool one = standing->item_count == 1;
    const char *const does = standing->waits            ? (one ? "waits" : "wait")
                             : standing->object != NULL ? (one ? "goes round" : "go round")
                                                        : (one ? "is" : "are");
    const char *read = "";
    if (standing->object != NULL) {
        read = words(checker, ", which reads %" PRIu64 " from %s of %s", standing->value,
                     words_range(checker, standing->offset, standing->size),
                     words_object(checker, standing->object));
    }
    if (one) {
        return words(checker, "%s %s here%s", words_item(checker, &first), does, read);
    }
    return words(checker, "%s %s here, the first of them %s%s",
                 words_item_count(checker, standing->item_count), does, words_item(checker, &first),
                 read);
}

/* Nobody goes round a loop, and yet the launch does not end. */
static bool at_named_barriers(const struct observer_unfinished *unfinished)
{
    return unfinished->operation_limit == 0 && unfinished->running_count == 0;
}

static const char *unfinished_message(struct kernel_checker *checker,
                                      const struct observer_unfinished *unfinished)
{
    const char *const barriers = unfinished->waiting_count == 0
                                     ? ""
                                     : words(checker, ", and %s wait%s at barriers",
                                             words_item_count(checker, unfinished->waiting_count),
                                             unfinished->waiting_count == 1 ? "s" : "");
    const char *const running = words_item_count(checker, unfinished->running_count);
    const char *const group = words_id(checker, checker->now.group);
    const char *const s = unfinished->running_count == 1 ? "s" : "";
    const uint64_t others = unfinished->waiting_groups - 1;
    if (at_named_barriers(unfinished)) {
        return words(checker, "kernel '%s' hangs: %s of work-group %s wait%s for ever",
                     checker->launch.kernel, words_item_count(checker, unfinished->waiting_count),
                     group, unfinished->waiting_count == 1 ? "s" : "");
    }
    if (unfinished->operation_limit != 0) {
        return words(checker,
                     "kernel '%s' did not end within %" PRIu64
                     " operations: %s of work-group %s still run%s%s",
                     checker->launch.kernel, unfinished->operation_limit, running, group, s,
                     barriers);
    }
    if (unfinished->unstarted_groups != 0) {
        return words(checker,
                     "kernel '%s' was ended: %" PRIu64 " of its work-groups wait for others, and "
                     "the device lets no more wait",
                     checker->launch.kernel, unfinished->waiting_groups);
    }
    return words(checker, "kernel '%s' hangs: %s of work-group %s wait%s for ever in loops%s%s",
                 checker->launch.kernel, running, group, s, barriers,
                 others == 0 ? ""
                 : others == 1
                     ? "; another work-group waits, too"
                     : words(checker, "; %" PRIu64 " other work-groups wait, too", others));
}

static const char *unfinished_reason(struct kernel_checker *checker,
                                     const struct observer_unfinished *unfinished)
{
    if (unfinished->operation_limit != 0) {
        return "a loop may never end; also one that waits for other work-items or work-groups, as "
               "OpenCL does not promise that these make progress meanwhile";
    }
    if (unfinished->unstarted_groups != 0) {
        return words(checker,
                     "this may be a limit of clerk's and not a fault of the kernel: %" PRIu64
                     " work-groups have not begun, and what they would have done was not checked",
                     unfinished->unstarted_groups);
    }
    if (at_named_barriers(unfinished)) {
        return "a named barrier is for more sub-groups than arrive at it, and no other work-item "
               "can go on";
    }
    static const char nothing_changed[] =
        "every work-item that has not ended went round its loop once more, and nothing changed: "
        "neither memory nor what any of them holds";
    const uint64_t later = unfinished->later_kernels;
    if (later == 0) {
        return nothing_changed;
    }
    return words(checker,
                 "%s; %" PRIu64 " kernel%s that it enqueued begin%s only when it has ended",
                 nothing_changed, later, later == 1 ? "" : "s", later == 1 ? "s" : "");
}

/* A launch that would go on if more groups could wait at a time has not been looked at to its end.
 */
void unfinished_report(void *state, const struct observer_unfinished *unfinished)
{
    struct kernel_checker *checker = state;
    /* Those that wait may wait for one that was stopped, which is told. */
    if (checker->has_stopped && unfinished->operation_limit == 0) {
        return;
    }
    struct finding *finding = case_count(
        checker,
        &(struct case_key){.rule = unfinished->operation_limit != 0    ? RULE_LAUNCH_UNFINISHED
                                   : unfinished->unstarted_groups != 0 ? RULE_ANALYSIS_INCOMPLETE
                                                                       : RULE_WAIT_FOREVER});
    if (finding == NULL) {
        return;
    }
    finding->message = unfinished_message(checker, unfinished);
    finding->reason = unfinished_reason(checker, unfinished);
    if (at_named_barriers(unfinished)) {
        finding->advice = "Make the named barrier, by named_barrier_init, for as many sub-groups "
                          "as come to it, or let as many come as it was made for.";
    }
    if (unfinished->later_kernels != 0) {
        finding->advice = "If it waits for a kernel that it enqueued, let a third one, which is "
                          "enqueued after that, do what follows the wait.";
    }
    if (unfinished->unstarted_groups != 0) {
        finding->advice = words(checker,
                                "Let a second kernel, enqueued after this one, do what follows the "
                                "wait; to see more of this one, check a launch of at most %" PRIu64
                                " work-groups.",
                                unfinished->waiting_groups);
    }
    for (size_t i = 0; i < unfinished->place_count; i++) {
        const struct observer_standing *standing = &unfinished->places[i];
        words_add_place(checker, finding, standing->site, standing_words(checker, standing));
    }
}

static const char *dependence_message(struct kernel_checker *checker,
                                      const struct observer_dependence *dependence)
{
    const char *const here = words_id(checker, checker->now.group);
    if (dependence->other_kernel != NULL) {
        return words(checker,
                     "work-group %s waits for kernel '%s', which need not begin before this one "
                     "has ended",
                     here, dependence->other_kernel);
    }
    if (dependence->within == OBSERVER_SCOPE_DEVICE) {
        return words(checker,
                     "work-group %s waits for work-group %s, which need not begin before it has "
                     "ended",
                     here, words_id(checker, dependence->other_group));
    }
    const struct work_item first = work_item_here(checker, dependence->place->first_item);
    const struct work_item other = work_item_here(checker, dependence->other_item);
    return words(checker, "work-item %s of work-group %s waits for work-item %s of %s",
                 words_id(checker, first.local), here, words_id(checker, other.local),
                 dependence->within == OBSERVER_SCOPE_SUB_GROUP ? "its sub-group"
                                                                : "another sub-group");
}

static const char *dependence_reason(const struct observer_dependence *dependence)
{
    if (dependence->other_kernel != NULL) {
        return "OpenCL lets kernels run at the same time, and does not promise it: devices may "
               "begin one when the other has ended";
    }
    switch (dependence->within) {
    case OBSERVER_SCOPE_SUB_GROUP:
        return "work-items of a sub-group are not guaranteed to make independent forward "
               "progress: devices may let the one that waits go round for ever, and the other "
               "one never go on";
    case OBSERVER_SCOPE_WORK_GROUP:
        return "only devices with CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS let one "
               "sub-group go on while another one of its work-group waits in a loop; others may "
               "run them one after the other, from barrier to barrier";
    default:
        return "OpenCL does not promise that work-groups run at the same time, and devices begin "
               "them in ascending order: where not all of them fit at once, the ones that wait "
               "leave no room for the ones that they wait for";
    }
}

void dependence_report(void *state, const struct observer_dependence *dependence)
{
    struct kernel_checker *checker = state;
    const struct observer_standing *place = dependence->place;
    if (dependence->within == OBSERVER_SCOPE_ALL_DEVICES) {
        orders_check_host(checker, place);
        return;
    }
    const enum rule_index rule =
        dependence->within == OBSERVER_SCOPE_SUB_GROUP    ? RULE_PROGRESS_WORK_ITEM
        : dependence->within == OBSERVER_SCOPE_WORK_GROUP ? RULE_PROGRESS_SUB_GROUP
                                                          : RULE_PROGRESS_GROUP;
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = rule,
                                               .site = place->site,
                                               .detail = dependence->other_kernel != NULL});
    if (finding == NULL) {
        return;
    }
    const struct work_item first = work_item_here(checker, place->first_item);
    finding->message = dependence_message(checker, dependence);
    finding->reason = dependence_reason(dependence);
    if (dependence->other_kernel != NULL) {
        finding->advice = "Let a kernel of its own, enqueued to run after both, do what follows "
                          "the wait.";
    }
    const char *label = words(checker, "%s waits here", words_item(checker, &first));
    if (place->object != NULL) {
        label = words(checker, "%s for a change of %s of %s", label,
                      words_range(checker, place->offset, place->size),
                      words_object(checker, place->object));
    }
    words_add_place(checker, finding, place->site, label);
}

void incomplete_report(struct kernel_checker *checker, const char *what, const char *reason,
                       const char *advice)
{
    const struct case_key key = {.rule = RULE_ANALYSIS_INCOMPLETE,
                                 .detail = (uint8_t)what[0]}; /* one of each */
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    finding->message = words(checker, "the search for %s in kernel '%s' was not completed", what,
                             checker->launch.kernel);
    finding->reason = reason;
    finding->advice = advice;
    /* The kernel, by the first of its instructions that has a line. */
    struct finding_place place = {.kind = FINDING_PLACE_KERNEL};
    for (uint32_t site = 0; site < checker->launch.site_count && place.line == 0; site++) {
        words_place(checker, site, "this kernel", &place);
        place.frame_count = 0;
    }
    place_add(checker, finding, &place);
}
