/* How findings put where in an object an access is, and in which way it leaves it. All strings are
 * the arena's, or constant; "?" where memory is out. */
#ifndef CHECKERS_ACCESS_WORDS_H
#define CHECKERS_ACCESS_WORDS_H

#include "trace/base/arena.h"

#include <stdint.h>

/* `bytes` at `offset`, which may be negative, of an object of `size` bytes. */
struct access_place {
    const char *region; /* "global" */
    const char *name;   /* of the object */
    int64_t offset;
    uint64_t bytes, size;
};

/* "at element 64 of global memory 'a' (256 bytes)" */
const char *access_words_where(struct arena *arena, const struct access_place *place);
/* Of one that leaves the object: "the access begins right at the end of 'a', whose elements are 0
 * to 63" */
const char *access_words_beyond(struct arena *arena, const struct access_place *place);
/* An id of a range of so many dimensions: "5", "(5,1)", "(5,1,0)"; of all three where that is 0. */
const char *access_words_id(struct arena *arena, const uint64_t id[3], uint32_t dimensions);
/* "1 byte", "4 bytes" */
const char *access_words_bytes(struct arena *arena, uint64_t count);

#endif
