/* The derived tables: threads, objects, programs, kernels, launches, computed from the recorded
 * calls alone. */
#ifndef TRACE_DERIVE_H
#define TRACE_DERIVE_H

#include "trace/base/status.h"
#include "trace/store.h"

/* Empties and fills them, within the transaction that the caller has begun. */
enum status derive_tables(struct store *store, struct error *error);

#endif
