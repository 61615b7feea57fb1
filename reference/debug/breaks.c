/* Breakpoints: of a line the first site of it in each call chain, of the next line that has code
 * where that one has none. */
#include "reference/debug/evaluate.h"
#include "reference/debug/filter.h"
#include "reference/vm/plan.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void debug_breakpoint_release(struct debug_breakpoint *breakpoint)
{
    alloc_free(breakpoint->file);
    alloc_free(breakpoint->found_file);
    alloc_free(breakpoint->function);
    alloc_free(breakpoint->condition);
    alloc_free(breakpoint->log);
    arena_release(&breakpoint->arena);
    arena_release(&breakpoint->site_arena);
}

struct debug_breakpoint *debug_breakpoint_find(struct debug_session *session, uint64_t number)
{
    for (size_t i = 0; i < session->breakpoint_count; i++) {
        if (session->breakpoints[i].number == number)
            return &session->breakpoints[i];
    }
    return NULL;
}

/* ---- where they are ---- */

static bool names_file(const struct debug_breakpoint *breakpoint, const struct vm_place *place)
{
    return !breakpoint->file || debug_file_is(place->file, breakpoint->file);
}

/* Does the breakpoint mean a line of another function than that in which the line was found? That
 * one is not taken instead: another kernel, or a block, has the function. */
static bool is_elsewhere(const struct debug_session *session,
                         const struct debug_breakpoint *breakpoint, uint32_t line)
{
    const struct debug_info *info = session->code->debug_info;
    const struct debug_scope *inner = NULL;
    for (uint32_t i = 0; info && i < info->scope_count; i++) {
        const struct debug_scope *scope = &info->scopes[i];
        if (scope->kind != DEBUG_SCOPE_FUNCTION || scope->last_line == 0 || !scope->source ||
            (breakpoint->file && !debug_file_is(scope->source->file, breakpoint->file)))
            continue;
        if (scope->line > breakpoint->line && scope->last_line < line)
            return true; /* it begins before */
        if (scope->line <= breakpoint->line && scope->last_line >= breakpoint->line &&
            (!inner || inner->line < scope->line))
            inner = scope;
    }
    return inner && inner->last_line < line;
}

/* The first line from the one that was asked for on; of a function its first. */
static uint32_t find_line(const struct debug_session *session,
                          const struct debug_breakpoint *breakpoint)
{
    uint32_t line = 0;
    if (breakpoint->program && breakpoint->program != session->launch->request->program)
        return 0;
    for (uint32_t site = 0; site < session->code->instruction_count; site++) {
        const struct vm_place *place = debug_place(session, debug_site_place(session, site));
        if (!session->starts[site])
            continue;
        if (breakpoint->function && strcmp(place->function, breakpoint->function) == 0)
            return place->line;
        if (!breakpoint->function && place->line >= breakpoint->line &&
            names_file(breakpoint, place) && (line == 0 || place->line < line))
            line = place->line;
    }
    return line && line != breakpoint->line && is_elsewhere(session, breakpoint, line) ? 0 : line;
}

static bool is_of(const struct debug_session *session, const struct debug_breakpoint *breakpoint,
                  uint32_t site)
{
    const struct vm_place *place = debug_place(session, debug_site_place(session, site));
    return session->starts[site] && breakpoint->found_line != 0 &&
           place->line == breakpoint->found_line && names_file(breakpoint, place) &&
           (!breakpoint->function || strcmp(place->function, breakpoint->function) == 0);
}

/* Is it the first of the line in its call chain? Or the same statement, which work-items come to by
 * another way: at the same column, as what a loop's line begins with later is not. */
static bool is_at(const struct debug_session *session, const struct debug_breakpoint *breakpoint,
                  uint32_t site)
{
    const uint32_t caller = debug_place(session, debug_site_place(session, site))->caller;
    const uint32_t column = debug_place(session, debug_site_place(session, site))->column;
    if (!breakpoint->enabled || !is_of(session, breakpoint, site))
        return false;
    for (uint32_t before = 0; before < site; before++) {
        if (is_of(session, breakpoint, before) &&
            debug_place(session, debug_site_place(session, before))->caller == caller)
            return debug_place(session, debug_site_place(session, before))->column == column;
    }
    return true;
}

