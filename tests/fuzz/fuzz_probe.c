/* Requests to clerk_probe of mutated SPIR-V modules, one or two that are linked, with damaged bytes
 * now and then. Nothing may crash, hang or leak; what is refused is refused with a sentence; facts
 * come back as they were packed. What would start a compiler is left out.
 *
 *     fuzz_probe FIRST ROUNDS SECONDS MODULE...
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. */
#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"
#include "reference/probe/answer.h"
#include "tests/fuzz/mutate_spirv.h"
#include "trace/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MODULE_MAX = 32, PART_MAX = 2, ROUND_SECONDS_MAX = 60 };

struct tally {
    uint64_t answered, refused, kernels;
};

static void fail(const char *what, uint64_t seed)
{
    fprintf(stderr, "fuzz_probe: %s, seed %llu\n", what, (unsigned long long)seed);
    exit(1);
}

static void read_module(const char *path, struct module_words *module)
{
    FILE *file = fopen(path, "rb");
    module->words = alloc(MODULE_WORDS_MAX * 4);
    if (file == NULL || module->words == NULL) {
        fprintf(stderr, "fuzz_probe: cannot read %s\n", path);
        exit(2);
    }
    module->count = fread(module->words, 4, MODULE_WORDS_MAX, file);
    fclose(file);
}

static void damage(struct text *bytes)
{
    for (uint64_t i = random_below(4); i > 0; i--)
        bytes->bytes[random_below(bytes->size)] = (char)random_below(256);
    if (random_below(4) == 0)
        bytes->size = random_below(bytes->size);
}

static bool needs_compiler(const struct request *request)
{
    for (size_t i = 0; i < request->part_count; i++) {
        if (!request->parts[i].is_il)
            return true;
    }
    return false;
}

static void check_facts(const struct facts *facts, uint64_t seed)
{
    struct text once = TEXT_INIT;
    struct text twice = TEXT_INIT;
    struct facts again;
    facts_pack(facts, &once);
    if (!facts_unpack(once.bytes, once.size, &again))
        fail("facts do not come back", seed);
    facts_pack(&again, &twice);
    if (once.size != twice.size || memcmp(once.bytes, twice.bytes, once.size) != 0)
        fail("facts come back otherwise", seed);
    facts_release(&again);
    text_release(&once);
    text_release(&twice);
}

static void ask(const struct text *bytes, uint64_t seed, struct tally *tally)
{
    struct request request;
    struct facts facts;
    struct error error = {0};
    if (!request_unpack(bytes->bytes, bytes->size, &request) || needs_compiler(&request)) {
        tally->refused++;
    } else if (answer_request(&request, &facts, &error) == STATUS_OK) {
        tally->answered++;
        tally->kernels += facts.kernel_count;
        check_facts(&facts, seed);
        facts_release(&facts);
    } else {
        tally->refused++;
        if (error.text[0] == '\0')
            fail("it is refused without a sentence", seed);
    }
    request_release(&request);
}

/* Every second module stays as it is. */
static void run_round(const struct module_words *modules, uint64_t module_count, uint64_t seed,
                      struct module_words *room, struct tally *tally)
{
    struct request_part parts[PART_MAX];
    struct text bytes = TEXT_INIT;
    random_seed(seed);
    const size_t part_count = 1 + random_below(PART_MAX);
    for (size_t i = 0; i < part_count; i++) {
        const struct module_words *from = &modules[random_below(module_count)];
        const struct module_words *used = from;
        if (random_below(2) > 0) {
            mutate_instructions(from, &modules[random_below(module_count)], &room[i]);
            used = &room[i];
        }
        parts[i] = (struct request_part){
            .is_il = true, .bytes = used->words, .size = used->count * 4, .options = ""};
    }
    const struct request request = {
        .device = {.extensions = "", .version = 300, .address_bits = 64, .macros = ""},
        .is_linked = part_count > 1 || random_below(2) == 0,
        .parts = parts,
        .part_count = part_count};
    request_pack(&request, &bytes);
    if (random_below(8) == 0)
        damage(&bytes);
    alarm(ROUND_SECONDS_MAX);
    ask(&bytes, seed, tally);
    text_release(&bytes);
}

int main(int argc, char **argv)
{
    static struct module_words modules[MODULE_MAX];
    struct module_words room[PART_MAX];
    if (argc < 5 || argc - 4 > MODULE_MAX) {
        fprintf(stderr, "usage: fuzz_probe FIRST ROUNDS SECONDS MODULE...\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    const int module_count = argc - 4;
    struct tally tally = {0};
    uint64_t round = first;
    for (int i = 0; i < module_count; i++)
        read_module(argv[4 + i], &modules[i]);
    for (int i = 0; i < PART_MAX; i++)
        room[i] = (struct module_words){.words = alloc(MODULE_WORDS_MAX * 4)};
    for (; round - first < rounds && time(NULL) < end; round++)
        run_round(modules, (uint64_t)module_count, round, room, &tally);
    printf("%llu rounds, %llu answered with %llu kernels, %llu refused\n",
           (unsigned long long)(round - first), (unsigned long long)tally.answered,
           (unsigned long long)tally.kernels, (unsigned long long)tally.refused);
    for (int i = 0; i < module_count; i++)
        alloc_free(modules[i].words);
    for (int i = 0; i < PART_MAX; i++)
        alloc_free(room[i].words);
    if (alloc_live_count() != 0)
        fail("leaks", alloc_live_count());
    return rounds > 100 && tally.kernels == 0;
}
