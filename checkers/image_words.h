/* How findings put which texel of an image an access is to, and why it may not be. All strings are
 * the arena's, or constant; "?" where memory is out. */
#ifndef CHECKERS_IMAGE_WORDS_H
#define CHECKERS_IMAGE_WORDS_H

#include "trace/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { IMAGE_COORDINATES_MAX = 3 };

/* Of an array the layer is the last coordinate, and the last of the sizes. */
struct image_place {
    const char *type; /* "2D image", or "level 1 of 2D image" */
    const char *name; /* NULL = it is not known */
    uint32_t coordinate_count;
    const int64_t *coordinates;
    const uint64_t *size;
};

/* "2D image 'from' (3 x 1 texels)" */
const char *image_words_which(struct arena *arena, const struct image_place *place);
/* "texel (3, 0) of 2D image 'from' (3 x 1 texels)" */
const char *image_words_texel(struct arena *arena, const struct image_place *place);
/* Why there must be no access outside. */
const char *image_words_outside(bool is_write, bool is_sampled);

#endif
