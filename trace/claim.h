/* Names for traces: a recording takes one that is free, and a run makes one free. What stands there
 * is a trace in a regular file, or it stays. */
#ifndef TRACE_CLAIM_H
#define TRACE_CLAIM_H

#include "trace/base/status.h"

/* Creates an empty private file of a name that was free, `path` or "NAME.2.db" and so on, and its
 * spool directory. *claimed is absolute and freed with alloc_free. */
enum status claim_trace(const char *path, char **claimed, struct error *error);

/* Makes room for a new recording under this name: removes the trace of an earlier run, its spool,
 * and those that further processes of that run made ("NAME.2.db" ..., but none that somebody asked
 * for by that name). Where something stands there
 * that is not a trace in a regular file, or one of them is being recorded, nothing is removed, and
 * the error names it. */
enum status claim_remove(const char *path, struct error *error);

/* STATUS_INVALID if a trace stands there: what is no recording is not to be written over it. */
enum status claim_spare_trace(const char *path, struct error *error);

/* A name that one run alone records to: two that remove each other's traces, or show them as their
 * own, are told apart by it. It ends with its owner, whatever ends that. STATUS_INVALID when
 * another run has the name. */
struct reservation;
enum status claim_reserve(const char *path, struct reservation **reservation, struct error *error);
/* NULL is fine. */
void claim_drop(struct reservation *reservation);

/* The file of the n-th process of a run (1 = `path` itself), freed with alloc_free. NULL when
 * memory is out. */
char *claim_numbered_path(const char *path, unsigned number);

#endif
