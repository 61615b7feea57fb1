/* Load buffering, held to the axioms alone: of random tests every execution that keeps them is
 * listed, whatever comes before what, and in which no value comes out of thin air: what a write
 * needs by the words of the test, and what reads from what, has no cycle. The search must come to
 * those of them in which the order that it keeps has none either, each once, and to no others. If
 * there are more, it must have said so. */
#include "checkers/litmus/machine.h"
#include "checkers/litmus/search.h"
#include "tests/unit/litmus/memo_search.h"
#include "trace/base/hash.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    PROGRAMS = 3000,
    SECONDS = 5,
    EVENTS_MAX = 8,
    LOCATIONS = 2,
    READS_MAX = 4, /* of a thread */
    VALUES = 4,    /* that are tried, to find where a thread may go */
    WAYS_MAX = 8,  /* of a thread */
    LINES_MAX = 64,
};

/* ---- random tests ---- */

static uint64_t state = UINT64_C(0x9e3779b97f4a7c17);

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % below);
}

#define PICK(words) ((words)[draw(sizeof(words) / sizeof *(words))])

/* What the test says of its lines: the lines of the reads that each needs. */
struct lines {
    uint32_t count;
    uint64_t needs[LINES_MAX];
};

/* The registers of a thread, and the lines where they are read. */
struct registers {
    uint32_t count;
    uint32_t names[READS_MAX], lines[READS_MAX];
    uint64_t decided; /* lines of what was read that decide whether the rest is performed */
};

static void end_line(struct text *text, struct lines *lines, const struct registers *registers,
                     uint64_t needs)
{
    text_append(text, "\n");
    lines->needs[lines->count++] = needs | registers->decided;
}

/* A value that is to be written, and what it needs. */
static uint64_t print_value(struct text *text, const struct registers *registers)
{
    const uint32_t form = draw(5);
    if (registers->count == 0 || form < 2) {
        text_format(text, "%u", draw(3));
        return 0;
    }
    const uint32_t i = draw(registers->count);
    text_format(text,
                form == 2   ? "r%u ^ r%u"
                : form == 3 ? "r%u"
                            : "r%u + 1",
                registers->names[i], registers->names[i]);
    return UINT64_C(1) << registers->lines[i];
}

/* A third of the statements depends on what is read before, and then so do all that follow. */
static void print_guard(struct text *text, struct registers *registers)
{
    if (registers->count > 0 && draw(4) == 0) {
        const uint32_t i = draw(registers->count);
        text_format(text, "  if (r%u == %u) ", registers->names[i], draw(2));
        registers->decided |= UINT64_C(1) << registers->lines[i];
    } else {
        text_append(text, "  ");
    }
}

/* A statement with one access or fence; which, `form` says. */
static void print_statement(struct text *text, uint32_t number, uint32_t form, struct lines *lines,
                            struct registers *registers)
{
    static const char *const loads[] = {"relaxed", "relaxed", "relaxed", "acquire", "seq_cst"};
    static const char *const stores[] = {"relaxed", "relaxed", "relaxed", "release", "seq_cst"};
    static const char *const all[] = {"relaxed", "relaxed", "acq_rel", "acquire", "release"};
    static const char *const locations[] = {"x", "y"};
    static const char *const scopes[] = {"device", "device", "device", "device", "work_group"};
    const char *const location = PICK(locations);
    uint64_t needs = 0;
    print_guard(text, registers);
    if (form < 6) {
        text_format(text, "r%u = atomic_load_explicit(%s, memory_order_%s", number, location,
                    PICK(loads));
    } else if (form < 11) {
        text_format(text, "atomic_store_explicit(%s, ", location);
        needs = print_value(text, registers);
        text_format(text, ", memory_order_%s", PICK(stores));
    } else if (form == 11) {
        text_format(text, "r%u = atomic_fetch_add_explicit(%s, ", number, location);
        needs = print_value(text, registers);
        text_format(text, ", memory_order_%s", PICK(all));
    } else if (form == 12) {
        text_format(text, "{ r%u = 0; atomic_compare_exchange_strong_explicit(%s, &r%u, ", number,
                    location, number);
        needs = print_value(text, registers);
        const char *const order = PICK(all);
        text_format(text, ", memory_order_%s, memory_order_%s", order,
                    strncmp(order, "ac", 2) == 0 && draw(2) == 0 ? "acquire" : "relaxed");
    } else if (form == 13) {
        text_format(text, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_%s",
                    PICK(all));
    } else if (form == 14) {
        text_format(text, "r%u = *%s;", number, location);
    } else {
        text_format(text, "*%s = ", location);
        needs = print_value(text, registers);
        text_append(text, ";");
    }
    if (form < 14) {
        text_format(text, ", memory_scope_%s);%s", PICK(scopes), form == 12 ? " }" : "");
    }
    if (form < 6 || form == 11 || form == 12 || form == 14) {
        registers->names[registers->count] = number;
        registers->lines[registers->count++] = lines->count;
    }
    end_line(text, lines, registers, needs);
}

