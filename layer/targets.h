/* Where calls go: the next layer, the loader or the driver. Set once, before the first call. */
#ifndef LAYER_TARGETS_H
#define LAYER_TARGETS_H

#include "trace/api/entry.h"

/* By entry; NULL where the target has no such entry point. */
extern api_function *layer_targets[API_ENTRY_COUNT];

/* The target of an entry point, to be called as what it is. */
#define LAYER_TARGET(name) ((__typeof__(&name))layer_targets[API_ENTRY_##name])

/* The wrapper of an entry point with a slot; NULL where this platform gives it no type. Every
 * wrapper is of the type of its entry point. */
extern api_function *const layer_wrappers[API_SLOT_COUNT + 1];

#endif
