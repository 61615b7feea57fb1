/* Texels of an image as a picture: red, green and blue in 8 bits each, one channel as grey. What is
 * normalised is scaled from 0..1 (-1..1) and clamped; integers of more than 8 bits and
 * floating-point numbers from their least to their greatest. Alpha is left out. */
#ifndef VIEWER_CLI_PICTURE_H
#define VIEWER_CLI_PICTURE_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

/* Row by row, without gaps. */
struct picture_texels {
    cl_image_format format;
    uint64_t width, height; /* texels; layers and slices stand one below the other */
    const unsigned char *bytes;
    const unsigned char *undefined; /* of each byte, not 0 = it is; NULL = all are defined */
    uint64_t size;                  /* of both, in bytes */
};

enum { PICTURE_PIXEL_SIZE = 4 };

struct picture {
    uint64_t width, height;
    unsigned char *pixels; /* red, green, blue, and 255; of texels that are not defined four 0 */
    bool has_undefined;
    bool has_range;         /* the values themselves decide: */
    double least, greatest; /* what is black, and full */
};

/* STATUS_UNSUPPORTED says what cannot be a picture. picture_release ends it, also after a failure.
 */
enum status picture_make(const struct picture_texels *texels, struct picture *picture,
                         struct error *error);
void picture_release(struct picture *picture);

/* As a file: PPM (netpbm), or PNG, not compressed, in which undefined texels are transparent. The
 * text tells of memory that ran out. */
void picture_print_ppm(const struct picture *picture, struct text *text);
void picture_print_png(const struct picture *picture, struct text *text);

#endif
