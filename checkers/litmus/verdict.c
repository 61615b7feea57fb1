/* What may be said of a test, by what was found and by what was not looked at. */
#include "checkers/litmus/search_private.h"

/* ---- what its instructions alone say; a kernel's are not all known ---- */

/* What some instruction is. */
struct traits {
    bool branches, loops, faults;
    bool parts;     /* threads may come to different barriers */
    bool is_weaker; /* than seq_cst, or a barrier that does not order both memories */
};

static void add_traits(const struct litmus_instruction *instruction, struct traits *traits)
{
    const uint32_t both = ORACLE_FLAG_GLOBAL | ORACLE_FLAG_LOCAL;
    const bool accesses = instruction->op >= LITMUS_READ && instruction->op < LITMUS_FENCE;
    traits->branches |= instruction->op == LITMUS_JUMP_IF_ZERO;
    traits->loops |= instruction->op == LITMUS_LOOP_BEGIN;
    traits->faults |= instruction->op == LITMUS_FAULT;
    if (instruction->op == LITMUS_BARRIER) {
        traits->is_weaker |= (instruction->flags & both) != both;
    } else if (accesses && oracle_is_atomic(instruction->kind)) {
        traits->is_weaker |=
            instruction->order != ORACLE_SEQ_CST || (instruction->op == LITMUS_COMPARE_EXCHANGE &&
                                                     instruction->failure_order != ORACLE_SEQ_CST);
    }
}

/* The first barrier of the thread from *at on at which it would meet the other one; NULL when there
 * is none. */
static const struct litmus_instruction *next_barrier(const struct litmus_test *test, size_t thread,
                                                     size_t other, size_t *at)
{
    const struct litmus_thread *own = &test->threads[thread];
    while (*at < own->instruction_count) {
        const struct litmus_instruction *instruction = &own->instructions[(*at)++];
        if (instruction->op == LITMUS_BARRIER && litmus_meets(test, instruction, thread, other)) {
            return instruction;
        }
    }
    return NULL;
}

/* Do the two, one instruction after the other, come to different barriers? */
static bool barriers_differ(const struct litmus_test *test, size_t first, size_t second)
{
    size_t first_at = 0;
    size_t second_at = 0;
    const struct litmus_instruction *a;
    const struct litmus_instruction *b;
    do {
        a = next_barrier(test, first, second, &first_at);
        b = next_barrier(test, second, first, &second_at);
    } while (a != NULL && litmus_same_barrier(a, b));
    return a != NULL || b != NULL;
}

/* With branches they may come to different ones if there are any. */
static bool may_part(const struct litmus_test *test, bool branches)
{
    bool may = false;
    for (size_t first = 0; first < test->thread_count; first++) {
        size_t at = 0;
        may = may || (branches && next_barrier(test, first, first, &at) != NULL);
        for (size_t second = 0; second < first; second++) {
            may = may || barriers_differ(test, first, second);
        }
    }
    return may;
}

static struct traits find_traits(const struct litmus_test *test)
{
    struct traits traits = {0};
    for (size_t t = 0; t < test->thread_count; t++) {
        for (size_t i = 0; i < test->threads[t].instruction_count; i++) {
            add_traits(&test->threads[t].instructions[i], &traits);
        }
    }
    traits.parts = may_part(test, traits.branches || traits.loops);
    if (test->is_kernel) {
        traits = (struct traits){.branches = true,
                                 .loops = test->may_wait,
                                 .faults = true,
                                 .parts = test->has_barriers,
                                 .is_weaker = true};
    }
    return traits;
}

bool litmus_is_sequential(const struct litmus_test *test)
{
    return test->thread_count == 1 || !find_traits(test).is_weaker;
}

/* Could the two operations race, whatever the order? */
static bool can_race(const struct oracle_machine *machine, uint32_t first_thread,
                     const struct litmus_instruction *first, uint32_t second_thread,
                     const struct litmus_instruction *second)
{
    const bool meet = first->op >= LITMUS_READ && second->op >= LITMUS_READ &&
                      oracle_is_access(first->kind) && oracle_is_access(second->kind) &&
                      first->location == second->location &&
                      (oracle_writes(first->kind) || oracle_writes(second->kind));
    return meet && !(oracle_is_atomic(first->kind) && oracle_is_atomic(second->kind) &&
                     oracle_inclusive(machine, first_thread, first->scope, second_thread,
                                      second->scope, first->location));
}

static bool threads_can_race(const struct litmus_test *test, const struct oracle_machine *machine,
                             uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < test->threads[first].instruction_count; i++) {
        for (size_t j = 0; j < test->threads[second].instruction_count; j++) {
            if (can_race(machine, first, &test->threads[first].instructions[i], second,
                         &test->threads[second].instructions[j])) {
                return true;
            }
        }
    }
    return false;
}

static bool may_race(const struct litmus_test *test)
{
    /* Scopes that are equal and wide enough are inclusive by both rules. */
    const struct oracle_machine machine = litmus_machine(test, ORACLE_SCOPES_EQUAL, false);
    bool may = test->is_kernel;
    for (uint32_t second = 1; second < test->thread_count; second++) {
        for (uint32_t first = 0; first < second; first++) {
            may = may || threads_can_race(test, &machine, first, second);
        }
    }
    return may;
}

/* ---- verdicts ---- */

bool litmus_reaches(const struct litmus_test *test, const struct litmus_result *result,
                    bool *only_weak)
{
    bool reaches = false;
    *only_weak = false;
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        if (outcome->holds == (test->quantifier != LITMUS_FORALL)) {
            *only_weak = outcome->weak && (*only_weak || !reaches);
            reaches = true;
        }
    }
    return reaches;
}

/* `may`: it could be in what was not looked at. */
static enum litmus_verdict verdict(const struct litmus_result *result, bool found, bool may)
{
    return found ? LITMUS_FOUND : may && result->left_out != 0 ? LITMUS_NOT_DECIDED : LITMUS_NONE;
}

void litmus_judge(const struct litmus_test *test, const struct litmus_result *result,
                  struct litmus_verdicts *verdicts)
{
    const struct traits traits = find_traits(test);
    bool only_weak;
    *verdicts = (struct litmus_verdicts){
        .condition = test->is_kernel
                         ? LITMUS_NONE
                         : verdict(result, litmus_reaches(test, result, &only_weak), true),
        .race = verdict(result, result->race_count > 0, may_race(test)),
        .fault = verdict(result, result->fault_count > 0, traits.faults),
        .barrier = verdict(result, result->stuck > 0, traits.parts),
        .hang = verdict(result, result->hangs, traits.loops),
        .more = verdict(result, false, true),
    };
}

enum litmus_verdict litmus_wrong(const struct litmus_test *test,
                                 const struct litmus_verdicts *verdicts)
{
    static const enum litmus_verdict opposite[] = {
        [LITMUS_NONE] = LITMUS_FOUND,
        [LITMUS_FOUND] = LITMUS_NONE,
        [LITMUS_NOT_DECIDED] = LITMUS_NOT_DECIDED,
    };
    const enum litmus_verdict list[] = {
        verdicts->race,
        verdicts->fault,
        verdicts->barrier,
        verdicts->hang,
        test->is_kernel                     ? verdicts->more
        : test->quantifier == LITMUS_EXISTS ? opposite[verdicts->condition]
                                            : verdicts->condition,
    };
    enum litmus_verdict wrong = LITMUS_NONE;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i] == LITMUS_FOUND || (list[i] == LITMUS_NOT_DECIDED && wrong == LITMUS_NONE)) {
            wrong = list[i];
        }
    }
    return wrong;
}
