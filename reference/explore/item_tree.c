/* Work-items as threads of the search. For each there is a tree: a node is where the item is when
 * it has read certain values, and has a child for each value that its next operation may read. A
 * node is made by running the item once, from its start. */
#include "reference/explore/item.h"

static struct node *make_node(struct explorer *explorer, uint32_t thread, struct node *parent,
                              int64_t read)
{
    struct node *node = arena_alloc(&explorer->arena, 1, sizeof *node);
    if (!node) {
        explorer_no_memory(explorer, sizeof *node);
        return &explorer->item->nowhere;
    }
    *node = (struct node){
        .explorer = explorer,
        .thread = thread,
        .depth = parent ? parent->depth + 1 : 0,
        .parent = parent,
        .read = read,
    };
    item_run_to(explorer->item, node);
    return node;
}

struct node *item_root(struct explorer *explorer, uint32_t thread)
{
    struct node **root = &explorer->roots[thread];
    if (!*root)
        *root = make_node(explorer, thread, NULL, 0);
    return *root;
}

struct node *item_child(struct node *node, int64_t old)
{
    const bool reads = oracle_reads(node->next->kind) || node->next->op == LITMUS_BARRIER;
    const int64_t read = reads ? old : 0;
    struct node *child = node->first_child;
    while (child && child->read != read)
        child = child->sibling;
    if (child)
        return child;
    child = make_node(node->explorer, node->thread, node, read);
    if (child->parent == node) {
        child->sibling = node->first_child;
        node->first_child = child;
    }
    return child;
}
