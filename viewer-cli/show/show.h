/* What cmd_show.c's lists are made of. */
#ifndef VIEWER_CLI_SHOW_SHOW_H
#define VIEWER_CLI_SHOW_SHOW_H

#include "trace/api/call.h"
#include "trace/reader.h"
#include "viewer-cli/verb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* show_look.c: finds out how wide lines may be, and whether there are colours. */
void show_set_look(const struct options *options);
size_t show_width(const struct options *options);
bool show_has_colour(void);

/* A list on its way to standard output: rows of a table for people, or text. It is printed page by
 * page, so that memory is bounded. */
struct listing {
    struct table *table;
    struct text text;
    uint64_t count; /* of rows */
    bool json;
    bool has_titles; /* they were printed */
    bool failed;     /* memory is out */
};
/* listing_close also after a failure. */
enum status listing_open(struct listing *listing, const struct table_column *columns,
                         size_t column_count, const struct options *options, struct error *error);
/* A row was added: prints a page if it is full. False when nothing more can be written. */
bool listing_count(struct listing *listing);
/* Prints what is there, however little. */
bool listing_flush(struct listing *listing);
/* Unless `status` is a failure prints the rest, and for people `none` where there are no rows.
 * Returns it, or that memory is out. */
enum status listing_close(struct listing *listing, const char *none, enum status status,
                          struct error *error);

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
 * as a PPM: viewer-cli/picture.h. `bytes` NULL: there are none. STATUS_UNSUPPORTED says what cannot
 * be a picture. */
enum status show_picture_write(struct trace *trace, const struct api_call *call, uint64_t handle,
                               const unsigned char *bytes, uint64_t size, const char *path,
                               struct error *error);

#endif
