#include "trace/debug/requests.h"

#include <string.h>

static const char *const names[] = {
#define REQUEST(symbol, name, members, answer) name,
#include "trace/debug/requests.def"
#undef REQUEST
};

const char *debug_request_name(enum debug_request request)
{
    return names[request];
}

enum debug_request debug_request_find(const char *name)
{
    for (size_t i = 0; i < DEBUG_REQUEST_COUNT; i++) {
        if (strcmp(names[i], name) == 0)
            return (enum debug_request)i;
    }
    return DEBUG_REQUEST_COUNT;
}
