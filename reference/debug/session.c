/* The launch that runs under the debugger, and the requests of the front end while it stands. */
#include "reference/debug/look.h"
#include "reference/debug/past.h"
#include "reference/debug/private.h"
#include "reference/vm/plan.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"
#include "trace/debug/message.h"
#include "trace/debug/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* For tests: what is looked at, of a launch that stops oftener now and then. */
enum { LOOKS_MAX = 500 };

/* ---- talking ---- */

static void begin_answer(const struct cJSON *request, bool ok, struct text *answer)
{
    uint64_t id;
    text_append(answer, "{");
    if (json_object_number(request, "id", &id))
        json_number(answer, "id", id);
    json_key(answer, "ok");
    text_append(answer, ok ? "true" : "false");
}

static void send_answer(struct debug_session *session, struct text *answer)
{
    struct error error;
    text_append(answer, "}");
    if (answer->failed) {
        text_release(answer);
        text_append(answer, "{\"ok\":false,\"error\":\"out of memory\"}");
    }
    if (answer->size > DEBUG_MESSAGE_MAX) {
        text_clear(answer);
        text_append(answer, "{\"ok\":false,\"error\":\"the answer is too long\"}");
    }
    session->gone |=
        message_send(session->socket, answer->bytes, answer->size, &error) != STATUS_OK;
    text_release(answer);
}

static void refuse(struct debug_session *session, const struct cJSON *request,
                   const struct error *error)
{
    struct text answer = TEXT_INIT;
    begin_answer(request, false, &answer);
    json_string(&answer, "error", error->text);
    send_answer(session, &answer);
}

/* What goes on is answered when it stands again. */
static void answer_resumed(struct debug_session *session)
{
    struct text answer = TEXT_INIT;
    text_append(&answer, "{");
    if (session->resumed_has_id)
        json_number(&answer, "id", session->resumed_id);
    json_key(&answer, "ok");
    text_append(&answer, "true");
    debug_take_output(session);
    debug_put_stop(session, &answer);
    if (session->output.size)
        json_string(&answer, "output", session->output.bytes);
    text_clear(&session->output);
    send_answer(session, &answer);
}

/* ---- going on ---- */

static bool find_mode(const struct cJSON *request, enum debug_request name, enum debug_mode *mode)
{
    const char *granularity = json_object_text(request, "granularity");
    const bool instruction = granularity && strcmp(granularity, "instruction") == 0;
    switch (name) {
    case DEBUG_REQUEST_CONTINUE:
        *mode = DEBUG_MODE_CONTINUE;
        return true;
    case DEBUG_REQUEST_STEP:
        *mode = instruction ? DEBUG_MODE_INSTRUCTION : DEBUG_MODE_STEP;
        return true;
    case DEBUG_REQUEST_NEXT:
        *mode = instruction ? DEBUG_MODE_INSTRUCTION : DEBUG_MODE_NEXT;
        return true;
    case DEBUG_REQUEST_FINISH:
        *mode = DEBUG_MODE_FINISH;
        return true;
    case DEBUG_REQUEST_UNTIL:
        *mode = DEBUG_MODE_UNTIL;
        return true;
    case DEBUG_REQUEST_ADVANCE_GROUP:
        *mode = DEBUG_MODE_GROUP;
        return true;
    case DEBUG_REQUEST_END:
        *mode = DEBUG_MODE_LEAVE;
        return true;
    default:
        return false;
    }
}

/* The outermost function returns to nobody. */
static bool may_finish(struct debug_session *session, struct error *error)
{
    const struct debug_lane focus = debug_focus(session);
    if (focus.place && debug_place(session, focus.place)->caller != 0)
        return true;
    error_set(error, STATUS_INVALID, "no function calls the kernel itself");
    return false;
}

static bool resume(struct debug_session *session, const struct cJSON *request,
                   enum debug_request name, struct error *error)
{
    enum debug_mode mode;
    uint64_t line = 0;
    if (!find_mode(request, name, &mode))
        return false;
    if (session->over && mode != DEBUG_MODE_LEAVE)
        mode = DEBUG_MODE_CONTINUE;
    if (mode == DEBUG_MODE_FINISH && !may_finish(session, error))
        return false;
    if (mode == DEBUG_MODE_UNTIL && !json_object_number(request, "line", &line)) {
        error_set(error, STATUS_INVALID, "a line is wanted");
        return false;
    }
    session->move.steps = 1;
    json_object_number(request, "count", &session->move.steps);
    session->move.until_line = (uint32_t)line;
    session->resumed_has_id = json_object_number(request, "id", &session->resumed_id);
    debug_begin_move(session, mode);
    return true;
}

