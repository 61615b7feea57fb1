/* Commands that show what there is. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"
#include "trace/base/options.h"
#include "viewer-cli/debug/examine.h"

#include <inttypes.h>
#include <string.h>

/* What an answer has under a key, line by line; `empty` where there is nothing. */
typedef void show_item(struct terminal *terminal, const struct cJSON *item);

static bool show_items(struct terminal *terminal, struct cJSON *answer, const char *key,
                       show_item *show, const char *empty)
{
    const struct cJSON *first = json_array_first(json_object_item(answer, key));
    for (const struct cJSON *at = first; at; at = json_array_next(at))
        show(terminal, at);
    if (answer && !first)
        text_format(&terminal->text, "%s\n", empty);
    uint64_t more;
    if (json_object_number(answer, "more", &more) && more)
        text_format(&terminal->text, "... and %" PRIu64 " more\n", more);
    const bool done = answer != NULL;
    json_object_release(answer);
    return done;
}

/* ---- values ---- */

/* What cannot be seen in the value itself is said behind it. */
static void print_value(const struct cJSON *value, struct text *text)
{
    const char *shown = json_object_text(value, "value");
    text_append(text, shown ? shown : "?");
    text_append_char(text, '\n');
}

static void show_variable(struct terminal *terminal, const struct cJSON *value)
{
    const char *name = json_object_text(value, "name");
    text_format(&terminal->text, "%s = ", name ? name : "?");
    print_value(value, &terminal->text);
}

/* "/x" before an expression. */
static const char *take_format(const char **rest, char format[2])
{
    static const char formats[] = "xdtf";
    if (**rest != '/')
        return NULL;
    if (!(*rest)[1] || !strchr(formats, (*rest)[1]) || ((*rest)[2] != ' ' && (*rest)[2] != 0))
        return "";
    format[0] = (*rest)[1];
    format[1] = 0;
    *rest += 2;
    *rest += strspn(*rest, " \t");
    return format;
}

bool terminal_print(struct terminal *terminal, const char *rest)
{
    char letter[2];
    const char *format = take_format(&rest, letter);
    if (format && !*format)
        return terminal_refuse(terminal, "A format is one of /x, /d, /t (bits) and /f.");
    if (!*rest)
        return terminal_refuse(terminal, "Print what? An expression, as acc + 1 or in[3].");
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_EVALUATE);
    json_string(&request, "expression", rest);
    json_string(&request, "format", format);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    if (done) {
        const char *warning = json_object_text(answer, "warning");
        text_format(&terminal->text, "%s = ", rest);
        print_value(json_object_item(answer, "value"), &terminal->text);
        if (warning)
            text_format(&terminal->text, "%s\n", warning);
    }
    json_object_release(answer);
    text_release(&request);
    return done;
}

bool terminal_whatis(struct terminal *terminal, const char *rest)
{
    if (!*rest)
        return terminal_refuse(terminal, "The type of what? An expression, as acc + 1 or in[3].");
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_EVALUATE);
    json_string(&request, "expression", rest);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    const char *type = json_object_text(json_object_item(answer, "value"), "type");
    if (done)
        text_format(&terminal->text, "type = %s\n", type && *type ? type : "?");
    json_object_release(answer);
    text_release(&request);
    return done;
}

/* What stands before the operator of an assignment: before its first '=' that is neither of a
 * comparison nor in an index. */
static size_t length_of_target(const char *text)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] && (depth || text[length] != '='); ++length)
        depth += strchr("[(", text[length]) ? 1 : strchr("])", text[length]) ? -1 : 0;
    while (length && strchr("+-*/%&|^<> \t", text[length - 1]))
        --length;
    return length;
}

bool terminal_set(struct terminal *terminal, const char *rest)
{
    const char *after = rest;
    const char *word;
    const size_t length = terminal_take_word(&after, &word);
    if (length == 3 && memcmp(word, "var", 3) == 0)
        rest = after;
    if (!*rest)
        return terminal_refuse(terminal, "Set what? An assignment, as set var acc = 0.");
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_SET);
    json_string(&request, "expression", rest);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    if (done) { /* of `a[2] += 1` what a[2] is now */
        text_format(&terminal->text, "%.*s = ", (int)length_of_target(rest), rest);
        print_value(json_object_item(answer, "value"), &terminal->text);
    }
    json_object_release(answer);
    text_release(&request);
    return done;
}

