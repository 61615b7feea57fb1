/* Mutates a real trace and a real spool (tests/fuzz/mutate_trace.h), reads all of it, and must
 * neither crash nor hang, from fixed seeds. What is read back may be anything; what is refused must
 * be refused with a sentence. tests/fuzz/fuzz_verbs.c does the same with the verbs.
 *
 *     fuzz_trace ROUNDS      every second one mutates a trace, the others what a killed process
 * left */
#include "tests/fuzz/mutate_trace.h"
#include "tests/unit/trace/sample.h"
#include "trace/reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_trace: %s\n", what);
    exit(1);
}

/* ---- reading ---- */

/* Reads every byte, so that a sanitizer sees one that is not there. */
static unsigned touch(const unsigned char *bytes, uint64_t size)
{
    unsigned sum = 0;
    for (uint64_t i = 0; i < size; ++i)
        sum += bytes[i];
    return sum;
}

static volatile unsigned touched;

/* What a launch found and left. */
static void read_launch(struct trace *trace, uint64_t call_id, struct arena *arena)
{
    for (int after = 0; after < 2; ++after) {
        uint64_t *objects = NULL;
        size_t count = 0;
        struct error error = {0};
        if (trace_launch_objects(trace, call_id, after, arena, &objects, &count, &error))
            require(error.text[0] != 0, "objects were refused without a sentence");
        for (size_t i = 0; i < count; ++i) {
            struct trace_memory memory;
            if (trace_launch_memory(trace, call_id, after, objects[i], arena, &memory, &error))
                require(error.text[0] != 0, "memory was refused without a sentence");
            else if (memory.bytes)
                touched += touch(memory.bytes, memory.size);
        }
    }
}

static void read_calls(struct trace *trace)
{
    struct trace_cursor *cursor = NULL;
    struct arena arena = {0};
    struct text text = TEXT_INIT;
    struct error error = {0};
    struct trace_names names = {.trace = trace};
    enum status status =
        trace_calls(trace, &(struct trace_filter){.with_synthetic = true}, &cursor, &error);
    for (uint64_t read = 0; !status && read < 10000; ++read) {
        struct api_call call;
        bool found = false;
        struct api_content *contents = NULL;
        size_t count = 0;
        arena_reset(&arena);
        text_clear(&text);
        status = trace_cursor_next(cursor, &arena, &call, &found, &error);
        if (status || !found)
            break;
        names.call_id = call.id;
        api_call_print(&call, trace_handle_name, &names, &text);
        text_clear(&text);
        api_call_print_json(&call, trace_handle_name, &names, &text);
        struct error inner = {0};
        if (trace_contents(trace, call.id, &arena, &contents, &count, &inner))
            require(inner.text[0] != 0, "contents were refused without a sentence");
        for (size_t i = 0; i < count; ++i)
            touched += touch(contents[i].bytes, contents[i].size);
        read_launch(trace, call.id, &arena);
    }
    require(!status || error.text[0], "reading failed without a sentence");
    trace_cursor_destroy(cursor);
    text_release(&text);
    arena_release(&arena);
}

static void read_views(struct trace *trace)
{
    static const char *const queries[] = {
        "SELECT * FROM launch_view", "SELECT * FROM object_view", "SELECT * FROM finding_view",
        "SELECT * FROM launch_content_view", "SELECT * FROM call_view LIMIT 100"};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i)
        sqlite3_exec(trace_database(trace), queries[i], NULL, NULL, NULL);
}

/* Did the trace open? */
static bool read_all(void)
{
    struct trace *trace = NULL;
    struct error error = {0};
    if (trace_open(sample_path("a.db"), &trace, &error)) {
        require(error.text[0] != 0, "a trace was refused without a sentence");
        return false;
    }
    trace_fact(trace, "state");
    read_calls(trace);
    read_views(trace);
    trace_close(trace);
    return true;
}

int main(int argc, char **argv)
{
    const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    static struct mutation_seed seeds[MUTATION_SEEDS_MAX];
    size_t seed_count = 0;
    uint64_t opened = 0;
    require(mutation_begin(NULL, 0, seeds, &seed_count) != NULL, "the seeds cannot be recorded");
    for (uint64_t round = 0; round < rounds; ++round) {
        require(!mutate_trace(&seeds[round % seed_count], round, sample_directory()),
                "cannot write a trace");
        opened += read_all();
    }
    sample_clean();
    mutation_end(seeds, seed_count);
    require(opened > 0 && opened < rounds, "the mutations are too weak or too strong");
    printf("%llu rounds, %llu traces opened, no crash\n", (unsigned long long)rounds,
           (unsigned long long)opened);
    return 0;
}
