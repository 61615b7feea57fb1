/* What the search asks of work-items: a thread of it is at a node (item_tree.c). */
#include "reference/explore/item.h"

static struct node *node_of(const struct machine_thread *machine)
{
    return (struct node *)(uintptr_t)machine->at;
}

static void machine_start(const struct litmus_test *test, uint32_t thread,
                          struct machine_thread *machine)
{
    machine->at = item_root(test->program, thread);
}

static const struct litmus_instruction *machine_run(const struct litmus_test *test, uint32_t thread,
                                                    struct machine_thread *machine, uint32_t rounds)
{
    (void)test;
    (void)thread;
    (void)rounds;
    machine->state = node_of(machine)->state;
    return node_of(machine)->next;
}

static bool machine_exchanges(const struct machine_thread *machine,
                              const struct litmus_instruction *instruction, int64_t old)
{
    (void)instruction;
    return item_child(node_of(machine), old)->exchanged;
}

static int64_t machine_written(const struct machine_thread *machine,
                               const struct litmus_instruction *instruction, int64_t old)
{
    (void)instruction;
    return item_child(node_of(machine), old)->written;
}

static void machine_performed(const struct litmus_test *test, uint32_t thread,
                              struct machine_thread *machine, int64_t old, bool changed)
{
    (void)test;
    (void)thread;
    (void)changed;
    machine->at = item_child(node_of(machine), old);
}

static struct machine_needs machine_needs(const struct litmus_test *test, uint32_t thread,
                                          const struct machine_thread *machine,
                                          const struct litmus_instruction *instruction,
                                          uint64_t reads)
{
    (void)test;
    (void)thread;
    (void)instruction;
    struct node *node = node_of(machine);
    const struct machine_needs needs = item_needs(node, reads);
    item_compare_needs(node, reads, needs);
    return needs;
}

/* The threads that meet are those of the group or sub-group, in the order of its work-items. */
static int64_t machine_gives(const struct litmus_test *test, uint32_t thread,
                             const struct machine_thread *const machines[])
{
    struct explorer *explorer = test->program;
    const struct litmus_instruction *next = node_of(machines[thread])->next;
    struct gathering gathering = {.site = next->site - 1};
    uint32_t index = 0;
    if (!next->gathers)
        return 0;
    for (uint32_t t = 0; t < test->thread_count; t++) {
        if (test->units[t].group != test->units[thread].group ||
            (next->kind == ORACLE_SUB_GROUP_BARRIER &&
             test->units[t].sub_group != test->units[thread].sub_group))
            continue;
        index = t == thread ? gathering.count : index;
        gathering.items[gathering.count++] = &node_of(machines[t])->gathered;
    }
    return (int64_t)explorer_gather(explorer, &gathering, index);
}

static bool machine_is_open(const struct litmus_test *test, uint32_t thread,
                            const struct machine_thread *machine)
{
    (void)test;
    (void)thread;
    const struct node *node = node_of(machine);
    return node->state != MACHINE_RUNS || node->open;
}

static bool machine_alike(const struct litmus_test *test, uint32_t a, uint32_t b)
{
    return item_are_alike(test->program, a, b);
}

static bool machine_stays_alike(const struct litmus_test *test, uint32_t thread,
                                const struct machine_thread *machine, uint64_t others)
{
    (void)test;
    (void)thread;
    return item_stays_alike(node_of(machine), others);
}

/* What items do depends on what they read alone, so nothing else changes. */
static void machine_edited(const struct litmus_test *test)
{
    const struct explorer *explorer = test->program;
    for (struct found *found = explorer->item->found; found; found = found->next) {
        found->instruction = found->original;
        litmus_edit_instruction(test, &found->original, &found->instruction);
    }
}

const struct machine explorer_machine = {
    .start = machine_start,
    .run = machine_run,
    .exchanges = machine_exchanges,
    .written = machine_written,
    .performed = machine_performed,
    .needs = machine_needs,
    .gives = machine_gives,
    .is_open = machine_is_open,
    .alike = machine_alike,
    .stays_alike = machine_stays_alike,
    .edited = machine_edited,
};
