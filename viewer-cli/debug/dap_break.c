/* Where a client wants the process to stop. Its lists replace each other; the debugger's
 * breakpoints are added and deleted one by one. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/json.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- those that are there ---- */

static bool is_of(const struct dap_breakpoint *breakpoint, enum dap_origin origin, const char *file)
{
    return breakpoint->origin == origin &&
           (origin != DAP_OF_SOURCE || strcmp(breakpoint->file, file) == 0);
}

/* Deletes those that the client's list is in place of. */
static void delete_old(struct dap *dap, enum dap_origin origin, const char *file)
{
    struct dap_breakpoint **at = &dap->breakpoints;
    while (*at) {
        if (!is_of(*at, origin, file)) {
            at = &(*at)->next;
            continue;
        }
        struct text asked = TEXT_INIT;
        debug_request_begin(&asked, DEBUG_REQUEST_DELETE);
        json_number(&asked, "number", (*at)->number);
        json_object_release(dap_ask(dap, NULL, &asked));
        text_release(&asked);
        *at = (*at)->next;
    }
}

static void keep_new(struct dap *dap, enum dap_origin origin, const char *file, uint64_t number)
{
    struct dap_breakpoint *made = arena_alloc(&dap->arena, 1, sizeof *made);
    const char *const copy = file ? arena_string(&dap->arena, file) : "";
    if (!made || !copy)
        return;
    *made = (struct dap_breakpoint){
        .next = dap->breakpoints, .origin = origin, .file = copy, .number = number};
    dap->breakpoints = made;
}

/* ---- one more ---- */

/* What the debugger says of it as a Breakpoint of the protocol. `sentence`: why there is none. */
static void put_breakpoint(struct dap *dap, const struct cJSON *made, const char *sentence)
{
    const char *const text = json_object_text(made, "text");
    uint64_t number;
    uint64_t line;
    dap_open(&dap->out);
    if (json_object_number(made, "number", &number))
        json_number(&dap->out, "id", number);
    dap_put_flag(&dap->out, "verified", made && json_object_flag(made, "verified"));
    if (json_object_number(made, "line", &line)) {
        json_number(&dap->out, "line", dap_line_to_client(dap, line));
        dap_put_source(dap, "source", json_object_text(made, "file"));
    }
    json_string(&dap->out, "message", text && *text ? text : sentence);
    dap_close(&dap->out);
}

/* Asks for the breakpoint, which the answer has under `key`, and puts it into the list of the
 * response that is being written. */
static void add(struct dap *dap, struct text *asked, const char *key, enum dap_origin origin,
                const char *file)
{
    struct cJSON *answer = NULL;
    struct error error;
    const enum status status = dap_try(dap, asked, &answer, &error);
    const struct cJSON *const made = json_object_item(answer, key);
    uint64_t number;
    if (json_object_number(made, "number", &number))
        keep_new(dap, origin, file, number);
    put_breakpoint(dap, made, status ? error.text : NULL);
    json_object_release(answer);
}

/* What hit conditions may begin with, the longer ones first. */
static const struct {
    const char *text;
    enum hit_sign { HIT_FROM, HIT_TO, HIT_ONLY, HIT_BEHIND, HIT_BEFORE, HIT_EVERY } sign;
} hit_signs[] = {
    {">=", HIT_FROM},  {"<=", HIT_TO},    {"==", HIT_ONLY}, {"=", HIT_ONLY},
    {">", HIT_BEHIND}, {"<", HIT_BEFORE}, {"%", HIT_EVERY}, {"", HIT_FROM},
};

