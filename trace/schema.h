/* The tables, views and indexes of a trace, of every version of its format. */
#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

#include "trace/base/status.h"
#include "trace/base/text.h"

struct sqlite3;

/* Appends the statements that make a trace of this version. */
void schema_print(int version, struct text *sql);
/* Those that make the indexes which it has when recording is over, where they are not there yet. */
void schema_print_indexes(int version, struct text *sql);

/* Is this all that the database has, word for word? STATUS_MALFORMED names what is there besides,
 * or is not there. Before it nothing else may be asked of a database that somebody else made. */
enum status schema_check(struct sqlite3 *database, int version, const char *path,
                         struct error *error);

#endif
