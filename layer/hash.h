/* uthash with clerk's allocator, for the layer: a failed allocation adds nothing and leaves the
 * table as it was. A function that adds has a `bool added = true;` before the HASH_ADD and looks at
 * it afterwards. */
#ifndef LAYER_HASH_H
#define LAYER_HASH_H

#include "trace/base/alloc.h"

#define HASH_NONFATAL_OOM         1
#define uthash_malloc(size)       alloc(size)
#define uthash_free(block, size)  alloc_free(block)
#define uthash_nonfatal_oom(item) (added = false)

#include <uthash.h>

#endif
