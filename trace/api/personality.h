/* Personalities: legal devices unlike the usual reference device, for programs to be tried on. One
 * is a list of traits, as in "big-endian,sub-group=8"; trace/api/personality.def has them. */
#ifndef TRACE_API_PERSONALITY_H
#define TRACE_API_PERSONALITY_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of each trait 1, or its number; 0 = the device has it not. */
struct personality {
#define TRAIT(member, name, low, high, help) uint64_t member;
#include "trace/api/personality.def"
#undef TRAIT
};

/* "" is the usual device. An error names the word, and which there are. */
enum status personality_parse(const char *list, struct personality *personality,
                              struct error *error);

/* Each on its own: what "all" means. The index-th list, NULL behind the last. "fma" is not among
 * them: nearly every kernel of floats is rounded otherwise there. */
const char *personality_get(size_t index);

#endif
