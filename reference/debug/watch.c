/* Watches. The gate tells of accesses before they take place; then what is there is noted, and the
 * launch stops before the next instruction, where the new value is there too. Variables in home
 * rows are set by instructions that stop. */
#include "reference/debug/evaluate.h"
#include "reference/debug/private.h"
#include "reference/vm/access.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- noticing ---- */

static void print_now(struct debug_session *session, const struct debug_watch *watch, uint32_t lane,
                      struct text *text)
{
    const struct debug_noticed *noticed = &watch->noticed;
    debug_target_print(session, &watch->target, noticed->vector, lane, noticed->of[lane].element,
                       text);
}

/* Has the access still to show whether, and by which lane, it is one to stop at? */
static bool is_open(const struct debug_watch *watch)
{
    return watch->condition || watch->noticed.compares;
}

/* What it notices first is told; what comes until it has taken place is counted. */
static void notice(struct debug_session *session, struct debug_watch *watch,
                   const struct debug_noticed *noticed, const struct access_span *span)
{
    struct debug_noticed *kept = &watch->noticed;
    const bool is_first = !kept->is;
    if (is_first) {
        text_clear(&kept->before);
        kept->is = true;
        kept->writes = noticed->writes;
        kept->compares = noticed->compares;
        kept->site = noticed->site;
        kept->vector = noticed->vector;
        kept->lanes = 0;
        kept->count = 0;
        debug_stop_next(session);
    }
    kept->count += (uint32_t)__builtin_popcountll(noticed->lanes);
    const uint64_t told = is_open(watch) ? noticed->lanes & ~kept->lanes
                          : is_first     ? UINT64_C(1) << noticed->lane
                                         : 0;
    kept->lanes |= told;
    FOR_EACH_LANE(lane, told) {
        kept->of[lane].element =
            span ? debug_target_element(&watch->target, span, (uint32_t)lane) : 0;
        kept->of[lane].before = kept->before.size;
        print_now(session, watch, (uint32_t)lane, &kept->before);
        text_append_char(&kept->before, '\0');
    }
}

void debug_access(void *state, const struct access *access, const struct access_span *span)
{
    struct debug_session *session = state;
    const bool writes = access_writes(access->kind);
    const bool reads = access->kind != OBSERVER_WRITE && access->kind != OBSERVER_ATOMIC_WRITE;
    if (session->catches_finding)
        debug_keep_access(session, access, span);
    for (size_t i = 0; i < session->watch_count; i++) {
        struct debug_watch *watch = &session->watches[i];
        const bool wanted =
            watch->enabled && ((writes && watch->writes) || (reads && watch->reads));
        const uint64_t lanes =
            wanted ? debug_target_lanes(session, &watch->target, access, span) : 0;
        if (!lanes)
            continue;
        const struct debug_noticed noticed = {
            .writes = writes && watch->writes,
            .compares = !watch->reads && access->atomic && access->atomic->is_compare_exchange,
            .site = access->site,
            .vector = access->vector->index,
            .lane = debug_target_lane(session, lanes, writes && watch->writes),
            .lanes = lanes};
        notice(session, watch, &noticed, span);
    }
}

void debug_watch_before(struct debug_session *session, const struct vm_vector *vector,
                        uint32_t site)
{
    if (!(session->stops[site] & DEBUG_STOP_WATCH))
        return;
    if (session->seek.on)
        debug_seek_set(session, vector, site);
    for (size_t i = 0; i < session->watch_count && !session->seek.on; i++) {
        struct debug_watch *watch = &session->watches[i];
        const struct debug_noticed noticed = {.writes = true,
                                              .compares = true,
                                              .site = site,
                                              .vector = vector->index,
                                              .lane = watch->target.lane,
                                              .lanes = UINT64_C(1) << watch->target.lane};
        if (watch->enabled && debug_target_is_set(session, &watch->target, vector, site))
            notice(session, watch, &noticed, NULL);
    }
}

/* ---- stopping ---- */

/* Where it is watched, the sites have their bits. */
static bool mark_sites(struct debug_session *session, const struct debug_target *target)
{
    bool any = false;
    for (uint32_t site = 0; site < session->code->instruction_count; site++) {
        if (debug_target_has_site(session, target, site))
            any |= session->stops[site] |= DEBUG_STOP_WATCH;
    }
    return any;
}

bool debug_set_watches(struct debug_session *session)
{
    bool any = false;
    session->debugger.vm.access = NULL;
    if (session->seek.on) {
        if (!session->seek.target.variable)
            session->debugger.vm.access = debug_seek_access;
        return session->seek.target.variable && mark_sites(session, &session->seek.target);
    }
    if (session->catches_finding && session->move.mode != DEBUG_MODE_LEAVE)
        session->debugger.vm.access = debug_access;
    for (size_t i = 0; i < session->watch_count && session->move.mode != DEBUG_MODE_LEAVE; i++) {
        const struct debug_watch *watch = &session->watches[i];
        if (!watch->enabled || !debug_target_lives(session, &watch->target))
            continue;
        if (watch->target.variable)
            any |= mark_sites(session, &watch->target);
        else
            session->debugger.vm.access = debug_access;
    }
    return any;
}

