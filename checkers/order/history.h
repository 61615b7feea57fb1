/* Histories: everything that accessed the bytes of a cell since its last plain write, for launches
 * that acquire. There two members of a class (checkers/order/readers.h) would not do: a later
 * strand may be ordered after the far one and not after the near one.
 *
 * A history is a chain of immutable nodes, the newest first, each the lanes of one record that
 * accessed the cell in one way. Equal nodes are stored once, so that cells with the same past share
 * it. 0 is the empty history. */
#ifndef CHECKERS_ORDER_HISTORY_H
#define CHECKERS_ORDER_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history_node {
    uint64_t mask; /* lanes */
    uint32_t before;
    uint32_t record;
    uint32_t oldest;  /* the least record from here on */
    uint32_t length;  /* nodes from here on */
    uint16_t class;   /* READERS_... */
    uint16_t classes; /* bit c: a member of class c is here or before */
};

struct histories {
    struct history_node *nodes; /* [0] is unused */
    size_t count, capacity;
    size_t collect_at; /* a count from which on it pays to drop those that no cell has any more */
    uint32_t *table;   /* open addressing; 0 = free */
    size_t table_size;
};

void histories_reset(struct histories *histories);
void histories_release(struct histories *histories);

static inline const struct history_node *history_get(const struct histories *histories,
                                                     uint32_t history)
{
    return &histories->nodes[history];
}

/* The history with one node more, or with the lanes in its newest node, if that is of the same
 * class and record. 0 when memory is out. */
uint32_t history_add(struct histories *histories, uint32_t history, unsigned class, uint32_t record,
                     uint64_t mask);

#endif
