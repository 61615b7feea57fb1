#include "viewer-cli/debug/origin.h"

#include "trace/base/json.h"
#include "trace/debug/json_object.h"
#include "viewer-cli/debug/recorded.h"
#include "viewer-cli/debug/writers.h"
#include "viewer-cli/replay/cmd_replay.h"

#include <inttypes.h>
#include <string.h>

/* Each takes a process, and the time of the launch twice. */
enum { LAUNCHES_ASKED = 100 };

/* A launch that is asked. */
struct inquiry {
    const struct origin_search *search;
    struct debug_session *session;
    bool interrupted;
};

/* ---- a launch ---- */

static void ignore_output(void *user, bool is_error, const char *bytes, size_t size)
{
    (void)user;
    (void)is_error;
    (void)bytes;
    (void)size;
}

static bool is_interrupted(void *user)
{
    struct inquiry *inquiry = user;
    const struct debug_front *front = &inquiry->search->front;
    if (front->is_interrupted && front->is_interrupted(front->user))
        inquiry->interrupted = true;
    return inquiry->interrupted;
}

static enum status start(struct inquiry *inquiry, uint64_t launch, struct error *error)
{
    const struct origin_search *search = inquiry->search;
    const struct debug_front front = {.take_output = ignore_output,
                                      .is_interrupted = is_interrupted,
                                      .waiting = search->front.waiting,
                                      .user = inquiry};
    struct kernel_words words = {0};
    enum status status = recorded_words(&words, search->path, search->personality, launch, error);
    const struct debug_start begun = {
        .run = replay_debug, .words = words.words, .word_count = words.count};
    if (!status)
        status = debug_session_start(&begun, &front, &inquiry->session, error);
    kernel_words_release(&words);
    return status;
}

static enum status ask(struct inquiry *inquiry, struct text *request, struct cJSON **answer,
                       struct error *error)
{
    debug_request_end(request);
    return debug_session_ask(inquiry->session, request, answer, error);
}

static enum status ask_hello(struct inquiry *inquiry, struct cJSON **answer, struct error *error)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_HELLO);
    json_number(&request, "version", DEBUG_VERSION);
    const enum status status = ask(inquiry, &request, answer, error);
    text_release(&request);
    return status;
}

static enum status ask_to_stop_at(struct inquiry *inquiry, const char *what, struct error *error)
{
    struct text request = TEXT_INIT;
    struct cJSON *answer = NULL;
    debug_request_begin(&request, DEBUG_REQUEST_CATCH);
    json_string(&request, "what", what);
    const enum status status = ask(inquiry, &request, &answer, error);
    json_object_release(answer);
    text_release(&request);
    return status;
}

static enum status ask_to_continue(struct inquiry *inquiry, struct cJSON **answer,
                                   struct error *error)
{
    struct text request = TEXT_INIT;
    json_object_release(*answer);
    *answer = NULL;
    debug_request_begin(&request, DEBUG_REQUEST_CONTINUE);
    const enum status status = ask(inquiry, &request, answer, error);
    text_release(&request);
    return status;
}

static enum status ask_who(struct inquiry *inquiry, const struct writer *launch,
                           struct cJSON **answer, struct error *error)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_WHO);
    json_number(&request, "argument", launch->bytes.argument);
    json_key(&request, "offset");
    text_format(&request, "%" PRId64, launch->bytes.offset);
    json_number(&request, "size", launch->bytes.size);
    json_string(&request, "type", json_object_text(inquiry->search->memory, "type"));
    const enum status status = ask(inquiry, &request, answer, error);
    text_release(&request);
    return status;
}

static bool is_at(const struct cJSON *answer, const char *reason, uint64_t *launch)
{
    const struct cJSON *stop = json_object_item(answer, "stop");
    const char *found = json_object_text(stop, "reason");
    return found && strcmp(found, reason) == 0 &&
           json_object_number(json_object_item(stop, "focus"), "launch", launch);
}

/* Goes on to the end of the launch, which is not the first where that was waiting for an event; and
 * to those of launches that it enqueued, which have its number. */