/* Its condition speaks of x and y. */
static void print_test(struct text *text, struct lines *lines)
{
    const uint32_t threads = 2 + draw(4) / 3;
    uint32_t number = 0;
    text_clear(text);
    text_append(text, "OPENCL random\n{}\n");
    lines->count = 3; /* they are counted from 1 */
    for (uint32_t t = 0; t < threads; t++) {
        struct registers registers = {0};
        text_format(text, "P%u@wg %u (global int *x, global int *y) {", t, draw(2));
        end_line(text, lines, &registers, 0);
        text_append(text, "  int r0, r1, r2, r3, r4, r5, r6, r7;");
        end_line(text, lines, &registers, 0);
        const uint32_t count = (threads == 2 ? 2 : 1) + draw(2);
        for (uint32_t i = 0; i < count; i++, number++) {
            const bool reads = i == 0 && count > 1 && draw(4) > 0;
            const bool writes = i > 0 && i + 1 == count && draw(4) > 0;
            print_statement(text, number,
                            reads    ? draw(2) == 0 ? draw(6) : 11 + draw(2)
                               : writes ? 6 + draw(6)
                                     : draw(16),
                            lines, &registers);
        }
        text_append(text, "}");
        end_line(text, lines, &registers, 0);
    }
    text_append(text, "exists (x=0 /\\ y=0)\n");
}

/* ---- all executions ---- */

/* A way through a thread. */
struct way {
    const struct litmus_instruction *instructions[EVENTS_MAX];
    uint32_t count;
};

struct execution {
    UT_hash_handle hh;
    bool found; /* by the search */
    uint16_t key[];
};

struct listed {
    const struct litmus_test *test;
    const struct lines *lines;
    struct way ways[3][WAYS_MAX];
    uint32_t way_counts[3];
    struct execution *table;
    struct arena arena;
    uint64_t left_out; /* executions that the order forbids, and nothing else */
    bool races;
    struct graph_relations relations;
    const char *source;
};

static void note_race(void *user, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    *(bool *)user = true;
}

/* Runs a thread; of the events, if they are its own, which may be NULL, the values are made.
 * False: it goes another way. */
static bool run_thread(const struct litmus_test *test, uint32_t thread, const int64_t reads[],
                       struct way *way, struct graph *graph)
{
    struct machine_thread at;
    const struct litmus_instruction *next;
    uint32_t event = 0;
    uint32_t read = 0;
    bool same = true;
    way->count = 0;
    litmus_text_machine.start(test, thread, &at);
    while ((next = litmus_text_machine.run(test, thread, &at, 1)) != NULL) {
        struct graph_event *e = NULL;
        for (; graph != NULL && e == NULL && event < graph->count; event++) {
            e = graph->events[event].thread == thread ? &graph->events[event] : NULL;
        }
        if (graph != NULL && (e == NULL || e->instruction != next)) {
            return false;
        }
        const bool reads_some = next->op != LITMUS_WRITE && next->op < LITMUS_FENCE;
        const int64_t old = !reads_some ? 0 : e != NULL ? e->read_value : reads[read++];
        if (e != NULL && oracle_writes(e->kind)) {
            e->written_value = litmus_text_machine.written(&at, next, old);
        }
        if (e != NULL && next->op == LITMUS_COMPARE_EXCHANGE &&
            litmus_text_machine.exchanges(&at, next, old) != (e->kind == ORACLE_ATOMIC_UPDATE)) {
            same = false;
        }
        assert_true(way->count < EVENTS_MAX && read <= READS_MAX);
        way->instructions[way->count++] = next;
        litmus_text_machine.performed(test, thread, &at, old, true);
    }
    for (; graph != NULL && event < graph->count; event++) {
        if (graph->events[event].thread == thread) {
            return false;
        }
    }
    return same;
}

