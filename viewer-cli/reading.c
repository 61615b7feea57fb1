#include "viewer-cli/reading.h"

#include "trace/base/limit.h"
#include "viewer-cli/rows.h"

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

size_t reading_stack(struct trace *trace, uint64_t call_id, struct arena *arena,
                     const char *const **frames)
{
    enum { FRAME_MAX = 64 };
    const char **list = arena_alloc(arena, FRAME_MAX, sizeof *list);
    struct rows *rows = NULL;
    size_t count = 0;
    enum status status = rows_open_format(
        trace, &rows, NULL, "SELECT frame FROM stack WHERE call = %lld ORDER BY depth",
        (long long)call_id);
    while (list && count < FRAME_MAX && rows_next(rows, &status, NULL) &&
           (list[count] = arena_string(arena, rows_text(rows, 0))) != NULL)
        ++count;
    rows_close(rows);
    *frames = list;
    return count;
}

bool reading_image(struct trace_names *names, uint64_t handle, cl_image_format *format,
                   struct image_shape *shape)
{
    struct rows *rows = NULL;
    struct arena arena = {0};
    struct api_call made;
    struct image_create create;
    enum status status = rows_open_format(names->trace, &rows, NULL,
                                          "SELECT created_call FROM object WHERE name = %Q",
                                          trace_handle_name(names, handle));
    bool is_image = rows_next(rows, &status, NULL);
    if (is_image)
        status = trace_call(names->trace, (uint64_t)rows_number(rows, 0), &arena, &made, NULL);
    is_image = is_image && !status && image_create_parse(&made, &create);
    if (is_image) {
        *format = *create.format;
        *shape = image_shape_of(format, &create.desc);
    }
    rows_close(rows);
    arena_release(&arena);
    return is_image;
}
