/* Kernels whose work-items may be alike, but for memory of their own: what is found of them is what
 * is found with all of them told apart. */
#include "reference/explore/explore.h"
#include "tests/unit/vm/bench.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { KERNELS = 2000, SECONDS = 10, LINE_MAX = 100, LINES_MAX = 5000 };

static struct bench bench;
static uint64_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(drawn >> 33) % below;
}

/* ---- random kernels ---- */

struct rows {
    vm_row shared, own, id, value, number, mask; /* `value` is what was read last */
    vm_row numbers[4], places[3];
};

static struct rows make_rows(struct assembler *as)
{
    struct rows rows = {
        .shared = as_buffer(as, "shared"),
        .own = as_buffer(as, "own"),
        .id = as_query(as, VM_QUERY_GLOBAL_ID, 0),
        .value = as_row(as, 4, 1),
        .number = as_row(as, 4, 1),
        .mask = as_unit(as),
    };
    for (uint32_t i = 0; i < 4; i++)
        rows.numbers[i] = as_constant(as, 4, false, i);
    for (uint32_t i = 0; i < 3; i++)
        rows.places[i] = as_constant(as, 8, false, i);
    return rows;
}

static void add_atomic(struct assembler *as, const struct rows *rows, enum vm_op op)
{
    static const enum observer_order orders[] = {OBSERVER_ORDER_ACQUIRE, OBSERVER_ORDER_RELEASE,
                                                 OBSERVER_ORDER_ACQ_REL};
    const bool writes = op != VM_OP_atomic_load;
    const vm_row number = draw(2) == 0 ? rows->numbers[draw(4)] : rows->value;
    const vm_row address = as_address(as, rows->shared, rows->places[draw(2)], 4);
    as_atomic(as, op, 4, op == VM_OP_atomic_store ? 0 : rows->value, address, writes ? number : 0,
              0);
    as->atomics[as->code.atomic_count - 1].order = orders[op == VM_OP_atomic_load    ? 0
                                                          : op == VM_OP_atomic_store ? 1
                                                                                     : 2];
}

/* One of another work-item's, or of all, or one that only the first has as its own, too. */
static vm_row address_of_others(struct assembler *as, const struct rows *rows)
{
    const uint32_t kind = draw(3);
    const vm_row other = as_row(as, 8, 1);
    if (kind == 0) {
        as_op(as, VM_OP_ixor_64, other, rows->id, rows->places[1], 0);
        return as_address(as, rows->own, other, 4);
    }
    return kind == 1 ? as_address(as, rows->own, rows->places[draw(3)], 4)
                     : as_address(as, rows->own, rows->id, 8);
}

static void add_statement(struct assembler *as, const struct rows *rows)
{
    const uint32_t kind = draw(12);
    switch (kind) {
    case 0:
    case 1:
        add_atomic(as, rows, VM_OP_atomic_load);
        break;
    case 2:
        add_atomic(as, rows, VM_OP_atomic_store);
        break;
    case 3:
    case 4:
        add_atomic(as, rows, VM_OP_atomic_iadd);
        break;
    case 5:
    case 6:
    case 7:
        as_store(as, as_address(as, rows->own, rows->id, 4), rows->value, 4, 1);
        break;
    case 8:
        as_store(as, as_address(as, rows->own, rows->id, 4), rows->numbers[draw(4)], 4, 1);
        break;
    case 9: {
        const vm_row read = as_load(as, as_address(as, rows->own, rows->id, 4), 4, 1);
        as_op(as, VM_OP_iadd_32, rows->value, rows->numbers[1], read, 0);
        break;
    }
    case 10: /* they are not all alike */
        if (draw(3) == 0)
            as_store(as, address_of_others(as, rows), rows->numbers[2], 4, 1);
        break;
    default:
        if (draw(3) == 0)
            as_op(as, VM_OP_trunc_64_32, rows->value, rows->id, 0, 0);
        break;
    }
}

/* A few statements, of which the last ones may depend on what was read. */
static void make_kernel(uint32_t items, uint32_t group)
{
    bench_create(&bench);
    struct assembler *as = &bench.as;
    const struct rows rows = make_rows(as);
    as_block(as);
    as_op(as, VM_OP_iadd_32, rows.value, rows.numbers[0], rows.numbers[0], 0);
    for (uint32_t i = 1 + draw(3); i > 0; i--)
        add_statement(as, &rows);
    as_op(as, VM_OP_ieq_32, rows.mask, rows.value, rows.numbers[draw(3)], 0);
    as_branch_if(as, rows.mask, 1, 2);
    as_block(as);
    add_statement(as, &rows);
    as_branch(as, 2);
    as_block(as);
    add_statement(as, &rows);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "shared", 8, true);
    bench.arguments[1].object = bench_buffer(&bench, "own", 32, true);
    bench.launch.code = assembler_finish(as);
    bench.launch.global_size[0] = items;
    bench.launch.local_size[0] = group;
}

/* ---- what is found ---- */

