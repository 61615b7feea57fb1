/* Mutates litmus tests, by bytes and by words of other tests, and reads them. What is refused must
 * be refused with a sentence; what is a test still is searched for a bounded number of states, as
 * interleavings and weakly. Nothing may crash or hang.
 *
 *     fuzz_litmus ROUNDS SECONDS DIRECTORY...      stops at whichever comes first */
#include "checkers/litmus/search.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SEEDS_MAX = 1000, SIZE_MAX_OF_TEST = 1 << 16, STATES_MAX = 200, HANG_SECONDS = 20 };

struct seed {
    char *bytes;
    size_t size;
};

static struct seed seeds[SEEDS_MAX];
static size_t seed_count;
static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);
static char text[SIZE_MAX_OF_TEST];
static size_t text_size;

static size_t random_below(size_t limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (size_t)((random_state * UINT64_C(2685821657736338717) >> 16) % limit);
}

static int is_litmus(const struct dirent *entry)
{
    return strstr(entry->d_name, ".litmus") != NULL;
}

static void read_seeds(const char *directory)
{
    struct dirent **entries = NULL;
    const int count = scandir(directory, &entries, is_litmus, alphasort);
    for (int i = 0; i < count; i++) {
        struct error error;
        char *path = path_join(directory, entries[i]->d_name);
        void *bytes = NULL;
        if (seed_count < SEEDS_MAX && file_read(path, SIZE_MAX_OF_TEST / 2, &bytes,
                                                &seeds[seed_count].size, &error) == STATUS_OK) {
            seeds[seed_count++].bytes = bytes;
        }
        alloc_free(path);
        free(entries[i]);
    }
    free(entries);
}

/* ---- mutations ---- */

/* Puts `size` bytes at a place where `gone` bytes are taken away. */
static void splice(size_t at, size_t gone, const char *bytes, size_t size)
{
    if (at + gone > text_size || text_size - gone + size > sizeof text) {
        return;
    }
    memmove(text + at + size, text + at + gone, text_size - at - gone);
    memcpy(text + at, bytes, size);
    text_size = text_size - gone + size;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word, or the one sign, that stands at a place. */
static size_t word_size(const char *bytes, size_t size)
{
    size_t length = 0;
    while (length < size && is_word(bytes[length])) {
        length++;
    }
    return length == 0 && size > 0 ? 1 : length;
}

static void mutate(void)
{
    const struct seed *other = &seeds[random_below(seed_count)];
    const size_t from = random_below(other->size);
    const size_t at = random_below(text_size);
    const size_t here = word_size(text + at, text_size - at);
    const size_t there = word_size(other->bytes + from, other->size - from);
    const char byte = (char)random_below(256);
    switch (random_below(6)) {
    case 0:
        splice(at, 1, &byte, 1);
        break;
    case 1:
        splice(at, here, "", 0);
        break;
    case 2:
        splice(at, here, other->bytes + from, there);
        break;
    case 3:
        splice(at, 0, other->bytes + from, there);
        break;
    case 4: {
        const size_t length = random_below(200);
        splice(at, 0, other->bytes + from,
               length < other->size - from ? length : other->size - from);
        break;
    }
    default:
        splice(at, random_below(text_size - at), "", 0);
        break;
    }
    if (text_size == 0) {
        text[text_size++] = ' ';
    }
}

/* ---- what must hold ---- */

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_litmus: %s:\n%.*s\n", what, (int)text_size, text);
    exit(1);
}

/* A choice list of an outcome must lead somewhere. */
static void check_choices(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_result *result)
{
    static struct graph graph;
    for (size_t i = 0; i < result->outcome_count && i < 3; i++) {
        if (litmus_replay(test, options, &result->outcomes[i].choices, &graph, NULL) != STATUS_OK) {
            fail("an outcome cannot be reached by its choices");
        }
        graph_release(&graph);
    }
}

/* Returns whether it is a test. */
static bool run(void)
{
    struct litmus_test *test = NULL;
    struct litmus_result *result = NULL;
    struct error error = {.text = ""};
    const struct litmus_options options = {.scope_rule = (enum oracle_scope_rule)random_below(2),
                                           .seq_cst_alone = random_below(4) == 0,
                                           .weak = true,
                                           .rounds = 3,
                                           .states_max = STATES_MAX};
    alarm(HANG_SECONDS);
    if (litmus_parse(text, text_size, &test, &error) != STATUS_OK) {
        if (strncmp(error.text, "line ", 5) != 0 || error.status != STATUS_MALFORMED) {
            fail("refused without a sentence");
        }
        return false;
    }
    if (litmus_search(test, &options, &result, &error) != STATUS_OK) {
        fail(error.text);
    }
    check_choices(test, &options, result);
    litmus_result_destroy(result);
    result = NULL;
    struct litmus_options some = options;
    some.samples = 3;
    some.seed = random_state;
    if (litmus_search(test, &some, &result, &error) != STATUS_OK) {
        fail(error.text);
    }
    check_choices(test, &some, result);
    litmus_result_destroy(result);
    litmus_destroy(test);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_litmus ROUNDS SECONDS DIRECTORY...\n");
        return 2;
    }
    const unsigned long rounds = strtoul(argv[1], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[2]);
    unsigned long round = 0;
    unsigned long good = 0;
    for (int i = 3; i < argc; i++) {
        const size_t before = seed_count;
        read_seeds(argv[i]);
        if (seed_count == before) {
            fprintf(stderr, "fuzz_litmus: no litmus test in %s\n", argv[i]);
            return 2;
        }
    }
    for (; round < rounds && time(NULL) < end; round++) {
        const struct seed *seed = &seeds[round % seed_count];
        memcpy(text, seed->bytes, seed->size);
        text_size = seed->size;
        for (size_t i = 1 + random_below(3); i > 0; i--) {
            mutate();
        }
        good += run();
    }
    printf("%lu rounds, %lu of them litmus tests still\n", round, good);
    for (size_t i = 0; i < seed_count; i++) {
        alloc_free(seeds[i].bytes);
    }
    return good == 0;
}
