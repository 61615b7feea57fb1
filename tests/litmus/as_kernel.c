/* Litmus tests as OpenCL kernels: each thread is a work-item that executes its own part, one part
 * after the other, so that a device that runs work-groups one after the other, and of a group the
 * parts in the order of the text, executes one interleaving: group by group, thread by thread.
 * Barriers part the threads into phases, and stand between them for all of the group.
 *
 *     as_kernel FILE.cl TEST.litmus...           these tests
 *     as_kernel FILE.cl --random SEED COUNT      random ones
 *
 * writes the kernels, and prints a line for each: its name, "racy" or "clean", which is what the
 * oracle says of that interleaving, and how `clerk kernel` is to be called. What can be no kernel
 * is left out.
 *
 *     as_kernel --explore FILE.cl TEST.litmus... | --random SEED COUNT
 *
 * makes kernels that store their registers at the end, to be explored: it writes what is to be
 * found of kernel N to FILE.cl.kN, and prints "explored" for the verdict. */
#include "checkers/litmus/search.h"
#include "tests/unit/litmus/random_litmus.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_OF_FILE = 1 << 20, GROUPS_MAX = 8, PHASES_MAX = 8, CHOICES_MAX = 512 };

/* What the command line asks for. */
struct making {
    const char *path; /* of the file of kernels */
    bool explores;
};

/* ---- what can be a kernel ---- */

static bool is_stuck(const struct litmus_test *test)
{
    static const struct litmus_options options = {.rounds = 1};
    struct litmus_result *result = NULL;
    const enum status status = litmus_search(test, &options, &result, NULL);
    const bool stuck = status != STATUS_OK || result->stuck > 0;
    litmus_result_destroy(result);
    return stuck;
}

/* The size of sub-groups with which the work-items of each group fall into those of the test; 0 =
 * there is none. */
static uint32_t sub_group_size(const struct litmus_test *test)
{
    for (uint32_t size = 1; size <= LITMUS_THREADS_MAX; size *= 2) {
        bool fits = true;
        uint32_t in_group[GROUPS_MAX] = {0};
        uint32_t position[LITMUS_THREADS_MAX];
        for (size_t t = 0; t < test->thread_count; t++) {
            position[t] = in_group[test->units[t].group]++;
            for (size_t u = 0; u < t; u++) {
                const bool together = test->units[t].sub_group == test->units[u].sub_group;
                fits = fits && (test->units[t].group != test->units[u].group ||
                                together == (position[t] / size == position[u] / size));
            }
        }
        if (fits) {
            return size;
        }
    }
    return 0;
}

/* An execution may wait in a loop for a group that has not begun, and a loop is not a place for
 * phases, which are of work-groups; compilers write an atomic function of OpenCL 1.x as a relaxed
 * update of work-group scope. */
static bool can_be_kernel(const struct making *making, const struct litmus_test *test)
{
    bool loops = false;
    bool barriers = false;
    for (size_t t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        for (size_t i = 0; i < thread->instruction_count; i++) {
            const struct litmus_instruction *instruction = &thread->instructions[i];
            const bool legacy = instruction->op == LITMUS_UPDATE &&
                                instruction->scope == ORACLE_WORK_GROUP &&
                                instruction->order == ORACLE_RELAXED;
            const bool sub_group = instruction->op >= LITMUS_READ &&
                                   instruction->scope == ORACLE_SUB_GROUP && !making->explores;
            if (legacy || sub_group || instruction->kind == ORACLE_SUB_GROUP_BARRIER) {
                return false;
            }
            loops = loops || instruction->op == LITMUS_LOOP_BEGIN;
            barriers = barriers || instruction->op == LITMUS_BARRIER;
        }
        for (size_t i = 0; i < thread->variable_count; i++) {
            if (thread->variables[i].type.size != 4 || !thread->variables[i].type.is_signed) {
                return false;
            }
        }
        if (test->units[t].device != 0 || test->units[t].group >= GROUPS_MAX) {
            return false;
        }
    }
    return !(loops && (barriers || !making->explores)) && sub_group_size(test) != 0 &&
           !is_stuck(test);
}

