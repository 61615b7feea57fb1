/* trace/base/hash.h for the layer: a function that adds has a `bool added = true;` before the
 * HASH_ADD and looks at it afterwards. */
#ifndef LAYER_HASH_H
#define LAYER_HASH_H

#define uthash_nonfatal_oom(item) (added = false)

#include "trace/base/hash.h"

#endif
