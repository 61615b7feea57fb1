/* Bytes and images of the debugged process, however large: as many requests as are needed. */
#ifndef VIEWER_CLI_DEBUG_MEMORY_H
#define VIEWER_CLI_DEBUG_MEMORY_H

#include "trace/base/text.h"
#include "trace/debug/json_object.h"
#include "viewer-cli/picture.h"

#include <stdbool.h>
#include <stdint.h>

/* Asks the debugger, whose request is ended there: terminal_ask, dap_ask. NULL where it cannot be
 * done, which whoever asked was told then. */
struct debug_asker {
    struct cJSON *(*ask)(void *user, struct text *request);
    /* Tells another reason. */
    void (*refuse)(void *user, const char *sentence);
    void *user;
};

/* `size` bytes, and which are undefined: as a mask of each, that begins `size` bytes further. NULL:
 * it was told why. alloc_free ends them. */
uint8_t *debug_memory_read(const struct debug_asker *asker, const char *address, uint64_t offset,
                           uint64_t size);

/* An image as it is shown: rows of texels. A layer of one that has only a width is a row. */
struct debug_image {
    char *text; /* "2D image 'from' (64 x 48 texels), CL_RGBA CL_UNORM_INT8" */
    char *address;
    cl_image_format format;
    uint64_t width, height; /* texels, of the level */
    uint64_t slices;        /* layers, or the depth; 1 = there is one only */
    uint64_t levels;
    uint64_t texel_size, row_pitch, slice_pitch; /* bytes */
};

/* What the expression names. False: it was told why. debug_image_release ends it in any case. */
bool debug_image_find(const struct debug_asker *asker, const char *expression, uint64_t level,
                      struct debug_image *image);
void debug_image_release(struct debug_image *image);
/* The least step by which no side has more than `most` texels. */
uint64_t debug_image_step(const struct debug_image *image, uint64_t most);
/* Every `step`-th texel of every `step`-th row of a slice; picture_release ends it, also after a
 * failure. False: it was told why. */
bool debug_image_picture(const struct debug_asker *asker, const struct debug_image *image,
                         uint64_t slice, uint64_t step, struct picture *picture);

#endif
