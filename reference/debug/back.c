/* Standing at another moment: what is asked for is found in the past, and a process is made that
 * stands there. The original does both, for whichever process the front end talks with. */
#include "reference/debug/past.h"

#include "reference/debug/private.h"
#include "trace/debug/json_object.h"
#include "trace/debug/requests.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How far back the single instructions before now are looked for first. */
enum { NEAR = 20000 };
/* Moments that are looked at first where there are many more behind a checkpoint: what is looked
 * at is slower than what is run again. */
enum { PIECE = 2 * 4000000 };
/* Until it is looked again whether the front end wants a pause, where other requests wait: ms. */
enum { PATIENCE = 20 };

/* ---- searching ---- */

static enum status no_past(const struct debug_session *session, struct error *error)
{
    const bool is_shared =
        session->launch && vm_memory_is_of_forks_too(session->launch->request->memory);
    return error_set(error, STATUS_UNSUPPORTED, "the past of this launch is not to be had: %s",
                     is_shared ? "its shared virtual memory is that of forked processes too"
                               : "no process was forked at its beginning");
}

/* `process` is at the other end; 0 = it is not known yet. */
static enum status await_message(struct debug_session *session, int channel, pid_t process,
                                 struct error *error)
{
    struct pollfd polled[] = {{.fd = channel, .events = POLLIN},
                              {.fd = session->socket, .events = POLLIN}};
    while (!polled[0].revents) {
        if (poll(polled, 2, -1) < 0)
            polled[0].revents = polled[1].revents = 0; /* a signal */
        if (!polled[1].revents)
            continue;
        if (!debug_wants_pause(session)) {
            poll(polled, 1, PATIENCE); /* what waits is for later */
            continue;
        }
        if (process > 0)
            kill(process, SIGKILL);
        return error_set(error, STATUS_INVALID, "going back was interrupted");
    }
    return STATUS_OK;
}

/* Waits for what the process at the other end says, but for which it is, and the checkpoints that
 * it leaves on its way. */
static enum status await_word(struct debug_session *session, int channel, bool lives,
                              struct debug_message *message, struct error *error)
{
    *message = (struct debug_message){.word = DEBUG_WORD_BEGAN};
    while (message->word == DEBUG_WORD_BEGAN || message->word == DEBUG_WORD_STAYED) {
        struct text nothing = TEXT_INIT;
        int control;
        enum status status = await_message(session, channel, message->process, error);
        if (status == STATUS_OK)
            status = debug_channel_receive(channel, message, &nothing, &control, error);
        text_release(&nothing);
        if (status != STATUS_OK)
            return status;
        if (message->word == DEBUG_WORD_STAYED && control >= 0)
            debug_checkpoints_adopt(session->past.checkpoints, lives, control, message->moment,
                                    message->settings_size);
    }
    return STATUS_OK;
}

/* Waits for what the searching process at the other end finds. */
static enum status await_find(struct debug_session *session, int channel, struct debug_find *find,
                              struct error *error)
{
    struct debug_message message;
    const enum status status = await_word(session, channel, false, &message, error);
    if (status != STATUS_OK)
        return status;
    if (message.word != DEBUG_WORD_FOUND)
        return STATUS_NOT_FOUND;
    *find = message.find;
    return STATUS_OK;
}

/* In the original: from its checkpoint `index` to the moment. */
static enum status search_piece(struct debug_session *session, size_t index,
                                struct debug_errand *errand, struct debug_find *find,
                                struct error *error)
{
    int channel;
    enum status status = debug_checkpoints_send(session->past.checkpoints, index, errand,
                                                &session->past.settings, &channel, error);
    if (status != STATUS_OK)
        return status;
    status = await_find(session, channel, find, error);
    close(channel);
    return status;
}

static enum status search(struct debug_session *session, struct debug_errand *errand,
                          uint64_t until, struct debug_find *find, struct error *error)
{
    const struct debug_checkpoints *checkpoints = session->past.checkpoints;
    size_t index = checkpoints ? debug_checkpoints_find(checkpoints, until, false) : SIZE_MAX;
    enum status status = STATUS_NOT_FOUND;
    if (index == SIZE_MAX)
        return no_past(session, error);
    errand->lives = false;
    /* What searches may leave checkpoints behind. */
    for (; status == STATUS_NOT_FOUND && index != SIZE_MAX;
         index = debug_checkpoints_find(checkpoints, until, false)) {
        const uint64_t begin = debug_checkpoints_moment(checkpoints, index);
        const bool has_two = !errand->question.begin && until - begin > 2 * (uint64_t)PIECE;
        errand->until = until;
        errand->from = has_two ? until - PIECE : 0;
        status = search_piece(session, index, errand, find, error);
        until = has_two ? errand->from : begin;
    }
    errand->from = 0;
    return status;
}

