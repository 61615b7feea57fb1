/* The text of the checks (checkers/probe/checks.cl), as it stands before a program's. */
#ifndef REFERENCE_PROBE_CHECKS_H
#define REFERENCE_PROBE_CHECKS_H

#include "reference/probe/insert.h"
#include "trace/base/text.h"

/* `standard` is the value of -cl-std. */
void checks_append(const struct insertion_program *program, const char *standard,
                   struct text *text);

/* The bytes of checks.cl, with a NUL (made from it by reference/text.cmake). */
extern const char checks_text[];
/* And of module/woven.cl, which stands behind them for programs from IL. */
extern const char woven_text[];

#endif