/* Has a later one of the same instruction written it again? */
static bool is_overwritten(const struct debug_session *session, const struct debug_noticed *noticed)
{
    uint64_t same = 0;
    FOR_EACH_LANE(lane, noticed->lanes) {
        if (noticed->of[lane].element == noticed->of[noticed->lane].element)
            same |= UINT64_C(1) << lane;
    }
    return noticed->writes && debug_target_lane(session, same, true) != noticed->lane;
}

/* "out[3] is written by item (3,0,0), line 9: 9, was undef". What an atomic operation has read was
 * there before it. */
static void say(struct debug_session *session, const struct debug_watch *watch, const char *now)
{
    const struct debug_noticed *noticed = &watch->noticed;
    struct text text = TEXT_INIT;
    const char *before = noticed->before.bytes + noticed->of[noticed->lane].before;
    debug_target_print_name(&watch->target, noticed->of[noticed->lane].element, &text);
    text_append(&text, noticed->writes ? " is written by item (" : " is read by item (");
    for (uint32_t d = 0; d < 3; d++)
        text_format(&text, d ? ",%" PRIu64 : "%" PRIu64,
                    debug_item(session, noticed->vector, noticed->lane, d, false));
    text_append(&text, ")");
    if (noticed->count > 1)
        text_format(&text, " and %u more", noticed->count - 1);
    const struct vm_place *place = debug_place(session, debug_site_place(session, noticed->site));
    if (place->line)
        text_format(&text, ", line %u", place->line);
    if (is_overwritten(session, noticed))
        text_append(&text, ", then by others");
    text_format(&text, ": %s", noticed->writes ? now : before);
    if (noticed->writes && strcmp(now, before) != 0)
        text_format(&text, ", was %s", before);
    debug_say(session, text.bytes);
    text_release(&text);
}

/* Is the lane's access one to stop at? What is there now is printed. */
static bool is_wanted(struct debug_session *session, const struct debug_watch *watch, uint32_t lane,
                      struct text *now)
{
    const struct debug_noticed *noticed = &watch->noticed;
    struct debug_value value;
    struct error error;
    text_clear(now);
    print_now(session, watch, lane, now);
    if (noticed->compares &&
        strcmp(now->bytes, noticed->before.bytes + noticed->of[lane].before) == 0)
        return false;
    const struct debug_lane at = debug_lane_of(session, noticed->vector, lane, 0);
    return !watch->condition ||
           (debug_evaluate_text(&at, watch->condition, false, &value, &error) &&
            debug_is_true_value(&value));
}

/* Has it taken place, and is it to stop there? */
static bool fires(struct debug_session *session, struct debug_watch *watch)
{
    struct debug_noticed *noticed = &watch->noticed;
    struct text now = TEXT_INIT;
    uint64_t wanted = 0;
    if (!noticed->is)
        return false;
    noticed->is = false;
    FOR_EACH_LANE(lane, noticed->lanes) {
        if (is_wanted(session, watch, (uint32_t)lane, &now))
            wanted |= UINT64_C(1) << lane;
    }
    const bool good = wanted && debug_hit_counts(&watch->hit, ++watch->hits);
    if (good) {
        noticed->lane = debug_target_lane(session, wanted, noticed->writes);
        if (is_open(watch))
            noticed->count = (uint32_t)__builtin_popcountll(wanted);
        text_clear(&now);
        print_now(session, watch, noticed->lane, &now);
        say(session, watch, now.bytes);
    }
    text_release(&now);
    return good;
}

bool debug_watched(struct debug_session *session)
{
    struct debug_stop *stop = &session->stop;
    bool any = false;
    for (size_t i = 0; i < session->watch_count; i++) {
        struct debug_watch *watch = &session->watches[i];
        if (!fires(session, watch))
            continue;
        if (!any) {
            session->vector = watch->noticed.vector;
            session->lane = watch->noticed.lane;
        }
        any = true;
        if (stop->watch_count < 8)
            stop->watches[stop->watch_count++] = watch->number;
    }
    return any;
}

/* ---- requests ---- */

struct debug_watch *debug_watch_find(struct debug_session *session, uint64_t number)
{
    for (size_t i = 0; i < session->watch_count; i++) {
        if (session->watches[i].number == number)
            return &session->watches[i];
    }
    return NULL;
}

static void release(struct debug_watch *watch)
{
    alloc_free(watch->expression);
    alloc_free(watch->condition);
    text_release(&watch->noticed.before);
}

void debug_watch_delete(struct debug_session *session, uint64_t number, bool all)
{
    size_t kept = 0;
    for (size_t i = 0; i < session->watch_count; i++) {
        if (all || session->watches[i].number == number)
            release(&session->watches[i]);
        else
            session->watches[kept++] = session->watches[i];
    }
    session->watch_count = kept;
}

static const char *access_name(const struct debug_watch *watch)
{
    return watch->reads && watch->writes ? "both" : watch->reads ? "read" : "write";
}

