#include "viewer-cli/debug/session.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/message.h"
#include "viewer-cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct debug_session {
    struct debug_front front;
    pid_t process; /* 0: none, or its end is known */
    int socket;
    int outputs[2]; /* ours of its standard output and error output; -1: closed */
    int result;     /* as debug_session_finish has it */
    bool knows_offered;
    bool offered[DEBUG_REQUEST_COUNT];
};

/* ---- starting ---- */

enum status debug_session_adopt(pid_t process, int socket, const int outputs[2],
                                const struct debug_front *front, struct debug_session **session,
                                struct error *error)
{
    struct debug_session *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    *made = (struct debug_session){
        .front = *front, .process = process, .socket = socket, .outputs = {outputs[0], outputs[1]}};
    *session = made;
    return STATUS_OK;
}

/* Both ends of what leads from the child to us: ours, and the child's. */
struct ends {
    int sockets[2];
    int outputs[2][2];
};

static void close_end(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void close_ends(struct ends *ends, int end)
{
    int *const all[] = {&ends->sockets[end], &ends->outputs[0][end], &ends->outputs[1][end]};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        close_end(all[i]);
}

static bool make_pipes(struct ends *ends)
{
    for (size_t i = 0; i < 2; ++i)
        if (pipe2(ends->outputs[i], O_CLOEXEC) != 0 ||
            fcntl(ends->outputs[i][0], F_SETFL, O_NONBLOCK) != 0)
            return false;
    return true;
}

static enum status make_ends(struct ends *ends, bool with_outputs, struct error *error)
{
    *ends = (struct ends){{-1, -1}, {{-1, -1}, {-1, -1}}};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->sockets) == 0 &&
        (!with_outputs || make_pipes(ends)))
        return STATUS_OK;
    const enum status status = error_set_errno(error, "cannot make a socket for the debugger");
    close_ends(ends, 0);
    close_ends(ends, 1);
    return status;
}

static bool choose_input(const struct debug_start *start)
{
    if (start->keeps_streams && !start->reads_commands && !isatty(STDIN_FILENO))
        return true;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0;
}

/* In the child. What a terminal sends to its foreground does not reach it: the front end tells it
 * to pause. */
