/* uthash with clerk's allocator: a failed allocation adds nothing, leaves the table as it was, and
 * the element's handle without a table (`hh.tbl` is NULL). Who wants to be told otherwise defines
 * uthash_nonfatal_oom(element) before this. */
#ifndef TRACE_BASE_HASH_H
#define TRACE_BASE_HASH_H

#include "trace/base/alloc.h"

#define HASH_NONFATAL_OOM        1
#define uthash_malloc(size)      alloc(size)
#define uthash_free(block, size) alloc_free(block)

#include <uthash.h>

#endif