/* The file that the line is in, which programs may name as they like (#line). */
static char *find_file(const struct debug_session *session,
                       const struct debug_breakpoint *breakpoint)
{
    for (uint32_t site = 0; breakpoint->found_line && site < session->code->instruction_count;
         site++) {
        if (is_of(session, breakpoint, site))
            return alloc_string(debug_place(session, debug_site_place(session, site))->file);
    }
    return NULL;
}

void debug_resolve_breakpoint(struct debug_session *session, struct debug_breakpoint *breakpoint)
{
    breakpoint->found_line = session->code ? find_line(session, breakpoint) : 0;
    alloc_free(breakpoint->found_file);
    breakpoint->found_file = find_file(session, breakpoint);
    breakpoint->sites = NULL;
    arena_release(&breakpoint->site_arena);
}

bool debug_may_stop(const struct debug_session *session)
{
    return session->breakpoint_count != 0 || session->catches_finding || session->catches_barrier ||
           session->catches_end ||
           (session->move.mode != DEBUG_MODE_CONTINUE && session->move.mode != DEBUG_MODE_LEAVE);
}

void debug_set_stops(struct debug_session *session)
{
    const struct vm_code *code = session->code;
    bool any = false;
    for (uint32_t site = 0; site < code->instruction_count; site++)
        any |= session->stops[site] = debug_move_wants(session, site) ? DEBUG_STOP_MOVE : 0;
    for (size_t i = 0; i < session->breakpoint_count && session->move.mode != DEBUG_MODE_LEAVE;
         i++) {
        for (uint32_t site = 0; site < code->instruction_count; site++) {
            if (is_of(session, &session->breakpoints[i], site) &&
                is_at(session, &session->breakpoints[i], site))
                any |= session->stops[site] |= DEBUG_STOP_BREAKPOINT;
        }
    }
    any |= debug_set_watches(session);
    any |= debug_set_catches(session);
    session->any_stops = any;
    session->debugger.vm.stops_when_told = session->catches_finding;
    if (session->debugger.vm.plans)
        vm_plans_forget(session->debugger.vm.plans);
    debug_stop_as_usual(session);
}

/* ---- hits ---- */

bool debug_hit_counts(const struct debug_hit *hit, uint64_t n)
{
    return n >= hit->from && (hit->last == 0 || n <= hit->last) &&
           (hit->every == 0 || n % hit->every == 0);
}

void debug_read_hit(const struct cJSON *request, struct debug_hit *hit)
{
    json_object_number(request, "hit", &hit->from);
    json_object_number(request, "hit_last", &hit->last);
    json_object_number(request, "hit_every", &hit->every);
}

void debug_put_hit(struct text *answer, const struct debug_hit *hit)
{
    json_known_number(answer, "hit", hit->from);
    json_known_number(answer, "hit_last", hit->last);
    json_known_number(answer, "hit_every", hit->every);
}

/* What is seldom needed is kept out of what is asked millions of times. */
#define NOINLINE __attribute__((noinline))

/* Is the site the breakpoint's, and can its condition hold there? The answer's first part, and how
 * to know the second, are remembered: NULL only where memory is out. */
static NOINLINE const struct debug_break_site *know_site(struct debug_session *session,
                                                         struct debug_breakpoint *breakpoint,
                                                         struct vm_vector *vector, uint32_t site)
{
    struct debug_break_site *known = breakpoint->sites;
    while (known && known->site != site)
        known = known->next;
    if (known || !(known = arena_alloc(&breakpoint->site_arena, 1, sizeof *known)))
        return known;
    known->site = site;
    known->is_here = is_of(session, breakpoint, site);
    if (known->is_here && breakpoint->parsed) {
        const struct debug_lane at =
            debug_lane_of(session, vector->index, (uint32_t)__builtin_ctzll(vector->active), 0);
        vm_debugger_settle(&session->debugger.vm); /* it looks at values */
        known->filter = debug_filter_make(&at, breakpoint->parsed, &breakpoint->site_arena);
    }
    known->next = breakpoint->sites;
    breakpoint->sites = known;
    return known;
}

/* The lane of the work-item that it is for. */
static NOINLINE uint64_t item_lane(struct debug_session *session,
                                   const struct debug_breakpoint *breakpoint,
                                   const struct vm_vector *vector)
{
    struct error error;
    uint32_t linear;
    return debug_find_item(session, breakpoint->item, &linear, &error) &&
                   linear / VM_LANES == vector->index
               ? UINT64_C(1) << linear % VM_LANES
               : 0;
}

