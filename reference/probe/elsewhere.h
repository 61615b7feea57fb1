/* Macros that files which a program includes ask for: what these are, the driver has to have been
 * asked, or the program is another one than that which the driver builds. */
#ifndef REFERENCE_PROBE_ELSEWHERE_H
#define REFERENCE_PROBE_ELSEWHERE_H

#include "checkers/probe/request.h"
#include "trace/base/status.h"

/* May it include files that the request does not have? */
bool elsewhere_may_be(const struct request_part *part);

/* `all` is the text of the part, its headers and all that it includes. */
enum status elsewhere_check(const struct request_device *device, const struct request_part *part,
                            const struct text *all, struct arena *arena, struct error *error);

#endif
