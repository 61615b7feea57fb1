/* Mutates a real trace and a real spool, reads all of it, and must neither crash nor hang: bit
 * flips, overwritten words, splices and truncations, from fixed seeds. What is read back may be
 * anything; what is refused must be refused with a sentence.
 *
 *     fuzz_trace ROUNDS      every second one mutates a trace, the others what a killed process
 * left */
#include "tests/unit/trace/sample.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/reader.h"

#include <dirent.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_MAX = 32, FILE_SIZE_MAX = 1 << 26 };

struct image {
    char name[64];
    unsigned char *bytes;
    size_t size;
};

static uint64_t random_state;

static uint64_t random_next(void)
{
    /* xorshift64*, so that a seed is a test on every host */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(2685821657736338717);
}

static uint64_t random_below(uint64_t limit)
{
    return limit ? random_next() % limit : 0;
}

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_trace: %s\n", what);
    exit(1);
}

/* ---- the seeds ---- */

/* A trace (closed), or a trace with the spool that a killed process leaves; files into `images`. */
static void record(const char *path, bool killed)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct spool *spool = NULL;
        if (spool_open(&(struct spool_options){.path = path}, &spool, NULL))
            _exit(1);
        sample_run(spool);
        for (uint64_t id = SAMPLE_RUN_CALLS + 1; id < 200; ++id)
            sample_finish(spool, id, 1 + id % 3);
        static const unsigned char memory[9000] = {1, 2, 3};
        struct api_content content = {.object = 0xb, .size = sizeof memory, .bytes = memory};
        spool_content(spool, 9, &content);
        content.after = true;
        spool_digest(spool, 9, &content);
        if (killed)
            kill(getpid(), SIGKILL);
        spool_close(spool);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    require(killed ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status),
            "the seed could not be recorded");
}

static size_t used_size(const struct image *image)
{
    size_t used = image->size;
    while (used && !image->bytes[used - 1])
        --used;
    used = (used + 71) & ~(size_t)7;
    return used < image->size ? used : image->size;
}

static void load(const char *name, struct image *images, size_t *count)
{
    struct image *image = &images[*count];
    void *bytes = NULL;
    if (file_read(sample_path(name), FILE_SIZE_MAX, &bytes, &image->size, NULL))
        return;
    require(*count < FILE_MAX, "too many files");
    snprintf(image->name, sizeof image->name, "%s", name);
    image->bytes = bytes;
    /* A segment ends in zeros, in which a mutation would rarely change anything. */
    if (strstr(name, ".segment"))
        image->size = used_size(image);
    ++*count;
}

static size_t load_seed(struct image *images)
{
    size_t count = 0;
    load("a.db", images, &count);
    load("a.db-wal", images, &count);
    load("a.db.spool/process", images, &count);
    for (unsigned number = 1; number <= 16; ++number) {
        char name[48];
        snprintf(name, sizeof name, "a.db.spool/%u.segment", number);
        load(name, images, &count);
    }
    return count;
}

/* ---- mutation ---- */

static size_t mutate(const struct image *image, unsigned char *bytes)
{
    static const uint64_t words[] = {0, 1, 0x7f, 0xff, 0x7fff, UINT32_MAX, INT64_MAX, UINT64_MAX};
    size_t size = image->size;
    const size_t used = size;
    memcpy(bytes, image->bytes, size);
    for (uint64_t n = 1 + random_below(8); n > 0 && used > 16; --n) {
        const size_t at = random_below(used - 8);
        const size_t from = random_below(used - 8);
        const size_t length = 1 + random_below(64);
        uint64_t word = words[random_below(sizeof words / sizeof *words)];
        switch (random_below(6)) {
        case 0:
        case 1:
            bytes[at] ^= (unsigned char)(1u << random_below(8));
            break;
        case 2:
            bytes[at] = (unsigned char)random_next();
            break;
        case 3:
            memcpy(bytes + at, &word, (size_t)1 << random_below(4));
            break;
        case 4:
            if (at + length < used && from + length < used)
                memmove(bytes + at, bytes + from, length);
            break;
        case 5:
            if (random_below(4) == 0)
                size = random_below(size);
            break;
        }
        if (size < used)
            break;
    }
    return size;
}

static void lay_out(const struct image *images, size_t count, size_t mutated)
{
    sample_clean();
    sample_directory();
    mkdir(sample_path("a.db.spool"), 0777);
    bool has_spool = false;
    for (size_t i = 0; i < count; ++i) {
        const struct image *image = &images[i];
        unsigned char *bytes = alloc(image->size);
        require(bytes != NULL, "out of memory");
        size_t size = image->size;
        if (i == mutated)
            size = mutate(image, bytes);
        else
            memcpy(bytes, image->bytes, size);
        has_spool |= strstr(image->name, ".spool") != NULL;
        require(file_write(sample_path(image->name), bytes, size, NULL) == STATUS_OK,
                "cannot write a file");
        alloc_free(bytes);
    }
    if (!has_spool)
        rmdir(sample_path("a.db.spool"));
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
    static struct image seeds[2][FILE_MAX];
    size_t counts[2];
    /* Waiting for a disk finds nothing. */
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    for (int killed = 0; killed < 2; ++killed) {
        sample_clean();
        record(sample_path("a.db"), killed);
        counts[killed] = load_seed(seeds[killed]);
        require(counts[killed] >= (killed ? 3 : 1), "the seed is not complete");
    }
    uint64_t opened = 0;
    for (uint64_t round = 0; round < rounds; ++round) {
        const size_t seed = round % 2;
        random_state = (round + 1) * UINT64_C(0x9e3779b97f4a7c15);
        lay_out(seeds[seed], counts[seed], random_below(counts[seed]));
        opened += read_all();
    }
    sample_clean();
    for (size_t seed = 0; seed < 2; ++seed)
        for (size_t i = 0; i < counts[seed]; ++i)
            alloc_free(seeds[seed][i].bytes);
    require(opened > 0 && opened < rounds, "the mutations are too weak or too strong");
    printf("%llu rounds, %llu traces opened, no crash\n", (unsigned long long)rounds,
           (unsigned long long)opened);
    return 0;
}
