/* The other end of a debugger's socket, for tests of front ends: a thread that answers requests
 * with answers written beforehand, and keeps what was asked. */
#ifndef TESTS_UNIT_VIEWER_CLI_SCRIPTED_ENGINE_H
#define TESTS_UNIT_VIEWER_CLI_SCRIPTED_ENGINE_H

#include "viewer-cli/debug/session.h"

/* The answer to the next request of that name that is not answered yet; the last one of a name
 * answers all later ones. NULL: the engine closes the socket instead. "": it waits for a pause, and
 * refuses then. */
struct scripted_answer {
    const char *request;
    const char *answer;
};

struct scripted_engine;
/* `answers` ends with a request of NULL, and stays until the end. What is not in it is refused. */
struct scripted_engine *scripted_engine_start(const struct scripted_answer *answers);
/* A session with it; once. */
struct debug_session *scripted_engine_session(struct scripted_engine *engine,
                                              const struct debug_front *front);
/* Waits for its end, which is that of the session, and gives what it was asked, a line each. The
 * caller releases the text. */
struct text scripted_engine_end(struct scripted_engine *engine);

#endif