/* Only shortly before the moment: where nearly every moment is one, all of a piece are too many. */
static enum status search_near(struct debug_session *session, struct debug_errand *errand,
                               uint64_t until, struct debug_find *find, struct error *error)
{
    const struct debug_checkpoints *checkpoints = session->past.checkpoints;
    const size_t index = checkpoints ? debug_checkpoints_find(checkpoints, until, false) : SIZE_MAX;
    if (index == SIZE_MAX)
        return no_past(session, error);
    errand->until = until;
    errand->from = until > NEAR ? until - NEAR : 0;
    const enum status status = search_piece(session, index, errand, find, error);
    errand->from = 0;
    return status;
}

enum status debug_past_search(struct debug_session *session, const struct debug_question *question,
                              uint64_t until, struct debug_find *find, struct error *error)
{
    struct debug_past *past = &session->past;
    struct debug_errand errand = {.question = *question};
    if (past->role == DEBUG_ORIGINAL)
        return search(session, &errand, until, find, error);
    struct debug_message message = {
        .word = DEBUG_WORD_SEARCH, .moment = until, .question = *question};
    struct text nothing = TEXT_INIT;
    int none;
    enum status status =
        debug_channel_send(past->channel, &message, past->settings.bytes + past->settings_told,
                           past->settings.size - past->settings_told, error);
    past->settings_told = past->settings.size;
    if (status == STATUS_OK)
        status = debug_channel_receive(past->channel, &message, &nothing, &none, error);
    text_release(&nothing);
    if (status != STATUS_OK)
        return status;
    if (message.word == DEBUG_WORD_REFUSED)
        return error_set(error, message.status, "%s", message.refusal.text);
    if (message.word != DEBUG_WORD_FOUND)
        return STATUS_NOT_FOUND;
    *find = message.find;
    return STATUS_OK;
}

/* ---- quests ---- */

static bool is_back(enum debug_request name, const char *granularity, enum debug_mode *mode)
{
    const bool instruction = granularity && strcmp(granularity, "instruction") == 0;
    switch (name) {
    case DEBUG_REQUEST_REVERSE_STEP:
        *mode = instruction ? DEBUG_MODE_BACK_INSTRUCTION : DEBUG_MODE_BACK_STEP;
        return true;
    case DEBUG_REQUEST_REVERSE_NEXT:
        *mode = instruction ? DEBUG_MODE_BACK_INSTRUCTION : DEBUG_MODE_BACK_NEXT;
        return true;
    case DEBUG_REQUEST_REVERSE_FINISH:
        *mode = DEBUG_MODE_BACK_FINISH;
        return true;
    case DEBUG_REQUEST_REVERSE_CONTINUE:
        *mode = DEBUG_MODE_CONTINUE;
        return true;
    default:
        return false;
    }
}

/* "1:25200", or "25200" of the launch that runs. */
static bool read_position(const struct debug_session *session, const struct cJSON *request,
                          struct debug_quest *quest, struct error *error)
{
    const char *text = json_object_text(request, "position");
    const char *colon = text ? strchr(text, ':') : NULL;
    char *end = NULL;
    const char *digits = colon ? colon + 1 : text;
    const uint64_t position = digits ? strtoull(digits, &end, 10) : 0;
    if (!digits || end == digits || *end != '\0' || position > UINT64_MAX / 4) {
        error_set(error, STATUS_INVALID, "a position is wanted, like %" PRIu64 ":25200",
                  session->launch_number);
        return false;
    }
    if (colon && strtoull(text, NULL, 10) != session->launch_number) {
        error_set(error, STATUS_UNSUPPORTED,
                  "positions of other launches than the one that runs, %" PRIu64
                  ", cannot be gone to",
                  session->launch_number);
        return false;
    }
    quest->kind = DEBUG_QUEST_TO;
    quest->moment = position == 0 ? 0 : debug_moment_before(position);
    quest->move.mode = DEBUG_MODE_CONTINUE;
    return true;
}

