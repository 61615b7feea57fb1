/* Where the work-items of the focus' group stand, and which of them is the focus. */
#include "reference/debug/private.h"
#include "reference/sched/permute.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <string.h>

/* ---- standing ---- */

const char *debug_state_name(enum debug_state state)
{
    static const char *const names[] = {
        [DEBUG_ACTIVE] = "active",      [DEBUG_WAITING] = "waiting",
        [DEBUG_BARRIER] = "barrier",    [DEBUG_SPIN] = "spin",
        [DEBUG_ENDED] = "ended",        [DEBUG_NOT_BEGUN] = "not begun",
        [DEBUG_ELSEWHERE] = "elsewhere"};
    return names[state];
}

/* Has the vector rows of its own now? */
static bool has_rows(const struct debug_session *session, uint32_t vector)
{
    return session->begun && !session->over && session->holder &&
           (session->holder->in_turns || vector == session->running);
}

static bool find_waiting(const struct vm_vector *vector, uint32_t lane,
                         struct debug_standing *found)
{
    const struct vm_code *code = vector->run->code;
    for (uint32_t b = 0; b < code->block_count; b++) {
        if (vector->pending[b] >> lane & 1) {
            *found = (struct debug_standing){DEBUG_WAITING, code->blocks[b].first};
            return true;
        }
    }
    for (uint32_t p = 0; p < vector->parked_count; p++) {
        if (vector->parked[p].mask >> lane & 1) {
            *found = (struct debug_standing){DEBUG_BARRIER, vector->parked[p].site};
            return true;
        }
    }
    for (uint32_t s = 0; s < code->spin_count; s++) {
        if (vector->waiting[s].held >> lane & 1) {
            *found = (struct debug_standing){DEBUG_SPIN, vector->waiting[s].site};
            return true;
        }
    }
    return false;
}

struct debug_standing debug_stand(const struct debug_session *session, uint32_t vector,
                                  uint32_t lane)
{
    struct debug_standing found = {.state = DEBUG_NOT_BEGUN};
    if (session->over)
        return (struct debug_standing){.state = DEBUG_ENDED};
    if (!session->begun)
        return found;
    if (!has_rows(session, vector)) {
        found.state = DEBUG_ELSEWHERE;
        return found;
    }
    const struct vm_vector *at = launch_vector(session->holder, vector);
    if (at->ended >> lane & 1)
        found.state = DEBUG_ENDED;
    else if (find_waiting(at, lane, &found))
        return found;
    else if (session->debugger.vm.vector == at && at->active >> lane & 1)
        found = (struct debug_standing){
            DEBUG_ACTIVE, (uint32_t)(session->debugger.vm.in - session->code->instructions)};
    return found;
}

uint64_t debug_item(const struct debug_session *session, uint32_t vector, uint32_t lane,
                    uint32_t dimension, bool local)
{
    const struct launch *launch = session->holder ? session->holder : session->launch;
    if (!launch)
        return 0;
    const struct group *group = &launch->group;
    uint64_t rest = (uint64_t)vector * VM_LANES + lane;
    const uint64_t *size = session->begun ? group->size : launch->request->local_size;
    for (uint32_t d = 0; d < dimension; d++)
        rest /= size[d];
    const uint64_t id = dimension < 2 ? rest % size[dimension] : rest;
    const struct sched_launch *request = launch->request;
    return local ? id
                 : id + group->id[dimension] * request->local_size[dimension] +
                       request->global_offset[dimension];
}

struct debug_lane debug_lane_of(struct debug_session *session, uint32_t vector, uint32_t lane,
                                uint32_t frame)
{
    struct debug_lane found = {
        .session = session, .launch = session->holder, .vector_index = vector, .lane = lane};
    if (!session->launch)
        return found;
    const struct debug_standing standing = debug_stand(session, vector, lane);
    if (has_rows(session, vector))
        found.vector = launch_vector(session->holder, vector);
    if (standing.state < DEBUG_ENDED)
        found.place = debug_frame_place(session, debug_site_place(session, standing.site), frame);
    if (debug_is_between(session)) {
        found.vector = launch_vector(session->holder, 0); /* for what all have: the arguments */
        found.place = debug_first_place(session);
    }
    return found;
}