static bool end_process(const struct cJSON *request, enum debug_request name)
{
    return name == DEBUG_REQUEST_END && json_object_flag(request, "kill");
}

/* Requests whose effect is there in other moments too. */
static bool is_setting(enum debug_request name)
{
    switch (name) {
    case DEBUG_REQUEST_BREAK:
    case DEBUG_REQUEST_DELETE:
    case DEBUG_REQUEST_ENABLE:
    case DEBUG_REQUEST_DISABLE:
    case DEBUG_REQUEST_CATCH:
        return true;
    default:
        return false;
    }
}

static void answer_members(struct debug_session *session, const struct cJSON *request,
                           const struct text *members)
{
    struct text answer = TEXT_INIT;
    begin_answer(request, true, &answer);
    if (members->size)
        text_format(&answer, ",%s", members->bytes);
    answer.failed |= members->failed;
    send_answer(session, &answer);
}

static void focus_active(struct debug_session *session, const struct vm_vector *vector)
{
    if (session->vector == vector->index && (vector->active >> session->lane & 1))
        return;
    session->vector = vector->index;
    session->lane = (uint32_t)__builtin_ctzll(vector->active);
}

/* Is it wanted to stand at another moment, and is that done? *stands as serve returns it. */
static bool go(struct debug_session *session, const struct cJSON *request, bool *stands,
               struct error *error)
{
    struct debug_quest quest;
    if (!debug_read_quest(session, request, &quest, error))
        return false;
    switch (debug_go(session, &quest, error)) {
    case DEBUG_GOING_ON:
        *stands = false;
        return true;
    case DEBUG_GOING_STANDS: /* with a focus that may be another moment's */
        if (session->begun && !session->over && session->debugger.vm.vector->active)
            focus_active(session, session->debugger.vm.vector);
        answer_resumed(session);
        *stands = true;
        return true;
    default:
        return false;
    }
}

/* Serves one request. False: it goes on. */
static bool serve(struct debug_session *session, const struct cJSON *request, const char *bytes)
{
    bool stands = true;
    const char *text = json_object_text(request, "request");
    const enum debug_request name = text ? debug_request_find(text) : DEBUG_REQUEST_COUNT;
    struct error error = {0};
    struct text answer = TEXT_INIT;
    if (name == DEBUG_REQUEST_PAUSE)
        return true; /* it stands */
    if (name == DEBUG_REQUEST_END) {
        begin_answer(request, true, &answer);
        send_answer(session, &answer);
        if (end_process(request, name))
            debug_past_kill(session);
    }
    if (resume(session, request, name, &error))
        return false;
    struct text members = TEXT_INIT;
    if (name == DEBUG_REQUEST_SET && debug_past_is_again(session))
        error_set(&error, STATUS_UNSUPPORTED,
                  "values can be changed only at the furthest moment that was reached: continue to "
                  "it, without breakpoints, or goto %" PRIu64 ":%" PRIu64,
                  session->launch_number, debug_moment_position(session->past.errand.until));
    if (error.text[0] == '\0' && go(session, request, &stands, &error)) {
        /* it is answered where it stands */
    } else if (error.text[0] == '\0' && debug_answer(session, request, &members, &error)) {
        if (is_setting(name))
            debug_past_keep(session, bytes);
        if (name == DEBUG_REQUEST_SET)
            debug_past_keep_change(session, request);
        answer_members(session, request, &members);
    } else {
        refuse(session, request, &error);
    }
    text_release(&members);
    return stands;
}

static void forget_references(struct debug_session *session)
{
    session->reference_count = 0;
    arena_release(&session->held);
}

