/* Who may have written bytes of memory before a launch of a recorded run, by the run's calls: what
 * commands of the host do to them is known, and which launches were given them. */
#ifndef VIEWER_CLI_DEBUG_WRITERS_H
#define VIEWER_CLI_DEBUG_WRITERS_H

#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Memory that a launch was given, as the debugger's `who` has it. */
struct given_bytes {
    uint64_t argument; /* index */
    int64_t offset;    /* from where the argument leads */
    uint64_t size;
};

enum writer_kind {
    WRITER_LAUNCH, /* it was given the bytes; whether it wrote them only running it tells */
    WRITER_MAYBE,  /* something that may have written them, and does not say */
    WRITER_COPY,   /* it copied some of them: what is behind it in the list wrote what it copied */
    WRITER_HOST,   /* it wrote some of them */
    WRITER_NOBODY, /* they were made then, without a value */
};

struct writer {
    enum writer_kind kind;
    uint64_t call;
    uint64_t mapped;          /* of memory that the host had mapped: the call from which on; or 0 */
    const char *from;         /* that call's name; what was copied; or NULL */
    const char *text;         /* who it is: "clEnqueueWriteBuffer, call 12 (app.c:88)" */
    struct given_bytes bytes; /* of LAUNCH: as it was given them */
};

/* The latest first, by the order of calls, up to the last, which is HOST or NOBODY. In the arena.
 * STATUS_NOT_FOUND: the trace does not know which memory it is. */
enum status writers_find(const char *path, uint64_t launch, const struct given_bytes *bytes,
                         struct arena *arena, struct writer **writers, size_t *count,
                         struct error *error);

#endif