struct debug_lane debug_focus(struct debug_session *session)
{
    return debug_lane_of(session, session->vector, session->lane, session->frame);
}

/* ---- naming items ---- */

bool debug_find_item(const struct debug_session *session, const uint64_t item[3], uint32_t *linear,
                     struct error *error)
{
    const struct launch *launch = session->holder;
    uint64_t number = 0;
    uint64_t stride = 1;
    for (uint32_t d = 0; d < 3 && launch; d++) {
        const uint64_t first = launch->group.id[d] * launch->request->local_size[d] +
                               launch->request->global_offset[d];
        if (item[d] < first || item[d] - first >= launch->group.size[d]) {
            error_set(error, STATUS_INVALID,
                      "work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64
                      ") is not of the group that runs, (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")",
                      item[0], item[1], item[2], launch->group.id[0], launch->group.id[1],
                      launch->group.id[2]);
            return false;
        }
        number += (item[d] - first) * stride;
        stride *= launch->group.size[d];
    }
    *linear = (uint32_t)number;
    if (!launch)
        error_set(error, STATUS_INVALID, "no work-item has begun");
    return launch != NULL;
}

bool debug_read_item(const struct debug_session *session, const struct cJSON *item,
                     uint32_t *linear, struct error *error)
{
    uint64_t ids[3] = {0};
    uint64_t number;
    uint32_t count = 0;
    if (json_item_number(item, &number)) {
        *linear = (uint32_t)number;
        if (session->holder && number < session->holder->group.item_count)
            return true;
        error_set(error, STATUS_INVALID, "the group has no work-item %" PRIu64, number);
        return false;
    }
    for (const struct cJSON *at = json_array_first(item); at && count < 3; at = json_array_next(at))
        count += json_item_number(at, &ids[count]);
    return debug_find_item(session, ids, linear, error);
}

void debug_append_ranges(struct text *text, const bool *items, uint32_t count)
{
    bool first = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = i;
        if (!items[i])
            continue;
        while (end + 1 < count && items[end + 1])
            end++;
        text_format(text, end > i ? "%s%u-%u" : "%s%u", first ? "" : ", ", i, end);
        first = false;
        i = end;
    }
}

/* Those of the groups before it in the launch come before. */
static uint64_t first_thread(const struct debug_session *session)
{
    const struct launch *launch = session->holder;
    const uint64_t *local = launch->request->local_size;
    const uint64_t *id = launch->group.id;
    const uint64_t *count = launch->group_count;
    return (id[0] + count[0] * (id[1] + count[1] * id[2])) * local[0] * local[1] * local[2] + 1;
}

bool debug_thread_item(const struct debug_session *session, uint64_t thread, uint32_t *linear)
{
    if (!session->holder)
        return false;
    const uint64_t first = first_thread(session);
    if (thread < first || thread - first >= session->holder->group.item_count)
        return false;
    *linear = (uint32_t)(thread - first);
    return true;
}

/* ---- cohorts ---- */

/* Items that stand at the same statement in the same way; or those of a vector; or one. */
enum cohorts_by { BY_PLACE, BY_VECTOR, BY_ITEM };
struct cohort {
    enum debug_state state;
    uint32_t place, first, count;
    bool focus;
};

struct cohorts {
    struct debug_session *session;
    enum cohorts_by by; /* BY_ITEM: of the focus' vector, others are of none */
    struct cohort *list;
    size_t count, capacity;
    uint32_t *of; /* by item; UINT32_MAX = none */
    uint32_t items;
};

