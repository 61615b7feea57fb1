#include "checkers/litmus/graph.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- building ---- */

void graph_start(struct graph *graph, const struct litmus_test *test,
                 const struct oracle_machine *machine)
{
    graph->count = 0;
    graph->meeting_count = 0;
    graph->clock = 0;
    memset(graph->first_write, 0, (graph->location_capacity + 1) * sizeof *graph->first_write);
    graph->test = test;
    graph->machine = machine;
}

void graph_copy(const struct graph *graph, struct graph *copy)
{
    ASSERT(copy->event_capacity == graph->event_capacity);
    ASSERT(copy->location_capacity == graph->location_capacity);
    copy->test = graph->test;
    copy->machine = graph->machine;
    copy->count = graph->count;
    copy->meeting_count = graph->meeting_count;
    copy->clock = graph->clock;
    memcpy(copy->events, graph->events, graph->count * sizeof *copy->events);
    memcpy(copy->writes, graph->writes, graph->count * sizeof *copy->writes);
    memcpy(copy->first_write, graph->first_write,
           (graph->location_capacity + 1) * sizeof *copy->first_write);
}

struct graph_event *graph_add(struct graph *graph, uint32_t thread,
                              const struct litmus_instruction *instruction)
{
    ASSERT(graph->count < graph->event_capacity);
    ASSERT(thread < graph->test->thread_count);
    struct graph_event *event = &graph->events[graph->count++];
    *event = (struct graph_event){
        .instruction = instruction,
        .kind = instruction->kind,
        .order = instruction->order,
        .thread = (uint16_t)thread,
        .reads_from = GRAPH_INITIAL,
        .added = graph->clock++,
    };
    return event;
}

void graph_make_hole(struct graph_event *event)
{
    ASSERT(event->instruction->op < LITMUS_FENCE);
    event->kind = ORACLE_FENCE;
    event->order = ORACLE_RELAXED;
    event->reads_from = GRAPH_INITIAL;
    event->is_half = false;
}

/* The orders of the locations behind that one begin so much later. */
static void shift_writes(struct graph *graph, uint32_t location, int by)
{
    for (size_t i = location + 1; i <= graph->location_capacity; i++) {
        graph->first_write[i] = (uint32_t)((int)graph->first_write[i] + by);
    }
}

void graph_place_write(struct graph *graph, uint32_t event, uint32_t position)
{
    const uint32_t location = graph->events[event].instruction->location;
    ASSERT(event < graph->count && oracle_writes(graph->events[event].kind));
    ASSERT(position <= graph_write_count(graph, location));
    const uint32_t at = graph->first_write[location] + position;
    const uint32_t end = graph->first_write[graph->location_capacity];
    memmove(&graph->writes[at + 1], &graph->writes[at], (end - at) * sizeof *graph->writes);
    graph->writes[at] = event;
    shift_writes(graph, location, 1);
    graph->events[event].placed = graph->clock++;
}

void graph_remove_write(struct graph *graph, uint32_t event)
{
    const uint32_t location = graph->events[event].instruction->location;
    const uint32_t end = graph->first_write[graph->location_capacity];
    uint32_t at = graph->first_write[location];
    while (graph->writes[at] != event) {
        at++;
        ASSERT(at < graph->first_write[location + 1]);
    }
    memmove(&graph->writes[at], &graph->writes[at + 1], (end - at - 1) * sizeof *graph->writes);
    shift_writes(graph, location, -1);
}

int64_t graph_value(const struct graph *graph, uint32_t location, int write)
{
    ASSERT(write == GRAPH_INITIAL || graph->events[write].instruction->location == location);
    return write == GRAPH_INITIAL ? graph->test->locations[location].initial
                                  : graph->events[write].written_value;
}

int64_t graph_last_value(const struct graph *graph, uint32_t location)
{
    const uint32_t count = graph_write_count(graph, location);
    return graph_value(graph, location,
                       count == 0 ? GRAPH_INITIAL : (int)graph_writes(graph, location)[count - 1]);
}

/* ---- what an event is ---- */

static bool is_barrier(const struct graph_event *event)
{
    return event->kind == ORACLE_BARRIER || event->kind == ORACLE_SUB_GROUP_BARRIER;
}

