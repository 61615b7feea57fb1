/* What a process that runs the history again does; and where the original makes checkpoints. */
#include "reference/debug/past.h"

#include "reference/debug/private.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"
#include "trace/debug/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Between two checkpoints, at least: instructions. */
enum { STRIDE = 4 * 1000 * 1000 };
/* Nanoseconds of an instruction, where it is not known how long they take now. */
static const double PACE = 4;
/* What is looked for in the past is mostly near; a search leaves a checkpoint so far before now. */
enum { STAY = 300 * 1000 };
/* Ends a request among the settings; no JSON has it. */
static const char SETTING_END = '\x1e';

uint64_t debug_position(const struct debug_session *session)
{
    if (session->over && session->launch)
        return session->launch->run->operation_count;
    return session->begun && session->debugger.vm.vector
               ? vm_debugger_position(&session->debugger.vm)
               : 0;
}

uint64_t debug_moment(const struct debug_session *session)
{
    if (!session->launch || (!session->begun && !session->over))
        return 0;
    return debug_moment_before(debug_position(session)) + session->within;
}

bool debug_past_is_silent(const struct debug_session *session)
{
    return session->past.silent;
}

bool debug_past_is_again(const struct debug_session *session)
{
    return session->past.role != DEBUG_ORIGINAL;
}

void debug_take_output(struct debug_session *session)
{
    struct launch *launch = session->launch;
    if (!launch || launch->printed.size == 0)
        return;
    if (!debug_past_is_again(session))
        text_append_n(&session->output, launch->printed.bytes, launch->printed.size);
    text_clear(&launch->printed);
}

/* ---- settings ---- */

void debug_past_keep(struct debug_session *session, const char *request)
{
    text_append(&session->past.settings, request);
    text_append_char(&session->past.settings, SETTING_END);
}

void debug_past_apply(struct debug_session *session, size_t from)
{
    const struct text *settings = &session->past.settings;
    session->past.applies = true;
    while (from < settings->size) {
        const char *begin = settings->bytes + from;
        const char *end = memchr(begin, SETTING_END, settings->size - from);
        struct text dropped = TEXT_INIT;
        struct cJSON *request = NULL;
        struct error error;
        if (!end)
            break;
        if (json_object_parse(begin, (size_t)(end - begin), &request, &error) == STATUS_OK &&
            !json_object_item(request, "at"))
            session->past.answer(session, request, &dropped, &error);
        json_object_release(request);
        text_release(&dropped);
        from = (size_t)(end - settings->bytes) + 1;
    }
    session->past.applies = false;
}

/* ---- changed values ---- */

void debug_past_keep_change(struct debug_session *session, const struct cJSON *request)
{
    static const char *const members[] = {"expression", "address", "bytes"};
    int64_t offset;
    struct text text = TEXT_INIT;
    text_append_char(&text, '{');
    json_string(&text, "request", debug_request_name(DEBUG_REQUEST_SET));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_string(&text, members[i], json_object_text(request, members[i]));
    if (json_object_integer(request, "offset", &offset)) {
        json_key(&text, "offset");
        text_format(&text, "%" PRId64, offset);
    }
    json_number(&text, "launch", session->launch_number);
    json_number(&text, "at", debug_moment(session));
    json_number(&text, "vector", session->vector);
    json_number(&text, "lane", session->lane);
    json_number(&text, "frame", session->frame);
    text_append_char(&text, '}');
    debug_past_keep(session, text.bytes);
    text_release(&text);
}

static void change(struct debug_session *session, const struct cJSON *request)
{
    const uint32_t focus[] = {session->vector, session->lane, session->frame};
    struct text dropped = TEXT_INIT;
    struct error error;
    uint64_t numbers[3] = {0};
    json_object_number(request, "vector", &numbers[0]);
    json_object_number(request, "lane", &numbers[1]);
    json_object_number(request, "frame", &numbers[2]);
    session->vector = (uint32_t)numbers[0];
    session->lane = (uint32_t)numbers[1];
    session->frame = (uint32_t)numbers[2];
    session->past.answer(session, request, &dropped, &error);
    session->vector = focus[0];
    session->lane = focus[1];
    session->frame = focus[2];
    text_release(&dropped);
}

