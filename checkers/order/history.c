#include "checkers/order/engine.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

enum { TABLE_SIZE_MIN = 256, COLLECT_MIN = 1 << 14 };

void histories_reset(struct histories *histories)
{
    if (histories->count > 1) {
        memset(histories->table, 0, histories->table_size * sizeof *histories->table);
    }
    histories->count = 1;
    histories->collect_at = COLLECT_MIN;
}

void histories_release(struct histories *histories)
{
    alloc_free(histories->nodes);
    alloc_free(histories->table);
    *histories = (struct histories){0};
}

static size_t hash_node(const struct history_node *node)
{
    uint64_t hash = (uint64_t)node->before << 32 | node->record;
    hash = (hash ^ hash >> 29) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ node->mask ^ node->class) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash ^ hash >> 32);
}

static bool same_node(const struct history_node *a, const struct history_node *b)
{
    return a->mask == b->mask && a->before == b->before && a->record == b->record &&
           a->class == b->class;
}

/* Keeps the table at most half full. */
static bool reserve_table(struct histories *histories)
{
    if (histories->count * 2 < histories->table_size) {
        return true;
    }
    const size_t size = histories->table_size == 0 ? TABLE_SIZE_MIN : histories->table_size * 2;
    uint32_t *table = alloc_zero(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (size_t i = 1; i < histories->count; i++) {
        size_t slot = hash_node(&histories->nodes[i]) & (size - 1);
        while (table[slot] != 0) {
            slot = (slot + 1) & (size - 1);
        }
        table[slot] = (uint32_t)i;
    }
    alloc_free(histories->table);
    histories->table = table;
    histories->table_size = size;
    return true;
}

static uint32_t intern(struct histories *histories, const struct history_node *node)
{
    if (histories->count >= UINT32_MAX || !reserve_table(histories)) {
        return 0;
    }
    size_t slot = hash_node(node) & (histories->table_size - 1);
    for (; histories->table[slot] != 0; slot = (slot + 1) & (histories->table_size - 1)) {
        if (same_node(&histories->nodes[histories->table[slot]], node)) {
            return histories->table[slot];
        }
    }
    struct history_node *grown =
        alloc_grow(histories->nodes, histories->count, &histories->capacity, sizeof *grown);
    if (grown == NULL) {
        return 0;
    }
    histories->nodes = grown;
    grown[histories->count] = *node;
    histories->table[slot] = (uint32_t)histories->count;
    return (uint32_t)histories->count++;
}

uint32_t history_add(struct histories *histories, uint32_t history, unsigned class, uint32_t record,
                     uint64_t mask)
{
    ASSERT(mask != 0 && class < READERS_CLASS_COUNT && history < histories->count);
    uint32_t before = history;
    if (history != 0) {
        const struct history_node *newest = history_get(histories, history);
        if (newest->class == class && newest->record == record) {
            mask |= newest->mask;
            before = newest->before;
        }
    }
    struct history_node node = {.mask = mask,
                                .before = before,
                                .record = record,
                                .oldest = record,
                                .length = 1,
                                .class = (uint16_t) class};
    node.classes = (uint16_t)(1U << class);
    if (before != 0) {
        const struct history_node *older = history_get(histories, before);
        node.length = older->length + 1;
        node.classes |= older->classes;
        node.oldest = older->oldest < record ? older->oldest : record;
    }
    return intern(histories, &node);
}