static bool is_release_fence(const struct graph_event *event)
{
    return event->kind == ORACLE_FENCE ? oracle_releases(event->order)
                                       : is_barrier(event) && !event->is_exit;
}

static bool is_acquire_fence(const struct graph_event *event)
{
    return event->kind == ORACLE_FENCE ? oracle_acquires(event->order)
                                       : is_barrier(event) && event->is_exit;
}

/* SPIR-V encodes barriers as seq_cst; the specification's are release and acquire fences. */
static bool is_seq_cst(const struct graph_event *event)
{
    return !is_barrier(event) && event->order == ORACLE_SEQ_CST;
}

static bool accesses(const struct graph_event *event, uint32_t location)
{
    return oracle_is_access(event->kind) && event->instruction->location == location;
}

static enum oracle_region region_of(const struct graph *graph, const struct graph_event *event)
{
    return graph->test->locations[event->instruction->location].region;
}

/* ---- places in the modification order, the initial value being 0 ---- */

static void number_writes(const struct graph *graph, struct graph_relations *relations)
{
    for (uint32_t location = 0; location < graph->test->location_count; location++) {
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            relations->place[graph_writes(graph, location)[i]] = i + 1;
        }
    }
}

static uint32_t place_read(const struct graph *graph, const struct graph_relations *relations,
                           uint32_t event)
{
    const int write = graph->events[event].reads_from;
    ASSERT(write == GRAPH_INITIAL || relations->place[write] > 0);
    return write == GRAPH_INITIAL ? 0 : relations->place[write];
}

/* ---- synchronises-with ---- */

/* A release: an atomic write, or a fence before one. */
struct release {
    uint32_t event;
    enum oracle_scope scope;
    uint32_t flags; /* 0: the write itself */
};

/* An edge from the release to an acquire by `event`, a fence with those flags or, with 0, the read
 * itself. */
static void join(const struct graph *graph, struct graph_relations *relations,
                 const struct release *release, uint32_t event, uint32_t flags, uint32_t location)
{
    const struct graph_event *from = &graph->events[release->event];
    const struct graph_event *to = &graph->events[event];
    if (from->thread == to->thread ||
        !oracle_inclusive(graph->machine, from->thread, release->scope, to->thread,
                          to->instruction->scope, location)) {
        return;
    }
    const uint32_t joined =
        oracle_joined(graph->machine, graph->test->locations[location].region, release->flags,
                      flags, is_seq_cst(from) && is_seq_cst(to));
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        if ((joined >> region & 1) != 0) {
            graph_put(&relations->happens[region], release->event, event);
        }
    }
}

/* The release synchronises with the acquires of an atomic read and of the fences after it. */
static void release_to_read(const struct graph *graph, struct graph_relations *relations,
                            const struct release *release, uint32_t read)
{
    const struct graph_event *event = &graph->events[read];
    const uint32_t location = event->instruction->location;
    if (oracle_acquires(event->order)) {
        join(graph, relations, release, read, 0, location);
    }
    for (uint32_t fence = read + 1; fence < graph->count; fence++) {
        const struct graph_event *other = &graph->events[fence];
        if (is_acquire_fence(other) && other->instruction->flags != 0 &&
            graph_has(&relations->sequenced, read, fence)) {
            join(graph, relations, release, fence, other->instruction->flags, location);
        }
    }
}

/* The releases of the atomic write that heads a sequence: itself, and the fences before it. */
static void write_to_read(const struct graph *graph, struct graph_relations *relations,
                          uint32_t write, uint32_t read)
{
    const struct graph_event *event = &graph->events[write];
    if (oracle_releases(event->order)) {
        const struct release release = {write, event->instruction->scope, 0};
        release_to_read(graph, relations, &release, read);
    }
    for (uint32_t fence = 0; fence < write; fence++) {
        const struct graph_event *other = &graph->events[fence];
        if (is_release_fence(other) && other->instruction->flags != 0 &&
            graph_has(&relations->sequenced, fence, write)) {
            const struct release release = {fence, other->instruction->scope,
                                            other->instruction->flags};
            release_to_read(graph, relations, &release, read);
        }
    }
}

/* OpenCL API 3.0, 3.3.6: a release sequence is a "maximal contiguous sub-sequence of side effects
 * in the modification order of M, where the first operation is A and every subsequent operation
 * either is performed by the same work-item or host thread that performed the release or is an
 * atomic read-modify-write operation". Those that end in the write that is read: from the last head
 * back, as long as there can be one. */