/* hitCondition: a number alone is the first time that stops. False where it says something else. */
static bool put_hit(struct text *asked, const struct cJSON *wanted)
{
    const char *text = json_object_text(wanted, "hitCondition");
    uint64_t number;
    size_t sign = 0;
    if (!text || !*text)
        return true;
    text += strspn(text, " ");
    while (strncmp(text, hit_signs[sign].text, strlen(hit_signs[sign].text)) != 0)
        ++sign;
    const enum hit_sign is = hit_signs[sign].sign;
    text += strlen(hit_signs[sign].text);
    text += strspn(text, " ");
    if (!number_take(&text, &number) || text[strspn(text, " ")] || number < (is == HIT_BEFORE) + 1)
        return false;
    if (is == HIT_FROM || is == HIT_ONLY || is == HIT_BEHIND)
        json_number(asked, "hit", number + (is == HIT_BEHIND));
    if (is == HIT_TO || is == HIT_ONLY || is == HIT_BEFORE)
        json_number(asked, "hit_last", number - (is == HIT_BEFORE));
    if (is == HIT_EVERY)
        json_number(asked, "hit_every", number);
    return true;
}

static void put_condition(struct text *asked, const struct cJSON *wanted)
{
    const char *condition = json_object_text(wanted, "condition");
    if (condition && *condition)
        json_string(asked, "condition", condition);
}

static const char hits_are_numbers[] =
    "a hit condition is a number, the first time that stops, or >= 5, > 5, <= 5, < 5, == 5, % 5";

/* Begins the response's list; false where there is no process to ask, which was said. */
static bool begin_list(struct dap *dap, const struct cJSON *request)
{
    if (dap->phase != DAP_STOPPED) {
        dap_refuse(dap, request, "there is no process that is stopped");
        return false;
    }
    dap_respond(dap, request);
    json_key(&dap->out, "breakpoints");
    text_append_char(&dap->out, '[');
    return true;
}

static void end_list(struct dap *dap)
{
    text_append_char(&dap->out, ']');
    dap_end(dap);
}

static void add_source_breakpoint(struct dap *dap, const struct cJSON *wanted, const char *file)
{
    const char *log = json_object_text(wanted, "logMessage");
    uint64_t line = 0;
    struct text asked = TEXT_INIT;
    json_object_number(wanted, "line", &line);
    debug_request_begin(&asked, DEBUG_REQUEST_BREAK);
    json_string(&asked, "file", file);
    json_number(&asked, "line", dap_line_from_client(dap, line));
    put_condition(&asked, wanted);
    if (log && *log)
        json_string(&asked, "log", log);
    if (put_hit(&asked, wanted))
        add(dap, &asked, "breakpoint", DAP_OF_SOURCE, file);
    else
        put_breakpoint(dap, NULL, hits_are_numbers);
    text_release(&asked);
}

void dap_set_breakpoints(struct dap *dap, const struct cJSON *request,
                         const struct cJSON *arguments)
{
    const char *const file = dap_source_file(dap, json_object_item(arguments, "source"));
    if (!file) {
        dap_refuse(dap, request, "there is no such source");
        return;
    }
    delete_old(dap, DAP_OF_SOURCE, file);
    if (!begin_list(dap, request))
        return;
    const struct cJSON *at = json_array_first(json_object_item(arguments, "breakpoints"));
    for (; at; at = json_array_next(at))
        add_source_breakpoint(dap, at, file);
    end_list(dap);
}

void dap_set_function_breakpoints(struct dap *dap, const struct cJSON *request,
                                  const struct cJSON *arguments)
{
    delete_old(dap, DAP_OF_FUNCTIONS, NULL);
    if (!begin_list(dap, request))
        return;
    const struct cJSON *at = json_array_first(json_object_item(arguments, "breakpoints"));
    for (; at; at = json_array_next(at)) {
        const char *name = json_object_text(at, "name");
        struct text asked = TEXT_INIT;
        debug_request_begin(&asked, DEBUG_REQUEST_BREAK);
        json_string(&asked, "function", name ? name : "");
        put_condition(&asked, at);
        if (put_hit(&asked, at))
            add(dap, &asked, "breakpoint", DAP_OF_FUNCTIONS, NULL);
        else
            put_breakpoint(dap, NULL, hits_are_numbers);
        text_release(&asked);
    }
    end_list(dap);
}

/* ---- data ---- */