static enum status look_in(struct inquiry *inquiry, const struct writer *launch,
                           struct origin *origin, struct error *error)
{
    struct cJSON *stop = NULL;
    uint64_t now = 0;
    bool was_there = false;
    enum status status = ask_hello(inquiry, &stop, error);
    if (!status)
        status = ask_to_stop_at(inquiry, "launch", error);
    if (!status)
        status = ask_to_stop_at(inquiry, "end", error);
    if (!status)
        status = ask_to_continue(inquiry, &stop, error);
    while (!status && !inquiry->interrupted && stop && !debug_answer_is_exit(stop)) {
        const bool is_end = is_at(stop, "end", &now);
        if (was_there && now != launch->call)
            break;
        if (is_end && now == launch->call) {
            struct cJSON *answer = NULL;
            was_there = true;
            status = ask_who(inquiry, launch, &answer, error);
            if (json_object_item(answer, "writer")) {
                json_object_release(origin->answer);
                origin->answer = answer;
                origin->launch = launch->call;
            } else {
                json_object_release(answer);
            }
        }
        if (!status)
            status = ask_to_continue(inquiry, &stop, error);
    }
    json_object_release(stop);
    /* The process that has ended was asked, or never came there. */
    if (status == STATUS_NOT_FOUND && was_there)
        return STATUS_OK;
    return status || was_there || inquiry->interrupted
               ? status
               : error_set(error, STATUS_INVALID, "it was not come to");
}

static enum status ask_launch(const struct origin_search *search, const struct writer *launch,
                              struct origin *origin, bool *interrupted, struct error *error)
{
    struct inquiry inquiry = {.search = search};
    if (search->begin)
        search->begin(search->user, launch->call);
    enum status status = start(&inquiry, launch->call, error);
    if (status)
        return status;
    status = look_in(&inquiry, launch, origin, error);
    debug_session_destroy(inquiry.session);
    *interrupted = inquiry.interrupted;
    if (!status || inquiry.interrupted || origin->answer)
        return STATUS_OK;
    text_format(&origin->text, "perhaps %s, which cannot be asked: %s\n", launch->text,
                error->text);
    return STATUS_OK;
}

/* ---- all of them ---- */

static void say(const struct writer *writer, struct origin *origin)
{
    struct text *text = &origin->text;
    switch (writer->kind) {
    case WRITER_COPY:
        text_format(text, "copied by %s, where it was:\n", writer->text);
        break;
    case WRITER_HOST:
        text_format(text, "written by %s\n", writer->text);
        break;
    case WRITER_NOBODY:
        text_format(text, "never written: %s, gave it no value\n", writer->text);
        break;
    default:
        text_format(text, "perhaps written by %s; before that:\n", writer->text);
        break;
    }
}

static enum status ask_all(const struct origin_search *search, const struct writer *writers,
                           size_t count, struct origin *origin, struct error *error)
{
    bool interrupted = false;
    size_t asked = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && !origin->answer && !interrupted && i < count; ++i) {
        const struct writer *writer = &writers[i];
        if (writer->kind != WRITER_LAUNCH) {
            say(writer, origin);
        } else if (asked++ == LAUNCHES_ASKED) {
            text_format(&origin->text,
                        "not written by the %d launches before that were given it; %s, was not "
                        "asked any more: `focus launch` opens it\n",
                        LAUNCHES_ASKED, writer->text);
            break;
        } else {
            status = ask_launch(search, writer, origin, &interrupted, error);
        }
        if (interrupted)
            text_format(&origin->text, "the search ended at %s\n", writer->text);
    }
    return status;
}

enum status origin_find(const struct origin_search *search, struct origin *origin,
                        struct error *error)
{
    struct arena arena = {0};
    struct given_bytes bytes = {.size = 1};
    struct writer *writers;
    size_t count;
    uint64_t launch = 0;
    json_object_number(search->memory, "launch", &launch);
    json_object_number(search->memory, "argument", &bytes.argument);
    json_object_integer(search->memory, "offset", &bytes.offset);
    json_object_number(search->memory, "size", &bytes.size);
    /* The trace is closed again before there are processes. */
    enum status status =
        writers_find(search->path, launch, &bytes, &arena, &writers, &count, error);
    if (!status)
        status = ask_all(search, writers, count, origin, error);
    arena_release(&arena);
    return status;
}

void origin_release(struct origin *origin)
{
    json_object_release(origin->answer);
    text_release(&origin->text);
}