bool terminal_examine(struct terminal *terminal, const char *rest)
{
    struct examine_format format;
    if (!examine_parse(&rest, &format) || !*rest)
        return terminal_refuse(terminal,
                               "x/[COUNT][x|d|u|f|c][b|h|w|g] EXPRESSION: of at most "
                               "%d bytes",
                               EXAMINE_SIZE_MAX);
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_MEMORY);
    json_string(&request, "expression", rest);
    json_number(&request, "count", examine_size(&format));
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    if (done)
        examine_print(&format, answer, &terminal->text);
    json_object_release(answer);
    text_release(&request);
    return done;
}

/* ---- frames and items ---- */

static void show_frame(struct terminal *terminal, const struct cJSON *frame)
{
    uint64_t number = 0;
    json_object_number(frame, "frame", &number);
    text_format(&terminal->text, "#%" PRIu64 "  ", number);
    terminal_print_place(terminal, json_object_item(frame, "place"), &terminal->text);
    text_append_char(&terminal->text, '\n');
}

bool terminal_backtrace(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return show_items(terminal, terminal_ask_plain(terminal, DEBUG_REQUEST_STACK), "frames",
                      show_frame, "No frame.");
}

static void show_thread(struct terminal *terminal, const struct cJSON *thread)
{
    struct text *text = &terminal->text;
    const char *state = json_object_text(thread, "state");
    const char *items = json_object_text(thread, "items");
    const struct cJSON *place = json_object_item(thread, "place");
    uint64_t id = 0;
    json_object_number(thread, "id", &id);
    text_format(text, "%" PRIu64 "  ", id);
    terminal_print_item(json_object_item(thread, "item"), text);
    if (place) {
        text_append(text, "  ");
        terminal_print_place(terminal, place, text);
    }
    if (state && strcmp(state, "active") != 0)
        text_format(text, "  %s", state);
    if (items)
        text_format(text, "  items %s", items);
    text_append_char(text, '\n');
}

static void show_vector(struct terminal *terminal, const struct cJSON *vector)
{
    const char *signs = json_object_text(vector, "signs");
    uint64_t number = 0;
    json_object_number(vector, "vector", &number);
    size_t length = signs ? strlen(signs) : 0;
    while (length && signs[length - 1] == ' ')
        --length;
    text_format(&terminal->text, "%4" PRIu64 "  %.*s\n", number, (int)length, signs ? signs : "");
}

static void show_lane_place(struct terminal *terminal, const struct cJSON *place)
{
    struct text *text = &terminal->text;
    const char *const sign = json_object_text(place, "sign");
    const char *const state = json_object_text(place, "state");
    const char *const items = json_object_text(place, "items");
    const struct cJSON *at = json_object_item(place, "place");
    uint64_t count = 0;
    json_object_number(place, "count", &count);
    text_format(text, "%4s  ", sign ? sign : "?");
    if (at)
        terminal_print_place(terminal, at, text);
    if (state && strcmp(state, "active") != 0)
        text_format(text, "%s%s", at ? ", " : "", state);
    text_format(text, ": %" PRIu64 " item%s", count, count == 1 ? "" : "s");
    if (items)
        text_format(text, " (%s)", items);
    text_append_char(text, '\n');
}

bool terminal_lanes(struct terminal *terminal, const char *rest)
{
    (void)rest;
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_LANES);
    const struct cJSON *at = json_array_first(json_object_item(answer, "vectors"));
    for (; at; at = json_array_next(at))
        show_vector(terminal, at);
    return show_items(terminal, answer, "places", show_lane_place, "No work-item.");
}