/* The active lanes for which it is at the site, and may stop; *exact: and does. */
static inline __attribute__((always_inline)) uint64_t
find_lanes(struct debug_session *session, struct debug_breakpoint *breakpoint,
           struct vm_vector *vector, uint32_t site, bool *exact)
{
    uint64_t lanes = vector->active;
    *exact = !breakpoint->parsed;
    if (!breakpoint->enabled)
        return 0;
    const struct debug_break_site *known = breakpoint->sites;
    if (!known || known->site != site)
        known = know_site(session, breakpoint, vector, site);
    if (known ? !known->is_here : !is_of(session, breakpoint, site))
        return 0;
    if (breakpoint->has_item)
        lanes &= item_lane(session, breakpoint, vector);
    return lanes && known && known->filter ? debug_filter_lanes(known->filter, vector, lanes, exact)
                                           : lanes;
}

bool debug_passes(void *state, struct vm_vector *vector, uint32_t site)
{
    struct debug_session *session = state;
    bool exact;
    session->begun = true;
    session->within = false;
    if (session->seek.on || session->socket < 0)
        return session->seek.on;
    for (size_t i = 0; i < session->breakpoint_count; i++) {
        if (find_lanes(session, &session->breakpoints[i], vector, site, &exact))
            return false;
    }
    return true;
}

/* A condition that cannot be evaluated stops as one that holds does, with the reason: else a name
 * that is misspelt would never stop. */
static bool holds(struct debug_session *session, const struct debug_breakpoint *breakpoint,
                  const struct debug_lane *lane)
{
    struct debug_value value;
    struct error error;
    if (!breakpoint->parsed)
        return true;
    if (debug_evaluate_condition(lane, breakpoint->parsed, &value, &error))
        return debug_is_true_value(&value);
    if (session->stop.text[0] == '\0') {
        struct text text = TEXT_INIT;
        text_format(&text, "the condition of breakpoint %u, %s, cannot be evaluated here: %s",
                    breakpoint->number, breakpoint->condition, error.text);
        debug_say(session, text.bytes);
        text_release(&text);
    }
    return true;
}

/* The lowest lane for which it stops; 64 = none. */
static uint32_t find_lane(struct debug_session *session, struct debug_breakpoint *breakpoint,
                          struct vm_vector *vector, uint32_t site)
{
    bool exact;
    const uint64_t lanes = find_lanes(session, breakpoint, vector, site, &exact);
    FOR_EACH_LANE(lane, lanes) {
        const struct debug_lane at = debug_lane_of(session, vector->index, (uint32_t)lane, 0);
        if (exact || holds(session, breakpoint, &at))
            return (uint32_t)lane;
    }
    return VM_LANES;
}

/* Text with values in the place of {expressions}. */
static void write_log(struct debug_session *session, const char *log, const struct debug_lane *lane)
{
    while (*log) {
        const char *open = strchr(log, '{');
        const char *close = open ? strchr(open, '}') : NULL;
        if (!close) {
            text_append(&session->output, log);
            break;
        }
        text_append_n(&session->output, log, (size_t)(open - log));
        char *expression = arena_string_n(&session->scratch, open + 1, (size_t)(close - open - 1));
        struct debug_value value;
        struct error error;
        if (expression && debug_evaluate_text(lane, expression, false, &value, &error))
            debug_print_value(lane, &value, 0, &session->output);
        else if (expression)
            text_append(&session->output, error.text);
        log = close + 1;
    }
    text_append_char(&session->output, '\n');
}

/* A temporary one, in all moments. */
static void use_up(struct debug_session *session, struct debug_breakpoint *breakpoint)
{
    char request[64];
    breakpoint->enabled = false;
    snprintf(request, sizeof request, "{\"request\":\"disable\",\"number\":%u}",
             breakpoint->number);
    debug_past_keep(session, request);
}

