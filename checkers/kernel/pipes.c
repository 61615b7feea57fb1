/* Findings about pipes: what OpenCL C 3.0, 6.15.17.5, says must not be done with reservations, and
 * pipes that do not fit the kernel. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

#include <inttypes.h>

enum rule_index pipe_rule(const struct observer_pipe *pipe)
{
    switch (pipe->misuse) {
    case OBSERVER_PIPE_COMMITTED:
        return RULE_PIPE_COMMITTED;
    case OBSERVER_PIPE_INDEX:
        return RULE_PIPE_INDEX;
    case OBSERVER_PIPE_PACKET_SIZE:
        return RULE_PIPE_PACKET_SIZE;
    case OBSERVER_PIPE_BOTH_ENDS:
        return RULE_PIPE_BOTH_ENDS;
    default:
        return RULE_PIPE_RESERVATION;
    }
}

const char *pipe_message(struct kernel_checker *checker, const struct observer_fault *fault,
                         const struct work_item *item)
{
    const struct observer_pipe *pipe = fault->pipe;
    const char *const who = words_item(checker, item);
    const char *const name = words_name(checker, fault->object);
    const char *const others = words_others(checker, fault->mask);
    const char *const doing = fault->access == OBSERVER_READ ? "reading from" : "writing to";
    const char *const does = fault->access == OBSERVER_READ ? "reads from" : "writes to";
    switch (pipe->misuse) {
    case OBSERVER_PIPE_COMMITTED:
        return words(checker, "%s uses a reservation for %s pipe '%s' that has been committed%s",
                     who, doing, name, others);
    case OBSERVER_PIPE_INDEX:
        return words(checker,
                     "%s %s packet %" PRIu64 " of a reservation of %" PRIu64 " in pipe '%s'%s", who,
                     fault->access == OBSERVER_READ ? "reads" : "writes", pipe->index, pipe->count,
                     name, others);
    case OBSERVER_PIPE_PACKET_SIZE:
        return words(checker, "%s %s pipe '%s' in packets of %s; the pipe's have %s%s", who, does,
                     name, words_bytes(checker, pipe->size),
                     words_bytes(checker, pipe->packet_size), others);
    case OBSERVER_PIPE_BOTH_ENDS:
        return words(checker, "%s %s pipe '%s', whose other end the same kernel has used%s", who,
                     does, name, others);
    default:
        return words(checker, "%s uses an ID that is not a reservation for %s pipe '%s'%s", who,
                     doing, name, others);
    }
}

const char *pipe_reason(const struct observer_pipe *pipe)
{
    switch (pipe->misuse) {
    case OBSERVER_PIPE_NO_RESERVATION:
        return "it is CLK_NULL_RESERVE_ID, or what a reservation that failed has returned";
    case OBSERVER_PIPE_OTHER_RESERVATION:
        return "it is of another pipe, or for the other end of it, or was never given";
    case OBSERVER_PIPE_OTHER_LAUNCH:
        return "it was given to a kernel that has ended";
    case OBSERVER_PIPE_INDEX:
        return "packets of a reservation are counted from 0";
    case OBSERVER_PIPE_BOTH_ENDS:
        return "A kernel cannot read from and write to the same pipe object.";
    default:
        return NULL;
    }
}

void reservation_lost_report(void *state, uint32_t site, const struct observer_object *pipe,
                             uint64_t count, bool writes)
{
    struct kernel_checker *checker = state;
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = RULE_PIPE_UNCOMMITTED, .site = site});
    if (finding == NULL) {
        return;
    }
    finding->message = words(checker,
                             "the kernel ends and has not committed a reservation of %" PRIu64
                             " packet%s for %s pipe '%s'",
                             count, count == 1 ? "" : "s", writes ? "writing to" : "reading from",
                             words_name(checker, pipe));
    finding->reason = writes ? "without the commit these packets may never become readable, nor "
                               "those reserved after them"
                             : "without the commit the packets may never make room for others";
    finding->subject = words_object(checker, pipe);
    words_add_place(checker, finding, site, "the reservation");
}
