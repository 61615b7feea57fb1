/* Races that a read hides on which nothing depends: what is told of them where they are looked for,
 * and where a launch is run to show one. */
#include "checkers/kernel/race_case.h"

const struct order_message *predicted_message(const struct kernel_checker *checker,
                                              const struct order_race *race, enum rule_index rule)
{
    const bool of_copy =
        race->earlier.vector == ORDER_COPY_VECTOR || race->later.vector == ORDER_COPY_VECTOR;
    const struct order_message *message =
        !of_copy && (rule == RULE_RACE_GLOBAL || rule == RULE_RACE_LOCAL)
            ? order_race_message(checker->order, race)
            : NULL;
    return message != NULL && message->inert ? message : NULL;
}

struct kernel_prediction predicted_of(const struct kernel_checker *checker,
                                      const struct order_race *race,
                                      const struct order_message *message)
{
    const uint32_t own = order_release_after(checker->order, &race->earlier);
    const struct order_side *const releaser = own != 0 ? &race->earlier : &message->writer;
    return (struct kernel_prediction){
        .sites = {order_slot_site(race->earlier.slot), order_slot_site(race->later.slot)},
        .read_site = order_slot_site(message->reader_slot),
        .group = releaser->group,
        .item = releaser->vector * OBSERVER_LANES + releaser->lane,
        .operation = own != 0 ? own : message->operation,
    };
}

const char *predicted_reason(struct kernel_checker *checker, const struct order_message *message)
{
    return words(checker,
                 "if the read at %s comes before the store at %s it orders nothing, and all else "
                 "stays as it is; none of the schedules that were tried shows that",
                 words_line(checker, order_slot_site(message->reader_slot)),
                 words_line(checker, order_slot_site(message->writer.slot)));
}

/* NULL: nobody has expected the race. */
static const struct kernel_prediction *find_expected(const struct race_case *c)
{
    const struct kernel_prediction *found = NULL;
    for (uint32_t i = 0; i < c->checker->expected_count && found == NULL; i++) {
        const struct kernel_prediction *expected = &c->checker->expected[i];
        const uint32_t *const sites = expected->sites;
        if ((c->earlier.site == sites[0] && c->later.site == sites[1]) ||
            (c->earlier.site == sites[1] && c->later.site == sites[0])) {
            found = expected;
        }
    }
    return found;
}

void predicted_add_read(const struct race_case *c, struct finding *finding)
{
    struct kernel_checker *checker = c->checker;
    const struct kernel_prediction *const expected = find_expected(c);
    if (expected == NULL) {
        return;
    }
    checker->has_shown = true;
    if (expected->read_site == c->earlier.site || expected->read_site == c->later.site) {
        return; /* one side needs to be another access, whatever it reads */
    }
    const char *const line = words_line(checker, expected->read_site);
    finding->reason = words(checker,
                            "%s; under other schedules the read at %s orders the two, but nothing "
                            "depends on the value that it reads",
                            finding->reason, line);
    finding->advice = words(checker,
                            "Let a work-item go on from the read at %s only if the value says that "
                            "the other one has done its part: read again until it does, or branch "
                            "on it.",
                            line);
}