static void show_different(struct terminal *terminal, const struct cJSON *value)
{
    const char *const shown = json_object_text(value, "value");
    const char *const items = json_object_text(value, "items");
    uint64_t count = 0;
    json_object_number(value, "count", &count);
    text_format(&terminal->text, "%s: %" PRIu64 " item%s", shown ? shown : "?", count,
                count == 1 ? "" : "s");
    text_format(&terminal->text, items ? " (%s)\n" : "\n", items);
}

bool terminal_differ(struct terminal *terminal, const char *rest)
{
    if (!*rest)
        return terminal_refuse(terminal, "Which expression may differ? differ acc");
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_DIFFER);
    json_string(&request, "expression", rest);
    const bool done = show_items(terminal, terminal_ask(terminal, &request), "values",
                                 show_different, "No work-item.");
    text_release(&request);
    return done;
}

/* ---- time ---- */

bool terminal_when(struct terminal *terminal, const char *rest)
{
    (void)rest;
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_POSITION);
    const char *position = json_object_text(answer, "position");
    if (position)
        text_format(&terminal->text, "%s\n", position);
    json_object_release(answer);
    return answer != NULL;
}

/* ---- code ---- */

static void show_instruction(struct terminal *terminal, const struct cJSON *instruction)
{
    const char *const shown = json_object_text(instruction, "text");
    const bool stops = json_object_flag(instruction, "stop");
    uint64_t site = 0;
    uint64_t line = 0;
    json_object_number(instruction, "site", &site);
    json_object_number(json_object_item(instruction, "place"), "line", &line);
    text_format(&terminal->text, "%s%5" PRIu64 "  ", stops ? "*" : " ", site);
    if (line)
        text_format(&terminal->text, "%5" PRIu64 "  ", line);
    else
        text_append(&terminal->text, "       ");
    text_format(&terminal->text, "%s\n", shown ? shown : "");
}

bool terminal_disassemble(struct terminal *terminal, const char *rest)
{
    uint64_t line;
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_DISASSEMBLE);
    if (*rest && !terminal_number(rest, &line))
        return terminal_refuse(terminal, "Which line? '%s' is no number.", rest);
    if (*rest)
        json_number(&request, "line", line);
    const bool done = show_items(terminal, terminal_ask(terminal, &request), "instructions",
                                 show_instruction, "No code.");
    text_release(&request);
    return done;
}

/* ---- info ---- */

static void show_launch(struct terminal *terminal, const struct cJSON *launch)
{
    const char *kernel = json_object_text(launch, "kernel");
    uint64_t number = 0;
    json_object_number(launch, "launch", &number);
    text_format(&terminal->text, "%" PRIu64 "  %s  global ", number, kernel ? kernel : "?");
    terminal_print_item(json_object_item(launch, "global"), &terminal->text);
    text_append(&terminal->text, ", local ");
    terminal_print_item(json_object_item(launch, "local"), &terminal->text);
    text_append_char(&terminal->text, '\n');
}

static void show_breakpoint(struct terminal *terminal, const struct cJSON *breakpoint)
{
    struct text *text = &terminal->text;
    const char *const function = json_object_text(breakpoint, "function");
    const char *const condition = json_object_text(breakpoint, "condition");
    const char *const watched = json_object_text(breakpoint, "expression");
    const struct cJSON *const item = json_object_item(breakpoint, "item");
    uint64_t number = 0;
    uint64_t line;
    uint64_t hits = 0;
    json_object_number(breakpoint, "number", &number);
    json_object_number(breakpoint, "hits", &hits);
    text_format(text, "%" PRIu64 " ", number);
    if (function)
        text_format(text, " in %s", function);
    if (watched)
        text_format(text, " %s of %s", json_object_text(breakpoint, "access"), watched);
    if (json_object_number(breakpoint, "line", &line))
        text_format(text, " at %s:%" PRIu64,
                    terminal_file_name(terminal, json_object_text(breakpoint, "file")), line);
    if (json_array_first(item)) {
        text_append(text, " item ");
        terminal_print_item(item, text);
    }
    if (condition)
        text_format(text, " if %s", condition);
    text_format(text, ", hit %" PRIu64 " time%s%s\n", hits, hits == 1 ? "" : "s",
                json_object_flag(breakpoint, "enabled") ? "" : ", disabled");
}