static void synchronise_read(const struct graph *graph, struct graph_relations *relations,
                             uint32_t read)
{
    const uint32_t *const order = graph_writes(graph, graph->events[read].instruction->location);
    int writer = -1; /* the thread of the writes on the way that are no updates */
    for (uint32_t head = place_read(graph, relations, read); head-- > 0;) {
        const struct graph_event *event = &graph->events[order[head]];
        const bool updates = event->kind == ORACLE_ATOMIC_UPDATE;
        if (!updates &&
            (event->kind != ORACLE_ATOMIC_WRITE || (writer >= 0 && writer != event->thread))) {
            return;
        }
        writer = updates ? writer : event->thread;
        if (writer < 0 || writer == event->thread) {
            write_to_read(graph, relations, order[head], read);
        }
        if (!updates && relations->open) {
            return;
        }
    }
}

/* Each entry synchronises with the exits of the others, in the memories of the flags. */
static void synchronise_barrier(const struct graph *graph, struct graph_relations *relations,
                                uint32_t entry)
{
    const struct graph_event *event = &graph->events[entry];
    for (uint32_t exit = entry + 1; exit < graph->count; exit++) {
        const struct graph_event *other = &graph->events[exit];
        if (!is_barrier(other) || !other->is_exit || other->meeting != event->meeting) {
            continue;
        }
        for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
            if ((event->instruction->flags >> region & 1) != 0) {
                graph_put(&relations->happens[region], entry, exit);
            }
        }
    }
}

void graph_relate(const struct graph *graph, struct graph_relations *relations)
{
    ASSERT(graph->machine != NULL);
    graph_clear(&relations->sequenced, graph->count);
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        graph_clear(&relations->happens[region], graph->count);
    }
    memset(relations->place, 0, graph->count * sizeof *relations->place);
    number_writes(graph, relations);
    for (uint32_t a = 0; a < graph->count; a++) {
        for (uint32_t b = a + 1; b < graph->count; b++) {
            if (graph->events[a].thread == graph->events[b].thread) {
                graph_put(&relations->sequenced, a, b);
            }
        }
    }
    for (uint32_t event = 0; event < graph->count; event++) {
        const struct graph_event *e = &graph->events[event];
        if (is_barrier(e) && !e->is_exit) {
            synchronise_barrier(graph, relations, event);
        } else if (oracle_is_atomic(e->kind) && oracle_reads(e->kind)) {
            synchronise_read(graph, relations, event);
        }
    }
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        for (uint32_t event = 0; event < graph->count; event++) {
            graph_unite(graph_row(&relations->happens[region], event),
                        graph_row(&relations->sequenced, event), graph_words(graph->count));
        }
        graph_close(&relations->happens[region], graph->count);
    }
}

/* ---- consistency ---- */

/* OpenCL API 3.0, 3.3.6: write-write, read-read, read-write and write-read coherence, of two
 * accesses to one location, the first happening before the second. */
static bool is_coherent_pair(const struct graph *graph, const struct graph_relations *relations,
                             uint32_t a, uint32_t b)
{
    const uint32_t *const place = relations->place;
    const enum oracle_kind first = graph->events[a].kind;
    const enum oracle_kind second = graph->events[b].kind;
    if (oracle_writes(first) && oracle_writes(second) && place[a] >= place[b]) {
        return false;
    }
    if (oracle_reads(first) && oracle_reads(second) &&
        place_read(graph, relations, a) > place_read(graph, relations, b)) {
        return false;
    }
    if (oracle_reads(first) && oracle_writes(second) &&
        place_read(graph, relations, a) >= place[b]) {
        return false;
    }
    return !oracle_writes(first) || !oracle_reads(second) ||
           place[a] <= place_read(graph, relations, b);
}

static bool is_coherent(const struct graph *graph, const struct graph_relations *relations)
{
    for (uint32_t a = 0; a < graph->count; a++) {
        const struct graph_event *event = &graph->events[a];
        if (!oracle_is_access(event->kind)) {
            continue;
        }
        const struct graph_rows *const happens = &relations->happens[region_of(graph, event)];
        for (uint32_t b = 0; b < graph->count; b++) {
            if (graph_has(happens, a, b) &&
                accesses(&graph->events[b], event->instruction->location) &&
                !is_coherent_pair(graph, relations, a, b)) {
                return false;
            }
        }
    }
    return true;
}