/* ---- what is to be found ---- */

static size_t register_count(const struct litmus_test *test)
{
    size_t count = 0;
    for (size_t t = 0; t < test->thread_count; t++) {
        count += test->threads[t].variable_count;
    }
    return count;
}

/* Makes all registers and all global locations what the condition speaks of: those first that the
 * kernel has as its arguments, then the registers, which it stores. */
static void observe_all(struct litmus_test *test)
{
    struct litmus_condition *condition = &test->condition;
    condition->count = 0;
    test->filter.count = 0;
    test->shown_count = 0;
    for (uint32_t i = 0; i < test->location_count; i++) {
        if (test->locations[i].region == ORACLE_GLOBAL) {
            condition->atoms[condition->count++] = (struct litmus_atom){
                .kind = LITMUS_COMPARES, .left = {.kind = LITMUS_LOCATION, .index = i}};
        }
    }
    for (uint32_t t = 0; t < test->thread_count; t++) {
        for (uint32_t i = 0; i < test->threads[t].variable_count; i++) {
            condition->atoms[condition->count++] =
                (struct litmus_atom){.kind = LITMUS_COMPARES,
                                     .left = {.kind = LITMUS_VARIABLE, .thread = t, .index = i}};
        }
    }
}

/* Locations that some execution writes are named in what is found. */
static enum status note_written(void *user, const struct graph *graph, struct error *error)
{
    bool *written = user;
    (void)error;
    for (size_t i = 0; i < graph->test->location_count; i++) {
        written[i] = written[i] || graph_write_count(graph, i) > 0;
    }
    return STATUS_OK;
}

static void print_expected_outcome(const struct litmus_test *test,
                                   const struct litmus_result *result, const bool *written,
                                   const struct litmus_outcome *outcome, struct text *text)
{
    const size_t registers = register_count(test);
    size_t number = 0;
    bool any = false;
    text_append(text, "outcome:");
    for (size_t i = 0; i < result->observed_count; i++) {
        const struct litmus_observed *observed = &result->observed[i];
        if (!observed->is_location) {
            text_format(text, registers == 1 ? " registers=" : " registers[%zu]=", number++);
        } else if (written[observed->index]) {
            text_format(text, " %s_=", test->locations[observed->index].name);
            any = true;
        } else {
            continue;
        }
        text_format(text, "%" PRId64, outcome->values[i]);
    }
    if (registers == 0 && !any) {
        text_append(text, " nothing is written");
    }
    text_append(text, outcome->choices.buffered ? ", only by load buffering\n"
                      : outcome->weak           ? ", only under weak ordering\n"
                                                : "\n");
}

/* The lines of `clerk kernel --explore` but for choices; a race by its first words alone. */
static enum status print_expected(const struct litmus_test *test, struct text *text,
                                  struct error *error)
{
    /* The work-items of the kernel look at their ids, so that none are alike. */
    static const struct litmus_options options = {.scope_rule = ORACLE_SCOPES_WIDE_ENOUGH,
                                                  .rounds = LITMUS_ROUNDS,
                                                  .weak = true,
                                                  .apart = true};
    bool written[LITMUS_LOCATIONS_MAX] = {false};
    struct litmus_result *result = NULL;
    enum status status = litmus_search(test, &options, &result, error);
    if (status == STATUS_OK) {
        status = litmus_each_execution(test, &options, note_written, written, error);
    }
    if (status != STATUS_OK) {
        litmus_result_destroy(result);
        return status;
    }
    bool strongly = false;
    for (size_t i = 0; i < result->outcome_count; i++) {
        print_expected_outcome(test, result, written, &result->outcomes[i], text);
    }
    for (size_t i = 0; i < result->race_count; i++) {
        strongly = strongly || !result->races[i].weak;
    }
    text_append(text, strongly                 ? "race\n"
                      : result->race_count > 0 ? "race, only under weak ordering\n"
                      : result->left_out == 0  ? "race: none\n"
                                               : "race: not decided\n");
    text_format(text, "executions: %" PRIu64 ", interleavings: %" PRIu64 "\n", result->executions,
                result->interleavings);
    if (result->cut > 0) {
        text_append(text, "cut\n");
    }
    if (result->hangs) {
        text_format(text, "hang%s\n", result->hangs_weakly ? ", only under weak ordering" : "");
    }
    litmus_result_destroy(result);
    return STATUS_OK;
}

