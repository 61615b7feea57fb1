#include "viewer-cli/debug/dap.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "viewer-cli/debug/terminal.h"

enum { FRAMES_OF_A_THREAD = 1024 };

uint64_t dap_frame_id(uint64_t thread, uint64_t frame)
{
    return thread * FRAMES_OF_A_THREAD + frame + 1;
}

void dap_split_frame_id(uint64_t id, uint64_t *thread, uint64_t *frame)
{
    *thread = id ? (id - 1) / FRAMES_OF_A_THREAD : 0;
    *frame = id ? (id - 1) % FRAMES_OF_A_THREAD : 0;
}

enum status dap_try(struct dap *dap, struct text *asked, struct cJSON **answer, struct error *error)
{
    debug_request_end(asked);
    if (dap->phase != DAP_STOPPED)
        return error_set(error, STATUS_INVALID, "there is no process that is stopped");
    /* What the process writes becomes messages of their own meanwhile. */
    const struct text response = dap->out;
    dap->out = (struct text)TEXT_INIT;
    const enum status status = debug_session_ask(dap->session, asked, answer, error);
    text_release(&dap->out);
    dap->out = response;
    return status;
}

struct cJSON *dap_ask(struct dap *dap, const struct cJSON *request, struct text *asked)
{
    struct cJSON *answer = NULL;
    struct error error;
    const enum status status = dap_try(dap, asked, &answer, &error);
    if (status && request)
        dap_refuse(dap, request, "%s", error.text);
    return status ? NULL : answer;
}

void dap_resume(struct dap *dap, const struct cJSON *request, struct text *asked, bool continues)
{
    debug_request_end(asked);
    /* Where it has gone, that is the answer. */
    (void)debug_session_send(dap->session, asked, NULL);
    dap_task_begin(dap, request);
    dap->phase = DAP_RUNNING;
    dap->continues = continues;
    dap_forget_stop(dap);
}

void dap_forget_stop(struct dap *dap)
{
    dap->references = NULL;
    arena_reset(&dap->stop_arena);
    text_clear(&dap->rule);
    text_clear(&dap->report);
}

static bool ask_focus(struct dap *dap, const struct cJSON *request, const char *key,
                      uint64_t number)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_FOCUS);
    json_number(&asked, key, number);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    json_object_release(answer);
    return answer != NULL;
}

bool dap_focus(struct dap *dap, const struct cJSON *request, uint64_t thread, uint64_t frame)
{
    if (thread && thread != dap->thread) {
        if (!ask_focus(dap, request, "thread", thread))
            return false;
        dap->thread = thread;
        dap->frame = 0;
    }
    if (frame != dap->frame) {
        if (!ask_focus(dap, request, "frame", frame))
            return false;
        dap->frame = frame;
    }
    return true;
}

static void close_console(struct dap *dap)
{
    if (!dap->console)
        return;
    dap->console->session = NULL; /* which is ours */
    terminal_end(dap->console);
    alloc_free(dap->console);
    dap->console = NULL;
}

void dap_drop_process(struct dap *dap)
{
    close_console(dap);
    debug_session_destroy(dap->session);
    dap->session = NULL;
    dap_task_end(dap);
    if (dap->asking)
        dap_answer_asked(dap, NULL, "the process has ended");
    dap->phase = DAP_NO_PROCESS;
    dap->breakpoints = NULL;
    dap->references = NULL;
    arena_reset(&dap->stop_arena);
}
