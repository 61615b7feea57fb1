/* Traces to mutate, and the mutations: by bytes, and by values of single fields. */
#ifndef TESTS_FUZZ_MUTATE_TRACE_H
#define TESTS_FUZZ_MUTATE_TRACE_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { MUTATION_SEEDS_MAX = 16, MUTATION_FILES_MAX = 32 };

struct mutation_file {
    char name[64]; /* "a.db", "a.db.spool/1.segment" */
    unsigned char *bytes;
    size_t size;
};

struct mutation_seed {
    struct mutation_file files[MUTATION_FILES_MAX];
    size_t count;
    uint64_t launch; /* the call of one; 0 = none */
};

/* Records the sample run, ended and killed, and loads these traces as further seeds. Returns an
 * empty directory of its own; NULL when that cannot be done. */
const char *mutation_begin(char **traces, size_t trace_count, struct mutation_seed *seeds,
                           size_t *seed_count);
void mutation_end(struct mutation_seed *seeds, size_t seed_count);

/* Writes the seed as a.db into the directory, mutated as this number says, and the sound trace as
 * sound.db. */
enum status mutate_trace(const struct mutation_seed *seed, uint64_t number, const char *directory);

/* The same numbers on every host, for what else is mutated. */
void mutation_random_begin(uint64_t number);
uint64_t mutation_random_below(uint64_t limit); /* 0 of 0 */

#endif