static bool same_cohort(const struct cohorts *cohorts, const struct cohort *cohort, uint32_t item,
                        enum debug_state state, uint32_t place)
{
    const struct debug_session *session = cohorts->session;
    if (cohorts->by != BY_PLACE)
        return cohorts->by == BY_VECTOR && cohort->first / VM_LANES == item / VM_LANES;
    return cohort->state == state &&
           (cohort->place == place || (cohort->place != 0 && place != 0 &&
                                       debug_same_statement(session, cohort->place, place)));
}

static bool add_item(struct cohorts *cohorts, uint32_t item)
{
    struct debug_session *session = cohorts->session;
    const struct debug_standing standing = debug_stand(session, item / VM_LANES, item % VM_LANES);
    const uint32_t place =
        standing.state < DEBUG_ENDED ? debug_site_place(session, standing.site) : 0;
    size_t i = 0;
    cohorts->of[item] = UINT32_MAX;
    if (cohorts->by == BY_ITEM && item / VM_LANES != session->vector)
        return true;
    while (i < cohorts->count &&
           !same_cohort(cohorts, &cohorts->list[i], item, standing.state, place))
        i++;
    if (i == cohorts->count) {
        struct cohort *list =
            alloc_grow(cohorts->list, cohorts->count, &cohorts->capacity, sizeof *list);
        if (!list)
            return false;
        cohorts->list = list;
        list[cohorts->count++] =
            (struct cohort){.state = standing.state, .place = place, .first = item};
    }
    /* Of a vector those that run say where it stands. */
    if (standing.state == DEBUG_ACTIVE && cohorts->list[i].state != DEBUG_ACTIVE) {
        cohorts->list[i].state = standing.state;
        cohorts->list[i].place = place;
        cohorts->list[i].first = item;
    }
    cohorts->list[i].count++;
    cohorts->list[i].focus |= item == session->vector * VM_LANES + session->lane;
    cohorts->of[item] = (uint32_t)i;
    return true;
}

static bool find_cohorts(struct debug_session *session, enum cohorts_by by, struct cohorts *cohorts,
                         struct error *error)
{
    const uint32_t items = session->holder ? session->holder->group.item_count : 0;
    *cohorts = (struct cohorts){.session = session, .by = by, .items = items};
    cohorts->of = arena_alloc(&session->scratch, (size_t)items + 1, sizeof *cohorts->of);
    bool complete = cohorts->of != NULL;
    for (uint32_t item = 0; item < items && complete; item++)
        complete = add_item(cohorts, item);
    if (!complete) {
        alloc_free(cohorts->list);
        error_no_memory(error, items);
    }
    return complete;
}

static bool *items_of(const struct cohorts *cohorts, uint32_t cohort)
{
    bool *items =
        arena_alloc(&cohorts->session->scratch, (size_t)cohorts->items + 1, sizeof *items);
    for (uint32_t i = 0; i < cohorts->items && items; i++)
        items[i] = cohorts->of[i] == cohort;
    return items;
}

static void put_items(const struct cohorts *cohorts, uint32_t cohort, struct text *answer)
{
    struct text ranges = TEXT_INIT;
    const bool *items = items_of(cohorts, cohort);
    if (items)
        debug_append_ranges(&ranges, items, cohorts->items);
    json_string(answer, "items", ranges.bytes);
    text_release(&ranges);
}

static void put_item(const struct debug_session *session, uint32_t item, struct text *answer)
{
    uint64_t ids[3];
    for (uint32_t d = 0; d < 3; d++)
        ids[d] = debug_item(session, item / VM_LANES, item % VM_LANES, d, false);
    debug_put_triple(answer, "item", ids);
}

/* "item (3,0,0)" */
static void append_item(const struct debug_session *session, uint32_t item, struct text *text)
{
    text_append(text, "item (");
    for (uint32_t d = 0; d < 3; d++)
        text_format(text, d ? ",%" PRIu64 : "%" PRIu64,
                    debug_item(session, item / VM_LANES, item % VM_LANES, d, false));
    text_append_char(text, ')');
}