/* It stands: answers until it is told to go on. `first`: nobody waits for an answer. */
static void stand(struct debug_session *session)
{
    bool stands = !session->gone;
    session->frame = 0;
    session->pauses = false;
    if (session->asked)
        answer_resumed(session);
    while (stands && !session->gone) {
        struct text text = TEXT_INIT;
        struct error error;
        struct cJSON *request = NULL;
        session->gone = message_receive(session->socket, &text, &error) != STATUS_OK;
        if (!session->gone &&
            json_object_parse(text.bytes, text.size, &request, &error) == STATUS_OK)
            stands = serve(session, request, text.bytes);
        else if (!session->gone)
            refuse(session, NULL, &error);
        json_object_release(request);
        text_release(&text);
    }
    session->asked = !session->gone && session->move.mode != DEBUG_MODE_LEAVE;
    if (session->gone)
        session->move.mode = DEBUG_MODE_LEAVE;
    forget_references(session);
    session->stop = (struct debug_stop){.reason = NULL};
    if (session->launch && !session->over) {
        debug_set_stops(session);
        debug_past_set_alarm(session);
    }
}

/* There is a reason to stand. Did it? */
static bool halt(struct debug_session *session)
{
    if (debug_past_takes(session))
        return false;
    debug_past_say(session);
    stand(session);
    return true;
}

/* ---- the launch ---- */

static void begin(void *state, struct launch *launch)
{
    struct debug_session *session = state;
    session->launch = launch;
    session->holder = launch;
    session->code = launch->request->code;
    session->launch_count++;
    session->launch_number =
        launch->request->call_id ? launch->request->call_id : session->launch_count;
    session->begun = session->over = session->within = false;
    session->vector = session->lane = session->frame = 0;
    session->debugger.vm.vector = NULL;
    session->debugger.vm.last = NULL;
    session->debugger.vm.poll_at = VM_POLL_OPERATIONS; /* here it is done below */
    vm_debugger_set_stops(&session->debugger.vm, NULL);
    session->any_stops = false;
    session->debugger.vm.access = NULL;
    vm_debugger_set_alarm(&session->debugger.vm, UINT64_MAX);
    if (session->move.mode == DEBUG_MODE_LEAVE && session->launch_count > 1)
        return;
    if (!debug_find_starts(session)) {
        session->gone = true;
        return;
    }
    launch_set_group(launch, 0);
    for (size_t i = 0; i < session->breakpoint_count; i++)
        debug_resolve_breakpoint(session, &session->breakpoints[i]);
    const bool is_wanted = session->launch_count == 1 || session->catches_launch;
    debug_poll(session);
    if (session->socket < 0 || (!is_wanted && !session->pauses) || session->gone) {
        debug_set_stops(session);
        if (session->socket >= 0 && debug_may_stop(session))
            debug_past_begin(session);
        return;
    }
    if (debug_past_begin(session) && !debug_past_arrive(session, 0))
        return;
    session->stop.reason = is_wanted ? "launch" : "pause";
    if (session->stop.text[0] == '\0')
        snprintf(session->stop.text, sizeof session->stop.text, "kernel '%s' begins",
                 session->code->name);
    stand(session);
    debug_past_leave(session);
}

static void run_vector(void *state, struct launch *launch, uint32_t vector)
{
    struct debug_session *session = state;
    session->holder = launch;
    session->running = vector;
    debug_past_run_vector(session, vector);
}

/* Is there a reason to stand before the instruction? Then the stop has it, and the focus is there.
 */
static bool stops_at(struct debug_session *session, struct vm_vector *vector, uint32_t site)
{
    const uint32_t old_vector = session->vector;
    const uint32_t old_lane = session->lane;
    const bool asked = session->any_stops && session->stops[site];
    const bool hits = asked && debug_hits(session, vector, site);
    const bool caught = debug_caught(session, vector, site);
    if (debug_watched(session)) {
        session->stop.reason = "watch";
    } else if (caught) {
        /* it says so */
    } else if (hits) {
        session->stop.reason = "breakpoint";
    } else if (asked && debug_move_is_done(session, vector, site)) {
        /* it says so */
    } else if (asked && session->catches_barrier &&
               session->code->instructions[site].op == VM_OP_barrier) {
        session->stop.reason = "barrier";
        focus_active(session, vector);
    } else if (debug_pauses_at(session, site)) {
        session->stop.reason = "pause";
        focus_active(session, vector);
    } else {
        session->vector = old_vector;
        session->lane = old_lane;
        return false;
    }
    return true;
}