/* Values that were changed in the original are changed here too, at the same moments: so it is one
 * history. */
static void change_values(struct debug_session *session, uint64_t moment)
{
    struct debug_past *past = &session->past;
    const struct text *settings = &past->settings;
    uint64_t next = UINT64_MAX;
    if (moment < past->next_change)
        return;
    for (size_t from = 0; from < settings->size;) {
        const char *begin = settings->bytes + from;
        const char *end = memchr(begin, SETTING_END, settings->size - from);
        struct cJSON *request = NULL;
        struct error error;
        uint64_t at;
        uint64_t launch;
        if (!end)
            break;
        if (json_object_parse(begin, (size_t)(end - begin), &request, &error) == STATUS_OK &&
            json_object_number(request, "launch", &launch) && launch == session->launch_number &&
            json_object_number(request, "at", &at) && at >= past->next_change) {
            if (at <= moment)
                change(session, request);
            else if (at < next)
                next = at;
        }
        json_object_release(request);
        from = (size_t)(end - settings->bytes) + 1;
    }
    past->next_change = next;
}

/* ---- errands ---- */

/* The position at which a moment is to be noticed at the latest. */
static uint64_t alarm_of(uint64_t moment)
{
    return moment / 2;
}

void debug_past_set_alarm(struct debug_session *session)
{
    const struct debug_past *past = &session->past;
    const struct debug_errand *errand = &past->errand;
    uint64_t position = UINT64_MAX;
    if (past->role == DEBUG_ORIGINAL && past->checkpoints)
        position = past->next;
    else if (past->role == DEBUG_SEARCHING)
        position = alarm_of(past->stays_at ? past->stays_at
                            : past->looks  ? errand->until
                                           : errand->from);
    else if (past->role == DEBUG_LIVING)
        position = alarm_of(past->stays_at ? past->stays_at
                            : past->silent ? errand->target
                                           : errand->until);
    if (session->move.mode == DEBUG_MODE_GOTO && alarm_of(past->target) < position)
        position = alarm_of(past->target);
    if (past->role != DEBUG_ORIGINAL && past->next_change != UINT64_MAX &&
        alarm_of(past->next_change) < position)
        position = alarm_of(past->next_change);
    vm_debugger_set_alarm(&session->debugger.vm, position);
}

static void drop_output(struct debug_session *session)
{
    text_clear(&session->output);
    text_clear(&session->launch->printed);
}

/* Where the child is to leave a checkpoint: shortly before the moment at which somebody stands, or
 * will, who may look there again. 0 = nowhere. */
static uint64_t moment_to_stay(const struct debug_session *session)
{
    const struct debug_errand *errand = &session->past.errand;
    const uint64_t until = errand->lives ? errand->target : errand->until;
    const uint64_t stride = session->past.stride ? session->past.stride : STAY;
    const uint64_t moment = until > 2 * stride ? until - 2 * stride : 0;
    return moment > debug_moment(session) + 2 * stride ? moment : 0;
}

/* Who may be ended before it has found anything. */
static void say_who(const struct debug_session *session)
{
    const struct debug_message message = {.word = DEBUG_WORD_BEGAN, .process = getpid()};
    struct error error;
    (void)debug_channel_send(session->past.channel, &message, "", 0, &error);
}