static void find_ways(struct listed *listed, uint32_t thread)
{
    listed->way_counts[thread] = 0;
    for (uint32_t i = 0; i < VALUES * VALUES * VALUES * VALUES; i++) {
        const int64_t reads[READS_MAX] = {i % 4, i / 4 % 4, i / 16 % 4, i / 64};
        struct way way = {0};
        run_thread(listed->test, thread, reads, &way, NULL);
        uint32_t known = 0;
        while (known < listed->way_counts[thread] &&
               memcmp(&listed->ways[thread][known], &way, sizeof way) != 0) {
            known++;
        }
        assert_true(known < WAYS_MAX);
        listed->ways[thread][known] = way;
        listed->way_counts[thread] += known == listed->way_counts[thread];
    }
}

/* What updates read is the write before theirs. The values settle, as none comes out of thin air.
 * False: they are not those of such an execution. */
static bool set_values(const struct listed *listed, struct graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->events[i].read_value = 0;
        graph->events[i].written_value = 0;
    }
    bool good = true;
    for (uint32_t round = 0; round <= graph->count + 1; round++) {
        good = true;
        for (uint32_t t = 0; t < listed->test->thread_count; t++) {
            struct way way;
            good = run_thread(listed->test, t, NULL, &way, graph) && good;
        }
        for (uint32_t i = 0; i < graph->count; i++) {
            struct graph_event *event = &graph->events[i];
            if (oracle_reads(event->kind)) {
                event->read_value =
                    graph_value(graph, event->instruction->location, event->reads_from);
            }
        }
    }
    return good;
}

static void set_updates(struct graph *graph)
{
    for (uint32_t location = 0; location < LOCATIONS; location++) {
        int last = GRAPH_INITIAL;
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            struct graph_event *event = &graph->events[graph_writes(graph, location)[i]];
            if (event->kind == ORACLE_ATOMIC_UPDATE) {
                event->reads_from = last;
            }
            last = (int)graph_writes(graph, location)[i];
        }
    }
}

/* Does b, of the same thread and later, need a? */
static bool needs(const struct listed *listed, const struct graph_event *a,
                  const struct graph_event *b)
{
    const bool decides = a->instruction->op == LITMUS_COMPARE_EXCHANGE &&
                         oracle_acquires(a->instruction->order) &&
                         !oracle_acquires(a->instruction->failure_order);
    return decides ||
           (oracle_reads(a->kind) &&
            (listed->lines->needs[b->instruction->line] >> a->instruction->line & 1) != 0);
}

/* Or is it behind it for another reason? */
static bool is_ordered(const struct graph_event *a, const struct graph_event *b)
{
    const bool one_location = oracle_is_access(a->kind) && oracle_is_access(b->kind) &&
                              a->instruction->location == b->instruction->location;
    const bool fence = (a->kind == ORACLE_FENCE && a->order != ORACLE_RELAXED) ||
                       (b->kind == ORACLE_FENCE && b->order != ORACLE_RELAXED);
    const bool acquires =
        a->kind == ORACLE_READ || (oracle_reads(a->kind) && oracle_acquires(a->instruction->order));
    const bool releases =
        oracle_is_atomic(b->kind) && oracle_writes(b->kind) && oracle_releases(b->order);
    return one_location || fence || acquires || releases;
}

