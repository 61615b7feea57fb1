#include "viewer-cli/reading.h"

#include "trace/base/limit.h"

#include <sys/resource.h>

static uint64_t allowed; /* bytes; 0 = nothing was opened */

/* A sanitizer's own memory is of terabytes. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { BOUNDS_MEMORY = 0 };
#else
enum { BOUNDS_MEMORY = 1 };
#endif

static void bound_memory(const char *path)
{
    struct rlimit limit;
    const uint64_t more = trace_memory_limit(path);
    if (!BOUNDS_MEMORY || more == UINT64_MAX || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    allowed += more;
    if (limit.rlim_max == RLIM_INFINITY || allowed < limit.rlim_max)
        limit.rlim_cur = allowed;
    setrlimit(RLIMIT_DATA, &limit);
}

enum status reading_open(const char *path, struct trace **trace, struct error *error)
{
    const enum status status = trace_open(path, trace, error);
    if (!status)
        bound_memory(path);
    return status;
}

void reading_explain(struct error *error)
{
    enum { MIB = 1 << 20 };
    if (error->status == STATUS_NO_MEMORY && allowed)
        error_prefix(error, "reading may take %llu MiB (%s=MIB allows for more)",
                     (unsigned long long)(allowed / MIB), limit_variable(LIMIT_TRACE_MEMORY));
}