/* A child of a checkpoint sets out. */
static void set_out(struct debug_session *session, const struct debug_errand *errand,
                    size_t settings_size, int channel)
{
    struct debug_past *past = &session->past;
    past->errand = *errand;
    past->role = errand->lives ? DEBUG_LIVING : DEBUG_SEARCHING;
    past->silent = true;
    past->channel = channel;
    past->settings_told = past->settings.size;
    past->next_change = debug_moment(session);
    session->launch->run->native_source = NULL; /* threads make native code, which are not here */
    session->asked = false;
    session->gone = false;
    drop_output(session);
    debug_past_apply(session, settings_size);
    say_who(session);
    session->move = errand->quest.move;
    past->looks = debug_moment(session) >= errand->from;
    past->has_found = false;
    past->stays_at = errand->may_stay && !errand->question.begin ? moment_to_stay(session) : 0;
    if (errand->lives)
        session->move.mode = DEBUG_MODE_CONTINUE;
    if (!past->looks)
        session->move.mode = DEBUG_MODE_CONTINUE;
    if (errand->question.begin)
        session->move.mode = DEBUG_MODE_LEAVE;
    session->seek.on = false; /* of an errand before this one */
    if (errand->question.begin)
        errand->question.begin(session, errand->question.words, errand->question.size);
    session->past.set_stops(session);
    debug_past_set_alarm(session);
}

/* The vector of the focus begins here, as a rule with instructions of no statement. */
static void go_to_statement(struct debug_session *session)
{
    session->past.begins = true;
    session->move.mode = DEBUG_MODE_STEP;
    session->move.steps = 1;
    session->move.origin_place = 0;
}

void debug_past_say(struct debug_session *session)
{
    uint64_t ids[3];
    if (!session->past.begins)
        return;
    for (uint32_t d = 0; d < 3; d++)
        ids[d] =
            debug_item(session, session->move.origin_vector, session->move.origin_lane, d, false);
    session->past.begins = false;
    session->stop.reason = "goto";
    session->vector = session->move.origin_vector;
    session->lane = session->move.origin_lane;
    snprintf(session->stop.text, sizeof session->stop.text,
             "item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ") runs from %" PRIu64 ":%" PRIu64
             "; now there",
             ids[0], ids[1], ids[2], session->launch_number, debug_position(session));
}

/* Ends where it is not wanted any more. */
static void ask_to_stand(struct debug_session *session)
{
    struct debug_message message = {.word = DEBUG_WORD_ARRIVED};
    struct text nothing = TEXT_INIT;
    struct error error;
    int none;
    if (debug_channel_send(session->past.channel, &message, "", 0, &error) != STATUS_OK ||
        debug_channel_receive(session->past.channel, &message, &nothing, &none, &error) !=
            STATUS_OK ||
        message.word != DEBUG_WORD_STAND)
        _exit(0);
    text_release(&nothing);
}

/* It is where it was to live. */
static void settle(struct debug_session *session)
{
    struct debug_past *past = &session->past;
    const struct debug_quest *quest = &past->errand.quest;
    ask_to_stand(session);
    past->silent = false;
    session->move = quest->move;
    session->vector = quest->vector;
    session->lane = quest->lane;
    session->asked = true;
    session->resumed_has_id = quest->has_id;
    session->resumed_id = quest->id;
    snprintf(session->stop.text, sizeof session->stop.text, "%s", past->errand.text);
    if (quest->kind == DEBUG_QUEST_VECTOR)
        go_to_statement(session);
    session->past.set_stops(session);
}

/* What was found is told, and nothing is left to do. */
static void end_search(struct debug_session *session)
{
    struct debug_past *past = &session->past;
    struct debug_message message = {.word =
                                        past->has_found ? DEBUG_WORD_FOUND : DEBUG_WORD_NOTHING};
    struct error error;
    if (past->has_found)
        message.find = past->find;
    (void)debug_channel_send(past->channel, &message, "", 0, &error);
    _exit(0);
}

static void note_at(struct debug_session *session, uint64_t moment, const void *note, size_t size)
{
    struct debug_past *past = &session->past;
    if (past->role != DEBUG_SEARCHING || moment >= past->errand.until)
        return;
    past->has_found = true;
    past->find.moment = moment;
    past->find.note_size = size < DEBUG_NOTE_MAX ? size : DEBUG_NOTE_MAX;
    if (size)
        memcpy(past->find.note, note, past->find.note_size);
}

