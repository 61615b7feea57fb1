/* Standard error, for as long as it is that.
 *
 * clerk is a guest in the programs that it observes. One that closes all its descriptors may have a
 * database or a connection of its own under number 2 by now, and a sentence does not belong there.
 * What the number led to when clerk was loaded is standard error, and so is what programs put in
 * its place: a terminal, a pipe, a file that is only written to or appended to. A file that is read
 * as well, a socket, and whatever is closed on exec are something else. */
#ifndef TRACE_BASE_STANDARD_ERROR_H
#define TRACE_BASE_STANDARD_ERROR_H

#include <stdbool.h>

bool standard_error_is_there(void);

#endif
