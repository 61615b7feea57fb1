/* Which macros decide what a program is: the names in the conditional directives of its text
 * (OpenCL C 3.0, 6.10; C99, 6.10.1) that the text and its options do not define themselves. Of
 * these the driver's definitions are asked, since compilers differ in them. */
#ifndef CHECKERS_PROBE_MACROS_H
#define CHECKERS_PROBE_MACROS_H

#include "checkers/probe/request.h"

#include <stdbool.h>
#include <stddef.h>

struct macro_use {
    const char *name;
    bool has_value;  /* its value counts, not only whether it is defined */
    bool is_defined; /* by the text or options; it may still be the compiler's */
};

/* Each name once, in `arena`, of all parts and their headers; what extensions, and the versions of
 * OpenCL and OpenCL C, define is left out. False when memory is out. */
bool macros_of(const struct request *request, struct arena *arena, struct macro_use **uses,
               size_t *count);

/* May a part include files that the request does not have? */
bool macros_may_be_elsewhere(const struct request *request);
/* The same, and then the names that files which programs include often have: by these they find out
 * whose compiler it is. */
bool macros_to_ask(const struct request *request, struct arena *arena, struct macro_use **uses,
                   size_t *count);

/* A name of these that is a compiler's by its form, and that the lines of request.device.macros do
 * not settle; NULL = there is none. */
const char *macros_unsettled(const struct request *request, const struct macro_use *uses,
                             size_t count);

#endif
