#include "viewer-cli/tolerance.h"

#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum status tolerance_parse(const struct options *options, struct replay_tolerance *tolerance,
                            struct error *error)
{
    const char *relative = options_text(options, "relative");
    char *end = NULL;
    tolerance->allowed = relative || options_has(options, "ulp");
    tolerance->ulp = options_number(options, "ulp", 0);
    tolerance->relative = relative ? strtod(relative, &end) : 0;
    if (relative && (end == relative || *end || !(tolerance->relative >= 0)))
        return error_set(error, STATUS_INVALID, "--relative %s: a number like 1e-5 is wanted",
                         relative);
    return STATUS_OK;
}

void tolerance_print_apart(uint64_t ulp, double relative, struct text *text)
{
    if (ulp == UINT64_MAX) {
        text_append(text, "some are NaN on one side only");
        return;
    }
    text_append(text, "up to ");
    print_count(ulp, text);
    text_append(text, " ULP apart");
    if (isfinite(relative))
        text_format(text, ", %.2g of the value", relative);
}

void tolerance_print_apart_json(uint64_t ulp, double relative, struct text *text)
{
    if (ulp && ulp != UINT64_MAX)
        text_format(text, ",\"ulp\":%" PRIu64, ulp);
    if (relative > 0 && isfinite(relative))
        text_format(text, ",\"relative\":%.3g", relative);
}
