/* `info`, and what is told of a recorded run. */
#include "viewer-cli/debug/terminal.h"

#include <inttypes.h>
#include <string.h>

static void show_variable(struct terminal *terminal, const struct cJSON *value)
{
    const char *name = json_object_text(value, "name");
    text_format(&terminal->text, "%s = ", name ? name : "?");
    terminal_print_value(value, &terminal->text);
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
    const bool is_enabled = json_object_flag(breakpoint, "enabled");
    const bool is_temporary = json_object_flag(breakpoint, "temporary");
    const char *const sentence = json_object_text(breakpoint, "text");
    uint64_t number = 0;
    uint64_t hits = 0;
    json_object_number(breakpoint, "number", &number);
    json_object_number(breakpoint, "hits", &hits);
    const char *const commands = terminal_commands_of(terminal, number);
    if (is_temporary && !is_enabled && hits) /* it is used up */
        return;
    text_format(text, "%-3" PRIu64 " ", number);
    terminal_print_break(terminal, breakpoint, text);
    if (json_object_text(breakpoint, "function") && json_object_item(breakpoint, "line")) {
        text_append(text, ", at ");
        terminal_print_break_place(terminal, breakpoint, text);
    }
    text_format(text, ", hit %" PRIu64 " time%s%s%s", hits, hits == 1 ? "" : "s",
                is_temporary ? ", temporary" : "", is_enabled ? "" : ", disabled");
    text_format(text, sentence ? ": %s\n" : "\n", sentence);
    for (const char *at = commands; at && *at; at += strcspn(at, "\n") + 1)
        text_format(text, "        %.*s\n", (int)strcspn(at, "\n"), at);
}

static bool has_process(struct terminal *terminal)
{
    return terminal->session ||
           terminal_refuse(terminal, "There is no process: `run` or `start` starts one.");
}

/* Those of a process that has ended are those of the next. */
static bool info_breakpoints(struct terminal *terminal, const char *rest)
{
    (void)rest;
    if (!terminal->session && !terminal->start.keeps_streams && !terminal_do_start(terminal, ""))
        return false;
    if (!has_process(terminal))
        return false;
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_BREAKPOINTS);
    const bool done = answer != NULL;
    const size_t size = terminal->text.size;
    const struct cJSON *at = json_array_first(json_object_item(answer, "breakpoints"));
    for (; at; at = json_array_next(at))
        show_breakpoint(terminal, at);
    if (done)
        terminal_print_catches(terminal, "    ", true, &terminal->text);
    if (done && terminal->text.size == size)
        text_append(&terminal->text, "No breakpoint.\n");
    json_object_release(answer);
    return done;
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
    terminal_show_item *show;
    const char *empty;
} infos[] = {
    {"locals", DEBUG_REQUEST_LOCALS, "values", show_variable,
     "No local variable is in scope; `info args` has the parameters."},
    {"args", DEBUG_REQUEST_ARGUMENTS, "values", show_variable, "No argument is known here."},
    {"items", DEBUG_REQUEST_THREADS, "threads", show_thread, "No work-item."},
    {"threads", DEBUG_REQUEST_THREADS, "threads", show_thread, "No work-item."}, /* gdb's word */
    {"launches", DEBUG_REQUEST_LAUNCHES, "launches", show_launch, "No launch."},
    {"kernels", DEBUG_REQUEST_KERNELS, "kernels", show_name, "No kernel."},
    {"findings", DEBUG_REQUEST_FINDINGS, "findings", show_found, "Nothing was found yet."},
    {"sources", DEBUG_REQUEST_SOURCES, "sources", show_source, "No source."},
};
enum { INFO_COUNT = sizeof infos / sizeof *infos };

/* ---- of a recorded run ---- */

static bool no_run(struct terminal *terminal)
{
    return terminal_refuse(terminal, "What is debugged is no recorded run; of what runs `info "
                                     "launches`, `info findings` and `info args` tell.");
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

/* What tells of a whole run what the request tells of a process; NULL: nothing does. */
static terminal_command *of_run(enum debug_request request)
{
    return request == DEBUG_REQUEST_LAUNCHES   ? terminal_launches
           : request == DEBUG_REQUEST_FINDINGS ? terminal_findings
                                               : NULL;
}

static bool info_objects(struct terminal *terminal, const char *rest)
{
    struct error error;
    (void)rest;
    if (!terminal->trace.path)
        return no_run(terminal);
    if (!terminal->shown_launch)
        return has_process(terminal);
    return tell(terminal,
                recorded_print_objects(terminal->trace.path, terminal->shown_launch,
                                       &terminal->text, &error),
                &error);
}

static bool info_display(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return terminal_list_displays(terminal);
}

static bool info_variables(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return terminal_list_variables(terminal);
}

/* gdb's words for what there is not. */
static bool info_registers(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return terminal_refuse(terminal,
                           "Lane code has rows in place of registers: `disassemble` shows "
                           "them, and `info locals` what they hold.");
}

/* ---- info ---- */

/* What more than one request is needed for. */
static const struct {
    const char *word;
    bool needs_process;
    terminal_command *run;
} others[] = {
    {"breakpoints", false, info_breakpoints}, {"watchpoints", false, info_breakpoints},
    {"catchpoints", false, info_breakpoints}, {"lanes", true, terminal_lanes},
    {"line", true, terminal_info_line},       {"source", true, terminal_info_source},
    {"display", false, info_display},         {"convenience", false, info_variables},
    {"objects", false, info_objects},         {"frame", true, terminal_frame},
    {"program", true, terminal_frame},        {"registers", false, info_registers},
};
enum { OTHER_COUNT = sizeof others / sizeof *others };

static const char info_usage[] =
    "Info on what? locals, args, items, lanes, breakpoints, display, source, sources, line, frame, "
    "launches, kernels, objects, findings, convenience.";

const char *terminal_info_word(size_t n)
{
    return n < INFO_COUNT                 ? infos[n].word
           : n < INFO_COUNT + OTHER_COUNT ? others[n - INFO_COUNT].word
                                          : NULL;
}

static bool is_word(const char *word, const char *typed, size_t length, bool whole)
{
    return strncmp(word, typed, length) == 0 && (!whole || !word[length]);
}

/* Words may be abbreviated, and whole ones come first. */
static bool info_on(struct terminal *terminal, const char *typed, size_t length, const char *rest,
                    bool whole, bool *done)
{
    for (size_t i = 0; i < INFO_COUNT; ++i) {
        if (!is_word(infos[i].word, typed, length, whole))
            continue;
        *done =
            !terminal->session && terminal->trace.path && of_run(infos[i].request)
                ? of_run(infos[i].request)(terminal, rest)
                : has_process(terminal) &&
                      terminal_show_items(terminal, terminal_ask_plain(terminal, infos[i].request),
                                          infos[i].key, infos[i].show, infos[i].empty);
        return true;
    }
    for (size_t i = 0; i < OTHER_COUNT; ++i) {
        if (!is_word(others[i].word, typed, length, whole))
            continue;
        *done =
            (!others[i].needs_process || has_process(terminal)) && others[i].run(terminal, rest);
        return true;
    }
    return false;
}

bool terminal_info(struct terminal *terminal, const char *rest)
{
    const char *typed;
    const size_t length = terminal_take_word(&rest, &typed);
    bool done = false;
    if (length && (info_on(terminal, typed, length, rest, true, &done) ||
                   info_on(terminal, typed, length, rest, false, &done)))
        return done;
    return terminal_refuse(terminal, "%s", info_usage);
}
