#include "trace/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "clerk: internal error at %s:%d: %s does not hold; please report it\n", file,
            line, condition);
    abort();
}
