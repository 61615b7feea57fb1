/* The checked copy (checkers/probe/checked.h) of a program from IL. */
#ifndef REFERENCE_PROBE_MODULE_CHECKED_MODULE_H
#define REFERENCE_PROBE_MODULE_CHECKED_MODULE_H

#include "checkers/probe/checked.h"
#include "checkers/probe/request.h"
#include "trace/base/status.h"

#include <stdbool.h>

/* Is all of the program made from IL? */
bool checked_module_is_one(const struct request *request);

/* As checked_text_make: release on success; a program that cannot be checked has no parts, and a
 * reason. Linked programs become one part. */
enum status checked_module_make(const struct request *request, struct checked *checked,
                                struct error *error);

#endif
