/* An image as a picture file. */
#ifndef VIEWER_CLI_SHOW_SHOW_PICTURE_H
#define VIEWER_CLI_SHOW_SHOW_PICTURE_H

#include "trace/api/call.h"
#include "trace/reader.h"

#include <stddef.h>
#include <stdint.h>

/* Writes `bytes`, all texels of the image that `handle` is at the call without gaps between rows,
 * as a PPM (netpbm): red, green and blue in 8 bits each, one channel as grey. What is normalised is
 * scaled from 0..1 (-1..1) and clamped; integers of more than 8 bits and floating-point numbers
 * from their least to their greatest. Layers and slices stand one below the other. `bytes` NULL:
 * there are none. STATUS_UNSUPPORTED says what cannot be a picture. */
enum status show_picture_write(struct trace *trace, const struct api_call *call, uint64_t handle,
                               const unsigned char *bytes, uint64_t size, const char *path,
                               struct error *error);

#endif