bool debug_hits(struct debug_session *session, struct vm_vector *vector, uint32_t site)
{
    const bool any = (session->stops[site] & DEBUG_STOP_BREAKPOINT) != 0;
    bool hit = false;
    for (size_t i = 0; any && i < session->breakpoint_count; i++) {
        struct debug_breakpoint *breakpoint = &session->breakpoints[i];
        const uint32_t lane = find_lane(session, breakpoint, vector, site);
        if (lane == VM_LANES || !debug_hit_counts(&breakpoint->hit, ++breakpoint->hits))
            continue;
        const struct debug_lane at = debug_lane_of(session, vector->index, lane, 0);
        if (breakpoint->log) {
            debug_take_output(session);
            if (!debug_past_is_silent(session))
                write_log(session, breakpoint->log, &at);
            continue;
        }
        if (!hit) {
            session->vector = vector->index;
            session->lane = lane;
            session->stop.breakpoint_count = 0;
        }
        if (session->stop.breakpoint_count < 8)
            session->stop.breakpoints[session->stop.breakpoint_count++] = breakpoint->number;
        if (breakpoint->temporary && !debug_past_is_silent(session))
            use_up(session, breakpoint);
        hit = true;
    }
    return hit;
}

/* ---- requests ---- */

static void put_breakpoint(struct text *answer, const struct debug_breakpoint *breakpoint)
{
    text_append(answer, "{");
    json_number(answer, "number", breakpoint->number);
    json_key(answer, "verified");
    text_append(answer, breakpoint->found_line ? "true" : "false");
    json_key(answer, "enabled");
    text_append(answer, breakpoint->enabled ? "true" : "false");
    json_string(answer, "file", breakpoint->found_file ? breakpoint->found_file : breakpoint->file);
    json_known_number(answer, "line",
                      breakpoint->found_line ? breakpoint->found_line : breakpoint->line);
    json_known_number(answer, "program", breakpoint->program);
    json_string(answer, "function", breakpoint->function);
    json_string(answer, "condition", breakpoint->condition);
    json_string(answer, "log", breakpoint->log);
    if (breakpoint->has_item)
        debug_put_triple(answer, "item", breakpoint->item);
    debug_put_hit(answer, &breakpoint->hit);
    json_number(answer, "hits", breakpoint->hits);
    if (!breakpoint->found_line)
        json_string(answer, "text",
                    "the kernel that runs has no such place: it waits for one that has");
    else if (breakpoint->line && breakpoint->line != breakpoint->found_line)
        json_string(answer, "text", "the line has no code; the next one that has is taken");
    text_append(answer, "}");
}

static char *copy_text(const struct cJSON *request, const char *key)
{
    const char *text = json_object_text(request, key);
    return text ? alloc_string(text) : NULL;
}

static bool read_item(const struct cJSON *request, uint64_t item[3])
{
    const struct cJSON *list = json_object_item(request, "item");
    uint32_t count = 0;
    for (const struct cJSON *at = json_array_first(list); at && count < 3; at = json_array_next(at))
        count += json_item_number(at, &item[count]);
    return count > 0 || json_item_number(list, &item[0]);
}

bool debug_answer_break(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error)
{
    struct debug_breakpoint made = {.enabled = true};
    uint64_t line = 0;
    json_object_number(request, "line", &line);
    made.line = line < UINT32_MAX ? (uint32_t)line : 0;
    made.file = copy_text(request, "file");
    json_object_number(request, "program", &made.program);
    made.function = copy_text(request, "function");
    made.condition = copy_text(request, "condition");
    made.log = copy_text(request, "log");
    made.has_item = read_item(request, made.item);
    made.temporary = json_object_flag(request, "temporary");
    debug_read_hit(request, &made.hit);
    enum status status = STATUS_OK;
    if (!made.line && !made.function)
        status = error_set(error, STATUS_INVALID, "a breakpoint needs a line or a function");
    if (status == STATUS_OK && made.condition)
        status = debug_parse(session, made.condition, false, &made.arena, &made.parsed, error);
    struct debug_breakpoint *list =
        status == STATUS_OK
            ? alloc_grow(session->breakpoints, session->breakpoint_count,
                         &session->breakpoint_capacity, sizeof *session->breakpoints)
            : NULL;
    if (!list) {
        debug_breakpoint_release(&made);
        if (status == STATUS_OK)
            error_no_memory(error, sizeof made);
        return false;
    }
    made.number = ++session->breakpoint_number;
    session->breakpoints = list;
    debug_resolve_breakpoint(session, &made);
    session->breakpoints[session->breakpoint_count++] = made;
    json_key(answer, "breakpoint");
    put_breakpoint(answer, &made);
    return true;
}

