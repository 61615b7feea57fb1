/* The Python functions that a call is made from, where the process has CPython. Bindings give the
 * interpreter's lock back for the time of a call that waits; of versions 3.10 to 3.13, where it is
 * known how the interpreter keeps its frames, these are read from there. Of later ones, and of
 * builds without that lock, the interpreter is asked, by a thread that has it. Never takes it. */
#ifndef LAYER_PYTHON_STACK_H
#define LAYER_PYTHON_STACK_H

#include "trace/base/arena.h"

#include <stddef.h>

enum { PYTHON_FRAMES_MAX = 12 };

/* Two with the same members are the same place. */
struct python_frame {
    void *code;
    size_t digest; /* of what it is called */
    size_t line;
};

/* Those of the calling thread, innermost first; how many. */
size_t python_stack_walk(struct python_frame frames[PYTHON_FRAMES_MAX]);
/* While the thread is where it was then: "launch (/home/me/app.py:12)"; NULL when that cannot be
 * told. */
const char *python_stack_describe(const struct python_frame *frame, struct arena *arena);

#endif