void debug_past_note(struct debug_session *session, const void *note, size_t size)
{
    const bool begun = session->debugger.vm.vector != NULL;
    note_at(session, begun ? debug_moment_before(vm_debugger_position(&session->debugger.vm)) : 0,
            note, size);
}

/* ---- where the original makes checkpoints ---- */

/* True: this is a child that sets out from here. */
static bool make_checkpoint(struct debug_session *session, uint64_t moment)
{
    struct debug_past *past = &session->past;
    struct debug_errand errand;
    int channel = -1;
    const size_t size = past->settings.size;
    const uint64_t position = debug_moment_position(moment);
    const double pace =
        position > past->made_at
            ? (double)debug_checkpoints_age(past->checkpoints) / (double)(position - past->made_at)
            : PACE;
    switch (debug_checkpoints_add(past->checkpoints, moment, size, &errand, &past->settings,
                                  &channel)) {
    case DEBUG_FORK_ERRAND:
        set_out(session, &errand, size, channel);
        return true;
    case DEBUG_FORK_FAILED:
        past->next = UINT64_MAX; /* where it does not go once it does not go again */
        return false;
    default:
        break;
    }
    const double wanted = (double)debug_checkpoints_patience(past->checkpoints) / (pace + 0.01);
    past->made_at = position;
    past->next = position + (past->stride      ? past->stride
                             : wanted > STRIDE ? (uint64_t)wanted
                                               : STRIDE);
    return false;
}

void debug_past_set_stride(struct debug_session *session, uint64_t stride)
{
    session->past.stride = stride;
    if (session->past.role == DEBUG_ORIGINAL && session->past.checkpoints)
        session->past.next = debug_position(session) + stride;
}

/* A child goes on with the search, or one that is sent from here sets out. */
static void stay(struct debug_session *session, uint64_t moment)
{
    struct debug_past *past = &session->past;
    struct debug_errand errand;
    const size_t size = past->settings.size;
    past->stays_at = 0;
    if (debug_checkpoints_stay(moment, size, &errand, &past->settings, &past->channel) ==
        DEBUG_FORK_ERRAND)
        set_out(session, &errand, size, past->channel);
}

bool debug_past_begin(struct debug_session *session)
{
    struct debug_past *past = &session->past;
    struct error error;
    if (session->socket < 0 || session->gone || session->move.mode == DEBUG_MODE_LEAVE)
        return false;
    past->next = UINT64_MAX;
    if (vm_memory_is_of_forks_too(session->launch->request->memory))
        return false;
    if (!past->checkpoints && debug_checkpoints_create(&past->checkpoints, &error) != STATUS_OK)
        return false;
    return make_checkpoint(session, 0);
}

void debug_past_kill(struct debug_session *session)
{
    const struct debug_message message = {.word = DEBUG_WORD_KILL};
    struct error error;
    if (session->past.role == DEBUG_LIVING)
        (void)debug_channel_send(session->past.channel, &message, "", 0, &error);
    _exit(0);
}

void debug_past_end(struct debug_session *session)
{
    if (session->past.checkpoints)
        debug_checkpoints_drop(session->past.checkpoints);
    session->past.next = UINT64_MAX;
}

/* ---- on the way ---- */

