/* Why a kernel cannot be explored. */
#include "reference/explore/private.h"

#include <stdarg.h>
#include <stdio.h>

uint32_t explorer_line(const struct explorer *explorer, uint32_t site)
{
    struct observer_place place;
    vm_code_describe(explorer->request.code, site, &place);
    return place.frame_count > 0 ? place.frames[0].line : 0;
}

void explorer_fail(struct explorer *explorer, uint32_t site, const char *format, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const uint32_t line = site != UINT32_MAX ? explorer_line(explorer, site) : 0;
    if (explorer->failed)
        return;
    explorer->failed = true;
    explorer->status = STATUS_UNSUPPORTED;
    if (line > 0)
        error_set(&explorer->error, STATUS_UNSUPPORTED, "line %u: %s", line, words);
    else
        error_set(&explorer->error, STATUS_UNSUPPORTED, "%s", words);
}

void explorer_no_memory(struct explorer *explorer, size_t size)
{
    if (explorer->failed)
        return;
    explorer->failed = true;
    explorer->status = error_no_memory(&explorer->error, size);
}