/* A read-modify-write reads the value immediately before its own. */
static bool is_atomic(const struct graph *graph, const struct graph_relations *relations)
{
    for (uint32_t event = 0; event < graph->count; event++) {
        if (graph->events[event].kind == ORACLE_ATOMIC_UPDATE &&
            place_read(graph, relations, event) + 1 != relations->place[event]) {
            return false;
        }
    }
    return true;
}

/* What must come before what in the order S of seq_cst operations. */
struct total_order {
    const struct graph *graph;
    const struct graph_relations *relations;
    bool scoped; /* it speaks of inclusive scopes only */
    const struct graph_rows *rows;
};

/* Sets that order_accesses needs: rows of graph_relations.sets. */
enum order_set { BEFORE, BEHIND, FROM, TO };

static void empty(const struct total_order *order, enum order_set set)
{
    memset(graph_row(&order->relations->sets, set), 0,
           graph_words(order->graph->count) * sizeof(uint64_t));
}

static bool is_seq_cst_fence(const struct graph_event *event)
{
    return event->kind == ORACLE_FENCE && event->order == ORACLE_SEQ_CST;
}

static void seq_cst_fences(const struct total_order *order, uint32_t event, bool before,
                           enum order_set fences)
{
    const struct graph_rows *const sequenced = &order->relations->sequenced;
    empty(order, fences);
    for (uint32_t fence = 0; fence < order->graph->count; fence++) {
        const bool there =
            before ? graph_has(sequenced, fence, event) : graph_has(sequenced, event, fence);
        if (there && is_seq_cst_fence(&order->graph->events[fence])) {
            graph_put(&order->relations->sets, fences, fence);
        }
    }
}

/* May the order say something of the two, seq_cst operations that meet through the location? */
static bool is_ordered_through(const struct total_order *order, uint32_t a, uint32_t b,
                               uint32_t location)
{
    const struct graph *graph = order->graph;
    const struct graph_event *first = &graph->events[a];
    const struct graph_event *second = &graph->events[b];
    return !order->scoped || first->thread == second->thread ||
           oracle_inclusive(graph->machine, first->thread, first->instruction->scope,
                            second->thread, second->instruction->scope, location);
}

static void precede(const struct total_order *order, enum order_set from, enum order_set to,
                    uint32_t location)
{
    const struct graph_rows *const sets = &order->relations->sets;
    for (uint32_t a = 0; a < order->graph->count; a++) {
        for (uint32_t b = 0; graph_has(sets, from, a) && b < order->graph->count; b++) {
            if (graph_has(sets, to, b) && is_ordered_through(order, a, b, location)) {
                graph_put(order->rows, a, b);
            }
        }
    }
}

static void itself_if_seq_cst(const struct total_order *order, uint32_t event,
                              enum order_set itself)
{
    empty(order, itself);
    if (is_seq_cst(&order->graph->events[event])) {
        graph_put(&order->relations->sets, itself, event);
    }
}

/* By scope: OpenCL C 3.0, 6.15.12.4, of memory_scope: it specifies "whether the memory ordering
 * constraints given by memory_order apply to work-items in a work-group or work-items of a
 * kernel". The order of seq_cst operations is such a constraint.
 *
 * OpenCL API 3.0, 3.3.6: S is consistent with the modification orders and with what operations
 * read; and the rules for fences: where b must not see a ("from-read") or is modified later,
 * between fences before the one and after the other. */
static void order_accesses(const struct total_order *order, uint32_t a, uint32_t b)
{
    const struct graph *graph = order->graph;
    const struct graph_relations *relations = order->relations;
    const uint32_t *const place = relations->place;
    const enum oracle_kind first = graph->events[a].kind;
    const enum oracle_kind second = graph->events[b].kind;
    const bool reads_from = oracle_reads(second) && graph->events[b].reads_from == (int)a;
    const bool reads_before =
        oracle_reads(first) && oracle_writes(second) && place_read(graph, relations, a) < place[b];
    const bool writes_before = oracle_writes(first) && oracle_writes(second) && place[a] < place[b];
    if (!(reads_from || reads_before || writes_before)) {
        return;
    }
    seq_cst_fences(order, a, true, BEFORE);
    seq_cst_fences(order, b, false, BEHIND);
    itself_if_seq_cst(order, a, FROM);
    itself_if_seq_cst(order, b, TO);
    const uint32_t location = graph->events[a].instruction->location;
    precede(order, FROM, TO, location);
    if (reads_before || writes_before) {
        precede(order, BEFORE, BEHIND, location);
    }
    if (reads_before) {
        precede(order, FROM, BEHIND, location);
        precede(order, BEFORE, TO, location);
    }
}

