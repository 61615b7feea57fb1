/* Dominators by Lengauer and Tarjan ("A fast algorithm for finding dominators in a flowgraph",
 * 1979, the simple version); loops by collapsing inner ones into their headers (after Havlak,
 * 1997). No recursion: the depth of a graph is the input's to choose. */
#include "reference/spirv/flow.h"
#include "trace/base/assert.h"

#include <string.h>

struct work {
    struct arena *arena;
    const struct flow_graph *graph;
    struct flow *flow;
    uint32_t *stack, *cursor;
    /* Lengauer-Tarjan, by depth-first number */
    uint32_t *vertex, *parent, *semi, *ancestor, *label, *bucket, *bucket_next, *dominator;
    uint32_t *discovery; /* depth-first number of a block */
    uint32_t visited_count;
    /* dominator tree intervals */
    uint32_t *tree_in, *tree_out;
};

static uint32_t *numbers(struct arena *arena, uint32_t count, uint32_t value)
{
    uint32_t *array = arena_alloc(arena, (size_t)count + 1, sizeof *array);
    if (array != NULL && value != 0) {
        for (uint32_t i = 0; i <= count; i++)
            array[i] = value;
    }
    return array;
}

static bool allocate(struct work *work)
{
    const uint32_t count = work->graph->count;
    uint32_t **const arrays[] = {
        &work->stack,
        &work->cursor,
        &work->vertex,
        &work->parent,
        &work->semi,
        &work->label,
        &work->bucket_next,
        &work->dominator,
        &work->tree_in,
        &work->tree_out,
        &work->flow->order,
        &work->flow->loop,
        &work->flow->pred_first,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = numbers(work->arena, count, 0);
        if (*arrays[i] == NULL)
            return false;
    }
    work->ancestor = numbers(work->arena, count, FLOW_NONE);
    work->bucket = numbers(work->arena, count, FLOW_NONE);
    work->discovery = numbers(work->arena, count, FLOW_NONE);
    work->flow->number = numbers(work->arena, count, FLOW_NONE);
    work->flow->dominator = numbers(work->arena, count, FLOW_NONE);
    return work->ancestor != NULL && work->bucket != NULL && work->discovery != NULL &&
           work->flow->number != NULL && work->flow->dominator != NULL;
}

/* Depth first over the successors, the last one first, so that the first comes first in the order.
 * Fills discovery numbers and, from the back, the reverse post-order. */
