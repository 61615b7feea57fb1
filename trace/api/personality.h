/* Personalities: legal devices unlike the usual reference device, for programs to be tried on. One
 * is a list of traits, as in "big-endian,sub-group=8"; trace/api/personality.def has them. */
#ifndef TRACE_API_PERSONALITY_H
#define TRACE_API_PERSONALITY_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of each trait 1, or its number; 0 = the device has it not. Those that a trait implies are set. */
struct personality {
#define TRAIT(member, name, low, high, help) uint64_t member;
#include "trace/api/personality.def"
};

/* What the usual device has of the traits that are sizes: work-items, bytes. */
#define PERSONALITY_USUAL_WORK_GROUP   1024u
#define PERSONALITY_USUAL_LOCAL_MEMORY (UINT64_C(64) << 10)
#define PERSONALITY_USUAL_ALLOCATION   (UINT64_C(256) << 20)
/* The largest memory object where addresses have 32 bits. */
#define PERSONALITY_NARROW_ALLOCATION_MAX (UINT64_C(1) << 30)

/* "" is the usual device. An error names the word, and which there are. */
enum status personality_parse(const char *list, struct personality *personality,
                              struct error *error);

/* Appends the list of its traits; numbers above what a trait takes as the most that it takes. */
void personality_print(const struct personality *personality, struct text *text);

/* Each on its own: what "all" means. The index-th list, NULL after the last. Not among them are
 * "fma", where nearly every kernel of floats is rounded otherwise; "separate-memory", where a
 * recording gives the same: it has what maps moved, not what the program did without them; and
 * "no-compiler", "no-linker" and "custom", where no program of source can be built. */
const char *personality_get(size_t index);

#endif