static bool acts_in(const struct graph *graph, const struct graph_event *event, int region)
{
    return oracle_is_access(event->kind) ? (int)region_of(graph, event) == region
                                         : (event->instruction->flags >> region & 1) != 0;
}

/* Through their own object, or, two fences, through some object that is there. */
static bool may_be_ordered(const struct total_order *order, uint32_t a, uint32_t b)
{
    const struct graph_event *first = &order->graph->events[a];
    const struct graph_event *second = &order->graph->events[b];
    bool may = false;
    if (oracle_is_access(first->kind) || oracle_is_access(second->kind)) {
        const struct graph_event *access = oracle_is_access(first->kind) ? first : second;
        return is_ordered_through(order, a, b, access->instruction->location);
    }
    for (uint32_t i = 0; !may && i < order->graph->test->location_count; i++) {
        may = is_ordered_through(order, a, b, i);
    }
    return may;
}

static void order_happens(const struct total_order *order, uint32_t a, uint32_t b)
{
    const struct graph *graph = order->graph;
    bool before = graph_has(&order->relations->sequenced, a, b);
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        before = before || (acts_in(graph, &graph->events[a], region) &&
                            acts_in(graph, &graph->events[b], region) &&
                            graph_has(&order->relations->happens[region], a, b));
    }
    if (before && may_be_ordered(order, a, b)) {
        graph_put(order->rows, a, b);
    }
}

static bool is_acyclic(const struct graph_rows *rows, uint32_t count)
{
    graph_close(rows, count);
    return graph_is_irreflexive(rows, count);
}

static bool has_total_order(const struct graph *graph, const struct graph_relations *relations,
                            bool scoped)
{
    const struct total_order order = {graph, relations, scoped, &relations->scratch};
    bool some = false;
    for (uint32_t a = 0; a < graph->count; a++) {
        some = some || is_seq_cst(&graph->events[a]);
    }
    if (some) {
        graph_clear(order.rows, graph->count);
    }
    for (uint32_t a = 0; some && a < graph->count; a++) {
        for (uint32_t b = 0; b < graph->count; b++) {
            const struct graph_event *first = &graph->events[a];
            const struct graph_event *second = &graph->events[b];
            if (a != b && oracle_is_atomic(first->kind) && oracle_is_atomic(second->kind) &&
                first->instruction->location == second->instruction->location) {
                order_accesses(&order, a, b);
            }
            if (is_seq_cst(first) && is_seq_cst(second)) {
                order_happens(&order, a, b);
            }
        }
    }
    return !some || is_acyclic(order.rows, graph->count);
}

bool graph_is_consistent(const struct graph *graph, const struct graph_relations *relations)
{
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        if (!graph_is_irreflexive(&relations->happens[region], graph->count)) {
            return false;
        }
    }
    return is_coherent(graph, relations) && is_atomic(graph, relations) &&
           has_total_order(graph, relations, graph->machine->seq_cst_scoped);
}

bool graph_orders_all(const struct graph *graph, const struct graph_relations *relations)
{
    return has_total_order(graph, relations, false);
}

/* Must a come before b, two accesses to one location, in every such order? */
static bool is_observed_before(const struct graph *graph, const struct graph_relations *relations,
                               uint32_t a, uint32_t b)
{
    const enum oracle_kind first = graph->events[a].kind;
    const enum oracle_kind second = graph->events[b].kind;
    const bool write_read =
        oracle_writes(first) && graph->events[b].reads_from == (int)a && oracle_reads(second);
    const bool write_write =
        oracle_writes(first) && oracle_writes(second) && relations->place[a] < relations->place[b];
    const bool read_write = oracle_reads(first) && oracle_writes(second) &&
                            place_read(graph, relations, a) < relations->place[b];
    return write_read || write_write || read_write;
}

