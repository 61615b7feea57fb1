/* Who wrote this? The history is run again up to now, and every write of the bytes is noted: the
 * last one is the answer. The other side of a race is found in the same way. */
#include "reference/debug/evaluate.h"
#include "reference/debug/private.h"
#include "reference/vm/access.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is noted of an access. */
struct note {
    uint64_t group[3], item[3], element;
    uint32_t vector, lane, site, count;
    char before[512]; /* as text, "" = not known */
};

_Static_assert(sizeof(struct debug_seek) <= DEBUG_QUESTION_MAX, "a question has room for it");
_Static_assert(sizeof(struct note) <= DEBUG_NOTE_MAX, "a note has room for it");

/* ---- in the process that runs again ---- */

static void begin_seeking(struct debug_session *session, const void *words, size_t size)
{
    ASSERT(size == sizeof session->seek);
    memcpy(&session->seek, words, size);
}

static void note(struct debug_session *session, uint32_t vector, uint32_t lane, uint32_t site,
                 uint32_t count, uint64_t element)
{
    struct note made = {
        .element = element, .vector = vector, .lane = lane, .site = site, .count = count};
    struct text before = TEXT_INIT;
    const uint64_t now = debug_moment_before(vm_debugger_position(&session->debugger.vm));
    if (session->seek.moment != 0 && session->seek.moment != now)
        return;
    memcpy(made.group, session->holder->group.id, sizeof made.group);
    for (uint32_t d = 0; d < 3; d++)
        made.item[d] = debug_item(session, vector, lane, d, false);
    if (session->seek.moment != 0)
        debug_target_print(session, &session->seek.target, vector, lane, element, &before);
    if (before.bytes)
        snprintf(made.before, sizeof made.before, "%s", before.bytes);
    text_release(&before);
    debug_past_note(session, &made, sizeof made);
}

static bool is_but(const struct debug_session *session, uint32_t vector)
{
    const struct debug_seek *seek = &session->seek;
    return seek->has_but && seek->but_vector == vector &&
           memcmp(seek->but_group, session->holder->group.id, sizeof seek->but_group) == 0;
}

void debug_seek_access(void *state, const struct access *access, const struct access_span *span)
{
    struct debug_session *session = state;
    const struct debug_seek *seek = &session->seek;
    const bool writes = access_writes(access->kind);
    if (!writes && !seek->reads)
        return;
    uint64_t lanes = debug_target_lanes(session, &seek->target, access, span);
    if (is_but(session, access->vector->index))
        lanes &= ~(UINT64_C(1) << seek->but_lane);
    if (!lanes)
        return;
    const uint32_t lane = debug_target_lane(session, lanes, writes);
    session->begun = true;
    note(session, access->vector->index, lane, access->site, (uint32_t)__builtin_popcountll(lanes),
         debug_target_element(&seek->target, span, lane));
}

void debug_seek_set(struct debug_session *session, const struct vm_vector *vector, uint32_t site)
{
    const struct debug_target *target = &session->seek.target;
    if (debug_target_is_set(session, target, vector, site))
        note(session, vector->index, target->lane, site, 1, 0);
}

/* ---- asking ---- */

static enum status seek(struct debug_session *session, const struct debug_seek *seek,
                        struct debug_find *find, struct note *noted, struct error *error)
{
    struct debug_question question = {.begin = begin_seeking, .size = sizeof *seek};
    memcpy(question.words, seek, sizeof *seek);
    /* What takes place at the moment is not done yet. */
    const enum status status = debug_past_search(
        session, &question, debug_moment_before(debug_position(session)), find, error);
    if (status == STATUS_OK)
        memcpy(noted, find->note, sizeof *noted);
    return status;
}

/* What was there before the last write: only of that one it is worth to print it. */
static void learn_before(struct debug_session *session, const struct debug_seek *last,
                         const struct debug_find *found, struct note *noted)
{
    struct debug_seek at = *last;
    struct debug_question question = {.begin = begin_seeking, .size = sizeof at};
    struct debug_find find;
    struct error error;
    at.moment = found->moment;
    memcpy(question.words, &at, sizeof at);
    if (debug_past_search(session, &question, found->moment + 1, &find, &error) == STATUS_OK)
        memcpy(noted, find.note, sizeof *noted);
}

static void put_writer(struct debug_session *session, const struct debug_target *target,
                       const struct debug_find *find, const struct note *noted, struct text *answer)
{
    struct text position = TEXT_INIT;
    struct text after = TEXT_INIT;
    text_format(&position, "%" PRIu64 ":%" PRIu64, session->launch_number,
                debug_moment_position(find->moment));
    /* Nobody has written since. */
    debug_target_print(session, target, target->vector, target->lane, noted->element, &after);
    json_key(answer, "writer");
    text_append(answer, "{");
    json_string(answer, "position", position.bytes);
    debug_put_triple(answer, "item", noted->item);
    debug_put_triple(answer, "group", noted->group);
    json_number(answer, "vector", noted->vector);
    json_number(answer, "lane", noted->lane);
    json_number(answer, "count", noted->count);
    debug_put_place(session, answer, debug_site_place(session, noted->site));
    json_string(answer, "before", noted->before);
    json_string(answer, "after", after.bytes);
    text_append(answer, "}");
    text_release(&position);
    text_release(&after);
}

/* Has the user changed it since? */
static bool put_change(struct debug_session *session, const struct debug_target *target,
                       const struct debug_find *written, struct text *answer)
{
    struct text text = TEXT_INIT;
    uint64_t moment;
    if (!debug_find_change(session, target, &moment) || (written && moment <= written->moment))
        return false;
    text_format(&text, "set by you at position %" PRIu64 ":%" PRIu64 ": ", session->launch_number,
                debug_moment_position(moment));
    debug_target_print(session, target, target->vector, target->lane, 0, &text);
    json_string(answer, "text", text.bytes);
    text_release(&text);
    return true;
}