/* An access, as the protocol and as the debugger call it. */
static const struct {
    const char *of_client, *of_debugger;
} accesses[] = {{"write", "write"}, {"read", "read"}, {"readWrite", "both"}};
enum { ACCESS_COUNT = sizeof accesses / sizeof *accesses };

static const char *find_access(const char *of_client)
{
    for (size_t i = 0; of_client && i < ACCESS_COUNT; ++i)
        if (strcmp(accesses[i].of_client, of_client) == 0)
            return accesses[i].of_debugger;
    return accesses[0].of_debugger;
}

enum { WATCHED_MAX = 200 }; /* elements of a slice */

/* So many bytes from an address on, which is an expression. */
static const char *bytes_at(struct dap *dap, const char *address, uint64_t count)
{
    const bool by_eight = count > WATCHED_MAX && count % 8 == 0;
    return arena_format(&dap->stop_arena, "((%s *)%s)[0..%" PRIu64 "]",
                        by_eight ? "ulong" : "uchar", address, (by_eight ? count / 8 : count) - 1);
}

/* What is meant: an address, or the variable; and if `bytes` is said, bytes from there on. */
static const char *narrow(struct dap *dap, const struct cJSON *arguments, const char *expression)
{
    uint64_t count = 0;
    const bool counts = json_object_number(arguments, "bytes", &count) && count;
    if (json_object_flag(arguments, "asAddress"))
        return bytes_at(dap, expression, counts ? count : 1);
    if (!counts)
        return expression;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_MEMORY);
    json_string(&asked, "expression", arena_format(&dap->stop_arena, "&(%s)", expression));
    json_number(&asked, "count", 1);
    struct cJSON *answer = dap_ask(dap, NULL, &asked);
    const char *const address = json_object_text(answer, "address");
    const char *const found = address ? bytes_at(dap, address, count) : expression;
    json_object_release(answer);
    text_release(&asked);
    return found;
}

/* A data id is an expression: a variable's as it is asked for. `watch`: as VALUE has it. */
static const char *find_data(struct dap *dap, const struct cJSON *arguments, char watch[8])
{
    const char *const name = json_object_text(arguments, "name");
    uint64_t reference = 0;
    uint64_t thread = 0;
    uint64_t frame = 0;
    if (!name)
        return NULL;
    if (json_object_number(arguments, "frameId", &frame)) {
        dap_split_frame_id(frame, &thread, &frame);
        if (!dap_focus(dap, NULL, thread, frame))
            return NULL;
    }
    const char *expression = name;
    if (json_object_number(arguments, "variablesReference", &reference) && reference)
        expression = dap_child_expression(dap, reference, name);
    expression = expression ? narrow(dap, arguments, expression) : NULL;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_EVALUATE);
    json_string(&asked, "expression", expression ? expression : "");
    struct cJSON *answer = dap_ask(dap, NULL, &asked);
    const char *const can = json_object_text(json_object_item(answer, "value"), "watch");
    snprintf(watch, 8, "%s", can ? can : "");
    json_object_release(answer);
    text_release(&asked);
    return expression;
}

void dap_data_breakpoint_info(struct dap *dap, const struct cJSON *request,
                              const struct cJSON *arguments)
{
    char watch[8] = "";
    const char *const expression = find_data(dap, arguments, watch);
    const size_t count = strcmp(watch, "write") == 0 ? 1 : ACCESS_COUNT;
    dap_respond(dap, request);
    if (expression && *watch) {
        json_string(&dap->out, "dataId", expression);
        json_string(&dap->out, "description", expression);
        json_key(&dap->out, "accessTypes");
        text_append_char(&dap->out, '[');
        for (size_t i = 0; i < count; ++i) {
            json_item(&dap->out);
            text_append_json(&dap->out, accesses[i].of_client);
        }
        text_append_char(&dap->out, ']');
    } else {
        json_key(&dap->out, "dataId");
        text_append(&dap->out, "null");
        json_string(&dap->out, "description",
                    "it has no bytes that can be watched, or too many: 200, or in eights 1600");
    }
    dap_end(dap);
}

