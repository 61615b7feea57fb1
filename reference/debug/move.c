/* Steps. They are those of the item in the focus; the other lanes of its vector go with it, other
 * vectors where theirs waits for them. */
#include "reference/debug/private.h"

#include <stdio.h>
#include <string.h>

void debug_begin_move(struct debug_session *session, enum debug_mode mode)
{
    const struct debug_standing standing = debug_stand(session, session->vector, session->lane);
    session->mode = mode;
    session->origin_vector = session->vector;
    session->origin_lane = session->lane;
    session->origin_place = 0;
    session->origin_frame_place = 0;
    if (!session->launch)
        return;
    memcpy(session->origin_group, session->holder->group.id, sizeof session->origin_group);
    if (!session->begun || standing.state >= DEBUG_ENDED)
        return;
    session->origin_place = debug_site_place(session, standing.site);
    session->origin_frame_place = debug_frame_place(session, session->origin_place, session->frame);
}

bool debug_move_wants(const struct debug_session *session, uint32_t site)
{
    const uint32_t place = debug_site_place(session, site);
    if (session->catches_barrier && session->mode != DEBUG_MODE_LEAVE &&
        session->code->instructions[site].op == VM_OP_barrier)
        return true;
    switch (session->mode) {
    case DEBUG_MODE_STEP:
    case DEBUG_MODE_NEXT:
    case DEBUG_MODE_UNTIL:
        return session->starts[site];
    case DEBUG_MODE_FINISH: /* it comes back in the middle of a statement */
        return place != 0 && (session->starts[site] || session->origin_frame_place == 0 ||
                              !debug_is_inside(session, place, session->origin_frame_place));
    case DEBUG_MODE_INSTRUCTION:
        return true;
    default:
        return false;
    }
}

static bool is_origin_group(const struct debug_session *session)
{
    return memcmp(session->origin_group, session->holder->group.id, sizeof session->origin_group) ==
           0;
}

/* The item that steps has ended, or its group has. */
static bool has_ended(const struct debug_session *session)
{
    if (!is_origin_group(session))
        return true;
    const enum debug_state state =
        debug_stand(session, session->origin_vector, session->origin_lane).state;
    return state == DEBUG_ENDED || state == DEBUG_ELSEWHERE;
}

static bool stops_at(const struct debug_session *session, uint32_t place)
{
    const uint32_t origin = session->origin_place;
    const uint32_t frame = session->origin_frame_place;
    const bool inside = frame != 0 && debug_is_inside(session, place, frame);
    const bool left = frame != 0 && !inside &&
                      debug_place(session, place)->caller != debug_place(session, frame)->caller;
    switch (session->mode) {
    case DEBUG_MODE_STEP:
        return origin == 0 || !debug_same_statement(session, place, origin);
    case DEBUG_MODE_NEXT:
        return origin == 0 || (!inside && !debug_same_statement(session, place, frame));
    case DEBUG_MODE_FINISH:
        return left;
    case DEBUG_MODE_UNTIL:
        return left || (!inside && debug_place(session, place)->line == session->until_line);
    default:
        return true;
    }
}

bool debug_move_is_done(struct debug_session *session, struct vm_vector *vector, uint32_t site)
{
    if (session->mode == DEBUG_MODE_CONTINUE || session->mode == DEBUG_MODE_LEAVE)
        return false;
    if (session->origin_place != 0 && has_ended(session)) {
        snprintf(session->stop.text, sizeof session->stop.text,
                 "the work-item that was stepped has ended");
        session->stop.reason = "step";
        session->vector = vector->index;
        session->lane = (uint32_t)__builtin_ctzll(vector->active);
        return true;
    }
    const bool is_origin = is_origin_group(session) && vector->index == session->origin_vector &&
                           (vector->active >> session->origin_lane & 1);
    const uint32_t place = debug_site_place(session, site);
    if ((session->origin_place != 0 && !is_origin) || !stops_at(session, place))
        return false;
    if (session->steps > 1) {
        session->steps--;
        session->origin_place = session->origin_frame_place = place;
        return false;
    }
    session->stop.reason = "step";
    if (session->origin_place == 0) {
        session->vector = vector->index;
        session->lane = (uint32_t)__builtin_ctzll(vector->active);
    }
    return true;
}
