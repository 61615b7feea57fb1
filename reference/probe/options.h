/* The build options of a checked copy. */
#ifndef REFERENCE_PROBE_OPTIONS_H
#define REFERENCE_PROBE_OPTIONS_H

#include "trace/base/arena.h"

/* The program's options, in their order, without those that its text has obeyed by now (-D, -I) and
 * without -Werror, since the text is not the program's own. NULL when memory is out. */
const char *options_of_copy(const char *options, struct arena *arena);

#endif
