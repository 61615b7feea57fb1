/* Commands that show what there is. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <string.h>

bool terminal_show_items(struct terminal *terminal, struct cJSON *answer, const char *key,
                         terminal_show_item *show, const char *empty)
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

void terminal_print_value(const struct cJSON *value, struct text *text)
{
    const char *shown = json_object_text(value, "value");
    text_append(text, shown ? shown : "?");
    text_append_char(text, '\n');
}

bool terminal_take_format(struct terminal *terminal, const char **rest, char format[2])
{
    static const char formats[] = "xduftc";
    format[0] = format[1] = 0;
    if (**rest != '/')
        return true;
    const char letter = (*rest)[1];
    if (!letter || !strchr(formats, letter) || ((*rest)[2] != ' ' && (*rest)[2] != 0))
        return terminal_refuse(terminal, "A format is one of /x, /d, /u, /f, /t (bits) and /c.");
    format[0] = letter;
    *rest += 2;
    *rest += strspn(*rest, " \t");
    return true;
}

bool terminal_print(struct terminal *terminal, const char *rest)
{
    char format[2];
    if (!terminal_take_format(terminal, &rest, format))
        return false;
    if (!*rest)
        return terminal_refuse(terminal, "Print what? An expression, as acc + 1 or in[3].");
    struct cJSON *answer = terminal_evaluate(terminal, rest, *format ? format : NULL, NULL);
    const bool done = answer != NULL;
    if (done) {
        const char *warning = json_object_text(answer, "warning");
        text_format(&terminal->text, "%s = ", rest);
        terminal_print_value(json_object_item(answer, "value"), &terminal->text);
        if (warning)
            text_format(&terminal->text, "%s\n", warning);
    }
    json_object_release(answer);
    return done;
}

bool terminal_whatis(struct terminal *terminal, const char *rest)
{
    if (!*rest)
        return terminal_refuse(terminal, "The type of what? An expression, as acc + 1 or in[3].");
    struct cJSON *answer = terminal_evaluate(terminal, rest, NULL, NULL);
    const bool done = answer != NULL;
    const char *type = json_object_text(json_object_item(answer, "value"), "type");
    if (done)
        text_format(&terminal->text, "type = %s\n", type && *type ? type : "?");
    json_object_release(answer);
    return done;
}

static bool is_struct(const struct cJSON *value)
{
    const char *const shown = json_object_text(value, "value");
    return shown && *shown == '{' && strchr(shown, '=');
}

/* As C declares it: "uchar tag[3]" of the type "uchar[3]", "int *data" of "int *". */
static void append_declaration(const char *type, const char *name, struct text *text)
{
    const size_t length = strcspn(type, "[");
    const bool is_pointer = length && type[length - 1] == '*';
    text_append_n(text, type, length);
    text_format(text, is_pointer ? "%s%s;\n" : " %s%s;\n", name, type + length);
}

static bool is_anonymous(const char *type)
{
    return strcmp(type, "struct") == 0 || strcmp(type, "union") == 0;
}

enum { TYPE_DEPTH = 8 };

/* " {", the members of the struct, and "}". Those of a struct without a name stand where it does.
 */
static bool append_members(struct terminal *terminal, const struct cJSON *value, int depth)
{
    struct text *const text = &terminal->text;
    struct text request = TEXT_INIT;
    uint64_t reference = 0;
    json_object_number(value, "reference", &reference);
    debug_request_begin(&request, DEBUG_REQUEST_VARIABLES);
    json_number(&request, "reference", reference);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const struct cJSON *at = json_array_first(json_object_item(answer, "values"));
    bool done = answer != NULL;
    text_append(text, " {\n");
    for (; at; at = json_array_next(at)) {
        const char *const name = json_object_text(at, "name");
        const char *const type = json_object_text(at, "type");
        text_format(text, "%*s", 4 * depth, "");
        if (type && is_anonymous(type) && is_struct(at) && depth < TYPE_DEPTH) {
            text_append(text, type);
            done = append_members(terminal, at, depth + 1) && done;
            text_format(text, " %s;\n", name ? name : "");
        } else {
            append_declaration(type ? type : "?", name ? name : "?", text);
        }
    }
    text_format(text, "%*s}", 4 * (depth - 1), "");
    json_object_release(answer);
    text_release(&request);
    return done;
}

