/* Steps. They are those of the item in the focus; the other lanes of its vector go with it, other
 * vectors where theirs waits for them. */
#include "reference/debug/private.h"

#include <stdio.h>
#include <string.h>

/* The vector that runs is at a statement; others begin one whenever they come to its first site. */
static void begin_with_group(struct debug_session *session, const struct vm_vector *vector,
                             uint32_t site)
{
    session->move.origin_place = debug_site_place(session, site);
    session->move.group_vector = vector->index;
    session->move.group_lanes = vector->active;
    session->move.group_done = 0;
}

void debug_begin_move(struct debug_session *session, enum debug_mode mode)
{
    const struct debug_standing standing = debug_stand(session, session->vector, session->lane);
    session->move.mode = mode;
    session->move.origin_vector = session->vector;
    session->move.origin_lane = session->lane;
    session->move.origin_place = 0;
    session->move.origin_frame_place = 0;
    session->move.of_item = session->launch && session->begun && !session->over;
    session->move.at_start = false;
    session->move.group_lanes = session->move.group_done = 0;
    session->move.group_vector = session->running;
    if (!session->launch)
        return;
    memcpy(session->move.origin_group, session->holder->group.id,
           sizeof session->move.origin_group);
    if (mode == DEBUG_MODE_GROUP && session->move.of_item)
        begin_with_group(session, session->debugger.vm.vector,
                         (uint32_t)(session->debugger.vm.in - session->code->instructions));
    if (mode == DEBUG_MODE_GROUP || !session->begun || standing.state >= DEBUG_ENDED)
        return;
    session->move.origin_place = debug_site_place(session, standing.site);
    session->move.origin_frame_place =
        debug_frame_place(session, session->move.origin_place, session->frame);
    session->move.at_start = session->starts[standing.site] && !session->within;
}

bool debug_move_wants(const struct debug_session *session, uint32_t site)
{
    const uint32_t place = debug_site_place(session, site);
    if (session->catches_barrier && session->move.mode != DEBUG_MODE_LEAVE &&
        session->code->instructions[site].op == VM_OP_barrier)
        return true;
    switch (session->move.mode) {
    case DEBUG_MODE_STEP:
    case DEBUG_MODE_NEXT:
    case DEBUG_MODE_UNTIL:
    case DEBUG_MODE_GROUP:
    case DEBUG_MODE_BACK_STEP:
    case DEBUG_MODE_BACK_NEXT:
    case DEBUG_MODE_BACK_FINISH:
        return session->starts[site];
    case DEBUG_MODE_FINISH: /* it comes back in the middle of a statement */
        return place != 0 && (session->starts[site] || session->move.origin_frame_place == 0 ||
                              !debug_is_inside(session, place, session->move.origin_frame_place));
    case DEBUG_MODE_INSTRUCTION:
    case DEBUG_MODE_BACK_INSTRUCTION:
        return true;
    default:
        return false;
    }
}

static bool is_origin_group(const struct debug_session *session)
{
    return memcmp(session->move.origin_group, session->holder->group.id,
                  sizeof session->move.origin_group) == 0;
}

/* The item that steps has ended, or its group has. */
static bool has_ended(const struct debug_session *session)
{
    if (!is_origin_group(session))
        return true;
    const enum debug_state state =
        debug_stand(session, session->move.origin_vector, session->move.origin_lane).state;
    return state == DEBUG_ENDED || state == DEBUG_ELSEWHERE;
}

/* Is the place in a function that the frame's calls, or, when that is left, the one that has called
 * it, or another one above? */
static bool is_in_call(const struct debug_session *session, uint32_t place, uint32_t frame)
{
    for (; frame != 0; frame = debug_place(session, frame)->caller) {
        if (debug_place(session, place)->caller == debug_place(session, frame)->caller)
            return false;
        if (debug_is_inside(session, place, frame))
            return true;
    }
    return false;
}

static bool stops_at(const struct debug_session *session, uint32_t place)
{
    const uint32_t origin = session->move.origin_place;
    const uint32_t frame = session->move.origin_frame_place;
    const bool inside = frame != 0 && debug_is_inside(session, place, frame);
    const bool left = frame != 0 && !inside &&
                      debug_place(session, place)->caller != debug_place(session, frame)->caller;
    switch (session->move.mode) {
    case DEBUG_MODE_STEP:
        return origin == 0 || !debug_same_statement(session, place, origin);
    case DEBUG_MODE_NEXT:
        return origin == 0 ||
               (!is_in_call(session, place, frame) && !debug_same_statement(session, place, frame));
    case DEBUG_MODE_FINISH:
        return left;
    case DEBUG_MODE_UNTIL:
        return left || (!inside && debug_place(session, place)->line == session->move.until_line);
    default:
        return true;
    }
}

/* Back to the beginning of a statement: of this one, where the item was in the midst of it; else of
 * another. */
