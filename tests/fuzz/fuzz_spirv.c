/* Mutates real SPIR-V modules, reads them and lowers what is still a module: neither may crash or
 * hang, and what is refused is refused with a sentence. Bit flips, overwritten words, words copied
 * from elsewhere, truncations; seeds are fixed.
 *
 *     fuzz_spirv FIRST ROUNDS SECONDS MODULE...
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. */
#include "reference/spirv/module.h"
#include "reference/vm/lower.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODULE_MAX = 32, SIZE_MAX_BYTES = 1 << 20 };

struct module_bytes {
    uint32_t *words;
    size_t count;
};

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
    /* xorshift64*, so that a seed is a test on every host */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(2685821657736338717) % limit;
}

static void fail(const char *what, uint64_t seed)
{
    fprintf(stderr, "fuzz_spirv: %s, seed %llu\n", what, (unsigned long long)seed);
    exit(1);
}

static void read_module(const char *path, struct module_bytes *module)
{
    FILE *file = fopen(path, "rb");
    module->words = alloc(SIZE_MAX_BYTES);
    if (file == NULL || module->words == NULL) {
        fprintf(stderr, "fuzz_spirv: cannot read %s\n", path);
        exit(2);
    }
    module->count = fread(module->words, 1, SIZE_MAX_BYTES, file) / 4;
    fclose(file);
}

static size_t mutate(const struct module_bytes *from, uint32_t *words)
{
    size_t count = from->count;
    memcpy(words, from->words, count * 4);
    for (uint64_t n = 1 + random_below(4); n > 0; n--) {
        /* The header is left alone mostly: what is behind it is more interesting. */
        const size_t at = (size_t)random_below(16) == 0 ? (size_t)random_below(count)
                                                        : 5 + (size_t)random_below(count - 5);
        switch (random_below(7)) {
        case 0:
            words[at] ^= UINT32_C(1) << random_below(32);
            break;
        case 1:
            words[at] = (uint32_t)random_below(UINT64_C(1) << 32);
            break;
        case 2:
            words[at] = (uint32_t)random_below(words[3] + 2);
            break;
        case 3:
            words[at] = words[5 + random_below(count - 5)];
            break;
        case 4:
            words[at] += (uint32_t)random_below(5) - 2;
            break;
        case 5: { /* a run of words, often whole instructions, from elsewhere */
            const size_t size = 1 + (size_t)random_below(12);
            const size_t source = 5 + (size_t)random_below(count - 5);
            if (at + size <= count && source + size <= count)
                memmove(words + at, from->words + source, size * 4);
            break;
        }
        default:
            if (random_below(8) == 0)
                count = at + 1 > 6 ? at + 1 : 6;
            break;
        }
        if (count < from->count)
            break;
    }
    return count;
}

/* 1 when something was lowered. */
static int run(const uint32_t *words, size_t count, uint64_t seed)
{
    struct spv_module *module = NULL;
    struct error error = {0};
    int lowered = 0;
    if (spv_module_parse(words, count * 4, &module, &error) != STATUS_OK) {
        if (error.text[0] == '\0')
            fail("refused without a sentence", seed);
        return 0;
    }
    for (size_t i = 0; i < spv_module_kernel_count(module); i++) {
        struct vm_code *code = NULL;
        error.text[0] = '\0';
        if (vm_lower_kernel(module, spv_module_kernel_name(module, i), &code, &error) ==
            STATUS_OK) {
            lowered = 1;
            vm_code_destroy(code);
        } else if (error.text[0] == '\0') {
            fail("a kernel is refused without a sentence", seed);
        }
    }
    spv_module_destroy(module);
    return lowered;
}

int main(int argc, char **argv)
{
    static struct module_bytes modules[MODULE_MAX];
    if (argc < 5 || argc - 4 > MODULE_MAX) {
        fprintf(stderr, "usage: fuzz_spirv FIRST ROUNDS SECONDS MODULE...\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    const int module_count = argc - 4;
    char **const paths = argv + 4;
    uint32_t *words = alloc(SIZE_MAX_BYTES);
    uint64_t lowered = 0;
    uint64_t round = first;
    for (int i = 0; i < module_count; i++) {
        read_module(paths[i], &modules[i]);
        /* Those of refused.cl are there to be refused. */
        if (run(modules[i].words, modules[i].count, 0) != 1 && !strstr(paths[i], "refused-"))
            fail("a module is refused as it is", (uint64_t)i);
    }
    for (; round - first < rounds && time(NULL) < end; round++) {
        random_state = UINT64_C(0x9e3779b97f4a7c15) * (round + 1);
        const struct module_bytes *from = &modules[round % (uint64_t)module_count];
        const size_t count = mutate(from, words);
        const time_t before = time(NULL);
        lowered += (uint64_t)run(words, count, round);
        if (time(NULL) - before > 10)
            fail("took longer than 10 seconds", round);
    }
    printf("%llu rounds, %llu still modules\n", (unsigned long long)(round - first),
           (unsigned long long)lowered);
    for (int i = 0; i < module_count; i++)
        alloc_free(modules[i].words);
    alloc_free(words);
    if (alloc_live_count() != 0)
        fail("leaks", alloc_live_count());
    return lowered == 0;
}
