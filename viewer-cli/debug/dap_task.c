/* What the debugger is at for a client: its progress is told where it takes more than a second, and
 * the client may end it. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/clock.h"
#include "trace/base/json.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <string.h>

enum { MS = 1000 * 1000, SECOND_MS = 1000 };

static uint64_t number_of(const struct cJSON *request)
{
    uint64_t seq = 0;
    json_object_number(request, "seq", &seq);
    return seq;
}

static const char running[] = "Running";

static const char *title_of(const struct cJSON *request)
{
    static const struct {
        const char *command, *title;
    } titles[] = {
        {"launch", "Starting"},
        {"stepBack", "Going back"},
        {"reverseContinue", "Going back"},
        {"clerk/goto", "Going to a position"},
        {"clerk/focus", "Going to a work-item"},
        {"clerk/other", "Going to the other side"},
        {"clerk/who", "Looking for who wrote it"},
        {"evaluate", "Looking for who wrote it"},
    };
    const char *const command = json_object_text(request, "command");
    for (size_t i = 0; command && i < sizeof titles / sizeof *titles; ++i)
        if (strcmp(titles[i].command, command) == 0)
            return titles[i].title;
    return running;
}

void dap_task_begin(struct dap *dap, const struct cJSON *request)
{
    dap_task_end(dap);
    dap->task = (struct dap_task){.number = dap->task.number + 1,
                                  .seq = number_of(request),
                                  .title = title_of(request),
                                  .begun_ns = clock_monotonic_ns()};
    dap->task.is_told = dap->task.title != running || !dap->is_program;
}

/* "KEY":"clerk-3" */
static void put_id(struct dap *dap)
{
    json_key(&dap->out, "progressId");
    text_format(&dap->out, "\"clerk-%" PRIu64 "\"", dap->task.number);
}

void dap_task_end(struct dap *dap)
{
    if (dap->task.told) {
        dap_event(dap, "progressEnd");
        put_id(dap);
        dap_end(dap);
    }
    dap->task.title = NULL;
    dap->task.told = 0;
}

/* Milliseconds from its beginning to what is told next. */
static uint64_t next_ms(const struct dap *dap)
{
    return (dap->task.told + 1) * SECOND_MS;
}

static uint64_t age_ms(const struct dap *dap)
{
    return (clock_monotonic_ns() - dap->task.begun_ns) / MS;
}

int dap_task_patience(const struct dap *dap)
{
    if (!dap->tells_progress || !dap->task.title || !dap->task.is_told)
        return -1;
    const uint64_t age = age_ms(dap);
    return age < next_ms(dap) ? (int)(next_ms(dap) - age) : 0;
}

void dap_task_tell(struct dap *dap)
{
    if (dap_task_patience(dap) != 0)
        return;
    const bool is_first = !dap->task.told;
    dap->task.told = age_ms(dap) / SECOND_MS;
    dap_event(dap, is_first ? "progressStart" : "progressUpdate");
    put_id(dap);
    if (is_first) {
        json_string(&dap->out, "title", dap->task.title);
        if (dap->phase == DAP_ASKED)
            json_number(&dap->out, "requestId", dap->task.seq);
        dap_put_flag(&dap->out, "cancellable", dap->phase != DAP_STARTING);
    }
    json_key(&dap->out, "message");
    text_format(&dap->out, "\"%" PRIu64 " s\"", dap->task.told);
    dap_end(dap);
}

/* Does the client mean what is at work now? */
static bool is_meant(const struct dap *dap, const struct cJSON *arguments)
{
    const char *const id = json_object_text(arguments, "progressId");
    struct text mine = TEXT_INIT;
    uint64_t seq;
    text_format(&mine, "clerk-%" PRIu64, dap->task.number);
    const bool is = (id && strcmp(id, mine.bytes) == 0) ||
                    (json_object_number(arguments, "requestId", &seq) && seq == dap->task.seq);
    text_release(&mine);
    return is && dap->task.title;
}

void dap_task_stop(struct dap *dap)
{
    if (dap->phase != DAP_RUNNING && dap->phase != DAP_ASKED)
        return;
    dap->task.cancelled = true;
    dap->pauses = dap->phase == DAP_RUNNING;
    debug_session_pause(dap->session);
}

void dap_task_cancel(struct dap *dap, const struct cJSON *arguments)
{
    if (is_meant(dap, arguments))
        dap_task_stop(dap);
}

/* ---- answers that may take long ---- */

void dap_ask_later(struct dap *dap, const struct cJSON *request, struct text *asked,
                   dap_finish *finish)
{
    if (dap->phase != DAP_STOPPED) {
        dap_refuse(dap, request, "there is no process that is stopped");
        return;
    }
    debug_request_end(asked);
    /* Where it has gone, that is the answer. */
    (void)debug_session_send(dap->session, asked, NULL);
    dap_task_begin(dap, request);
    dap->asking = cJSON_Duplicate(request, true);
    dap->finish = finish;
    dap->phase = DAP_ASKED;
}

void dap_answer_asked(struct dap *dap, const struct cJSON *answer, const char *refusal)
{
    struct cJSON *const request = dap->asking;
    const bool cancelled = dap->task.cancelled;
    dap->asking = NULL;
    dap->phase = DAP_STOPPED;
    dap_task_end(dap);
    if (answer)
        dap->finish(dap, request, answer);
    else
        dap_refuse(dap, request, "%s", cancelled ? "cancelled" : refusal);
    json_object_release(request);
}
