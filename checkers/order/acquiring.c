#include "checkers/order/exact.h"

#include "trace/base/alloc.h"

/* A history is looked through for members that may go when it has this many nodes, and whenever it
 * has doubled since. */
enum { PRUNE_LENGTH = 8 };

/* The classes, as bits, that the access conflicts with, unless they include it where the two
 * strands are at most so far apart. */
static uint32_t rivals_within(const struct order *order, const struct access_context *context,
                              enum observer_scope distance)
{
    const enum observer_access_kind kind = context->access->kind;
    uint32_t rivals = 0;
    for (unsigned class = 0; class < READERS_CLASS_COUNT; class ++) {
        const bool includes = access_is_atomic(kind) && class != READERS_PLAIN &&
                              inclusive(order, reader_scope(class), context->scope, distance);
        rivals |= exact_conflicts(kind, class) && !includes ? 1U << class : 0;
    }
    return rivals;
}

void acquiring_note_rivals(const struct order *order, struct access_context *context)
{
    context->near_rivals = rivals_within(order, context, OBSERVER_SCOPE_WORK_GROUP);
    context->rivals = rivals_within(order, context, order->readers[context->region].widest);
}

/* Nobody of that record, or of a later one, is farther from the running strand than this. */
static enum observer_scope farthest(const struct order *order, uint32_t record)
{
    const struct engine_group *now = order->now;
    return record >= (now->resumed ? now->run_first : now->group_first) ? OBSERVER_SCOPE_WORK_GROUP
                                                                        : OBSERVER_SCOPE_DEVICE;
}

static uint32_t rivals_since(const struct order *order, const struct access_context *context,
                             uint32_t record)
{
    return farthest(order, record) == OBSERVER_SCOPE_WORK_GROUP ? context->near_rivals
                                                                : context->rivals;
}

/* The newest member of the history that races with the access by `lane`; 0 if none does. */
static uint32_t racing_member(const struct order *order, const struct access_context *context,
                              uint32_t history, uint32_t lane)
{
    const struct histories *histories = &order->histories[context->region];
    while (history != 0) {
        const struct history_node *node = history_get(histories, history);
        if ((node->classes & rivals_since(order, context, node->oldest)) == 0) {
            return 0;
        }
        const bool rival = (rivals_since(order, context, node->record) >> node->class & 1) != 0;
        const uint64_t unknown =
            rival ? node->mask & ~exact_known(order, context->floor, node->record, node->mask, lane)
                  : 0;
        for (uint64_t left = unknown; left != 0; left &= left - 1) {
            const uint32_t entry = entry_make(node->record, (uint32_t)__builtin_ctzll(left));
            if (exact_races(order, context, node->class, entry, lane)) {
                return entry;
            }
        }
        history = node->before;
    }
    return 0;
}

/* The lanes of the node that a further member of its class, the strand `lane`, does not speak for.
 * It does for one that is ordered before it, since whoever is ordered after it is ordered after
 * that one, too, unless a scope that holds the two of them is wanted and theirs does not. */
static uint64_t lanes_left(const struct order *order, const struct access_context *context,
                           const struct history_node *node, uint32_t lane)
{
    const uint64_t known = exact_known(order, context->floor, node->record, node->mask, lane);
    uint64_t lanes = 0;
    for (uint64_t left = node->mask; left != 0; left &= left - 1) {
        const uint64_t bit = left & -left;
        const uint32_t entry = entry_make(node->record, (uint32_t)__builtin_ctzll(left));
        const bool reaches = node->class == READERS_PLAIN ||
                             farthest(order, node->record) <= context->scope ||
                             exact_level(order, entry, lane) <= context->scope;
        if (!reaches ||
            ((known & bit) == 0 && !exact_ordered(order, context->floor, entry, lane))) {
            lanes |= bit;
        }
    }
    return lanes;
}

/* The strands of one vector that are in a history as members of a class, for which their later
 * accesses speak. */
struct strands {
    uint64_t group;
    uint32_t vector;
    uint16_t class;
    uint64_t mask; /* 0 = a free place */
};

/* A chain of nodes while members are taken out of it. */
struct pruning {
    struct strands *strands; /* open addressing */
    size_t strands_size;
    uint32_t *nodes; /* the newest first */
    uint64_t *left;  /* lanes of each */
};

/* The lanes of the node that no newer node speaks for, which are noted. Copies are not strands that
 * go on. */
static uint64_t lanes_unnoted(const struct order *order, struct pruning *pruning,
                              const struct history_node *node)
{
    const struct record_interval *interval = records_find(&order->records, node->record);
    if (interval->vector == ORDER_COPY_VECTOR) {
        return node->mask;
    }
    uint64_t hash = interval->group * 64 + interval->vector + ((uint64_t)node->class << 48);
    hash = (hash ^ hash >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 32) & (pruning->strands_size - 1);
    struct strands *strands = &pruning->strands[at];
    while (strands->mask != 0 &&
           (strands->group != interval->group || strands->vector != interval->vector ||
            strands->class != node->class)) {
        at = (at + 1) & (pruning->strands_size - 1);
        strands = &pruning->strands[at];
    }
    const uint64_t lanes = node->mask & ~strands->mask;
    *strands = (struct strands){.group = interval->group,
                                .vector = interval->vector,
                                .class = node->class,
                                .mask = strands->mask | node->mask};
    return lanes;
}