bool debug_read_quest(struct debug_session *session, const struct cJSON *request,
                      struct debug_quest *quest, struct error *error)
{
    const char *text = json_object_text(request, "request");
    const enum debug_request name = text ? debug_request_find(text) : DEBUG_REQUEST_COUNT;
    enum debug_mode mode;
    uint64_t count = 1;
    *quest = (struct debug_quest){.kind = DEBUG_QUEST_BACK};
    const bool back = is_back(name, json_object_text(request, "granularity"), &mode);
    if (name == DEBUG_REQUEST_FOCUS)
        return debug_read_far_focus(session, request, quest, error);
    if (name == DEBUG_REQUEST_OTHER)
        return debug_read_other(session, request, quest, error);
    if (!back && name != DEBUG_REQUEST_GOTO)
        return false;
    if (!session->launch) {
        error_set(error, STATUS_INVALID, "no launch runs");
        return false;
    }
    if (back) {
        const struct debug_move before = session->move;
        debug_begin_move(session, mode);
        quest->move = session->move;
        session->move = before;
    }
    if (mode == DEBUG_MODE_BACK_FINISH && back && quest->move.origin_frame_place != 0 &&
        debug_place(session, quest->move.origin_frame_place)->caller == 0) {
        error_set(error, STATUS_INVALID, "no function calls the kernel itself");
        return false;
    }
    if (!back && !read_position(session, request, quest, error))
        return false;
    json_object_number(request, "count", &count);
    quest->again = count > 0 ? count - 1 : 0;
    memcpy(quest->group, session->holder->group.id, sizeof quest->group);
    quest->vector = session->vector;
    quest->lane = session->lane;
    if (!back && json_object_number(request, "vector", &count))
        quest->vector = (uint32_t)count;
    if (!back && json_object_number(request, "lane", &count))
        quest->lane = (uint32_t)count % VM_LANES;
    quest->has_id = json_object_number(request, "id", &quest->id);
    return true;
}

/* ---- fulfilling them, in the original ---- */

/* Where a quest leads, from the moment `now`; and what is to be said there. */
struct goal {
    uint64_t moment; /* UINT64_MAX: it is not in the past */
    char text[192];
};

static enum status find_back(struct debug_session *session, const struct debug_quest *quest,
                             uint64_t now, struct goal *goal, struct error *error)
{
    struct debug_errand errand = {.quest = *quest};
    struct debug_find find;
    enum status status = STATUS_NOT_FOUND;
    if (now == 0)
        return error_set(error, STATUS_INVALID,
                         "this is the launch's beginning, and what was before it is not known");
    if (quest->move.mode == DEBUG_MODE_BACK_INSTRUCTION)
        status = search_near(session, &errand, now, &find, error);
    if (status == STATUS_NOT_FOUND)
        status = search(session, &errand, now, &find, error);
    if (status == STATUS_OK)
        goal->moment = find.moment;
    if (status != STATUS_NOT_FOUND)
        return status;
    goal->moment = 0;
    snprintf(goal->text, sizeof goal->text, "kernel '%s' begins: nothing stops before",
             session->code->name);
    return STATUS_OK;
}

