/* Who wrote bytes that no work-item of the launch at hand has written, in a recorded run: what the
 * trace knows of the host, and the launches before, each of which is run again, and asked, in a
 * process of its own. */
#ifndef VIEWER_CLI_DEBUG_ORIGIN_H
#define VIEWER_CLI_DEBUG_ORIGIN_H

#include "trace/base/text.h"
#include "viewer-cli/debug/session.h"

struct cJSON;

struct origin_search {
    const char *path;           /* the trace, which is not open */
    const char *personality;    /* of the device; NULL = the usual one */
    const struct cJSON *memory; /* of the answer to `who` (trace/debug/requests.def) */
    struct debug_front front;   /* how it is waited; its take_output is not called */
    void (*begin)(void *user, uint64_t launch); /* this launch is run now; NULL = untold */
    void *user;
};

/* Zero-initialise all but the text, and end with origin_release. */
struct origin {
    struct cJSON *answer; /* of that launch to `who`, with a writer; NULL = none has written it */
    uint64_t launch;
    struct text text; /* lines: what else is to be said, of what is behind the writer */
};

/* A failure to read the trace, or to start a process. That it was interrupted is in the text. */
enum status origin_find(const struct origin_search *search, struct origin *origin,
                        struct error *error);
void origin_release(struct origin *origin);

#endif