static enum status write_expected(const struct making *making, const struct litmus_test *test,
                                  uint32_t number, struct error *error)
{
    struct text text = TEXT_INIT;
    char *path = alloc_format("%s.k%u", making->path, number);
    enum status status = path != NULL ? print_expected(test, &text, error) : STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        status = file_write(path, text.bytes, text.size, error);
    }
    alloc_free(path);
    text_release(&text);
    return status;
}

/* ---- the interleaving ---- */

/* Barriers that the thread has passed before event `count`. */
static uint32_t barriers_passed(const struct graph *graph, uint32_t count, size_t thread)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        passed += graph->events[i].kind == ORACLE_BARRIER && graph->events[i].is_exit &&
                  graph->events[i].thread == thread;
    }
    return passed;
}

/* Adds the choice that lets the thread perform its next access; false when it has none before more
 * than so many barriers. */
static bool choose(const struct litmus_test *test, size_t thread, uint32_t barriers,
                   struct litmus_choices *choices, struct graph *graph)
{
    static const struct litmus_options options = {.rounds = 1};
    const uint32_t at = choices->count++;
    if (at == CHOICES_MAX) {
        abort(); /* a test that is longer than any */
    }
    for (uint32_t choice = 0; choice < LITMUS_THREADS_MAX; choice++) {
        choices->choices[at] = choice;
        graph_release(graph);
        if (litmus_replay(test, &options, choices, graph, NULL) != STATUS_OK) {
            break;
        }
        for (uint32_t i = graph->count; i-- > 0;) {
            if (oracle_is_access(graph->events[i].kind)) {
                if (graph->events[i].thread == thread &&
                    barriers_passed(graph, i, thread) <= barriers) {
                    return true;
                }
                break;
            }
        }
    }
    choices->count--;
    return false;
}

static void count_race(void *user, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    ++*(int *)user;
}

/* Lets a group's threads do all that they can, each in its turn up to its next barrier. */
static void choose_group(const struct litmus_test *test, uint32_t group,
                         struct litmus_choices *choices, struct graph *graph)
{
    for (uint32_t barriers = 0; barriers <= PHASES_MAX; barriers++) {
        for (size_t t = 0; t < test->thread_count; t++) {
            while (test->units[t].group == group && choose(test, t, barriers, choices, graph)) {
            }
        }
    }
}

/* Does the interleaving race that runs the groups in ascending order, of each the threads in turn?
 */
static bool races(const struct litmus_test *test)
{
    struct graph graph = {0};
    const struct oracle_machine machine = litmus_machine(test, ORACLE_SCOPES_WIDE_ENOUGH, false);
    uint32_t room[CHOICES_MAX];
    struct litmus_choices choices = {.choices = room};
    int count = 0;
    for (uint32_t group = 0; group < GROUPS_MAX; group++) {
        choose_group(test, group, &choices, &graph);
    }
    static const struct litmus_options options = {.rounds = 1};
    graph_release(&graph);
    if (litmus_replay(test, &options, &choices, &graph, NULL) != STATUS_OK) {
        return false;
    }
    graph.machine = &machine;
    graph_each_oracle_race(&graph, count_race, &count, NULL);
    graph_release(&graph);
    return count > 0;
}