static void stop(void *state, struct vm_vector *vector, uint32_t site, uint64_t position)
{
    struct debug_session *session = state;
    const struct vm_debugger *debugger = &session->debugger.vm;
    session->begun = true;
    session->within = false;
    /* Nothing but a write that is looked for, maybe millions of times. */
    if (session->seek.on && debugger->in != debugger->alarm_in) {
        debug_watch_before(session, vector, site);
        return;
    }
    if (debugger->stops == session->stops && debugger->in != debugger->alarm_in &&
        session->stops[site] == DEBUG_STOP_BREAKPOINT && debug_passes(session, vector, site))
        return;
    session->stop = (struct debug_stop){.reason = NULL};
    debug_stop_as_usual(session);
    arena_reset(&session->scratch);
    if (session->socket < 0) {
        focus_active(session, vector);
        if (session->stop_count++ < LOOKS_MAX || session->stop_count % LOOKS_MAX == 0)
            debug_look_around(session);
        forget_references(session);
        return;
    }
    const bool arrives = debug_past_arrive(session, debug_moment_before(position));
    const uint32_t old_vector = session->vector;
    const uint32_t old_lane = session->lane;
    const bool stops = stops_at(session, vector, site);
    if (arrives && !stops)
        focus_active(session, vector);
    if (arrives)
        debug_go_again(session);
    const bool stood = stops ? halt(session) : arrives;
    if (!stops && arrives)
        stand(session);
    if (!stood) { /* what it passed is not the focus */
        session->vector = old_vector;
        session->lane = old_lane;
    }
    debug_watch_before(session, vector, site);
    debug_catch_before(session, vector, site);
    debug_past_leave(session);
}

static void last(void *state, struct launch *launch)
{
    (void)launch;
    debug_past_last(state);
}

static void end(void *state, struct launch *launch)
{
    struct debug_session *session = state;
    (void)launch;
    session->over = true;
    session->within = false;
    if (session->socket >= 0)
        debug_take_output(session);
    session->vector = session->lane = 0;
    if (session->move.mode != DEBUG_MODE_LEAVE && !session->gone && session->socket >= 0 &&
        (session->catches_end || session->move.mode != DEBUG_MODE_CONTINUE)) {
        session->stop = (struct debug_stop){.reason = "end"};
        if (session->move.mode == DEBUG_MODE_GOTO)
            session->stop.reason = "goto"; /* it was to stand, and can do so no later */
        snprintf(session->stop.text, sizeof session->stop.text, "kernel '%s' has ended",
                 session->code->name);
        launch_give_arguments(session->launch);
        stand(session);
    }
    debug_past_end(session);
    vm_plans_destroy(session->debugger.vm.plans);
    session->debugger.vm.plans = NULL;
    session->launch = NULL;
    session->holder = NULL;
    session->code = NULL;
}

static void print(void *user, const char *bytes, size_t size)
{
    struct debug_session *session = user;
    if (!debug_past_is_again(session))
        text_append_n(&session->output, bytes, size);
}

void debug_session_enter(struct debug_session *session, struct sched_launch *launch)
{
    launch->debugger = &session->debugger;
    if (session->gone || session->socket < 0)
        return;
    launch->print = print;
    launch->user = session;
}

/* ---- findings ---- */

/* On a work-item that it is told of, as far as that is known. */
static void focus_blamed(struct debug_session *session, const struct vm_vector *vector)
{
    const uint64_t blamed = session->debugger.vm.blamed & vector->active;
    focus_active(session, vector);
    if (blamed && !(blamed >> session->lane & 1))
        session->lane = (uint32_t)__builtin_ctzll(blamed);
}

static bool wants_findings(const struct debug_session *session)
{
    return !session->gone && session->move.mode != DEBUG_MODE_LEAVE && session->launch &&
           session->socket >= 0;
}

static struct debug_found *note(struct debug_session *session, const struct debug_finding *finding)
{
    struct debug_found *list =
        alloc_grow(session->found, session->found_count, &session->found_capacity, sizeof *list);
    struct text position = TEXT_INIT;
    if (!list)
        return NULL;
    session->found = list;
    struct debug_found *made = &list[session->found_count++];
    debug_append_position(session, &position);
    *made = (struct debug_found){.rule = alloc_string(finding->rule),
                                 .severity = alloc_string(finding->severity),
                                 .text = alloc_string(finding->text),
                                 .position = text_detach(&position)};
    if (session->debugger.vm.vector && !session->over)
        made->place = debug_site_place(
            session, (uint32_t)(session->debugger.vm.in - session->code->instructions));
    return made->rule && made->severity && made->text ? made : NULL;
}