/* "type = struct pair {", its members, "} *" where the pointer to it is meant; of what is no struct
 * the type alone. */
static bool show_type(struct terminal *terminal, const struct cJSON *value, bool of_pointer)
{
    const char *const type = json_object_text(value, "type");
    text_format(&terminal->text, "type = %s", type && *type ? type : "?");
    const bool done = !is_struct(value) || append_members(terminal, value, 1);
    text_append(&terminal->text, of_pointer ? " *\n" : "\n");
    return done;
}

/* What the expression is, what it points to, or what a type of that name is: "*(NAME *)0". */
bool terminal_ptype(struct terminal *terminal, const char *rest)
{
    struct text of_type = TEXT_INIT;
    struct text pointed = TEXT_INIT;
    struct error error;
    if (!*rest)
        return terminal_refuse(terminal, "What is what? An expression or a type, as ptype in[0].");
    text_format(&of_type, "*(%s *)0", rest);
    text_format(&pointed, "*(%s)", rest);
    struct cJSON *answer = terminal_evaluate(terminal, of_type.bytes, NULL, &error);
    if (!answer)
        answer = terminal_evaluate(terminal, rest, NULL, NULL);
    const char *type = json_object_text(json_object_item(answer, "value"), "type");
    struct cJSON *target =
        type && strchr(type, '*') ? terminal_evaluate(terminal, pointed.bytes, NULL, &error) : NULL;
    const struct cJSON *const leads_to = json_object_item(target, "value");
    const bool of_pointer = is_struct(leads_to);
    const bool done =
        answer &&
        show_type(terminal, of_pointer ? leads_to : json_object_item(answer, "value"), of_pointer);
    json_object_release(target);
    json_object_release(answer);
    text_release(&pointed);
    text_release(&of_type);
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
    if (*rest == '$')
        return terminal_set_variable(terminal, rest);
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_SET);
    terminal_put_expression(terminal, &request, "expression", rest);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    if (done) { /* of `a[2] += 1` what a[2] is now */
        text_format(&terminal->text, "%.*s = ", (int)length_of_target(rest), rest);
        terminal_print_value(json_object_item(answer, "value"), &terminal->text);
    }
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

static void show_local(struct terminal *terminal, const struct cJSON *value)
{
    const char *const name = json_object_text(value, "name");
    text_format(&terminal->text, "        %s = ", name ? name : "?");
    terminal_print_value(value, &terminal->text);
}

static void show_full_frame(struct terminal *terminal, const struct cJSON *frame)
{
    struct text request = TEXT_INIT;
    uint64_t number = 0;
    json_object_number(frame, "frame", &number);
    show_frame(terminal, frame);
    debug_request_begin(&request, DEBUG_REQUEST_LOCALS);
    json_number(&request, "frame", number);
    terminal_show_items(terminal, terminal_ask(terminal, &request), "values", show_local,
                        "        No variable is in scope.");
    text_release(&request);
}

bool terminal_backtrace(struct terminal *terminal, const char *rest)
{
    const bool full = strcmp(rest, "full") == 0;
    if (*rest && !full)
        return terminal_refuse(terminal, "`backtrace` takes no '%s', but `full`.", rest);
    return terminal_show_items(terminal, terminal_ask_plain(terminal, DEBUG_REQUEST_STACK),
                               "frames", full ? show_full_frame : show_frame, "No frame.");
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
    return terminal_show_items(terminal, answer, "places", show_lane_place, "No work-item.");
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
    terminal_put_expression(terminal, &request, "expression", rest);
    const bool done = terminal_show_items(terminal, terminal_ask(terminal, &request), "values",
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

void terminal_show_instruction(struct terminal *terminal, const struct cJSON *instruction)
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
    const bool done = terminal_show_items(terminal, terminal_ask(terminal, &request),
                                          "instructions", terminal_show_instruction, "No code.");
    text_release(&request);
    return done;
}
