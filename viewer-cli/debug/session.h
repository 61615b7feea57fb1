/* The debugged process as a front end has it: a child of ours that runs a kernel as `clerk kernel`
 * does, a recorded run as `clerk replay`, or a program as `clerk run`, with the debugger's engine
 * in its device. Requests and answers are those of trace/debug/requests.h.
 *
 * The child is killed when we end. One thread at a time per session. */
#ifndef VIEWER_CLI_DEBUG_SESSION_H
#define VIEWER_CLI_DEBUG_SESSION_H

#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/debug/json_object.h"
#include "trace/debug/requests.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What the front end is told, and asked, while it waits. */
struct debug_front {
    /* What the process writes on its standard output, or error output. */
    void (*take_output)(void *user, bool is_error, const char *bytes, size_t size);
    /* Asked when a signal came while it was waited: is the process to be paused, or, where that was
     * asked before or it only comes to its end, killed? NULL = never. */
    bool (*is_interrupted)(void *user);
    const sigset_t *waiting; /* signals that are blocked while it is waited; NULL = as ever */
    void *user;
};

/* What the child does. */
struct debug_start {
    /* With the words of a command line, behind the verb; its device is to have the debugger at the
     * socket, which becomes the callee's. Returns the exit status. */
    int (*run)(int word_count, char **words, int socket);
    char **words;
    int word_count;
    /* Its streams are ours: nothing of its output is told to the front end; its input is ours
     * unless that is a terminal, or `reads_commands`, which no two can read. */
    bool keeps_streams, reads_commands;
};

struct debug_session;

/* Starts the process. */
enum status debug_session_start(const struct debug_start *start, const struct debug_front *front,
                                struct debug_session **session, struct error *error);
/* The same with a process that is there: `process` is a child of ours, or 0, and `socket` and
 * `outputs` (or -1) become the session's. */
enum status debug_session_adopt(pid_t process, int socket, const int outputs[2],
                                const struct debug_front *front, struct debug_session **session,
                                struct error *error);
/* Kills the process if it is still running. NULL is fine. */
void debug_session_destroy(struct debug_session *session);

/* Writes a request, without waiting. */
enum status debug_session_send(struct debug_session *session, const struct text *request,
                               struct error *error);
/* Waits for the next answer, which json_object_release ends. STATUS_NOT_FOUND: the process has
 * ended, or can go no further. STATUS_INVALID: it could not be done, with the engine's sentence. */
enum status debug_session_receive(struct debug_session *session, struct cJSON **answer,
                                  struct error *error);
/* Both. */
enum status debug_session_ask(struct debug_session *session, const struct text *request,
                              struct cJSON **answer, struct error *error);
/* What the engine says of itself in its answer to `hello`: from then on it is known which requests
 * it offers. Before, all seem to be. */
void debug_session_learn(struct debug_session *session, const struct cJSON *hello);
bool debug_session_offers(const struct debug_session *session, enum debug_request request);
/* Is it the last one, with which the process ends? */
bool debug_answer_is_exit(const struct cJSON *answer);
/* Asks the process to stop: the answer to what it is at comes soon. */
void debug_session_pause(struct debug_session *session);

enum { DEBUG_SESSION_POLLED = 3 };
/* What to poll for, in a loop that also waits for others: the answer, and the outputs. */
void debug_session_polled(const struct debug_session *session,
                          struct pollfd polled[DEBUG_SESSION_POLLED]);
/* Passes on what the outputs have. */
void debug_session_forward(struct debug_session *session);

/* Waits until the process has ended, and passes on what it writes until then. Its exit status; or,
 * where a signal ended it, that with a minus. */
int debug_session_finish(struct debug_session *session);

/* A request's begin; its members follow (json_string ...), and then debug_request_end. */
void debug_request_begin(struct text *text, enum debug_request request);
void debug_request_end(struct text *text);

#endif