static bool has_cycle(const struct listed *listed, const struct graph *graph, bool ordered)
{
    bool before[EVENTS_MAX][EVENTS_MAX] = {{false}};
    for (uint32_t b = 0; b < graph->count; b++) {
        const struct graph_event *second = &graph->events[b];
        for (uint32_t a = 0; a < b; a++) {
            const struct graph_event *first = &graph->events[a];
            before[a][b] = first->thread == second->thread &&
                           (needs(listed, first, second) || (ordered && is_ordered(first, second)));
        }
        if (oracle_reads(second->kind) && second->reads_from != GRAPH_INITIAL) {
            before[second->reads_from][b] = true;
        }
    }
    for (uint32_t via = 0; via < graph->count; via++) {
        for (uint32_t a = 0; a < graph->count; a++) {
            for (uint32_t b = 0; b < graph->count; b++) {
                before[a][b] = before[a][b] || (before[a][via] && before[via][b]);
            }
        }
    }
    bool cycle = false;
    for (uint32_t a = 0; a < graph->count; a++) {
        cycle = cycle || before[a][a];
    }
    return cycle;
}

static struct execution *find_execution(struct listed *listed, const struct graph *graph, bool add)
{
    uint16_t key[MEMO_KEY_MAX];
    struct execution *execution;
    const size_t size = memo_key(listed->test, graph, key);
    HASH_FIND(hh, listed->table, key, size, execution);
    if (execution == NULL && add) {
        execution = arena_alloc(&listed->arena, 1, sizeof *execution + size);
        assert_non_null(execution);
        memcpy(execution->key, key, size);
        HASH_ADD(hh, listed->table, key, size, execution);
    }
    return execution;
}

static void take_execution(struct listed *listed, struct graph *graph)
{
    struct graph_relations *const relations = &listed->relations;
    set_updates(graph);
    if (has_cycle(listed, graph, false) || !set_values(listed, graph)) {
        return;
    }
    graph_relate(graph, relations);
    if (!graph_is_consistent(graph, relations)) {
        return;
    }
    if (has_cycle(listed, graph, true)) {
        listed->left_out++;
        return;
    }
    find_execution(listed, graph, true);
    graph_each_race(graph, relations, note_race, &listed->races);
}

/* What the reads from that event on may read. */
static void list_sources(struct listed *listed, struct graph *graph, uint32_t event)
{
    while (event < graph->count && (!oracle_reads(graph->events[event].kind) ||
                                    graph->events[event].kind == ORACLE_ATOMIC_UPDATE)) {
        event++;
    }
    if (event == graph->count) {
        take_execution(listed, graph);
        return;
    }
    const uint32_t location = graph->events[event].instruction->location;
    for (uint32_t i = 0; i <= graph_write_count(graph, location); i++) {
        graph->events[event].reads_from =
            i == 0 ? GRAPH_INITIAL : (int)graph_writes(graph, location)[i - 1];
        list_sources(listed, graph, event + 1);
    }
}

/* What the writes from that event on may come after; a compare-exchange may be one or not. */
static void list_orders(struct listed *listed, const struct graph *graph, uint32_t event)
{
    struct graph next;
    assert_true(graph_create(&next, EVENTS_MAX, LOCATIONS));
    graph_copy(graph, &next);
    if (event == graph->count) {
        list_sources(listed, &next, 0);
        graph_release(&next);
        return;
    }
    const struct litmus_instruction *instruction = graph->events[event].instruction;
    for (uint32_t i = 0;
         oracle_writes(instruction->kind) && i <= graph_write_count(graph, instruction->location);
         i++) {
        graph_copy(graph, &next);
        graph_place_write(&next, event, i);
        list_orders(listed, &next, event + 1);
    }
    if (!oracle_writes(instruction->kind) || instruction->op == LITMUS_COMPARE_EXCHANGE) {
        graph_copy(graph, &next);
        if (instruction->op == LITMUS_COMPARE_EXCHANGE) {
            next.events[event].kind = ORACLE_ATOMIC_READ;
            next.events[event].order = instruction->failure_order;
        }
        list_orders(listed, &next, event + 1);
    }
    graph_release(&next);
}

