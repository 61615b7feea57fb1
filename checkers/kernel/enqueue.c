/* Findings about what kernels ask of the queues of the device itself. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

static void failed_finding(struct kernel_checker *checker, const struct observer_queue_fault *fault,
                           struct finding *finding)
{
    finding->message =
        words(checker, "%s fails in kernel '%s'", fault->function, checker->launch.kernel);
    finding->reason = fault->reason;
}

static void capture_finding(struct kernel_checker *checker,
                            const struct observer_queue_fault *fault, struct finding *finding)
{
    finding->message =
        words(checker, "a block that is enqueued captures a pointer to %s memory '%s'",
              words_region(fault->object->region), words_name(checker, fault->object));
    finding->reason = "the child has local and private memory of its own, and may run when that of "
                      "its parent has ended; the pointer leads nowhere in it";
    finding->subject = words_object(checker, fault->object);
}

static void event_finding(struct kernel_checker *checker, const struct observer_queue_fault *fault,
                          struct finding *finding)
{
    finding->message =
        words(checker, "%s in kernel '%s' is given %s", fault->function, checker->launch.kernel,
              fault->given ? fault->given : "something that is not an event for it");
    finding->reason = fault->reason;
    if (fault->advice)
        finding->advice = fault->advice;
}

void queue_fault_report(void *state, const struct observer_queue_fault *fault)
{
    struct kernel_checker *checker = state;
    static const enum rule_index rules[] = {
        [OBSERVER_QUEUE_FAILED] = RULE_ENQUEUE_FAILED,
        [OBSERVER_QUEUE_CAPTURE] = RULE_BLOCK_CAPTURE,
        [OBSERVER_QUEUE_EVENT] = RULE_DEVICE_EVENT,
        [OBSERVER_QUEUE_FOREIGN] = RULE_DEVICE_EVENT_FOREIGN,
    };
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = rules[fault->kind], .site = fault->site});
    if (finding == NULL) {
        return;
    }
    if (fault->kind == OBSERVER_QUEUE_FAILED) {
        failed_finding(checker, fault, finding);
    } else if (fault->kind == OBSERVER_QUEUE_CAPTURE) {
        capture_finding(checker, fault, finding);
    } else {
        event_finding(checker, fault, finding);
    }
    const struct work_item item = work_item_here(checker, fault->item);
    words_add_place(checker, finding, fault->site,
                    words(checker, "by %s", words_item(checker, &item)));
}