static void put_thread(const struct cohorts *cohorts, uint32_t index, struct text *answer)
{
    const struct cohort *cohort = &cohorts->list[index];
    const struct vm_place *place = debug_place(cohorts->session, cohort->place);
    struct text name = TEXT_INIT;
    if (cohorts->by == BY_VECTOR)
        text_format(&name, "vector %u: ", cohort->first / VM_LANES);
    if (cohorts->by == BY_ITEM)
        append_item(cohorts->session, cohort->first, &name);
    if (cohorts->by == BY_ITEM)
        text_append_char(&name, ' ');
    if (cohort->place)
        text_format(&name, "%s:%u ", place->file, place->line);
    if (cohorts->by != BY_ITEM)
        text_format(&name, "%u item%s ", cohort->count, cohort->count == 1 ? "" : "s");
    text_append(&name, debug_state_name(cohort->state));
    json_item(answer);
    text_append(answer, "{");
    json_number(answer, "id", first_thread(cohorts->session) + cohort->first);
    put_item(cohorts->session, cohort->first, answer);
    put_items(cohorts, index, answer);
    json_number(answer, "count", cohort->count);
    json_string(answer, "name", name.bytes);
    json_string(answer, "state", debug_state_name(cohort->state));
    debug_put_place(cohorts->session, answer, cohort->place);
    text_append(answer, "}");
    text_release(&name);
}

/* The focus item alone. */
static void put_focus_thread(struct debug_session *session, struct text *answer)
{
    const uint32_t item = session->vector * VM_LANES + session->lane;
    const struct debug_lane lane = debug_lane_of(session, session->vector, session->lane, 0);
    const char *state =
        debug_state_name(debug_stand(session, session->vector, session->lane).state);
    struct text name = TEXT_INIT;
    struct text items = TEXT_INIT;
    append_item(session, item, &name);
    text_format(&items, "%u", item);
    json_item(answer);
    text_append(answer, "{");
    json_number(answer, "id", first_thread(session) + item);
    put_item(session, item, answer);
    json_string(answer, "items", items.bytes);
    json_number(answer, "count", 1);
    json_string(answer, "name", name.bytes);
    json_string(answer, "state", state);
    debug_put_place(session, answer, session->over ? 0 : lane.place);
    text_append(answer, "}");
    text_release(&name);
    text_release(&items);
}

static bool read_by(const struct cJSON *request, enum cohorts_by *by, struct error *error)
{
    static const char *const names[] = {
        [BY_PLACE] = "cohorts", [BY_VECTOR] = "vectors", [BY_ITEM] = "items"};
    const char *wanted = json_object_text(request, "by");
    for (*by = BY_PLACE; wanted && *by <= BY_ITEM; ++*by) {
        if (strcmp(names[*by], wanted) == 0)
            return true;
    }
    if (wanted)
        error_set(error, STATUS_INVALID, "threads are cohorts, vectors or items");
    return !wanted;
}

bool debug_answer_threads(struct debug_session *session, const struct cJSON *request,
                          struct text *answer, struct error *error)
{
    enum { SHOWN_MAX = 32 };
    enum cohorts_by by;
    struct cohorts cohorts;
    if (!read_by(request, &by, error) || !find_cohorts(session, by, &cohorts, error))
        return false;
    uint64_t max = by == BY_PLACE ? SHOWN_MAX : VM_LANES;
    json_object_number(request, "max", &max);
    json_key(answer, "threads");
    text_append(answer, "[");
    put_focus_thread(session, answer);
    const uint32_t focus = session->vector * VM_LANES + session->lane;
    uint64_t shown = 0;
    uint64_t more = 0;
    for (uint32_t i = 0; i < cohorts.count; i++) {
        if (cohorts.list[i].first == focus) {
            /* It stands for the others now. */
            cohorts.list[i].first = UINT32_MAX;
            for (uint32_t item = 0; item < cohorts.items; item++) {
                if (cohorts.of[item] == i && item != focus && item < cohorts.list[i].first)
                    cohorts.list[i].first = item;
            }
        }
        if (cohorts.list[i].focus) {
            cohorts.of[focus] = UINT32_MAX;
            if (--cohorts.list[i].count == 0)
                continue;
        }
        if (shown++ < max)
            put_thread(&cohorts, i, answer);
        else
            more++;
    }
    text_append(answer, "]");
    json_known_number(answer, "more", more);
    alloc_free(cohorts.list);
    return true;
}