/* The threads from that one on go all their ways. */
static void list_ways(struct listed *listed, const struct graph *graph, uint32_t thread)
{
    struct graph next;
    if (thread == listed->test->thread_count) {
        list_orders(listed, graph, 0);
        return;
    }
    assert_true(graph_create(&next, EVENTS_MAX, LOCATIONS));
    for (uint32_t i = 0; i < listed->way_counts[thread]; i++) {
        graph_copy(graph, &next);
        for (uint32_t j = 0; j < listed->ways[thread][i].count; j++) {
            graph_add(&next, thread, listed->ways[thread][i].instructions[j]);
        }
        list_ways(listed, &next, thread + 1);
    }
    graph_release(&next);
}

static void list_executions(struct listed *listed)
{
    const struct oracle_machine machine = litmus_machine(listed->test, ORACLE_SCOPES_EQUAL, false);
    struct oracle_machine scoped = machine;
    struct graph graph;
    scoped.seq_cst_scoped = true;
    assert_true(graph_create(&graph, EVENTS_MAX, LOCATIONS));
    listed->left_out = 0;
    listed->races = false;
    graph_start(&graph, listed->test, &scoped);
    for (uint32_t t = 0; t < listed->test->thread_count; t++) {
        find_ways(listed, t);
    }
    list_ways(listed, &graph, 0);
    graph_release(&graph);
}

/* ---- the comparison ---- */

static enum status take_found(void *user, const struct graph *graph, struct error *error)
{
    struct listed *listed = user;
    struct execution *execution = find_execution(listed, graph, false);
    (void)error;
    if (execution == NULL) {
        fail_msg("an execution that there is not, of\n%s", listed->source);
    }
    if (execution->found) {
        fail_msg("an execution that was come to before, of\n%s", listed->source);
    }
    execution->found = true;
    return STATUS_OK;
}

struct counts {
    int programs, buffered, left_out, told;
    uint64_t executions;
};

static void compare(struct listed *listed, struct counts *counts)
{
    const struct litmus_options options = {
        .weak = true, .rounds = LITMUS_ROUNDS, .race_values = true, .apart = true};
    struct litmus_options in_order = options;
    struct litmus_result *result = NULL;
    struct litmus_result *other = NULL;
    in_order.in_order = true;
    assert_int_equal(litmus_each_execution(listed->test, &options, take_found, listed, NULL),
                     STATUS_OK);
    uint64_t executions = 0;
    for (const struct execution *at = listed->table; at != NULL; at = at->hh.next) {
        if (!at->found) {
            fail_msg("an execution is not found, of\n%s", listed->source);
        }
        executions++;
    }
    assert_int_equal(litmus_search(listed->test, &options, &result, NULL), STATUS_OK);
    assert_int_equal(litmus_search(listed->test, &in_order, &other, NULL), STATUS_OK);
    if (result->executions != executions || (result->race_count > 0) != listed->races) {
        fail_msg("not the same number, or not the same of races, of\n%s", listed->source);
    }
    if (listed->left_out > 0 && !listed->races && result->left_out != LITMUS_LEFT_BUFFERING) {
        fail_msg("all is said to be looked at, of\n%s", listed->source);
    }
    counts->programs++;
    counts->executions += executions;
    counts->buffered += result->executions > other->executions;
    counts->left_out += listed->left_out > 0;
    counts->told += result->left_out != 0;
    litmus_result_destroy(result);
    litmus_result_destroy(other);
}

static void test_each_execution_is_found(void **unused)
{
    (void)unused;
    static struct listed listed;
    struct lines lines;
    struct text source = TEXT_INIT;
    struct counts counts = {0};
    const time_t end = time(NULL) + SECONDS;
    assert_true(graph_relations_create(&listed.relations, EVENTS_MAX));
    while (counts.programs < PROGRAMS && time(NULL) < end) {
        struct litmus_test *test = NULL;
        struct error error;
        print_test(&source, &lines);
        if (litmus_parse(source.bytes, source.size, &test, &error) != STATUS_OK) {
            fail_msg("%s\n%s", error.text, source.bytes);
        }
        listed.test = test;
        listed.lines = &lines;
        listed.source = source.bytes;
        list_executions(&listed);
        compare(&listed, &counts);
        HASH_CLEAR(hh, listed.table);
        arena_release(&listed.arena);
        litmus_destroy(test);
    }
    print_message(
        "%d programs, %llu executions, %d programs with load buffering, %d with some that "
        "is left out, %d said to\n",
        counts.programs, (unsigned long long)counts.executions, counts.buffered, counts.left_out,
        counts.told);
    assert_true(counts.buffered > 10 && counts.left_out > 0 && counts.told < 3 * counts.left_out);
    graph_relations_release(&listed.relations);
    text_release(&source);
}