static void search(struct work *work)
{
    const struct flow_graph *graph = work->graph;
    struct flow *flow = work->flow;
    uint32_t depth = 0;
    uint32_t post = 0;
    work->discovery[0] = 0;
    work->vertex[0] = 0;
    work->visited_count = 1;
    work->stack[depth++] = 0;
    work->cursor[0] = graph->first[1];
    while (depth > 0) {
        const uint32_t block = work->stack[depth - 1];
        if (work->cursor[block] == graph->first[block]) {
            flow->order[post++] = block;
            depth--;
            continue;
        }
        const uint32_t next = graph->targets[--work->cursor[block]];
        if (work->discovery[next] != FLOW_NONE)
            continue;
        work->parent[work->visited_count] = work->discovery[block];
        work->vertex[work->visited_count] = next;
        work->discovery[next] = work->visited_count++;
        work->cursor[next] = graph->first[next + 1];
        work->stack[depth++] = next;
    }
    flow->order_count = post;
    for (uint32_t i = 0; i < post / 2; i++) {
        const uint32_t swap = flow->order[i];
        flow->order[i] = flow->order[post - 1 - i];
        flow->order[post - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < post; i++)
        flow->number[flow->order[i]] = i;
}

static bool find_predecessors(struct work *work)
{
    const struct flow_graph *graph = work->graph;
    struct flow *flow = work->flow;
    for (uint32_t b = 0; b < graph->count; b++) {
        for (uint32_t e = graph->first[b]; flow->number[b] != FLOW_NONE && e < graph->first[b + 1];
             e++)
            flow->pred_first[graph->targets[e] + 1]++;
    }
    for (uint32_t b = 0; b < graph->count; b++)
        flow->pred_first[b + 1] += flow->pred_first[b];
    flow->preds = numbers(work->arena, flow->pred_first[graph->count], 0);
    uint32_t *next =
        arena_copy(work->arena, flow->pred_first, ((size_t)graph->count + 1) * sizeof *next);
    if (flow->preds == NULL || next == NULL)
        return false;
    for (uint32_t b = 0; b < graph->count; b++) {
        for (uint32_t e = graph->first[b]; flow->number[b] != FLOW_NONE && e < graph->first[b + 1];
             e++)
            flow->preds[next[graph->targets[e]]++] = b;
    }
    return true;
}

/* The vertex of least semidominator on the way up to the root of v's tree in the forest. */
static uint32_t evaluate(struct work *work, uint32_t v)
{
    if (work->ancestor[v] == FLOW_NONE)
        return v;
    uint32_t depth = 0;
    uint32_t u = v;
    while (work->ancestor[work->ancestor[u]] != FLOW_NONE) {
        work->stack[depth++] = u;
        u = work->ancestor[u];
    }
    while (depth > 0) {
        const uint32_t w = work->stack[--depth];
        const uint32_t above = work->ancestor[w];
        if (work->semi[work->label[above]] < work->semi[work->label[w]])
            work->label[w] = work->label[above];
        work->ancestor[w] = work->ancestor[above];
    }
    return work->label[v];
}

static void find_dominators(struct work *work)
{
    struct flow *flow = work->flow;
    for (uint32_t i = 0; i < work->visited_count; i++)
        work->semi[i] = work->label[i] = i;
    for (uint32_t w = work->visited_count; w-- > 1;) {
        const uint32_t block = work->vertex[w];
        for (uint32_t e = flow->pred_first[block]; e < flow->pred_first[block + 1]; e++) {
            const uint32_t u = evaluate(work, work->discovery[flow->preds[e]]);
            if (work->semi[u] < work->semi[w])
                work->semi[w] = work->semi[u];
        }
        work->bucket_next[w] = work->bucket[work->semi[w]];
        work->bucket[work->semi[w]] = w;
        const uint32_t parent = work->parent[w];
        work->ancestor[w] = parent;
        for (uint32_t v = work->bucket[parent]; v != FLOW_NONE; v = work->bucket_next[v]) {
            const uint32_t u = evaluate(work, v);
            work->dominator[v] = work->semi[u] < work->semi[v] ? u : parent;
        }
        work->bucket[parent] = FLOW_NONE;
    }
    flow->dominator[0] = 0;
    for (uint32_t w = 1; w < work->visited_count; w++) {
        if (work->dominator[w] != work->semi[w])
            work->dominator[w] = work->dominator[work->dominator[w]];
        flow->dominator[work->vertex[w]] = work->vertex[work->dominator[w]];
    }
}

/* Numbers the dominator tree so that "a dominates b" is an interval test. Sizes first, from the
 * leaves (dominators come before in the order), then intervals from the root. */
static void number_tree(struct work *work)
{
    const struct flow *flow = work->flow;
    uint32_t *size = work->tree_out;
    for (uint32_t i = 0; i < flow->order_count; i++)
        size[flow->order[i]] = 1;
    for (uint32_t i = flow->order_count; i-- > 1;) {
        const uint32_t block = flow->order[i];
        size[flow->dominator[block]] += size[block];
    }
    uint32_t *next = work->cursor; /* the next free number within a block's interval */
    work->tree_in[0] = 0;
    next[0] = 1;
    for (uint32_t i = 1; i < flow->order_count; i++) {
        const uint32_t block = flow->order[i];
        const uint32_t above = flow->dominator[block];
        work->tree_in[block] = next[above];
        next[above] += size[block];
        next[block] = work->tree_in[block] + 1;
    }
    for (uint32_t i = 0; i < flow->order_count; i++)
        work->tree_out[flow->order[i]] += work->tree_in[flow->order[i]];
}

static bool dominates(const struct work *work, uint32_t a, uint32_t b)
{
    return work->tree_in[a] <= work->tree_in[b] && work->tree_in[b] < work->tree_out[a];
}

bool flow_dominates(const struct flow *flow, uint32_t above, uint32_t block)
{
    while (flow->number[block] > flow->number[above])
        block = flow->dominator[block];
    return block == above;
}

/* ---- loops ---- */

static uint32_t outermost(uint32_t *root, uint32_t loop)
{
    while (root[loop] != loop) {
        root[loop] = root[root[loop]];
        loop = root[loop];
    }
    return loop;
}

/* Counts back edges by header into cursor[]; tells irreducible cycles. */
static uint32_t find_headers(struct work *work)
{
    struct flow *flow = work->flow;
    const struct flow_graph *graph = work->graph;
    uint32_t headers = 0;
    memset(work->cursor, 0, ((size_t)graph->count + 1) * sizeof *work->cursor);
    for (uint32_t i = 0; i < flow->order_count; i++) {
        const uint32_t block = flow->order[i];
        for (uint32_t e = graph->first[block]; e < graph->first[block + 1]; e++) {
            const uint32_t target = graph->targets[e];
            if (flow->number[target] > i)
                continue;
            if (!dominates(work, target, block))
                flow->irreducible = true;
            else if (work->cursor[target]++ == 0)
                headers++;
        }
    }
    return headers;
}

static void collect_loop(struct work *work, uint32_t *root, uint32_t loop)
{
    struct flow *flow = work->flow;
    struct flow_loop *made = &flow->loops[loop];
    uint32_t depth = 0;
    flow->loop[made->header] = flow->loop[made->header] == 0 ? loop : flow->loop[made->header];
    for (uint32_t e = flow->pred_first[made->header]; e < flow->pred_first[made->header + 1]; e++) {
        const uint32_t latch = flow->preds[e];
        if (!dominates(work, made->header, latch))
            continue;
        made->latch = latch;
        made->latch_count++;
        work->stack[depth++] = latch;
        while (depth > 0) {
            uint32_t block = work->stack[--depth];
            if (block == made->header)
                continue;
            if (flow->loop[block] == 0) {
                flow->loop[block] = loop;
            } else {
                const uint32_t top = outermost(root, flow->loop[block]);
                if (top == loop)
                    continue;
                root[top] = loop;
                flow->loops[top].parent = loop;
                block = flow->loops[top].header;
            }
            for (uint32_t p = flow->pred_first[block]; p < flow->pred_first[block + 1]; p++) {
                const uint32_t pred = flow->preds[p];
                const uint32_t in = flow->loop[pred];
                if (pred != made->header && (in == 0 || outermost(root, in) != loop))
                    work->stack[depth++] = pred;
            }
        }
    }
}

static bool find_loops(struct work *work)
{
    struct flow *flow = work->flow;
    const uint32_t headers = find_headers(work);
    if (flow->irreducible)
        return true;
    flow->loops = arena_alloc(work->arena, (size_t)headers + 1, sizeof *flow->loops);
    uint32_t *root = numbers(work->arena, headers, 0);
    /* A block may wait on the stack once for each edge to a block of the loop. */
    work->stack =
        numbers(work->arena, work->graph->first[work->graph->count] + work->graph->count, 0);
    if (flow->loops == NULL || root == NULL || work->stack == NULL)
        return false;
    flow->loop_count = headers;
    uint32_t loop = headers;
    for (uint32_t i = flow->order_count; i-- > 0;) {
        const uint32_t header = flow->order[i];
        if (work->cursor[header] == 0)
            continue;
        root[loop] = loop;
        flow->loops[loop].header = header;
        collect_loop(work, root, loop);
        loop--;
    }
    ASSERT(loop == 0);
    for (loop = 1; loop <= headers; loop++) {
        struct flow_loop *made = &flow->loops[loop];
        made->depth = flow->loops[made->parent].depth + 1;
        made->proper = made->latch_count == 1 && flow->loop[made->latch] == loop;
    }
    return true;
}

bool flow_loop_contains(const struct flow *flow, uint32_t outer, uint32_t inner)
{
    if (outer == 0)
        return true;
    while (inner != 0 && flow->loops[inner].depth > flow->loops[outer].depth)
        inner = flow->loops[inner].parent;
    return inner == outer;
}

uint32_t flow_loop_common(const struct flow *flow, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == 0 || b == 0)
            return 0;
        if (flow->loops[a].depth >= flow->loops[b].depth)
            a = flow->loops[a].parent;
        else
            b = flow->loops[b].parent;
    }
    return a;
}