bool graph_is_interleaving(const struct graph *graph, const struct graph_relations *relations,
                           const bool any_order[])
{
    const struct graph_rows *const rows = &relations->scratch;
    graph_clear(rows, graph->count);
    for (uint32_t a = 0; a < graph->count; a++) {
        const struct graph_event *first = &graph->events[a];
        const bool counts = oracle_is_access(first->kind) &&
                            (any_order == NULL || !any_order[first->instruction->location]);
        graph_unite(graph_row(rows, a), graph_row(&relations->sequenced, a),
                    graph_words(graph->count));
        for (uint32_t b = 0; b < graph->count; b++) {
            const struct graph_event *second = &graph->events[b];
            const bool meets = is_barrier(first) && !first->is_exit && is_barrier(second) &&
                               second->is_exit && first->meeting == second->meeting;
            const bool same = counts && a != b && accesses(second, first->instruction->location);
            if (meets || (same && is_observed_before(graph, relations, a, b))) {
                graph_put(rows, a, b);
            }
        }
    }
    return is_acyclic(rows, graph->count);
}

/* ---- races ---- */

static bool races(const struct graph *graph, const struct graph_relations *relations, uint32_t a,
                  uint32_t b)
{
    const struct graph_event *first = &graph->events[a];
    const struct graph_event *second = &graph->events[b];
    const struct graph_rows *const happens = &relations->happens[region_of(graph, first)];
    if (!oracle_is_access(first->kind) || !accesses(second, first->instruction->location) ||
        first->thread == second->thread ||
        !(oracle_writes(first->kind) || oracle_writes(second->kind)) || graph_has(happens, a, b) ||
        graph_has(happens, b, a)) {
        return false;
    }
    return !(oracle_is_atomic(first->kind) && oracle_is_atomic(second->kind) &&
             oracle_inclusive(graph->machine, first->thread, first->instruction->scope,
                              second->thread, second->instruction->scope,
                              first->instruction->location));
}

void graph_each_race(const struct graph *graph, const struct graph_relations *relations,
                     graph_race_function *report, void *user)
{
    for (uint32_t b = 0; b < graph->count; b++) {
        for (uint32_t a = 0; a < b; a++) {
            if (races(graph, relations, a, b)) {
                report(user, a, b);
            }
        }
    }
}

/* A barrier is one event of the oracle's: the first of its entries. */
static bool oracle_sees(const struct graph *graph, uint32_t event)
{
    const struct graph_event *e = &graph->events[event];
    if (!is_barrier(e)) {
        return true;
    }
    for (uint32_t other = 0; other < event; other++) {
        if (is_barrier(&graph->events[other]) && graph->events[other].meeting == e->meeting) {
            return false;
        }
    }
    return true;
}

static struct oracle_event oracle_event(const struct graph *graph, uint32_t event)
{
    const struct graph_event *e = &graph->events[event];
    const struct litmus_instruction *instruction = e->instruction;
    return (struct oracle_event){
        .kind = e->kind,
        .unit = e->thread,
        .object = instruction->location,
        .size = oracle_is_access(e->kind) ? instruction->type.size : 0,
        .order = e->order,
        .scope = instruction->scope,
        .flags = instruction->flags,
    };
}

enum status graph_each_oracle_race(const struct graph *graph, graph_race_function *report,
                                   void *user, struct error *error)
{
    uint32_t *const told = alloc_zero(graph->count, sizeof *told);
    uint32_t told_count = 0;
    size_t race_count = 0;
    struct oracle *oracle = oracle_create(graph->machine);
    if (oracle == NULL || told == NULL) {
        oracle_destroy(oracle);
        alloc_free(told);
        return error_no_memory(error, 0);
    }
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < graph->count && status == STATUS_OK; i++) {
        if (oracle_sees(graph, i)) {
            const struct oracle_event event = oracle_event(graph, i);
            told[told_count++] = i;
            status = oracle_step(oracle, &event, error);
        }
    }
    const struct oracle_race *list = oracle_races(oracle, &race_count);
    for (size_t i = 0; i < race_count && status == STATUS_OK; i++) {
        ASSERT(list[i].earlier < list[i].later && list[i].later < told_count);
        report(user, told[list[i].earlier], told[list[i].later]);
    }
    oracle_destroy(oracle);
    alloc_free(told);
    return status;
}
