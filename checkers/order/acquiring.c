#include "checkers/order/acquiring.h"

/* A history is looked through for members that may go when it has this many nodes, and whenever it
 * has doubled since. */
enum { PRUNE_LENGTH = 8 };

uint32_t acquiring_rivals(const struct order *order, const struct access_context *context)
{
    const enum order_kind kind = context->access->kind;
    const enum order_level widest = order->readers[context->region].widest;
    uint32_t rivals = 0;
    for (unsigned class = 0; class < READERS_CLASS_COUNT; class ++) {
        const bool includes = is_atomic(kind) && class != READERS_PLAIN &&
                              context->scope == widest && reader_scope(class) == widest;
        rivals |= exact_conflicts(kind, class) && !includes ? 1U << class : 0;
    }
    return rivals;
}

/* No member of the node can be farther from the running strand than this. */
static enum order_level farthest(const struct order *order, const struct history_node *node)
{
    const struct engine_group *now = order->now;
    return node->record >= (now->resumed ? now->run_first : now->group_first) ? ORDER_LEVEL_GROUP
                                                                              : ORDER_LEVEL_DEVICE;
}

/* Do the members of the node include the access, however far they are? */
static bool includes_all(const struct order *order, const struct access_context *context,
                         const struct history_node *node)
{
    return is_atomic(context->access->kind) && node->class != READERS_PLAIN &&
           inclusive(order, reader_scope(node->class), context->scope, farthest(order, node));
}

/* The newest member of the history that races with the access by `lane`; 0 if none does. */
static uint32_t racing_member(const struct order *order, const struct access_context *context,
                              uint32_t history, uint32_t lane)
{
    const struct histories *histories = &order->histories[context->region];
    while (history != 0) {
        const struct history_node *node = history_get(histories, history);
        if ((node->classes & context->rivals) == 0) {
            return 0;
        }
        const bool rival =
            (context->rivals >> node->class & 1) != 0 && !includes_all(order, context, node);
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
                             farthest(order, node) <= context->scope ||
                             exact_level(order, entry, lane) <= context->scope;
        if (!reaches ||
            ((known & bit) == 0 && !exact_ordered(order, context->floor, entry, lane))) {
            lanes |= bit;
        }
    }
    return lanes;
}

/* The history without those that the strand speaks for as a member of the access's class. */
static uint32_t pruned(struct order *order, const struct access_context *context, uint32_t history,
                       uint32_t lane)
{
    struct histories *histories = &order->histories[context->region];
    uint32_t left = 0;
    while (history != 0) {
        const struct history_node node = *history_get(histories, history);
        const uint64_t lanes =
            node.class == context->class ? lanes_left(order, context, &node, lane) : node.mask;
        if (lanes != 0) {
            left = history_add(histories, left, node.class, node.record, lanes);
        }
        history = node.before;
    }
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
    const enum order_kind kind = context->access->kind;
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
        page->w[cell] = 0;
        history = 0;
        reader = 0;
    }
    const bool alone = kind == ORDER_READ && history == 0 &&
                       (reader == 0 || exact_ordered(order, context->floor, reader, lane));
    if (kind == ORDER_WRITE || alone) {
        page->w[cell] = kind == ORDER_WRITE ? self : page->w[cell];
        page->r[cell] = kind == ORDER_WRITE ? 0 : self;
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
    if (history == 0 || !shadow_page_pair(page)) {
        forget_history(order, page, cell);
        return racing;
    }
    page->r[cell] = history;
    page->n[cell] = ENTRY_STATE;
    return racing;
}