static void become_debugged(const struct debug_start *start, struct ends *ends, pid_t parent)
{
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(VERB_FAILED);
    close_ends(ends, 0);
    if (!choose_input(start) ||
        (!start->keeps_streams && (dup2(ends->outputs[0][1], STDOUT_FILENO) < 0 ||
                                   dup2(ends->outputs[1][1], STDERR_FILENO) < 0)))
        _exit(VERB_FAILED);
    close_end(&ends->outputs[0][1]);
    close_end(&ends->outputs[1][1]);
    signal(SIGINT, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    exit(start->run(start->word_count, start->words, ends->sockets[1]));
}

enum status debug_session_start(const struct debug_start *start, const struct debug_front *front,
                                struct debug_session **session, struct error *error)
{
    struct ends ends;
    enum status status = make_ends(&ends, !start->keeps_streams, error);
    if (status)
        return status;
    const pid_t parent = getpid();
    fflush(NULL); /* or the child would write it once more */
    const pid_t process = fork();
    if (process == 0)
        become_debugged(start, &ends, parent);
    close_ends(&ends, 1);
    if (process < 0) {
        status = error_set_errno(error, "cannot start the process to be debugged");
    } else {
        const int outputs[] = {ends.outputs[0][0], ends.outputs[1][0]};
        status = debug_session_adopt(process, ends.sockets[0], outputs, front, session, error);
    }
    if (status)
        close_ends(&ends, 0);
    if (status && process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
    }
    return status;
}

/* ---- its outputs ---- */

/* Everything that waits in one of them. */
static void forward_output(struct debug_session *session, int which)
{
    char bytes[4096];
    while (session->outputs[which] >= 0) {
        const ssize_t count = read(session->outputs[which], bytes, sizeof bytes);
        if (count > 0) {
            session->front.take_output(session->front.user, which == 1, bytes, (size_t)count);
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            close(session->outputs[which]);
            session->outputs[which] = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

void debug_session_forward(struct debug_session *session)
{
    forward_output(session, 0);
    forward_output(session, 1);
}

void debug_session_polled(const struct debug_session *session,
                          struct pollfd polled[DEBUG_SESSION_POLLED])
{
    polled[0] = (struct pollfd){.fd = session->socket, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = session->outputs[0], .events = POLLIN};
    polled[2] = (struct pollfd){.fd = session->outputs[1], .events = POLLIN};
}

/* Until there is something; a signal may end that earlier. Is the process to be paused? */
static bool wait_for_news(struct debug_session *session, struct pollfd *polled, size_t count)
{
    const struct debug_front *front = &session->front;
    const int ready = ppoll(polled, count, NULL, front->waiting);
    const bool interrupted =
        ready < 0 && errno == EINTR && front->is_interrupted && front->is_interrupted(front->user);
    if (ready < 0)
        for (size_t i = 0; i < count; ++i)
            polled[i].revents = 0;
    return interrupted;
}

int debug_session_finish(struct debug_session *session)
{
    while (session->outputs[0] >= 0 || session->outputs[1] >= 0) {
        struct pollfd polled[DEBUG_SESSION_POLLED];
        debug_session_polled(session, polled);
        /* Nobody can pause it any more. */
        if (wait_for_news(session, polled + 1, DEBUG_SESSION_POLLED - 1) && session->process > 0)
            kill(session->process, SIGKILL);
        debug_session_forward(session);
    }
    int status = 0;
    while (session->process > 0) {
        if (waitpid(session->process, &status, 0) == session->process) {
            session->process = 0;
            session->result = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        } else if (errno != EINTR) {
            session->process = 0;
        }
    }
    return session->result;
}

void debug_session_destroy(struct debug_session *session)
{
    if (!session)
        return;
    if (session->process > 0) {
        /* With the compilers that it may have started. */
        kill(-session->process, SIGKILL);
        kill(session->process, SIGKILL);
        waitpid(session->process, NULL, 0);
    }
    for (size_t i = 0; i < 2; ++i)
        if (session->outputs[i] >= 0)
            close(session->outputs[i]);
    close(session->socket);
    alloc_free(session);
}

/* ---- requests and answers ---- */

enum status debug_session_send(struct debug_session *session, const struct text *request,
                               struct error *error)
{
    return request->failed ? error_no_memory(error, request->size)
                           : message_send(session->socket, request->bytes, request->size, error);
}

void debug_session_learn(struct debug_session *session, const struct cJSON *hello)
{
    const struct cJSON *at = json_array_first(json_object_item(hello, "requests"));
    session->knows_offered = at != NULL;
    for (; at; at = json_array_next(at)) {
        const char *const name = json_item_text(at);
        const enum debug_request found = name ? debug_request_find(name) : DEBUG_REQUEST_COUNT;
        if (found != DEBUG_REQUEST_COUNT)
            session->offered[found] = true;
    }
}

bool debug_session_offers(const struct debug_session *session, enum debug_request request)
{
    return !session->knows_offered || session->offered[request];
}

bool debug_answer_is_exit(const struct cJSON *answer)
{
    const char *reason = json_object_text(json_object_item(answer, "stop"), "reason");
    return reason && strcmp(reason, "exit") == 0;
}

void debug_session_pause(struct debug_session *session)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_PAUSE);
    debug_request_end(&request);
    /* Where it has gone, the answer that is waited for will tell. */
    (void)debug_session_send(session, &request, NULL);
    text_release(&request);
}

/* Whoever asks twice for one answer does not want to wait for a pause any more. */
static void interrupt(struct debug_session *session, unsigned times)
{
    if (times == 1)
        debug_session_pause(session);
    else if (session->process > 0)
        kill(session->process, SIGKILL);
}

/* The answer's text to the answer. */
static enum status take_answer(const struct text *message, struct cJSON **answer,
                               struct error *error)
{
    struct cJSON *object = NULL;
    const enum status status = json_object_parse(message->bytes, message->size, &object, error);
    if (status)
        return status;
    if (json_object_flag(object, "ok")) {
        *answer = object;
        return STATUS_OK;
    }
    const char *sentence = json_object_text(object, "error");
    error_set(error, STATUS_INVALID, "%s", sentence ? sentence : "it could not be done");
    json_object_release(object);
    return STATUS_INVALID;
}

enum status debug_session_receive(struct debug_session *session, struct cJSON **answer,
                                  struct error *error)
{
    struct pollfd polled[DEBUG_SESSION_POLLED];
    unsigned interrupts = 0;
    do {
        debug_session_polled(session, polled);
        if (wait_for_news(session, polled, DEBUG_SESSION_POLLED))
            interrupt(session, ++interrupts);
        /* What was written before the answer was is told before it. */
        debug_session_forward(session);
    } while (!polled[0].revents);
    struct text message = TEXT_INIT;
    enum status status = message_receive(session->socket, &message, error);
    if (!status)
        status = take_answer(&message, answer, error);
    text_release(&message);
    return status;
}

enum status debug_session_ask(struct debug_session *session, const struct text *request,
                              struct cJSON **answer, struct error *error)
{
    const enum status status = debug_session_send(session, request, error);
    /* Where nobody reads any more, the end of the process is what there is to tell. */
    return status && status != STATUS_IO ? status : debug_session_receive(session, answer, error);
}

void debug_request_begin(struct text *text, enum debug_request request)
{
    text_clear(text);
    text_append_char(text, '{');
    json_string(text, "request", debug_request_name(request));
}

void debug_request_end(struct text *text)
{
    text_append_char(text, '}');
}
