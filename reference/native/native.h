/* Native code for lane code that runs often: when it is asked for, and where it comes from.
 *
 * It changes no result: what runs is the interpreter until native code is there, and whatever is
 * missing for that (clang, a cache of the user's own, a place to load it from) is no failure. */
#ifndef REFERENCE_NATIVE_NATIVE_H
#define REFERENCE_NATIVE_NATIVE_H

#include "reference/vm/code.h"
#include "trace/base/text.h"

#include <stdbool.h>

enum native_mode {
    NATIVE_AUTO, /* for code that has executed so much that it pays */
    NATIVE_OFF,
    NATIVE_ALWAYS, /* for all code, before it runs: for tests */
};

/* Of the process; any thread. */
void native_set_mode(enum native_mode mode);

/* For vm_code.native, with which it ends; NULL when memory is out. */
struct vm_native_source *native_source_create(const struct vm_code *code);

/* Is native code made on this machine? Tries it, and says in a sentence what is there, or missing.
 */
bool native_try(struct text *sentence);

#endif