bool debug_answer_breakpoints(struct debug_session *session, const struct cJSON *request,
                              struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    json_key(answer, "breakpoints");
    text_append(answer, "[");
    for (size_t i = 0; i < session->breakpoint_count; i++) {
        json_item(answer);
        put_breakpoint(answer, &session->breakpoints[i]);
    }
    debug_put_watches(session, answer);
    text_append(answer, "]");
    return true;
}

static bool refuse_number(struct error *error, uint64_t number)
{
    error_set(error, STATUS_INVALID, "there is no breakpoint %" PRIu64, number);
    return false;
}

bool debug_answer_delete(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    uint64_t number = 0;
    const bool all = !json_object_number(request, "number", &number);
    size_t kept = 0;
    (void)answer;
    if (!all && !debug_breakpoint_find(session, number) && !debug_watch_find(session, number))
        return refuse_number(error, number);
    debug_watch_delete(session, number, all);
    for (size_t i = 0; i < session->breakpoint_count; i++) {
        if (all || session->breakpoints[i].number == number)
            debug_breakpoint_release(&session->breakpoints[i]);
        else
            session->breakpoints[kept++] = session->breakpoints[i];
    }
    session->breakpoint_count = kept;
    return true;
}

static bool change_condition(struct debug_session *session, struct debug_breakpoint *breakpoint,
                             const char *condition, struct error *error)
{
    struct arena arena = {0};
    const struct expression *parsed = NULL;
    char *copy = condition ? alloc_string(condition) : NULL;
    if (condition && (!copy || debug_parse(session, condition, false, &arena, &parsed, error))) {
        if (!copy)
            error_no_memory(error, strlen(condition));
        alloc_free(copy);
        arena_release(&arena);
        return false;
    }
    alloc_free(breakpoint->condition);
    arena_release(&breakpoint->arena);
    breakpoint->condition = copy;
    breakpoint->parsed = parsed;
    breakpoint->arena = arena;
    breakpoint->sites = NULL; /* they know the condition of before */
    arena_release(&breakpoint->site_arena);
    return true;
}

/* For the processes of other moments, whose hits are other ones: from which on it stops. */
static void keep_change(struct debug_session *session, const struct cJSON *request, uint64_t hit)
{
    struct text text = TEXT_INIT;
    uint64_t number = 0;
    json_object_number(request, "number", &number);
    text_append(&text, "{\"request\":\"change\"");
    json_number(&text, "number", number);
    json_string(&text, "condition", json_object_text(request, "condition"));
    json_number(&text, "hit", hit);
    text_append(&text, "}");
    if (!session->past.applies && !text.failed)
        debug_past_keep(session, text.bytes);
    text_release(&text);
}

bool debug_answer_change(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    const char *condition = json_object_text(request, "condition");
    const char *wanted = condition && *condition ? condition : NULL;
    uint64_t number = 0;
    uint64_t ignored;
    json_object_number(request, "number", &number);
    struct debug_breakpoint *breakpoint = debug_breakpoint_find(session, number);
    struct debug_watch *watch = debug_watch_find(session, number);
    if (!breakpoint && !watch)
        return refuse_number(error, number);
    if (condition && !(breakpoint ? change_condition(session, breakpoint, wanted, error)
                                  : debug_watch_set_condition(session, watch, wanted, error)))
        return false;
    struct debug_hit *hit = breakpoint ? &breakpoint->hit : &watch->hit;
    if (json_object_number(request, "ignore", &ignored))
        hit->from = (breakpoint ? breakpoint->hits : watch->hits) + ignored + 1;
    else
        json_object_number(request, "hit", &hit->from);
    keep_change(session, request, hit->from);
    json_key(answer, breakpoint ? "breakpoint" : "watch");
    if (breakpoint)
        put_breakpoint(answer, breakpoint);
    else
        debug_put_watch(session, watch, answer);
    return true;
}

bool debug_answer_enable(struct debug_session *session, const struct cJSON *request, bool enabled,
                         struct error *error)
{
    uint64_t number = 0;
    json_object_number(request, "number", &number);
    struct debug_breakpoint *breakpoint = debug_breakpoint_find(session, number);
    struct debug_watch *watch = debug_watch_find(session, number);
    if (!breakpoint && !watch)
        return refuse_number(error, number);
    *(breakpoint ? &breakpoint->enabled : &watch->enabled) = enabled;
    return true;
}