/* ---- lanes ---- */

static char sign_of(const struct cohorts *cohorts, uint32_t cohort, uint32_t *letters)
{
    const struct cohort *of = &cohorts->list[cohort];
    if (of->state == DEBUG_ENDED)
        return '.';
    if (of->state == DEBUG_BARRIER)
        return '|';
    if (of->state >= DEBUG_NOT_BEGUN)
        return '-';
    const char letter = (char)('a' + *letters % 26);
    ++*letters;
    return of->focus ? (char)(letter - 'a' + 'A') : letter;
}

bool debug_answer_lanes(struct debug_session *session, struct text *answer)
{
    struct cohorts cohorts;
    struct error error;
    char signs[256];
    uint32_t letters = 0;
    if (!find_cohorts(session, BY_PLACE, &cohorts, &error))
        return false;
    const size_t count = cohorts.count < sizeof signs ? cohorts.count : sizeof signs;
    for (uint32_t i = 0; i < count; i++)
        signs[i] = sign_of(&cohorts, i, &letters);
    json_key(answer, "vectors");
    text_append(answer, "[");
    for (uint32_t first = 0; first < cohorts.items; first += VM_LANES) {
        char line[VM_LANES + 1] = {0};
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            const uint32_t item = first + lane;
            line[lane] = item >= cohorts.items      ? ' '
                         : cohorts.of[item] < count ? signs[cohorts.of[item]]
                                                    : '?';
        }
        json_item(answer);
        text_append(answer, "{");
        json_number(answer, "vector", first / VM_LANES);
        json_string(answer, "signs", line);
        text_append(answer, "}");
    }
    text_append(answer, "]");
    json_key(answer, "places");
    text_append(answer, "[");
    for (uint32_t i = 0; i < count; i++) {
        const char sign[2] = {signs[i], '\0'};
        json_item(answer);
        text_append(answer, "{");
        json_string(answer, "sign", sign);
        debug_put_place(session, answer, cohorts.list[i].place);
        json_string(answer, "state", debug_state_name(cohorts.list[i].state));
        json_number(answer, "count", cohorts.list[i].count);
        put_items(&cohorts, i, answer);
        text_append(answer, "}");
    }
    text_append(answer, "]");
    alloc_free(cohorts.list);
    return true;
}

/* ---- focus ---- */

/* [x, y, z], or fewer. */
static bool read_ids(const struct cJSON *list, uint64_t ids[3])
{
    uint32_t count = 0;
    ids[0] = ids[1] = ids[2] = 0;
    for (const struct cJSON *at = json_array_first(list); at && count < 3; at = json_array_next(at))
        count += json_item_number(at, &ids[count]);
    return count > 0;
}

/* The group's turn among all, from 0. */
static uint64_t turn_of(const struct launch *launch, const uint64_t group[3])
{
    const struct sched_launch *request = launch->request;
    const uint64_t *groups = launch->group_count;
    const uint64_t count = groups[0] * groups[1] * groups[2];
    const uint64_t index = (group[2] * groups[1] + group[1]) * groups[0] + group[0];
    uint64_t turn = 0;
    while (turn < count && permute(request->order, request->seed, 0, turn, count) != index)
        turn++;
    return turn;
}

/* Has the vector surely not begun? Groups whose items wait for others do not keep their turns. */
static bool is_later(const struct debug_session *session, const uint64_t group[3], uint32_t vector)
{
    const struct launch *launch = session->holder;
    const uint64_t *now = launch->group.id;
    if (launch->request->code->spin_count != 0)
        return false;
    if (!session->begun)
        return true;
    return memcmp(now, group, sizeof launch->group.id) == 0
               ? vector > session->running
               : turn_of(launch, group) > turn_of(launch, now);
}

