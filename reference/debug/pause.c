/* What comes from the front end while the launch runs: it is looked for at some blocks, so that a
 * kernel without stops, or without end, can be stopped too. Only `pause` is for now; all of them
 * are received when it stands. */
#include "reference/debug/private.h"
#include "trace/debug/json_object.h"
#include "trace/debug/message.h"

#include <string.h>

/* It does not pause where nobody knows which line that is, unless there are only such places. */
enum { PLACELESS_MAX = 4096 };

void debug_stop_next(struct debug_session *session)
{
    vm_debugger_set_stops(&session->debugger.vm, session->everywhere);
}

void debug_stop_as_usual(struct debug_session *session)
{
    vm_debugger_set_stops(&session->debugger.vm, session->any_stops ? session->stops : NULL);
    if (session->pauses)
        debug_stop_next(session);
}

static bool is_pause(const char *bytes, size_t size)
{
    struct error error;
    struct cJSON *object = NULL;
    const char *name = NULL;
    if (json_object_parse(bytes, size, &object, &error) == STATUS_OK)
        name = json_object_text(object, "request");
    const bool pause = name && strcmp(name, "pause") == 0;
    json_object_release(object);
    return pause;
}

bool debug_wants_pause(struct debug_session *session)
{
    bool closed = false;
    const bool pause = message_foresee(session->socket, is_pause, &closed);
    session->gone |= closed;
    return pause || closed;
}

void debug_poll(void *state)
{
    struct debug_session *session = state;
    if (session->pauses || session->gone || session->move.mode == DEBUG_MODE_LEAVE ||
        session->socket < 0 || debug_past_is_silent(session) || !message_waits(session->socket))
        return;
    session->pauses = debug_wants_pause(session) && !session->gone;
    session->pause_rest = PLACELESS_MAX;
    if (session->gone) {
        session->move.mode = DEBUG_MODE_LEAVE;
        session->any_stops = false;
    }
    debug_stop_as_usual(session);
}

bool debug_pauses_at(struct debug_session *session, uint32_t site)
{
    const struct vm_place *place = debug_place(session, debug_site_place(session, site));
    if (!session->pauses)
        return false;
    return place->line != 0 || session->pause_rest-- == 0;
}
