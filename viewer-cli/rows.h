/* Queries of the viewer's own to the database of a trace, read row by row:
 *
 *     struct rows *rows = NULL;
 *     enum status status = rows_open(trace, "SELECT ...", &rows, error);
 *     while (rows_next(rows, &status, error))
 *         status = take(rows_number(rows, 0));
 *     rows_close(rows); */
#ifndef VIEWER_CLI_ROWS_H
#define VIEWER_CLI_ROWS_H

#include "trace/base/status.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rows;
enum status rows_open(struct trace *trace, const char *sql, struct rows **rows,
                      struct error *error);
/* Of a query with %Q and the like, as sqlite3_mprintf makes it. */
enum status rows_open_format(struct trace *trace, struct rows **rows, struct error *error,
                             const char *format, ...);
/* False after the last row, where reading fails, which sets *status, and where that is a failure
 * already: of rows_open, or of what was made of the row before. */
bool rows_next(struct rows *rows, enum status *status, struct error *error);
/* Never NULL; valid until the next row. */
const char *rows_text(struct rows *rows, int column);
/* NULL for no bytes; valid until the next row. */
const void *rows_blob(struct rows *rows, int column, size_t *size);
bool rows_is_null(struct rows *rows, int column);
bool rows_is_number(struct rows *rows, int column);
int64_t rows_number(struct rows *rows, int column);
/* A time since the trace's start: none is before it. */
uint64_t rows_time(struct rows *rows, int column);
void rows_close(struct rows *rows); /* NULL is fine */

/* Of a statement with parameters: gives them values, from 1 on; NULL is NULL, text is copied. */
void rows_bind_number(struct rows *rows, int parameter, int64_t number);
void rows_bind_text(struct rows *rows, int parameter, const char *text);
/* Forgets the values, and where the rows are: it can be used again. */
void rows_reset(struct rows *rows);
/* Of one without rows: runs and resets it. */
enum status rows_run(struct rows *rows, struct error *error);
/* Statements without parameters. */
enum status rows_execute(struct trace *trace, const char *sql, struct error *error);

/* The text of such a query; NULL when memory is out. */
char *rows_query(const char *format, ...);
void rows_query_free(char *sql);

#endif