void dap_set_data_breakpoints(struct dap *dap, const struct cJSON *request,
                              const struct cJSON *arguments)
{
    delete_old(dap, DAP_OF_DATA, NULL);
    if (!begin_list(dap, request))
        return;
    const struct cJSON *at = json_array_first(json_object_item(arguments, "breakpoints"));
    for (; at; at = json_array_next(at)) {
        const char *const data = json_object_text(at, "dataId");
        struct text asked = TEXT_INIT;
        debug_request_begin(&asked, DEBUG_REQUEST_WATCH);
        json_string(&asked, "expression", data ? data : "");
        json_string(&asked, "access", find_access(json_object_text(at, "accessType")));
        put_condition(&asked, at);
        if (put_hit(&asked, at))
            add(dap, &asked, "watch", DAP_OF_DATA, NULL);
        else
            put_breakpoint(dap, NULL, hits_are_numbers);
        text_release(&asked);
    }
    end_list(dap);
}

/* ---- exceptions ---- */

static const char an_expression[] = "an expression, which holds for a work-item that takes part";

static const struct {
    const char *filter, *label, *description;
    bool usual;
    const char *condition; /* what its condition says; NULL = it has none */
} filters[] = {
    {"finding", "Findings", "stop where one is made", true, "one rule, as race-global"},
    {"nan", "NaN", "stop where a NaN is made of numbers", false, an_expression},
    {"undefined", "Undefined values", "stop where one decides on a way or an address", false,
     an_expression},
    {"divergence", "Divergence", "stop where work-items part", false, an_expression},
    {"barrier", "Barriers", "stop where a work-group leaves one", false, NULL},
    {"launch", "Launches", "stop at the beginning of each", false, NULL},
};
enum { FILTER_COUNT = sizeof filters / sizeof *filters };

void dap_put_exception_filters(struct text *text)
{
    json_key(text, "exceptionBreakpointFilters");
    text_append_char(text, '[');
    for (size_t i = 0; i < FILTER_COUNT; ++i) {
        dap_open(text);
        json_string(text, "filter", filters[i].filter);
        json_string(text, "label", filters[i].label);
        json_string(text, "description", filters[i].description);
        dap_put_flag(text, "default", filters[i].usual);
        dap_put_flag(text, "supportsCondition", filters[i].condition != NULL);
        json_string(text, "conditionDescription", filters[i].condition);
        dap_close(text);
    }
    text_append_char(text, ']');
}

static void ask_catch(struct dap *dap, const char *what, const char *option, bool on)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_CATCH);
    json_string(&asked, "what", what);
    if (option && *option)
        json_string(&asked, strcmp(what, "finding") == 0 ? "rule" : "condition", option);
    dap_put_flag(&asked, "on", on);
    json_object_release(dap_ask(dap, NULL, &asked));
    text_release(&asked);
}

void dap_catch(struct dap *dap, const char *what)
{
    ask_catch(dap, what, NULL, true);
}

void dap_catch_rule(struct dap *dap, const char *rule)
{
    ask_catch(dap, "finding", rule, true);
}

static void set_filter(struct dap *dap, size_t which, const struct cJSON *arguments)
{
    const char *const filter = filters[which].filter;
    const struct cJSON *at = json_array_first(json_object_item(arguments, "filters"));
    ask_catch(dap, filter, NULL, false);
    for (; at; at = json_array_next(at)) {
        const char *name = json_item_text(at);
        if (name && strcmp(name, filter) == 0)
            ask_catch(dap, filter, NULL, true);
    }
    at = json_array_first(json_object_item(arguments, "filterOptions"));
    for (; at; at = json_array_next(at)) {
        const char *name = json_object_text(at, "filterId");
        if (name && strcmp(name, filter) == 0)
            ask_catch(dap, filter, json_object_text(at, "condition"), true);
    }
}

void dap_set_exception_breakpoints(struct dap *dap, const struct cJSON *request,
                                   const struct cJSON *arguments)
{
    for (size_t i = 0; i < FILTER_COUNT; ++i)
        set_filter(dap, i, arguments);
    dap_done(dap, request);
}