void debug_put_watch(const struct debug_session *session, const struct debug_watch *watch,
                     struct text *answer)
{
    text_append(answer, "{");
    json_number(answer, "number", watch->number);
    json_key(answer, "verified");
    text_append(answer, debug_target_lives(session, &watch->target) ? "true" : "false");
    json_key(answer, "enabled");
    text_append(answer, watch->enabled ? "true" : "false");
    json_string(answer, "expression", watch->expression);
    json_string(answer, "access", access_name(watch));
    json_string(answer, "condition", watch->condition);
    debug_put_hit(answer, &watch->hit);
    json_number(answer, "hits", watch->hits);
    if (!debug_target_lives(session, &watch->target))
        json_string(answer, "text", "what it watched was of an earlier launch");
    text_append(answer, "}");
}

bool debug_watch_set_condition(struct debug_session *session, struct debug_watch *watch,
                               const char *condition, struct error *error)
{
    const struct expression *parsed;
    char *copy = condition ? alloc_string(condition) : NULL;
    if (condition && !copy)
        return !error_no_memory(error, strlen(condition));
    if (condition && debug_parse(session, condition, false, &session->scratch, &parsed, error)) {
        alloc_free(copy);
        return false;
    }
    alloc_free(watch->condition);
    watch->condition = copy;
    return true;
}

void debug_put_watches(const struct debug_session *session, struct text *answer)
{
    for (size_t i = 0; i < session->watch_count; i++) {
        json_item(answer);
        debug_put_watch(session, &session->watches[i], answer);
    }
}

/* The target as text, for processes that were forked before: what the expression means depends on
 * where one stands. One that was refused has its number there, too. */
static void keep(struct debug_session *session, const struct debug_watch *watch)
{
    const uint8_t *bytes = (const uint8_t *)&watch->target;
    struct text request = TEXT_INIT;
    text_append(&request, "{\"request\":\"watch\"");
    json_number(&request, "number", watch->number);
    json_string(&request, "expression", watch->expression);
    json_string(&request, "access", access_name(watch));
    json_string(&request, "condition", watch->condition);
    debug_put_hit(&request, &watch->hit);
    json_key(&request, "target");
    text_append(&request, "\"");
    for (size_t i = 0; i < sizeof watch->target && watch->target.size; i++)
        text_format(&request, "%02x", bytes[i]);
    text_append(&request, "\"}");
    if (!request.failed)
        debug_past_keep(session, request.bytes);
    text_release(&request);
}

static bool read_target(const char *digits, struct debug_target *target)
{
    uint8_t *bytes = (uint8_t *)target;
    for (size_t i = 0; i < sizeof *target; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
            return false;
        bytes[i] = (uint8_t)byte;
    }
    return true;
}

static bool find_target(struct debug_session *session, const struct cJSON *request,
                        struct debug_watch *watch, struct error *error)
{
    const char *known = session->past.applies ? json_object_text(request, "target") : NULL;
    const struct debug_lane lane = debug_focus(session);
    struct debug_value value;
    if (known)
        return strlen(known) == 2 * sizeof watch->target && read_target(known, &watch->target);
    if (!debug_evaluate_text(&lane, watch->expression, false, &value, error) ||
        !debug_target_set(session, &lane, &value, watch->expression, &watch->target, error))
        return false;
    if (value.spot.variable && watch->reads) {
        error_set(error, STATUS_UNSUPPORTED,
                  "the variable is held as values: only its writes can be watched; with "
                  "--variables memory its reads, too");
        return false;
    }
    return true;
}

bool debug_answer_watch(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error)
{
    const char *expression = json_object_text(request, "expression");
    const char *access = json_object_text(request, "access");
    const char *condition = json_object_text(request, "condition");
    const bool both = access && strcmp(access, "both") == 0;
    uint64_t number;
    struct debug_watch made = {.enabled = true,
                               .reads = both || (access && strcmp(access, "read") == 0),
                               .expression = alloc_string(expression ? expression : ""),
                               .noticed.before = TEXT_INIT};
    made.writes = both || !made.reads;
    debug_read_hit(request, &made.hit);
    if (!session->past.applies || !json_object_number(request, "number", &number))
        number = session->breakpoint_number + 1;
    made.number = session->breakpoint_number = (uint32_t)number;
    struct debug_watch *list = NULL;
    if (!made.expression) {
        error_no_memory(error, sizeof made);
    } else if (debug_watch_set_condition(session, &made, condition, error) &&
               find_target(session, request, &made, error)) {
        list = alloc_grow(session->watches, session->watch_count, &session->watch_capacity,
                          sizeof *session->watches);
        if (!list)
            error_no_memory(error, sizeof made);
    }
    if (!list)
        made.target.size = 0;
    if (!session->past.applies)
        keep(session, &made);
    if (!list) {
        release(&made);
        return false;
    }
    session->watches = list;
    session->watches[session->watch_count++] = made;
    json_key(answer, "watch");
    debug_put_watch(session, &made, answer);
    return true;
}
