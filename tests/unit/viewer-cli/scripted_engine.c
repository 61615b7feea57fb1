#include "scripted_engine.h"

#include "trace/base/alloc.h"
#include "trace/debug/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

struct scripted_engine {
    const struct scripted_answer *answers;
    bool used[64];
    int sockets[2]; /* the front end's, and ours */
    struct text asked;
    pthread_t thread;
};

static const struct scripted_answer *find_answer(struct scripted_engine *engine, const char *name)
{
    const struct scripted_answer *last = NULL;
    for (size_t i = 0; engine->answers[i].request; ++i) {
        if (strcmp(engine->answers[i].request, name) != 0)
            continue;
        last = &engine->answers[i];
        if (engine->used[i])
            continue;
        engine->used[i] = true;
        return last;
    }
    return last;
}

static const char *answer_to(struct scripted_engine *engine, const struct text *request)
{
    struct cJSON *object = NULL;
    if (json_object_parse(request->bytes, request->size, &object, NULL))
        return NULL;
    const char *const name = json_object_text(object, "request");
    const struct scripted_answer *found = find_answer(engine, name ? name : "");
    json_object_release(object);
    return found ? found->answer : "{\"ok\":false,\"error\":\"this is not in the script\"}";
}

static void *serve(void *user)
{
    struct scripted_engine *engine = user;
    struct text request = TEXT_INIT;
    bool waits = false;
    while (!message_receive(engine->sockets[1], &request, NULL)) {
        text_format(&engine->asked, "%s\n", request.bytes);
        const bool is_pause = strstr(request.bytes, "\"request\":\"pause\"") != NULL;
        const char *answer = is_pause ? "" : answer_to(engine, &request);
        text_clear(&request);
        if (!answer)
            break;
        if (is_pause && waits)
            answer = "{\"ok\":false,\"error\":\"interrupted\"}";
        waits = !is_pause && !*answer;
        if (*answer && message_send(engine->sockets[1], answer, strlen(answer), NULL))
            break;
    }
    close(engine->sockets[1]);
    text_release(&request);
    return NULL;
}

struct scripted_engine *scripted_engine_start(const struct scripted_answer *answers)
{
    struct scripted_engine *engine = alloc_zero(1, sizeof *engine);
    assert_non_null(engine);
    engine->answers = answers;
    engine->asked = (struct text)TEXT_INIT;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, engine->sockets), 0);
    assert_int_equal(pthread_create(&engine->thread, NULL, serve, engine), 0);
    return engine;
}

struct debug_session *scripted_engine_session(struct scripted_engine *engine,
                                              const struct debug_front *front)
{
    const int outputs[] = {-1, -1};
    struct debug_session *session = NULL;
    assert_int_equal(debug_session_adopt(0, engine->sockets[0], outputs, front, &session, NULL),
                     STATUS_OK);
    return session;
}

struct text scripted_engine_end(struct scripted_engine *engine)
{
    pthread_join(engine->thread, NULL);
    const struct text asked = engine->asked;
    alloc_free(engine);
    return asked;
}
