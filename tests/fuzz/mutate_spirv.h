/* What the SPIR-V fuzzer does to a module: word-wise, which mostly makes what is not a module, and
 * by instruction, which mostly makes one that is wrong or merely strange. Everything depends on the
 * state of the random numbers alone. */
#ifndef TESTS_FUZZ_MUTATE_SPIRV_H
#define TESTS_FUZZ_MUTATE_SPIRV_H

#include <stddef.h>
#include <stdint.h>

enum { MODULE_WORDS_MAX = 1 << 18, MODULE_WORDS_HEADER = 5 };

struct module_words {
    uint32_t *words; /* room for MODULE_WORDS_MAX, of the caller's; little-endian */
    size_t count;
};

/* xorshift64*, so that a seed is a test on every host. */
void random_seed(uint64_t seed);
uint64_t random_below(uint64_t limit);

void mutate_words(const struct module_words *from, struct module_words *to);
/* `other` is where functions and instructions to splice in come from. */
void mutate_instructions(const struct module_words *from, const struct module_words *other,
                         struct module_words *to);

#endif