static bool stops_back_at(const struct debug_session *session, uint32_t place)
{
    const struct debug_move *move = &session->move;
    const uint32_t frame = move->origin_frame_place;
    const bool inside = frame != 0 && debug_is_inside(session, place, frame);
    const bool anywhere = frame == 0 || !move->at_start;
    switch (move->mode) {
    case DEBUG_MODE_BACK_STEP:
        return anywhere || !debug_same_statement(session, place, move->origin_place);
    case DEBUG_MODE_BACK_NEXT:
        return !is_in_call(session, place, frame) &&
               (anywhere || !debug_same_statement(session, place, frame));
    case DEBUG_MODE_BACK_FINISH:
        return !inside && (frame == 0 || debug_place(session, place)->caller !=
                                             debug_place(session, frame)->caller);
    default:
        return true;
    }
}

static bool may_be_done(enum debug_mode mode)
{
    return mode != DEBUG_MODE_CONTINUE && mode != DEBUG_MODE_LEAVE && mode != DEBUG_MODE_GOTO &&
           mode != DEBUG_MODE_VECTOR;
}

static bool is_back(enum debug_mode mode)
{
    return mode >= DEBUG_MODE_BACK_STEP;
}

static bool back_is_done(struct debug_session *session, const struct vm_vector *vector,
                         uint32_t site)
{
    const struct debug_move *move = &session->move;
    const bool is_item = is_origin_group(session) && vector->index == move->origin_vector &&
                         (vector->active >> move->origin_lane & 1);
    if (move->mode != DEBUG_MODE_BACK_INSTRUCTION && !session->starts[site])
        return false;
    if ((move->of_item && !is_item) || !stops_back_at(session, debug_site_place(session, site)))
        return false;
    if (!move->of_item) {
        session->vector = vector->index;
        session->lane = (uint32_t)__builtin_ctzll(vector->active);
    }
    session->stop.reason = "step";
    return true;
}

/* ---- all items of the group ---- */

/* Does the vector still have to begin a statement? One that has its turn yet to come, as each has
 * that keeps nothing between turns, waits. */
static bool is_due(const struct debug_session *session, uint32_t index)
{
    const struct vm_vector *vector = launch_vector(session->holder, index);
    bool waits_to_enter = false;
    if (session->move.group_done >> index % VM_LANES & 1)
        return false;
    if (index == session->running)
        return true;
    for (uint32_t b = 0; session->holder->in_turns && b < session->code->block_count; b++)
        waits_to_enter |= vector->pending[b] != 0;
    return waits_to_enter;
}

/* One that has come to where another one runs waits there, or has ended. */
static bool group_is_done(struct debug_session *session, const struct vm_vector *vector,
                          uint32_t site)
{
    struct debug_move *move = &session->move;
    const uint32_t count = (session->holder->group.item_count + VM_LANES - 1) / VM_LANES;
    const bool same =
        vector->index == move->group_vector && (vector->active & move->group_lanes) != 0 &&
        move->origin_place != 0 &&
        debug_same_statement(session, debug_site_place(session, site), move->origin_place);
    if (vector->index != move->group_vector)
        move->group_done |= UINT64_C(1) << move->group_vector % VM_LANES;
    move->group_vector = vector->index;
    if (!same)
        move->group_done |= UINT64_C(1) << vector->index % VM_LANES;
    for (uint32_t index = 0; index < count; index++) {
        if (is_due(session, index))
            return false;
    }
    if (move->steps > 1) {
        move->steps--;
        begin_with_group(session, vector, site);
        return false;
    }
    return true;
}

/* The focus stays where its item is among those that run. */
static bool stop_with_group(struct debug_session *session, const struct vm_vector *vector,
                            uint32_t site)
{
    const bool has_left = !is_origin_group(session);
    if (!has_left && !group_is_done(session, vector, site))
        return false;
    if (has_left)
        snprintf(session->stop.text, sizeof session->stop.text,
                 "the work-group that was stepped has ended");
    session->stop.reason = "step";
    if (!has_left && session->vector == vector->index && (vector->active >> session->lane & 1))
        return true;
    session->vector = vector->index;
    session->lane = (uint32_t)__builtin_ctzll(vector->active);
    return true;
}

bool debug_move_is_done(struct debug_session *session, struct vm_vector *vector, uint32_t site)
{
    if (!may_be_done(session->move.mode))
        return false;
    if (is_back(session->move.mode))
        return back_is_done(session, vector, site);
    if (!debug_move_wants(session, site)) /* a watch or a breakpoint does */
        return false;
    if (session->move.mode == DEBUG_MODE_GROUP)
        return stop_with_group(session, vector, site);
    if (session->move.origin_place != 0 && has_ended(session)) {
        snprintf(session->stop.text, sizeof session->stop.text,
                 "the work-item that was stepped has ended");
        session->stop.reason = "step";
        session->vector = vector->index;
        session->lane = (uint32_t)__builtin_ctzll(vector->active);
        return true;
    }
    const bool is_origin = is_origin_group(session) &&
                           vector->index == session->move.origin_vector &&
                           (vector->active >> session->move.origin_lane & 1);
    const uint32_t place = debug_site_place(session, site);
    if ((session->move.origin_place != 0 && !is_origin) || !stops_at(session, place))
        return false;
    if (session->move.steps > 1) {
        session->move.steps--;
        session->move.origin_place = session->move.origin_frame_place = place;
        return false;
    }
    session->stop.reason = "step";
    if (session->move.origin_place == 0) {
        session->vector = vector->index;
        session->lane = (uint32_t)__builtin_ctzll(vector->active);
    }
    return true;
}