struct found {
    char lines[LINES_MAX][LINE_MAX];
    size_t count;
    uint64_t executions;
    bool stand_for_others, is_whole;
    struct litmus_choices choices[LINES_MAX];
    size_t outcome_count;
};

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void print_values(struct text *line, const struct litmus_test *test, const int64_t *values,
                         const struct graph *graph, const struct litmus_result *result)
{
    static const char *const names[] = {"shared[0]", "shared[1]", "own[0]", "own[1]",
                                        "own[2]",    "own[3]",    "own[4]"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        int64_t value = 0;
        for (size_t i = 0; result != NULL && i < result->observed_count; i++) {
            if (strcmp(test->locations[result->observed[i].index].name, names[n]) == 0)
                value = values[i];
        }
        for (uint32_t i = 0; graph != NULL && i < test->location_count; i++) {
            if (strcmp(test->locations[i].name, names[n]) == 0)
                value = graph_last_value(graph, i);
        }
        text_format(line, "%s=%d ", names[n], (int)value);
    }
}

static void add_line(struct found *found, const struct text *line)
{
    assert_true(found->count < LINES_MAX && line->size < LINE_MAX);
    memcpy(found->lines[found->count++], line->bytes, line->size + 1);
}

static void take(void *user, const struct explored *explored)
{
    struct found *found = user;
    const struct litmus_result *result = explored->result;
    struct text line = TEXT_INIT;
    found->executions = result->executions;
    found->stand_for_others = result->stand_for_others;
    found->is_whole = (result->left_out & LITMUS_LEFT_STATES) == 0;
    found->outcome_count = result->outcome_count;
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        text_clear(&line);
        print_values(&line, explored->test, outcome->values, NULL, result);
        found->choices[i] = outcome->choices;
        found->choices[i].choices = malloc((outcome->choices.count + 1) * sizeof(uint32_t));
        memcpy(found->choices[i].choices, outcome->choices.choices,
               outcome->choices.count * sizeof(uint32_t));
        text_format(&line, "%d", outcome->weak);
        add_line(found, &line);
    }
    for (size_t i = 0; i < result->race_count; i++) {
        const struct litmus_race *race = &result->races[i];
        const uint32_t a = race->first->site;
        const uint32_t b = race->second->site;
        text_clear(&line);
        text_format(&line, "race %u %u %d", a < b ? a : b, a < b ? b : a, race->weak);
        add_line(found, &line);
    }
    text_clear(&line);
    text_format(&line, "left %u hangs %d", result->left_out, result->hangs);
    add_line(found, &line);
    text_release(&line);
}

static void take_values(void *user, const struct explored *explored)
{
    print_values(user, explored->test, NULL, explored->graph, NULL);
}

/* The choices of each outcome lead there. */
static void check_choices(const struct found *found, const struct litmus_options *options)
{
    struct text line = TEXT_INIT;
    struct error error;
    for (size_t i = 0; i < found->outcome_count; i++) {
        text_clear(&line);
        assert_int_equal(
            explore_run(&bench.launch, options, &found->choices[i], take_values, &line, &error),
            STATUS_OK);
        assert_memory_equal(line.bytes, found->lines[i], line.size);
    }
    text_release(&line);
}

static void release(struct found *found)
{
    for (size_t i = 0; i < found->outcome_count; i++)
        free(found->choices[i].choices);
}

static void kernels_come_to_the_same(void **state)
{
    (void)state;
    static struct found alike, apart;
    const char *const seed = getenv("ALIKE_SEED");
    const time_t end = time(NULL) + (seed != NULL ? 120 : SECONDS);
    uint64_t fewer = 0;
    uint64_t kernels = 0;
    uint64_t with_own = 0;
    drawn = seed != NULL ? strtoull(seed, NULL, 10) : 3;
    for (; (seed != NULL || kernels < KERNELS) && time(NULL) < end; kernels++) {
        const struct litmus_options options = {.weak = kernels % 4 != 0,
                                               .rounds = LITMUS_ROUNDS,
                                               .race_values = true,
                                               .states_max = 5000};
        struct litmus_options of_apart = options;
        struct error error;
        const uint32_t items = draw(8) == 0 ? 4 : 2 + draw(2);
        of_apart.apart = true;
        alike.count = 0;
        apart.count = 0;
        make_kernel(items, items == 4 ? 2 : draw(2) == 0 ? 1 : items);
        assert_int_equal(explore_run(&bench.launch, &options, NULL, take, &alike, &error),
                         STATUS_OK);
        assert_int_equal(explore_run(&bench.launch, &of_apart, NULL, take, &apart, &error),
                         STATUS_OK);
        if (alike.is_whole && apart.is_whole) {
            check_choices(&alike, &options);
            qsort(alike.lines, alike.count, LINE_MAX, compare_lines);
            qsort(apart.lines, apart.count, LINE_MAX, compare_lines);
            bool same = alike.count == apart.count &&
                        (alike.executions == apart.executions || alike.stand_for_others);
            for (size_t i = 0; same && i < alike.count; i++)
                same = strcmp(alike.lines[i], apart.lines[i]) == 0;
            if (!same) {
                for (size_t i = 0; i < alike.count; i++)
                    print_message("alike: %s\n", alike.lines[i]);
                for (size_t i = 0; i < apart.count; i++)
                    print_message("apart: %s\n", apart.lines[i]);
                fail_msg("kernel %llu comes to something else with its work-items apart",
                         (unsigned long long)kernels);
            }
            fewer += alike.executions < apart.executions;
            with_own += alike.executions < apart.executions && apart.count > 2;
        }
        release(&alike);
        release(&apart);
        bench_destroy(&bench);
    }
    print_message("%llu kernels, %llu with fewer executions, %llu of these with more outcomes\n",
                  (unsigned long long)kernels, (unsigned long long)fewer,
                  (unsigned long long)with_own);
    assert_true(fewer > 20 && with_own > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_come_to_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
