#include "trace/base/assert.h"

#include "trace/base/standard_error.h"

#include <stdio.h>
#include <stdlib.h>

void assert_failed(const char *condition, const char *file, int line)
{
    if (standard_error_is_there())
        fprintf(stderr, "clerk: internal error at %s:%d: %s does not hold; please report it\n",
                file, line, condition);
    abort();
}
