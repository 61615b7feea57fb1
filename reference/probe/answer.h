/* The facts of the program that a request is about. */
#ifndef REFERENCE_PROBE_ANSWER_H
#define REFERENCE_PROBE_ANSWER_H

#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"
#include "trace/base/status.h"

/* Compiles what is source and links what is linked, by child processes. The caller releases
 * `facts`. */
enum status answer_request(const struct request *request, struct facts *facts, struct error *error);

#endif
