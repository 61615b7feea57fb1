/* Are work-items alike? They are taken to be until one is seen to differ: whatever the one has
 * read, the other is run to where it has read the same, and must come to the same operation. Only
 * where the operation goes may be the item's own: memory that it alone accesses, as the other one
 * has some in its place (litmus_location.owner). An item that nobody has seen to be there may do
 * so in an execution that is gone through for others, so that this is looked at, too. */
#include "reference/explore/item.h"

#include <string.h>

/* ---- what the code shows ---- */

/* What is given where items meet depends on their order. */
static bool gathers(const struct vm_code *code)
{
    bool some = false;
    for (uint32_t i = 0; i < code->barrier_count; i++)
        some |= explorer_gathers(&code->barriers[i]);
    for (uint32_t site = 0; site < code->instruction_count; site++)
        some |= (vm_op_traits((enum vm_op)code->instructions[site].op) & VM_SUB_GROUP) != 0;
    return some;
}

/* Can items differ at all? */
static bool has_own(const struct explorer *explorer)
{
    const struct vm_code *code = explorer->request.code;
    bool own = explorer->launch->local_count > 0;
    for (uint32_t query = 0; query < VM_QUERY_COUNT; query++) {
        const bool of_item = query < VM_QUERY_SUB_GROUP_SIZE || query == VM_QUERY_GROUP_OWNER ||
                             query == VM_QUERY_GROUP_ID;
        for (uint32_t d = 0; of_item && d < 3; d++)
            own |= code->query_rows[query][d] != 0;
    }
    return own;
}

/* ---- memory of one's own ---- */

static void tell_apart(struct explorer *explorer, uint32_t a, uint32_t b)
{
    explorer->apart[a] |= UINT64_C(1) << b;
    explorer->apart[b] |= UINT64_C(1) << a;
    explorer->differs = true;
}

/* The item comes there: what another one has alone is its own no longer. */
static void note_access(const struct node *node)
{
    struct explorer *explorer = node->explorer;
    const struct litmus_instruction *next = node->next;
    if (!next || next->op >= LITMUS_FENCE || next->fault)
        return;
    struct litmus_location *location = &explorer->test.locations[next->location];
    explorer->places[next->location].users |= UINT64_C(1) << node->thread;
    if (location->owner == 0 || location->owner == node->thread + 1)
        return;
    for (uint32_t t = 0; t < explorer->test.thread_count; t++) {
        if (t + 1 != location->owner)
            tell_apart(explorer, location->owner - 1, t);
    }
    location->owner = 0;
}

static bool has_cell(const struct explorer *explorer, uint32_t thread, uint32_t cell)
{
    bool has = false;
    for (size_t i = 0; i < explorer->test.location_count; i++) {
        const struct litmus_location *location = &explorer->test.locations[i];
        has |= location->owner == thread + 1 && location->cell == cell;
    }
    return has;
}

/* Could it be the item's own, and become that as the cell of that number, from 1? */
static bool take_cell(struct explorer *explorer, uint32_t location, uint32_t thread, uint32_t cell)
{
    struct litmus_location *const own = &explorer->test.locations[location];
    if (own->owner != 0)
        return own->cell == cell;
    if (explorer->places[location].users != UINT64_C(1) << thread ||
        has_cell(explorer, thread, cell))
        return false;
    own->owner = thread + 1;
    own->cell = cell;
    return true;
}

/* The one item comes to the one place, and the other to the other. */
static bool are_same_places(struct explorer *explorer, const struct node *a, const struct node *b)
{
    const uint32_t place = a->next->location;
    const uint32_t other = b->next->location;
    const struct litmus_location *const x = &explorer->test.locations[place];
    const struct litmus_location *const y = &explorer->test.locations[other];
    const uint32_t cell = x->owner != 0 ? x->cell : y->owner != 0 ? y->cell : place + 1;
    return place == other ||
           (x->type.size == y->type.size && x->type.is_signed == y->type.is_signed &&
            x->region == y->region && x->initial == y->initial &&
            take_cell(explorer, place, a->thread, cell) &&
            take_cell(explorer, other, b->thread, cell));
}

/* ---- the comparison ---- */

static bool are_same(struct explorer *explorer, const struct node *a, const struct node *b)
{
    const struct litmus_instruction *x = a->next;
    const struct litmus_instruction *y = b->next;
    if (a->state != b->state || a->open != b->open || !x != !y || a->exchanged != b->exchanged ||
        a->written != b->written)
        return false;
    if (!x)
        return true;
    if (x->site != y->site || x->op != y->op || x->kind != y->kind || x->target != y->target ||
        !x->fault != !y->fault || (x->fault && strcmp(x->fault, y->fault) != 0))
        return false;
    return x->op >= LITMUS_FENCE || x->fault || are_same_places(explorer, a, b);
}

/* Where another item is that has read the same, and did the same until then. */
static struct node *counterpart(const struct node *node, uint32_t thread)
{
    return node->parent ? item_child(counterpart(node->parent, thread), node->read)
                        : item_root(node->explorer, thread);
}

static bool compare(struct node *node, uint32_t thread)
{
    struct explorer *explorer = node->explorer;
    const uint64_t bit = UINT64_C(1) << thread;
    if (node->compared & bit)
        return (explorer->apart[node->thread] & bit) == 0;
    if (explorer->failed || (node->parent && !compare(node->parent, thread)))
        return false;
    const struct node *other = counterpart(node, thread);
    if (explorer->failed)
        return false;
    node->compared |= bit;
    note_access(node);
    note_access(other);
    if (!are_same(explorer, node, other))
        tell_apart(explorer, node->thread, thread);
    return (explorer->apart[node->thread] & bit) == 0;
}

bool item_are_alike(const struct explorer *explorer, uint32_t a, uint32_t b)
{
    return (explorer->apart[a] >> b & 1) == 0 && !gathers(explorer->request.code);
}

bool item_stays_alike(struct node *node, uint64_t others)
{
    struct explorer *explorer = node->explorer;
    if (!has_own(explorer))
        return true;
    note_access(node);
    for (uint32_t t = 0; t < explorer->test.thread_count; t++) {
        if (others >> t & 1)
            compare(node, t);
    }
    const bool stays = !explorer->differs;
    explorer->differs = false;
    return stays;
}

void item_compare_needs(struct node *node, uint64_t reads, struct machine_needs needs)
{
    struct explorer *explorer = node->explorer;
    for (uint32_t t = 0; t < explorer->test.thread_count; t++) {
        if ((node->compared & ~explorer->apart[node->thread]) >> t & 1) {
            const struct machine_needs others = item_needs(counterpart(node, t), reads);
            if (others.values != needs.values || others.follows != needs.follows)
                tell_apart(explorer, node->thread, t);
        }
    }
}