static enum status find_vector(struct debug_session *session, const struct debug_quest *quest,
                               uint64_t now, struct goal *goal, struct error *error)
{
    struct debug_errand errand = {.quest = *quest, .question.begin = debug_past_seek_vector};
    struct debug_find find;
    enum status status = STATUS_NOT_FOUND;
    if (now != 0 && !quest->is_later)
        status = search(session, &errand, now, &find, error);
    goal->moment = status == STATUS_OK ? find.moment : UINT64_MAX;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status find_goal(struct debug_session *session, const struct debug_quest *quest,
                             uint64_t now, struct goal *goal, struct error *error)
{
    *goal = (struct goal){.moment = quest->moment};
    switch (quest->kind) {
    case DEBUG_QUEST_BACK:
        return find_back(session, quest, now, goal, error);
    case DEBUG_QUEST_VECTOR:
        return find_vector(session, quest, now, goal, error);
    default:
        return STATUS_OK;
    }
}

/* Until it stands there, or has come to where the original is, as the message says. */
static enum status await_arrival(struct debug_session *session, int channel,
                                 struct debug_message *message, struct error *error)
{
    enum status status = await_word(session, channel, true, message, error);
    const struct debug_message stand = {.word = DEBUG_WORD_STAND};
    if (status == STATUS_OK && message->word == DEBUG_WORD_ARRIVED)
        status = debug_channel_send(channel, &stand, "", 0, error);
    return status;
}

/* Has a process made that stands there; *message is what it said last. */
static enum status make_living(struct debug_session *session, const struct debug_quest *quest,
                               const struct goal *goal, int *channel, struct debug_message *message,
                               struct error *error)
{
    struct debug_errand errand = {
        .lives = true, .until = debug_moment(session), .target = goal->moment, .quest = *quest};
    const struct debug_checkpoints *checkpoints = session->past.checkpoints;
    const size_t index =
        checkpoints ? debug_checkpoints_find(checkpoints, goal->moment, true) : SIZE_MAX;
    memcpy(errand.text, goal->text, sizeof errand.text);
    if (goal->moment == 0 || quest->kind != DEBUG_QUEST_BACK)
        errand.quest.again = 0;
    /* Where nothing has begun the focus is in the first group. */
    if (goal->moment == 0 && (quest->group[0] | quest->group[1] | quest->group[2]) != 0)
        errand.quest.vector = errand.quest.lane = 0;
    if (index == SIZE_MAX)
        return no_past(session, error);
    enum status status = debug_checkpoints_send(session->past.checkpoints, index, &errand,
                                                &session->past.settings, channel, error);
    if (status != STATUS_OK)
        return status;
    status = await_arrival(session, *channel, message, error);
    if (status != STATUS_OK)
        close(*channel);
    return status;
}

/* It is here, or later: the original does that by itself. */
static enum debug_going go_on(struct debug_session *session, const struct debug_quest *quest,
                              const struct goal *goal)
{
    session->asked = true;
    session->resumed_has_id = quest->has_id;
    session->resumed_id = quest->id;
    session->vector = quest->vector;
    session->lane = quest->lane;
    session->move = quest->move;
    if (goal->moment == debug_moment(session) || session->over) {
        session->stop.reason = "goto";
        if (!session->over) /* whose text says so */
            snprintf(session->stop.text, sizeof session->stop.text, "%s", goal->text);
        return DEBUG_GOING_STANDS;
    }
    session->move.mode = quest->kind == DEBUG_QUEST_VECTOR ? DEBUG_MODE_VECTOR : DEBUG_MODE_GOTO;
    session->past.target = goal->moment;
    return DEBUG_GOING_ON;
}

/* ---- what a living process says ---- */

static void refuse_living(int channel, enum status status, const struct error *refused)
{
    struct debug_message message = {
        .word = DEBUG_WORD_REFUSED, .status = status, .refusal = *refused};
    struct error error;
    (void)debug_channel_send(channel, &message, "", 0, &error);
}

static void search_for_living(struct debug_session *session, int channel,
                              const struct debug_message *asked)
{
    struct debug_message message = {.word = DEBUG_WORD_FOUND};
    struct error error;
    const enum status status =
        debug_past_search(session, &asked->question, asked->moment, &message.find, &error);
    if (status == STATUS_NOT_FOUND)
        message.word = DEBUG_WORD_NOTHING;
    if (status == STATUS_OK || status == STATUS_NOT_FOUND)
        (void)debug_channel_send(channel, &message, "", 0, &error);
    else
        refuse_living(channel, status, &error);
}

/* The original is where it was, and goes on as the living process was told to. */
static enum debug_going take_over(struct debug_session *session,
                                  const struct debug_message *message)
{
    const struct debug_quest *quest = &message->quest;
    session->move = quest->move;
    session->vector = quest->vector;
    session->lane = quest->lane;
    session->gone |= message->gone;
    session->asked = message->asked;
    session->resumed_has_id = quest->has_id;
    session->resumed_id = quest->id;
    session->past.target = message->moment;
    const bool stands = session->over && !session->gone && session->move.mode != DEBUG_MODE_LEAVE &&
                        (session->catches_end || session->move.mode != DEBUG_MODE_CONTINUE);
    if (stands)
        session->stop.reason = "end"; /* whatever it was the first time */
    return stands ? DEBUG_GOING_STANDS : DEBUG_GOING_ON;
}

/* Until the living process has something that only the original can do. False: it has ended. */
static bool attend(struct debug_session *session, int channel, struct debug_message *message)
{
    struct debug_past *past = &session->past;
    for (;;) {
        const size_t known = past->settings.size;
        struct error error;
        int none;
        if (debug_channel_receive(channel, message, &past->settings, &none, &error) != STATUS_OK)
            return false;
        debug_past_apply(session, known);
        if (message->word == DEBUG_WORD_KILL)
            _exit(0);
        if (message->word != DEBUG_WORD_SEARCH)
            return true;
        search_for_living(session, channel, message);
    }
}

static enum debug_going lead(struct debug_session *session, const struct debug_quest *quest,
                             struct error *error)
{
    struct debug_message message = {.quest = *quest, .moment = debug_moment(session)};
    int living = -1; /* who asks, if it is not this process */
    for (;;) {
        struct goal goal;
        struct debug_message said = {.word = DEBUG_WORD_ARRIVED};
        int next = -1;
        enum status status = find_goal(session, &message.quest, message.moment, &goal, error);
        if (status == STATUS_OK && living >= 0 && goal.moment == UINT64_MAX)
            status = STATUS_NOT_FOUND; /* it goes on by itself */
        if (status == STATUS_OK && goal.moment < debug_moment(session))
            status = make_living(session, &message.quest, &goal, &next, &said, error);
        if (status != STATUS_OK && living < 0)
            return DEBUG_GOING_REFUSED;
        if (status != STATUS_OK) {
            refuse_living(living, status, error);
        } else {
            if (living >= 0)
                close(living); /* with which it ends */
            if (next < 0)
                return go_on(session, &message.quest, &goal);
            living = next;
        }
        if (said.word == DEBUG_WORD_REACHED)
            message = said;
        const bool lives = said.word == DEBUG_WORD_REACHED || attend(session, living, &message);
        if (lives && message.word == DEBUG_WORD_QUEST)
            continue;
        close(living);
        session->gone |= !lives; /* the front end may wait for an answer of it */
        if (lives)
            return take_over(session, &message);
        session->move.mode = DEBUG_MODE_LEAVE;
        return DEBUG_GOING_ON;
    }
}

/* ---- in a living process ---- */

/* It ends where the original agrees. */
static enum debug_going ask_original(struct debug_session *session, const struct debug_quest *quest,
                                     struct error *error)
{
    struct debug_past *past = &session->past;
    struct debug_message message = {
        .word = DEBUG_WORD_QUEST, .moment = debug_moment(session), .quest = *quest};
    struct text nothing = TEXT_INIT;
    int none;
    if (debug_channel_send(past->channel, &message, past->settings.bytes + past->settings_told,
                           past->settings.size - past->settings_told, error) != STATUS_OK)
        _exit(0);
    past->settings_told = past->settings.size;
    if (debug_channel_receive(past->channel, &message, &nothing, &none, error) != STATUS_OK ||
        message.word != DEBUG_WORD_REFUSED)
        _exit(0);
    if (quest->kind == DEBUG_QUEST_VECTOR && message.status == STATUS_NOT_FOUND) {
        const struct goal later = {.moment = UINT64_MAX};
        return go_on(session, quest, &later);
    }
    error_set(error, message.status, "%s", message.refusal.text);
    return DEBUG_GOING_REFUSED;
}

enum debug_going debug_go(struct debug_session *session, const struct debug_quest *quest,
                          struct error *error)
{
    if (quest->kind == DEBUG_QUEST_TO && quest->moment == debug_moment(session)) {
        const struct goal here = {.moment = quest->moment};
        return go_on(session, quest, &here);
    }
    return session->past.role == DEBUG_ORIGINAL ? lead(session, quest, error)
                                                : ask_original(session, quest, error);
}

void debug_go_again(struct debug_session *session)
{
    struct debug_quest quest = session->past.errand.quest;
    struct error error;
    if (session->past.role != DEBUG_LIVING || quest.again == 0)
        return;
    session->past.errand.quest.again = 0;
    const enum debug_mode mode = quest.move.mode;
    const struct debug_move before = session->move;
    debug_begin_move(session, mode);
    quest.move = session->move;
    session->move = before;
    quest.vector = session->vector;
    quest.lane = session->lane;
    quest.again--;
    (void)debug_go(session, &quest, &error);
}