bool debug_past_arrive(struct debug_session *session, uint64_t moment)
{
    struct debug_past *past = &session->past;
    if (past->role == DEBUG_ORIGINAL && past->checkpoints &&
        debug_moment_position(moment) >= past->next && !session->within)
        make_checkpoint(session, moment); /* and go on as what it has become */
    if (past->role == DEBUG_SEARCHING && moment >= past->errand.until)
        end_search(session);
    if (past->stays_at && moment >= past->stays_at && !session->within)
        stay(session, moment);
    if (past->role != DEBUG_ORIGINAL)
        change_values(session, moment);
    if (past->role == DEBUG_SEARCHING && !past->looks && moment >= past->errand.from) {
        past->looks = true;
        session->move = past->errand.quest.move;
        session->past.set_stops(session);
    }
    if (past->role == DEBUG_LIVING && past->silent && moment >= past->errand.target) {
        settle(session);
        session->stop.reason = past->errand.quest.kind == DEBUG_QUEST_BACK ? "step" : "goto";
        debug_past_set_alarm(session);
        return !past->begins;
    }
    bool arrives = session->move.mode == DEBUG_MODE_GOTO && !past->silent && moment >= past->target;
    if (arrives && past->is_vector) {
        past->is_vector = false;
        go_to_statement(session);
        session->past.set_stops(session);
        arrives = false;
    }
    if (arrives) {
        session->stop.reason = "goto";
        session->move.mode = DEBUG_MODE_CONTINUE;
    }
    debug_past_set_alarm(session);
    return arrives;
}

bool debug_past_takes(struct debug_session *session)
{
    struct debug_past *past = &session->past;
    const bool is_on_its_way =
        session->move.mode == DEBUG_MODE_GOTO || session->move.mode == DEBUG_MODE_VECTOR;
    const bool passes = is_on_its_way && !session->pauses;
    if (is_on_its_way && !passes) {
        past->is_vector = false;
        session->move.mode = DEBUG_MODE_CONTINUE;
    }
    if (past->role == DEBUG_SEARCHING && !past->errand.question.begin)
        note_at(session, debug_moment(session), NULL, 0);
    return past->silent || passes;
}

void debug_past_leave(struct debug_session *session)
{
    struct debug_past *past = &session->past;
    struct error error;
    if (past->role != DEBUG_LIVING || past->silent ||
        (debug_moment(session) < past->errand.until && session->move.mode != DEBUG_MODE_LEAVE))
        return;
    struct debug_message message = {.word = DEBUG_WORD_REACHED,
                                    .gone = session->gone,
                                    .asked = session->asked,
                                    .moment = past->target,
                                    .quest = {.vector = session->vector,
                                              .lane = session->lane,
                                              .move = session->move,
                                              .has_id = session->resumed_has_id,
                                              .id = session->resumed_id}};
    (void)debug_channel_send(past->channel, &message, past->settings.bytes + past->settings_told,
                             past->settings.size - past->settings_told, &error);
    _exit(0);
}

void debug_past_last(struct debug_session *session)
{
    if (session->past.role == DEBUG_SEARCHING)
        end_search(session);
    if (session->past.role != DEBUG_LIVING)
        return;
    /* The original stands behind this. */
    session->past.silent = false;
    session->past.errand.until = 0;
    debug_past_leave(session);
}

/* ---- where vectors begin ---- */

static bool is_sought(const struct debug_session *session, uint32_t index, const uint64_t group[3],
                      uint32_t wanted)
{
    const struct vm_vector *vector = launch_vector(session->holder, index);
    /* Lanes come to the entry once. */
    return index == wanted && vector->pending[0] != 0 &&
           memcmp(session->holder->group.id, group, sizeof session->holder->group.id) == 0;
}

void debug_past_seek_vector(struct debug_session *session, const void *words, size_t size)
{
    (void)session;
    (void)words;
    (void)size;
}

void debug_past_run_vector(struct debug_session *session, uint32_t vector)
{
    struct debug_past *past = &session->past;
    const uint64_t moment = debug_moment_before(session->launch->run->operation_count);
    if (past->role == DEBUG_SEARCHING && past->errand.question.begin == debug_past_seek_vector &&
        is_sought(session, vector, past->errand.quest.group, past->errand.quest.vector))
        note_at(session, moment, NULL, 0);
    if (session->move.mode != DEBUG_MODE_VECTOR ||
        !is_sought(session, vector, session->move.origin_group, session->move.origin_vector))
        return;
    session->move.mode = DEBUG_MODE_GOTO;
    session->vector = vector;
    session->lane = session->move.origin_lane;
    past->target = moment;
    past->is_vector = true;
    debug_past_set_alarm(session);
}