static void notice(struct debug_session *session, const struct debug_finding *finding)
{
    const struct vm_vector *vector = session->debugger.vm.vector;
    if (!wants_findings(session))
        return;
    session->begun |= vector != NULL;
    struct debug_found *made = note(session, finding);
    if (!made)
        return;
    made->is_open = true;
    if (!session->catches_finding || !vector || session->over ||
        (session->caught_rule && strcmp(session->caught_rule, finding->rule) != 0))
        return;
    session->stop =
        (struct debug_stop){.reason = "finding", .finding = (uint32_t)session->found_count};
    snprintf(session->stop.text, sizeof session->stop.text, "[%s] %s", finding->rule,
             finding->text);
    if (vector->active)
        focus_blamed(session, vector);
    halt(session);
}

void debug_session_notice(struct debug_session *session, const struct debug_finding *finding)
{
    const uint32_t old_vector = session->vector;
    const uint32_t old_lane = session->lane;
    session->within = session->debugger.vm.vector != NULL && !session->over;
    vm_debugger_settle(&session->debugger.vm);
    if (session->within)
        debug_past_arrive(session, debug_moment(session));
    notice(session, finding);
    if (session->past.silent) {
        session->vector = old_vector;
        session->lane = old_lane;
    }
    if (session->within)
        debug_past_leave(session);
}

void debug_session_find(struct debug_session *session, const struct debug_finding *finding)
{
    struct debug_found *found = NULL;
    if (!wants_findings(session))
        return;
    for (size_t i = 0; i < session->found_count && !found; i++) {
        if (session->found[i].is_open && session->found[i].rule &&
            strcmp(session->found[i].rule, finding->rule) == 0)
            found = &session->found[i];
    }
    char *text = found ? alloc_string(finding->text) : NULL;
    if (!found) {
        note(session, finding);
        return;
    }
    found->is_open = false;
    if (text) {
        alloc_free(found->text);
        found->text = text;
    }
}

/* ---- life ---- */

enum status debug_session_create(int socket, bool looks, struct debug_session **session,
                                 struct error *error)
{
    struct debug_session *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->socket = socket;
    made->output = (struct text)TEXT_INIT;
    made->past.settings = (struct text)TEXT_INIT;
    made->past.next = UINT64_MAX;
    made->past.channel = -1;
    made->past.answer = debug_answer;
    made->past.set_stops = debug_set_stops;
    made->debugger = (struct sched_debugger){
        .vm = {.state = made, .stop = stop, .passes = debug_passes, .poll = debug_poll},
        .begin = begin,
        .run_vector = run_vector,
        .last = last,
        .end = end};
    made->move.mode = socket < 0 && looks ? DEBUG_MODE_STEP : DEBUG_MODE_CONTINUE;
    *session = made;
    return STATUS_OK;
}

void debug_session_destroy(struct debug_session *session)
{
    if (!session)
        return;
    debug_checkpoints_destroy(session->past.checkpoints);
    if (session->asked && !session->gone) {
        session->stop = (struct debug_stop){.reason = "exit", .text = "the process ends"};
        answer_resumed(session);
    }
    if (session->socket >= 0)
        close(session->socket);
    for (size_t i = 0; i < session->breakpoint_count; i++)
        debug_breakpoint_release(&session->breakpoints[i]);
    for (size_t i = 0; i < session->found_count; i++) {
        alloc_free(session->found[i].rule);
        alloc_free(session->found[i].severity);
        alloc_free(session->found[i].text);
        alloc_free(session->found[i].position);
    }
    debug_watch_delete(session, 0, true);
    alloc_free(session->watches);
    alloc_free(session->changes);
    alloc_free(session->kept_access);
    debug_catches_release(session);
    alloc_free(session->breakpoints);
    alloc_free(session->found);
    alloc_free(session->references);
    alloc_free(session->caught_rule);
    alloc_free(session->starts);
    alloc_free(session->stops);
    alloc_free(session->everywhere);
    vm_plans_destroy(session->debugger.vm.plans);
    text_release(&session->output);
    text_release(&session->past.settings);
    arena_release(&session->scratch);
    arena_release(&session->held);
    alloc_free(session);
}
