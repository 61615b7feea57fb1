/* C to a shared object, by clang in a child process, of low priority if nobody waits for it. */
#ifndef REFERENCE_NATIVE_BUILD_H
#define REFERENCE_NATIVE_BUILD_H

#include "reference/native/op_text.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_build;

/* Finds the compiler, and what it made of this text before; else begins to compile. `cache` is a
 * directory as cache_is_private has it. `waits`: it is over when this returns; else a thread of
 * ours waits for the compiler. Looks at the environment. `text` is taken. */
enum status native_build_start(struct text *text, const struct native_set *set, const char *cache,
                               bool waits, struct native_build **build, struct error *error);
/* Any thread. */
bool native_build_ended(const struct native_build *build);
/* When it has ended: the shared object, which the caller frees with alloc_free, and which is kept
 * in the cache; or NULL, with why. */
uint8_t *native_build_take(struct native_build *build, size_t *size, struct error *error);
/* A compiler that runs runs on. NULL does nothing. */
void native_build_drop(struct native_build *build);

#endif
