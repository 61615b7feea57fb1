/* Which memory of OpenCL was in use when, as temporary tables beside those of the trace, for
 * queries (rows.h). They are made of the calls: memory is in use from the end of the call that made
 * it to the beginning of the one that gave back the last reference, to it or to what was made of it
 * (sub-buffers, images of a buffer). What a driver takes beside that, or keeps longer, no call
 * tells; objects of other interfaces have no size.
 *
 * memory_use: a row for each such moment, in order.
 *
 *     number            from 1
 *     call, ns          the call, and the moment since the trace's start
 *     name              "buffer#1"; of shared virtual and unified memory "allocation#1"
 *     taken, given_back how many bytes; the other one is NULL
 *     in_use            after that, of all
 *
 * memory_held: a row for each memory, "buffer#1".
 *
 *     name, bytes
 *     first, last       in memory_use; last NULL: it was not given back */
#ifndef VIEWER_CLI_MEMORY_USE_H
#define VIEWER_CLI_MEMORY_USE_H

#include "trace/base/status.h"
#include "trace/reader.h"

enum status memory_use_make(struct trace *trace, struct error *error);

#endif
