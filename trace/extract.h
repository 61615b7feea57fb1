/* A new trace with a part of another: some of its calls, with all that belongs to them, under their
 * numbers. */
#ifndef TRACE_EXTRACT_H
#define TRACE_EXTRACT_H

#include "trace/needed.h"
#include "trace/reader.h"

struct extract;

/* Makes the file, which must not exist. `trace` is borrowed until the end. */
enum status extract_create(struct trace *trace, const char *path, struct extract **extract,
                           struct error *error);
/* A call in this form. In ascending order, which makes the file smallest. */
enum status extract_call(struct extract *extract, const struct needed_call *call,
                         struct error *error);
/* What a memory object holds where the new recording begins. */
enum status extract_memory(struct extract *extract, uint64_t begins_after, uint64_t object,
                           const void *bytes, uint64_t size, struct error *error);
/* The facts of the trace, and those of the part: it begins after that call (0: it has the start),
 * and is without the program's end unless `has_end`. Then the file is complete. */
enum status extract_finish(struct extract *extract, uint64_t begins_after, bool has_end,
                           struct error *error);
/* Removes a file that was not finished. NULL is fine. */
void extract_destroy(struct extract *extract);

#endif
