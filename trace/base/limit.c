#include "trace/base/limit.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *variable;
    uint64_t initial;
} limits[LIMIT_COUNT] = {
#define LIMIT(symbol, variable, initial, help) {variable, initial},
#include "trace/base/limit.def"
};

uint64_t limit_get(enum limit limit)
{
    enum { DIGITS_MAX = 12 };
    const char *value = getenv(limits[limit].variable);
    const size_t digits = value ? strspn(value, "0123456789") : 0;
    uint64_t number = limits[limit].initial;
    if (digits > 0 && digits <= DIGITS_MAX && !value[digits])
        number = strtoull(value, NULL, 10);
    return number ? number : UINT64_MAX;
}

const char *limit_variable(enum limit limit)
{
    return limits[limit].variable;
}