/* Who else may have: nobody whom the past of this launch knows. */
static void put_nobody(struct debug_session *session, const struct debug_target *target,
                       const struct debug_value *value, struct text *answer)
{
    struct text text = TEXT_INIT;
    const struct vm_object *object =
        target->of_group ? NULL : vm_memory_find(session->launch->request->memory, target->object);
    text_append(&text, "no work-item of this launch has written it before");
    if (object)
        text_format(&text, ": what lies in '%s'", object->identity.name);
    if (object && object->identity.origin)
        text_format(&text, ", of %s,", object->identity.origin);
    if (object)
        text_append(&text, " is of an earlier launch, or of the host");
    if (object && object->identity.writer)
        text_format(&text, "; the latest that could write there is %s", object->identity.writer);
    json_string(answer, "text", text.bytes);
    text_release(&text);
    debug_put_given(session, target, value, answer);
}

/* The bytes that are asked for. */
static bool read_bytes(struct debug_session *session, const struct cJSON *request,
                       struct debug_value *value, struct debug_target *target, struct error *error)
{
    const char *expression = json_object_text(request, "expression");
    const struct debug_lane lane = debug_focus(session);
    struct text given = TEXT_INIT;
    bool read = expression || debug_read_given(session, request, &given, error);
    if (!expression)
        expression = given.bytes;
    read = read && debug_evaluate_text(&lane, expression, false, value, error) &&
           debug_target_set(session, &lane, value, expression, target, error);
    text_release(&given);
    return read;
}

bool debug_answer_who(struct debug_session *session, const struct cJSON *request,
                      struct text *answer, struct error *error)
{
    struct debug_seek wanted = {.on = true};
    struct debug_value value;
    struct debug_find find;
    struct note noted;
    if (!read_bytes(session, request, &value, &wanted.target, error))
        return false;
    const enum status status = seek(session, &wanted, &find, &noted, error);
    if ((status == STATUS_OK || status == STATUS_NOT_FOUND) &&
        put_change(session, &wanted.target, status == STATUS_OK ? &find : NULL, answer))
        return true;
    if (status == STATUS_OK)
        learn_before(session, &wanted, &find, &noted);
    if (status == STATUS_OK)
        put_writer(session, &wanted.target, &find, &noted, answer);
    else if (status == STATUS_NOT_FOUND)
        put_nobody(session, &wanted.target, &value, answer);
    return status == STATUS_OK || status == STATUS_NOT_FOUND;
}

/* ---- the other side of a race ---- */

struct debug_kept_access {
    uint64_t moment;
    bool writes;
    uint32_t size;
    struct access_span span;
};

void debug_keep_access(struct debug_session *session, const struct access *access,
                       const struct access_span *span)
{
    if (!session->kept_access)
        session->kept_access = alloc_zero(1, sizeof *session->kept_access);
    if (!session->kept_access)
        return;
    session->kept_access->moment = debug_moment_before(vm_debugger_position(&session->debugger.vm));
    session->kept_access->writes = access_writes(access->kind);
    session->kept_access->size = access->size;
    session->kept_access->span = *span;
}

/* The bytes that the focus touches. */
static void set_target(struct debug_session *session, const struct debug_kept_access *kept,
                       struct debug_target *target)
{
    const struct vm_object *object = kept->span.object;
    const struct vm_vector *vector = launch_vector(session->holder, session->vector);
    const uint64_t place = access_place(&kept->span, session->lane);
    *target = (struct debug_target){.size = kept->size,
                                    .launch = session->launch_number,
                                    .vector = session->vector,
                                    .lane = session->lane};
    memcpy(target->group, session->holder->group.id, sizeof target->group);
    target->of_group = object->identity.region == OBSERVER_LOCAL;
    target->object =
        target->of_group ? (uint32_t)(object - vector->objects) : object->root->identity.id;
    target->first = target->of_group ? place : object->root_offset + place;
}

bool debug_read_other(struct debug_session *session, const struct cJSON *request,
                      struct debug_quest *quest, struct error *error)
{
    const struct debug_kept_access *kept = session->kept_access;
    struct debug_seek wanted = {
        .on = true, .has_but = true, .but_vector = session->vector, .but_lane = session->lane};
    struct debug_find find;
    struct note noted;
    if (!session->launch || !session->within || !kept ||
        kept->moment != debug_moment_before(debug_position(session)) ||
        session->vector != session->running || !(kept->span.mask >> session->lane & 1) ||
        kept->span.object->identity.region == OBSERVER_PRIVATE) {
        error_set(error, STATUS_INVALID,
                  "it stands at no race: `catch finding` stops at one, and the focus is on an item "
                  "that takes part");
        return false;
    }
    memcpy(wanted.but_group, session->holder->group.id, sizeof wanted.but_group);
    set_target(session, kept, &wanted.target);
    wanted.reads = kept->writes;
    const enum status status = seek(session, &wanted, &find, &noted, error);
    if (status == STATUS_NOT_FOUND)
        error_set(error, STATUS_INVALID,
                  "no other work-item has accessed these bytes before in this launch: the other "
                  "side is of the same instruction, or of an earlier launch");
    if (status != STATUS_OK)
        return false;
    *quest = (struct debug_quest){
        .kind = DEBUG_QUEST_TO, .moment = find.moment, .vector = noted.vector, .lane = noted.lane};
    quest->has_id = json_object_number(request, "id", &quest->id);
    return true;
}