/* The group, and the linear local id of the item that are wanted; false: none, or with a sentence.
 */
static bool read_far(const struct debug_session *session, const struct cJSON *request,
                     uint64_t group[3], uint64_t *linear, struct error *error)
{
    const struct launch *launch = session->launch;
    const struct sched_launch *of = launch->request;
    uint64_t ids[3];
    uint64_t stride = 1;
    *linear = 0;
    const bool whole = read_ids(json_object_item(request, "group"), group);
    if (!whole && !read_ids(json_object_item(request, "item"), ids))
        return false;
    for (uint32_t d = 0; d < 3; d++) {
        if (whole ? group[d] >= launch->group_count[d]
                  : ids[d] - of->global_offset[d] >= of->global_size[d]) {
            error_set(error, STATUS_INVALID, "the launch has no such %s",
                      whole ? "group" : "work-item");
            return false;
        }
        if (whole)
            continue;
        ids[d] -= of->global_offset[d];
        group[d] = ids[d] / of->local_size[d];
        const uint64_t rest = of->global_size[d] - group[d] * of->local_size[d];
        *linear += (ids[d] - group[d] * of->local_size[d]) * stride;
        stride *= rest < of->local_size[d] ? rest : of->local_size[d];
    }
    return true;
}

bool debug_read_far_focus(struct debug_session *session, const struct cJSON *request,
                          struct debug_quest *quest, struct error *error)
{
    uint64_t linear;
    if (!session->launch || !read_far(session, request, quest->group, &linear, error))
        return false;
    const bool same = memcmp(session->holder->group.id, quest->group, sizeof quest->group) == 0;
    quest->kind = DEBUG_QUEST_VECTOR;
    quest->vector = (uint32_t)(linear / VM_LANES);
    quest->lane = (uint32_t)(linear % VM_LANES);
    if (same && (!session->begun || has_rows(session, quest->vector)))
        return false;
    quest->move = (struct debug_move){
        .mode = DEBUG_MODE_CONTINUE, .origin_vector = quest->vector, .origin_lane = quest->lane};
    memcpy(quest->move.origin_group, quest->group, sizeof quest->group);
    quest->is_later = is_later(session, quest->group, quest->vector);
    quest->has_id = json_object_number(request, "id", &quest->id);
    return true;
}

bool debug_set_focus(struct debug_session *session, const struct cJSON *request,
                     struct error *error)
{
    uint64_t number;
    uint32_t linear = session->vector * VM_LANES + session->lane;
    const struct cJSON *item = json_object_item(request, "item");
    if (json_object_item(request, "launch")) {
        error_set(error, STATUS_UNSUPPORTED, "the focus cannot go to another launch");
        return false;
    }
    if (json_object_item(request, "group"))
        linear = 0;
    if (item && !debug_read_item(session, item, &linear, error))
        return false;
    if (json_object_number(request, "thread", &number) &&
        !debug_thread_item(session, number, &linear))
        linear = UINT32_MAX;
    if (json_object_number(request, "lane", &number))
        linear = session->vector * VM_LANES + (uint32_t)number;
    if (!session->holder || linear >= session->holder->group.item_count) {
        error_set(error, STATUS_INVALID, "the group has no such work-item");
        return false;
    }
    session->frame = linear == session->vector * VM_LANES + session->lane ? session->frame : 0;
    session->vector = linear / VM_LANES;
    session->lane = linear % VM_LANES;
    if (json_object_number(request, "frame", &number)) {
        const struct debug_lane lane = debug_lane_of(session, session->vector, session->lane, 0);
        if (number >= debug_frame_count(session, lane.place)) {
            error_set(error, STATUS_INVALID, "there is no frame %" PRIu64, number);
            return false;
        }
        session->frame = (uint32_t)number;
    }
    return true;
}