/* The history without those members for which a later access of their own speaks, or the access of
 * the strand `lane` that is about to join. */
static uint32_t pruned(struct order *order, const struct access_context *context, uint32_t history,
                       uint32_t lane)
{
    struct histories *histories = &order->histories[context->region];
    const size_t length = history_get(histories, history)->length; /* a power of 2 */
    struct pruning pruning = {
        .strands = alloc_zero(2 * length, sizeof *pruning.strands),
        .strands_size = 2 * length,
        .nodes = alloc(length * sizeof *pruning.nodes),
        .left = alloc(length * sizeof *pruning.left),
    };
    const bool ready = pruning.strands != NULL && pruning.nodes != NULL && pruning.left != NULL;
    uint32_t next = history;
    for (size_t i = 0; i < length && ready; i++) {
        const struct history_node *node = history_get(histories, next);
        pruning.nodes[i] = next;
        pruning.left[i] = lanes_unnoted(order, &pruning, node);
        if (node->class == context->class) {
            pruning.left[i] &= lanes_left(order, context, node, lane);
        }
        next = node->before;
    }
    uint32_t left = ready ? 0 : history;
    for (size_t i = length; i-- > 0 && ready;) {
        const struct history_node node = *history_get(histories, pruning.nodes[i]);
        if (pruning.left[i] != 0) {
            left = history_add(histories, left, node.class, node.record, pruning.left[i]);
        }
    }
    alloc_free(pruning.strands);
    alloc_free(pruning.nodes);
    alloc_free(pruning.left);
    return left;
}

/* The history with the strand's access; 0 when memory is out. */
static uint32_t with_member(struct order *order, const struct access_context *context,
                            uint32_t history, uint32_t lane)
{
    struct histories *histories = &order->histories[context->region];
    if (history != 0) {
        const struct history_node *node = history_get(histories, history);
        const bool doubled =
            node->length >= PRUNE_LENGTH && (node->length & (node->length - 1)) == 0;
        if (doubled && (node->record != context->record || node->class != context->class)) {
            history = pruned(order, context, history, lane);
        }
    }
    return history_add(histories, history, context->class, context->record, UINT64_C(1) << lane);
}

static void forget_history(struct order *order, struct shadow_page *page, uint32_t cell)
{
    page->r[cell] = 0;
    if (page->n != NULL) {
        page->n[cell] = 0;
    }
    order->incomplete = true;
}

uint32_t acquiring_access_cell(struct order *order, const struct access_context *context,
                               struct shadow_page *page, uint32_t cell, uint32_t lane)
{
    struct histories *histories = &order->histories[context->region];
    const enum observer_access_kind kind = context->access->kind;
    const uint32_t self = entry_make(context->record, lane);
    const uint32_t written = page->w[cell];
    const bool is_history = page->n != NULL && page->n[cell] == ENTRY_STATE;
    uint32_t history = is_history ? page->r[cell] : 0;
    uint32_t reader = is_history ? 0 : page->r[cell];
    uint32_t racing = 0;
    if (written != 0 && !exact_ordered(order, context->floor, written, lane)) {
        racing = written;
    } else if (reader != 0 && exact_conflicts(kind, READERS_PLAIN) &&
               exact_races(order, context, READERS_PLAIN, reader, lane)) {
        racing = reader;
    } else {
        racing = racing_member(order, context, history, lane);
    }
    if (racing != 0) {
        if (written != 0) {
            page->w[cell] = 0;
        }
        history = 0;
        reader = 0;
    }
    const bool alone = kind == OBSERVER_READ && history == 0 &&
                       (reader == 0 || exact_ordered(order, context->floor, reader, lane));
    if (kind == OBSERVER_WRITE || alone) {
        if (kind == OBSERVER_WRITE) {
            page->w[cell] = self;
        }
        page->r[cell] = kind == OBSERVER_WRITE ? 0 : self;
        if (page->n != NULL) {
            page->n[cell] = 0;
        }
        return racing;
    }
    if (reader != 0) {
        history = history_add(histories, 0, READERS_PLAIN, entry_record(reader),
                              UINT64_C(1) << entry_lane(reader));
    }
    history = with_member(order, context, history, lane);
    if (history == 0 || !shadow_page_pair(&order->shadow, page)) {
        forget_history(order, page, cell);
        return racing;
    }
    page->r[cell] = history;
    page->n[cell] = ENTRY_STATE;
    return racing;
}