static void show_found(struct terminal *terminal, const struct cJSON *finding)
{
    const char *const rule = json_object_text(finding, "rule");
    const char *const position = json_object_text(finding, "position");
    text_format(&terminal->text, "%s  %s  ", position ? position : "?", rule ? rule : "?");
    terminal_print_place(terminal, json_object_item(finding, "place"), &terminal->text);
    text_append_char(&terminal->text, '\n');
}

static void show_source(struct terminal *terminal, const struct cJSON *source)
{
    text_format(&terminal->text, "%s%s\n",
                terminal_file_name(terminal, json_object_text(source, "file")),
                json_object_flag(source, "known") ? "" : " (text not known)");
}

static void show_name(struct terminal *terminal, const struct cJSON *name)
{
    const char *text = json_item_text(name);
    text_format(&terminal->text, "%s\n", text ? text : "?");
}

static const struct {
    const char *word;
    enum debug_request request;
    const char *key;
    show_item *show;
    const char *empty;
} infos[] = {
    {"locals", DEBUG_REQUEST_LOCALS, "values", show_variable, "No variable is in scope."},
    {"args", DEBUG_REQUEST_ARGUMENTS, "values", show_variable, "No argument is known here."},
    {"items", DEBUG_REQUEST_THREADS, "threads", show_thread, "No work-item."},
    {"threads", DEBUG_REQUEST_THREADS, "threads", show_thread, "No work-item."}, /* gdb's word */
    {"launches", DEBUG_REQUEST_LAUNCHES, "launches", show_launch, "No launch."},
    {"kernels", DEBUG_REQUEST_KERNELS, "kernels", show_name, "No kernel."},
    {"breakpoints", DEBUG_REQUEST_BREAKPOINTS, "breakpoints", show_breakpoint, "No breakpoint."},
    {"findings", DEBUG_REQUEST_FINDINGS, "findings", show_found, "Nothing was found yet."},
    {"sources", DEBUG_REQUEST_SOURCES, "sources", show_source, "No source."},
};
enum { INFO_COUNT = sizeof infos / sizeof *infos };

/* ---- of a recorded run ---- */

static bool no_run(struct terminal *terminal)
{
    return terminal_refuse(terminal, "What is debugged is no recorded run.");
}

static bool tell(struct terminal *terminal, enum status status, const struct error *error)
{
    return status == STATUS_OK || terminal_refuse(terminal, "%s", error->text);
}

bool terminal_launches(struct terminal *terminal, const char *rest)
{
    struct error error;
    (void)rest;
    if (!terminal->trace.path)
        return no_run(terminal);
    terminal_flush(terminal);
    return tell(terminal, recorded_show_launches(terminal->trace.path, 0, &error), &error);
}

bool terminal_findings(struct terminal *terminal, const char *rest)
{
    struct error error;
    (void)rest;
    if (!terminal->trace.path)
        return no_run(terminal);
    return tell(terminal, recorded_print_findings(terminal->trace.path, &terminal->text, &error),
                &error);
}

static bool show_objects(struct terminal *terminal)
{
    struct error error;
    if (!terminal->trace.path)
        return no_run(terminal);
    return tell(terminal,
                recorded_print_objects(terminal->trace.path, terminal->shown_launch,
                                       &terminal->text, &error),
                &error);
}

bool terminal_info(struct terminal *terminal, const char *rest)
{
    const size_t length = strlen(rest);
    if (length && strncmp("objects", rest, length) == 0)
        return show_objects(terminal);
    if (length && strncmp("lanes", rest, length) == 0 && length > 1)
        return terminal_lanes(terminal, "");
    for (size_t i = 0; i < INFO_COUNT; ++i)
        if (length && strncmp(infos[i].word, rest, length) == 0)
            return show_items(terminal, terminal_ask_plain(terminal, infos[i].request),
                              infos[i].key, infos[i].show, infos[i].empty);
    return terminal_refuse(terminal, "Info on what? locals, args, items, lanes, objects, "
                                     "launches, kernels, breakpoints, findings, sources.");
}