/* ---- the kernels ---- */

/* Atomic functions want pointers to atomic types, plain accesses others: each location x has both,
 * x and a_x. */
static void print_macros(struct text *text)
{
    static const struct {
        const char *name, *form;
    } builtins[] = {
#define BUILTIN(name, form, operation) {#name, #form},
#include "checkers/litmus/builtins.def"
#undef BUILTIN
    };
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        const char *const name = builtins[i].name;
        const char *const form = builtins[i].form;
        if (strcmp(form, "LOAD") == 0) {
            text_format(text, "#define %s(p) %s(a_##p)\n", name, name);
        } else if (strcmp(form, "STORE") == 0 || strcmp(form, "UPDATE") == 0 ||
                   strcmp(form, "COMPARE") == 0 || strcmp(form, "INIT") == 0) {
            text_format(text, "#define %s(p, ...) %s(a_##p, __VA_ARGS__)\n", name, name);
        } else {
            continue;
        }
        text_format(text, "#define %s_explicit(p, ...) %s_explicit(a_##p, __VA_ARGS__)\n", name,
                    name);
    }
}

/* The thread's body, without its braces. */
static void find_body(const char *source, uint32_t thread, const char **start, const char **end)
{
    char head[20];
    snprintf(head, sizeof head, "\nP%u@", thread);
    *start = strchr(strchr(strstr(source, head), ')'), '{') + 1;
    *end = strstr(*start, "\n}") + 1;
}

/* The next statement between start and end that is a barrier, and its end; false if there is none.
 */
static bool find_barrier(const char *start, const char *end, const char **barrier,
                         const char **behind)
{
    for (const char *line = start; line < end; line = strchr(line, '\n') + 1) {
        const char *const word = line + strspn(line, " ");
        if (strncmp(word, "barrier(", 8) == 0 || strncmp(word, "work_group_barrier(", 19) == 0) {
            *barrier = word;
            *behind = strchr(word, '\n');
            return true;
        }
    }
    return false;
}

/* What the thread does between its barriers, `phase` of them before. False after the last one. */
static bool find_phase(const char *source, uint32_t thread, uint32_t phase, const char **start,
                       const char **end)
{
    const char *barrier = NULL;
    find_body(source, thread, start, end);
    for (uint32_t i = 0; i < phase; i++) {
        if (!find_barrier(*start, *end, &barrier, start)) {
            return false;
        }
    }
    find_barrier(*start, *end, end, &barrier);
    return true;
}

static bool is_here(const struct litmus_test *test, const struct litmus_location *location,
                    size_t thread)
{
    return location->region == ORACLE_GLOBAL || location->group == test->units[thread].group;
}

/* A register lives longer than a phase: it is declared before all, and `int` means nothing within.
 */
static void print_registers(const struct litmus_test *test, struct text *text)
{
    for (size_t t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        for (size_t i = 0; i < thread->variable_count; i++) {
            text_format(text, "    int p%zu_%s = %" PRId64 ";\n", t, thread->variables[i].name,
                        thread->variables[i].initial);
        }
    }
}

static void print_part(const char *source, const struct litmus_test *test, size_t thread,
                       uint32_t phase, uint32_t local_id, struct text *text)
{
    const char *start = NULL;
    const char *end = NULL;
    const struct litmus_thread *t = &test->threads[thread];
    if (!find_phase(source, t->number, phase, &start, &end)) {
        return;
    }
    text_format(text, "    if (get_group_id(0) == %u && get_local_id(0) == %u) {\n",
                test->units[thread].group, local_id);
    for (size_t i = 0; i < test->location_count; i++) {
        const struct litmus_location *location = &test->locations[i];
        const char *const space = location->region == ORACLE_LOCAL ? "local" : "global";
        const char *const name = location->name;
        if (is_here(test, location, thread)) {
            text_format(text, "%s volatile int *%s = %s_;\n", space, name, name);
            text_format(text, "%s volatile atomic_int *a_%s = (%s volatile atomic_int *)%s_;\n",
                        space, name, space, name);
        }
    }
    text_append(text, "#define int\n");
    for (size_t i = 0; i < t->variable_count; i++) {
        text_format(text, "#define %s p%zu_%s\n", t->variables[i].name, thread,
                    t->variables[i].name);
    }
    text_append_n(text, start, (size_t)(end - start));
    text_append(text, "\n#undef int\n");
    for (size_t i = 0; i < t->variable_count; i++) {
        text_format(text, "#undef %s\n", t->variables[i].name);
    }
    text_append(text, "    }\n");
}

