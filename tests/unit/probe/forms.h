/* What tests of forms share: the facts of a program's text, forms as text, launches. */
#ifndef TESTS_UNIT_PROBE_FORMS_H
#define TESTS_UNIT_PROBE_FORMS_H

#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"

/* Of a program for one device of OpenCL 3.0. False when it cannot be compiled. The caller releases
 * them. */
bool forms_of_parts(const struct request_part *parts, size_t count, struct facts *facts);
/* Fails the test if the program cannot be compiled. */
void forms_of_source(const char *source, const char *options, struct facts *facts);

/* "c: 4*g0 + 4*g1*a3, 4 bytes, modulo 2^34\n" for each pointer argument and each variable that is
 * known; "c: apart\n" without forms, and "c: unknown\n" for an argument of which nothing is known.
 * ", one l0": of items with one local id in dimension 0. Ids are g, l, w (of the group) and p
 * (without the offset); factors an argument a, or s with its sign, and the sizes G, L and W
 * (groups). */
void forms_print(const struct fact_kernel *kernel, struct text *text);

/* Whether the argument or variable of this name is apart in the launch. */
bool forms_hold(const struct fact_kernel *kernel, const char *name,
                const struct apart_launch *launch);
/* Whether the variable is written before it is read. */
bool forms_fill(const struct fact_kernel *kernel, const char *name,
                const struct apart_launch *launch);

#endif