/* ---- the contiguous order ---- */

/* The outermost loop that the edge leaves, as far out as each is proper; 0 = none. */
static uint32_t loop_left(const struct flow *flow, uint32_t from, uint32_t to)
{
    uint32_t left = 0;
    for (uint32_t loop = flow->loop[from];
         loop != 0 && flow->loops[loop].proper && !flow_loop_contains(flow, loop, flow->loop[to]);
         loop = flow->loops[loop].parent)
        left = loop;
    return left;
}

/* For ordering alone, an edge that leaves loops starts at the latch of the outermost: everything in
 * the loop reaches the latch, so what follows the loop follows all of it; and a depth-first search
 * then meets what is outside only there, so nothing from outside comes between. Back edges are left
 * out. */
static bool order_loops(struct work *work)
{
    struct flow *flow = work->flow;
    const struct flow_graph *graph = work->graph;
    struct flow_graph moved = {.count = graph->count};
    uint32_t *first = numbers(work->arena, graph->count + 1, 0);
    uint32_t *targets = numbers(work->arena, graph->first[graph->count], 0);
    uint32_t *next = NULL;
    if (first == NULL || targets == NULL)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < flow->order_count; i++) {
            const uint32_t block = flow->order[i];
            for (uint32_t e = graph->first[block]; e < graph->first[block + 1]; e++) {
                const uint32_t target = graph->targets[e];
                if (flow->number[target] <= i)
                    continue;
                const uint32_t left = loop_left(flow, block, target);
                const uint32_t from = left == 0 ? block : flow->loops[left].latch;
                if (pass == 0)
                    first[from + 1]++;
                else
                    targets[next[from]++] = target;
            }
        }
        if (pass == 0) {
            for (uint32_t b = 0; b < graph->count; b++)
                first[b + 1] += first[b];
            next = arena_copy(work->arena, first, ((size_t)graph->count + 1) * sizeof *next);
            if (next == NULL)
                return false;
        }
    }
    moved.first = first;
    moved.targets = targets;
    struct work again = *work;
    again.graph = &moved;
    for (uint32_t b = 0; b < graph->count; b++)
        again.discovery[b] = FLOW_NONE;
    const uint32_t reachable = flow->order_count;
    search(&again);
    ASSERT(flow->order_count == reachable);
    return true;
}

bool flow_analyse(struct arena *arena, const struct flow_graph *graph, struct flow *flow)
{
    *flow = (struct flow){0};
    struct work work = {.arena = arena, .graph = graph, .flow = flow};
    ASSERT(graph->count > 0);
    if (!allocate(&work))
        return false;
    search(&work);
    if (!find_predecessors(&work))
        return false;
    find_dominators(&work);
    number_tree(&work);
    if (!find_loops(&work))
        return false;
    if (flow->irreducible || flow->loop_count == 0)
        return true;
    if (!order_loops(&work))
        return false;
    for (uint32_t i = flow->order_count; i-- > 0;) {
        for (uint32_t loop = flow->loop[flow->order[i]]; loop != 0;
             loop = flow->loops[loop].parent) {
            flow->loops[loop].start = i;
            if (flow->loops[loop].end == 0)
                flow->loops[loop].end = i + 1;
        }
    }
    return true;
}
