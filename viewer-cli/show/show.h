/* What cmd_show.c's lists are made of. */
#ifndef VIEWER_CLI_SHOW_SHOW_H
#define VIEWER_CLI_SHOW_SHOW_H

#include "trace/api/call.h"
#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* show_look.c: finds out how wide lines may be, and whether there are colours. */
void show_set_look(const struct options *options);
size_t show_width(const struct options *options);
bool show_has_colour(void);
struct table;
/* Sets how wide a table that people read may be, and how its titles look. */
void show_lay_out(struct table *table, const struct options *options);

/* Those rows of a query, ordered, that the options choose: by the columns `call`, `thread`,
 * `entry_point`, `failed` and `objects` (names with spaces between), which it has if the options
 * may be given. For rows_query_free; NULL when memory is out. */
char *show_filtered(const char *sql, const char *order, const struct options *options);

/* A list of the table of lists: "launches", "objects" ... */
enum status show_list(struct trace *trace, const char *name, const struct options *options,
                      struct error *error);
enum status show_calls(struct trace *trace, const struct options *options, struct error *error);
/* The object is the third operand. */
enum status show_object(struct trace *trace, const struct options *options, struct error *error);
enum status show_memory(struct trace *trace, const struct options *options, struct error *error);
enum status show_programs(struct trace *trace, const struct options *options, struct error *error);
enum status show_summary(struct trace *trace, const struct options *options, struct error *error);
/* The summary as one JSON object, without a newline. */
enum status show_summary_print_json(struct trace *trace, struct text *text, struct error *error);

/* ---- show_picture.c ---- */

/* An image as a picture file. */

/* Writes `bytes`, all texels of the image that `handle` is at the call without gaps between rows,
 * as a PPM (netpbm): red, green and blue in 8 bits each, one channel as grey. What is normalised is
 * scaled from 0..1 (-1..1) and clamped; integers of more than 8 bits and floating-point numbers
 * from their least to their greatest. Layers and slices stand one below the other. `bytes` NULL:
 * there are none. STATUS_UNSUPPORTED says what cannot be a picture. */
enum status show_picture_write(struct trace *trace, const struct api_call *call, uint64_t handle,
                               const unsigned char *bytes, uint64_t size, const char *path,
                               struct error *error);

#endif
