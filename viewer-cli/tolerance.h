/* How far apart values of two runs may be that devices round differently: the options that say so,
 * and the words for what is so far apart. */
#ifndef VIEWER_CLI_TOLERANCE_H
#define VIEWER_CLI_TOLERANCE_H

#include "replay/compare.h"
#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

/* Rows of a verb's options; `of` is whose value the difference is compared with. */
#define TOLERANCE_OPTIONS(of)                                                                      \
    {"ulp",                                                                                        \
     0,                                                                                            \
     OPTION_NUMBER,                                                                                \
     false,                                                                                        \
     "N",                                                                                          \
     "floating-point and normalized values up to N units in the last place apart count as equal"}, \
    {                                                                                              \
        "relative", 0, OPTION_TEXT, false, "R",                                                    \
            "so do those whose difference is at most R times " of ", as in 1e-5"                   \
    }

enum status tolerance_parse(const struct options *options, struct replay_tolerance *tolerance,
                            struct error *error);

/* "up to 3 ULP apart, 2.4e-07 of the value" */
void tolerance_print_apart(uint64_t ulp, double relative, struct text *text);
/* ,"ulp":3,"relative":2.4e-07: JSON has no infinity, so what is not comparable has no number. */
void tolerance_print_apart_json(uint64_t ulp, double relative, struct text *text);

#endif
