/* The checked copy of the program that a request is about. */
#ifndef REFERENCE_PROBE_CHECKED_TEXT_H
#define REFERENCE_PROBE_CHECKED_TEXT_H

#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"
#include "trace/base/status.h"

/* Writes it, by child processes; of `facts` it uses what is there. A program of which there is none
 * is no failure: `checked->reason` says why. The caller releases `checked`. */
enum status checked_text_make(const struct request *request, const struct facts *facts,
                              struct checked *checked, struct error *error);

#endif