/* The barriers after a phase, of each group its own. False when there is none. */
static bool print_barriers(const char *source, const struct litmus_test *test, uint32_t phase,
                           struct text *text)
{
    bool some = false;
    for (uint32_t group = 0; group < GROUPS_MAX; group++) {
        for (size_t t = 0; t < test->thread_count; t++) {
            const char *start = NULL;
            const char *end = NULL;
            if (test->units[t].group == group &&
                find_phase(source, test->threads[t].number, phase + 1, &start, &end)) {
                find_phase(source, test->threads[t].number, phase, &start, &end);
                text_format(text, "    if (get_group_id(0) == %u)\n        %.*s\n", group,
                            (int)strcspn(end, "\n"), end);
                some = true;
                break;
            }
        }
    }
    return some;
}

/* Of local memory that several groups have, one variable for all. */
static bool is_first(const struct litmus_test *test, size_t location)
{
    for (size_t i = 0; i < location; i++) {
        if (strcmp(test->locations[i].name, test->locations[location].name) == 0) {
            return false;
        }
    }
    return true;
}

static bool has_local_memory(const struct litmus_test *test)
{
    for (size_t i = 0; i < test->location_count; i++) {
        if (test->locations[i].region == ORACLE_LOCAL) {
            return true;
        }
    }
    return false;
}

/* At the end each thread stores its registers. */
static void print_stores(const struct litmus_test *test, struct text *text)
{
    size_t number = 0;
    uint32_t in_group[GROUPS_MAX] = {0};
    for (size_t t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        const uint32_t group = test->units[t].group;
        text_format(text, "    if (get_group_id(0) == %u && get_local_id(0) == %u) {\n", group,
                    in_group[group]++);
        for (size_t i = 0; i < thread->variable_count; i++) {
            text_format(text, "        registers[%zu] = p%zu_%s;\n", number++, t,
                        thread->variables[i].name);
        }
        text_append(text, "    }\n");
    }
}