/* ---- two threads, and how each depends ---- */

/* They lead to what both threads have read; others lead nowhere. */
static void check_choices(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_choices *choices)
{
    struct graph graph;
    assert_true(choices->buffered);
    assert_int_equal(litmus_replay(test, options, choices, &graph, NULL), STATUS_OK);
    for (uint32_t i = 0; i < graph.count; i++) {
        assert_true(!oracle_reads(graph.events[i].kind) || graph.events[i].read_value == 1);
    }
    graph_release(&graph);
    uint32_t numbers[] = {2, 2, 0, 0, 1, 2, 2, 0, 0, 1};
    struct litmus_choices other = {.weak = true, .buffered = true, .choices = numbers, .count = 10};
    assert_int_equal(choices->count, other.count);
    assert_memory_equal(choices->choices, numbers, sizeof numbers);
    for (uint32_t i = 0; i < other.count; i++) {
        struct error error;
        numbers[i] += 7;
        assert_int_equal(litmus_replay(test, options, &other, &graph, &error), STATUS_INVALID);
        numbers[i] -= 7;
        other.count = i;
        assert_int_equal(litmus_replay(test, options, &other, &graph, &error), STATUS_INVALID);
        other.count = 10;
    }
}

/* Each reads what the other writes, which needs what it read, or not: only if none does can both
 * read what is written for no reason; one that does not is enough for it to be written at all. */
static void test_dependencies(void **unused)
{
    static const char *const writes[] = {
        "atomic_store_explicit(%c, 1, memory_order_relaxed);",
        "atomic_store_explicit(%c, r, memory_order_relaxed);",
        "if (r == 1) { atomic_store_explicit(%c, 1, memory_order_relaxed); }",
        "atomic_store_explicit(%c, (r ^ r) + 1, memory_order_relaxed);",
    };
    const struct litmus_options options = {.weak = true, .rounds = LITMUS_ROUNDS};
    struct text source = TEXT_INIT;
    (void)unused;
    for (int pair = 0; pair < 16; pair++) {
        struct litmus_test *test = NULL;
        struct litmus_result *result = NULL;
        struct litmus_verdicts verdicts;
        text_clear(&source);
        text_append(&source, "OPENCL pair\n{}\n");
        for (int t = 0; t < 2; t++) {
            text_format(&source,
                        "P%d@wg %d (global atomic_int *x, global atomic_int *y) {\n"
                        "  int r = atomic_load_explicit(%c, memory_order_relaxed);\n  ",
                        t, t, "xy"[t]);
            const char *const write = writes[t == 0 ? pair / 4 : pair % 4];
            const char *const location = strchr(write, '%');
            text_format(&source, "%.*s%c%s\n}\n", (int)(location - write), write, "yx"[t],
                        location + 2);
        }
        text_append(&source, "exists (0:r=1 /\\ 1:r=1)\n");
        assert_int_equal(litmus_parse(source.bytes, source.size, &test, NULL), STATUS_OK);
        assert_int_equal(litmus_search(test, &options, &result, NULL), STATUS_OK);
        litmus_judge(test, result, &verdicts);
        assert_int_equal(verdicts.condition,
                         pair / 4 == 0 || pair % 4 == 0 ? LITMUS_FOUND : LITMUS_NONE);
        assert_int_equal(result->left_out, 0);
        for (size_t i = 0; i < result->outcome_count; i++) {
            assert_int_equal(result->outcomes[i].choices.buffered, result->outcomes[i].holds);
            if (result->outcomes[i].holds) {
                check_choices(test, &options, &result->outcomes[i].choices);
            }
        }
        litmus_result_destroy(result);
        litmus_destroy(test);
    }
    text_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_execution_is_found),
        cmocka_unit_test(test_dependencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
