/* From spool records to the trace's tables. What a trace holds is a function of the records alone,
 * in the order of each stream: the background thread of a live process and recovery after a crash
 * come to the same database. One thread at a time. */
#ifndef TRACE_INGEST_H
#define TRACE_INGEST_H

#include "trace/base/status.h"
#include "trace/segment.h"
#include "trace/store.h"

#include <stdint.h>

struct ingest;

/* `store` is borrowed. */
enum status ingest_create(struct store *store, struct ingest **ingest, struct error *error);
void ingest_destroy(struct ingest *ingest);

/* Takes the next record of a stream. A call's begin is held back until its end follows or
 * ingest_flush, so that most calls cost one insertion. */
enum status ingest_record(struct ingest *ingest, const struct segment_record *record,
                          struct error *error);
/* Stores the calls that are under way. Before each commit. */
enum status ingest_flush(struct ingest *ingest, struct error *error);
/* The call after which the recording begins, as the last such record says; 0 = there is none. */
uint64_t ingest_begins_after(const struct ingest *ingest);
/* Records that did not decode: they were skipped. */
uint64_t ingest_damaged_count(const struct ingest *ingest);

#endif