static void print_kernel(const struct making *making, const char *source,
                         const struct litmus_test *test, uint32_t number, struct text *text)
{
    const char *between = "";
    text_format(text, "kernel void k%u(", number);
    for (size_t i = 0; i < test->location_count; i++) {
        if (test->locations[i].region == ORACLE_GLOBAL) {
            text_format(text, "%sglobal int *%s_", between, test->locations[i].name);
            between = ", ";
        }
    }
    if (making->explores) {
        text_format(text, "%sglobal int *registers", between);
    }
    text_append(text, ")\n{\n");
    for (size_t i = 0; i < test->location_count; i++) {
        if (test->locations[i].region == ORACLE_LOCAL && is_first(test, i)) {
            text_format(text,
                        "    local int %s_[1];\n    if (get_local_id(0) == 0)\n"
                        "        *%s_ = %" PRId64 ";\n",
                        test->locations[i].name, test->locations[i].name,
                        test->locations[i].initial);
        }
    }
    if (has_local_memory(test)) {
        text_append(text, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
    }
    print_registers(test, text);
    uint32_t phase = 0;
    do {
        uint32_t in_group[GROUPS_MAX] = {0};
        for (size_t t = 0; t < test->thread_count; t++) {
            print_part(source, test, t, phase, in_group[test->units[t].group]++, text);
        }
    } while (print_barriers(source, test, phase++, text));
    if (making->explores) {
        print_stores(test, text);
    }
    text_append(text, "}\n");
}

static void print_call(const struct making *making, const char *name,
                       const struct litmus_test *test, uint32_t number)
{
    const char *const verdict = making->explores ? "explored" : races(test) ? "racy" : "clean";
    uint32_t in_group[GROUPS_MAX] = {0};
    uint32_t group_count = 1;
    uint32_t size = 1;
    for (size_t t = 0; t < test->thread_count; t++) {
        const uint32_t group = test->units[t].group;
        group_count = group >= group_count ? group + 1 : group_count;
        size = ++in_group[group] > size ? in_group[group] : size;
    }
    printf("%s %s -k k%u -g %u -l %u", name, verdict, number, group_count * size, size);
    for (size_t i = 0; i < test->location_count; i++) {
        if (test->locations[i].region == ORACLE_GLOBAL) {
            printf(" -a buf:int[1]=%" PRId64, test->locations[i].initial);
        }
    }
    if (making->explores) {
        const size_t count = register_count(test);
        printf(" -a buf:int[%zu]=0 --sub-group-size %u", count > 0 ? count : 1,
               sub_group_size(test));
    }
    printf("\n");
}

static enum status add_test(const struct making *making, const char *name, const char *source,
                            size_t size, uint32_t number, struct text *text, struct error *error)
{
    struct litmus_test *test = NULL;
    enum status status = litmus_parse(source, size, &test, error);
    if (status != STATUS_OK) {
        error_prefix(error, "%s", name);
        return status;
    }
    if (can_be_kernel(making, test)) {
        print_kernel(making, source, test, number, text);
        print_call(making, name, test, number);
        if (making->explores) {
            observe_all(test);
            status = write_expected(making, test, number, error);
        }
    }
    litmus_destroy(test);
    return status;
}

static enum status add_files(const struct making *making, char **paths, int count,
                             struct text *text, struct error *error)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        void *source = NULL;
        size_t size = 0;
        status = file_read(paths[i], SIZE_MAX_OF_FILE, &source, &size, error);
        if (status == STATUS_OK) {
            status = add_test(making, path_base(paths[i]), source, size, (uint32_t)i, text, error);
        }
        alloc_free(source);
    }
    return status;
}

static enum status add_random(const struct making *making, uint64_t seed, uint32_t count,
                              struct text *text, struct error *error)
{
    struct random_litmus random = {seed * UINT64_C(2654435761) + 1};
    struct text source = TEXT_INIT;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "random-%" PRIu64 "-%u", seed, i);
        random_litmus_print(&random, RANDOM_LITMUS_KERNEL, &source);
        status = add_test(making, name, source.bytes, source.size, i, text, error);
    }
    text_release(&source);
    return status;
}

int main(int argc, char **argv)
{
    struct error error;
    struct text text = TEXT_INIT;
    const bool explores = argc > 1 && strcmp(argv[1], "--explore") == 0;
    argc -= explores;
    argv += explores;
    const bool random = argc == 5 && strcmp(argv[2], "--random") == 0;
    if (argc < 3) {
        fprintf(stderr,
                "usage: as_kernel [--explore] FILE.cl TEST.litmus... | --random SEED COUNT\n");
        return 2;
    }
    const struct making making = {argv[1], explores};
    print_macros(&text);
    enum status status = random ? add_random(&making, strtoull(argv[3], NULL, 10),
                                             (uint32_t)strtoul(argv[4], NULL, 10), &text, &error)
                                : add_files(&making, argv + 2, argc - 2, &text, &error);
    if (status == STATUS_OK) {
        status = file_write(making.path, text.bytes, text.size, &error);
    }
    if (status != STATUS_OK) {
        fprintf(stderr, "as_kernel: %s\n", error.text);
    }
    text_release(&text);
    return status == STATUS_OK ? 0 : 2;
}
