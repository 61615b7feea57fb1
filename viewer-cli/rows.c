#include "viewer-cli/rows.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/store.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>

struct rows {
    sqlite3 *database;
    sqlite3_stmt *statement;
};

static enum status failure(sqlite3 *database, struct error *error)
{
    return store_failure(database, path_base(sqlite3_db_filename(database, "main")), error);
}

enum status rows_open(struct trace *trace, const char *sql, struct rows **rows, struct error *error)
{
    struct rows *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->database = trace_database(trace);
    if (sqlite3_prepare_v2(made->database, sql, -1, &made->statement, NULL) != SQLITE_OK) {
        rows_close(made);
        return failure(trace_database(trace), error);
    }
    *rows = made;
    return STATUS_OK;
}

enum status rows_open_format(struct trace *trace, struct rows **rows, struct error *error,
                             const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *sql = sqlite3_vmprintf(format, list);
    va_end(list);
    const enum status status =
        sql ? rows_open(trace, sql, rows, error) : error_no_memory(error, strlen(format));
    sqlite3_free(sql);
    return status;
}

bool rows_next(struct rows *rows, enum status *status, struct error *error)
{
    if (*status)
        return false;
    const int code = sqlite3_step(rows->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        *status = failure(rows->database, error);
    return code == SQLITE_ROW;
}

const char *rows_text(struct rows *rows, int column)
{
    const unsigned char *text = sqlite3_column_text(rows->statement, column);
    return text ? (const char *)text : "";
}

const void *rows_blob(struct rows *rows, int column, size_t *size)
{
    const void *bytes = sqlite3_column_blob(rows->statement, column);
    *size = (size_t)sqlite3_column_bytes(rows->statement, column);
    return bytes;
}

bool rows_is_null(struct rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

bool rows_is_number(struct rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_INTEGER;
}

int64_t rows_number(struct rows *rows, int column)
{
    return sqlite3_column_int64(rows->statement, column);
}

uint64_t rows_time(struct rows *rows, int column)
{
    const int64_t time = rows_number(rows, column);
    return time < 0 ? 0 : (uint64_t)time;
}

void rows_close(struct rows *rows)
{
    if (!rows)
        return;
    sqlite3_finalize(rows->statement);
    alloc_free(rows);
}

void rows_bind_number(struct rows *rows, int parameter, int64_t number)
{
    sqlite3_bind_int64(rows->statement, parameter, number);
}

void rows_bind_text(struct rows *rows, int parameter, const char *text)
{
    if (text)
        sqlite3_bind_text(rows->statement, parameter, text, -1, SQLITE_TRANSIENT);
}

void rows_reset(struct rows *rows)
{
    sqlite3_reset(rows->statement);
    sqlite3_clear_bindings(rows->statement);
}

enum status rows_run(struct rows *rows, struct error *error)
{
    const int code = sqlite3_step(rows->statement);
    rows_reset(rows);
    return code == SQLITE_DONE ? STATUS_OK : failure(rows->database, error);
}

enum status rows_execute(struct trace *trace, const char *sql, struct error *error)
{
    sqlite3 *database = trace_database(trace);
    return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK
                                                                      : failure(database, error);
}

char *rows_query(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *sql = sqlite3_vmprintf(format, list);
    va_end(list);
    return sql;
}

void rows_query_free(char *sql)
{
    sqlite3_free(sql);
}
