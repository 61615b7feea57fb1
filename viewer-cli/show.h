/* What cmd_show.c's lists are made of. */
#ifndef VIEWER_CLI_SHOW_H
#define VIEWER_CLI_SHOW_H

#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of a query. */
struct show_rows;
enum status show_rows_open(struct trace *trace, const char *sql, struct show_rows **rows,
                           struct error *error);
/* *more is false behind the last. */
enum status show_rows_next(struct show_rows *rows, bool *more, struct error *error);
/* Never NULL; valid until the next row. */
const char *show_rows_text(struct show_rows *rows, int column);
/* NULL for no bytes; valid until the next row. */
const void *show_rows_blob(struct show_rows *rows, int column, size_t *size);
bool show_rows_is_null(struct show_rows *rows, int column);
int64_t show_rows_number(struct show_rows *rows, int column);
void show_rows_close(struct show_rows *rows);

/* A query with %Q and the like, as sqlite3_mprintf makes it; NULL when memory is out. */
char *show_sql(const char *format, ...);
void show_sql_free(char *sql);

/* Where lines are cut, of tables that people read: 0 = nowhere. */
size_t show_width(const struct options *options);

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

#endif
