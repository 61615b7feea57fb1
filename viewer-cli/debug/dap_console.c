/* The debug console of a client: expressions, and words of the terminal that look at the process or
 * go to another moment of it. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/expression.h"
#include "viewer-cli/debug/complete.h"
#include "viewer-cli/debug/debugging.h"
#include "viewer-cli/debug/origin.h"

#include <string.h>

/* ---- the terminal ---- */

/* Without a screen: what it would print stays in its text. NULL where memory is out. */
static struct terminal *open_console(struct dap *dap)
{
    if (!dap->console) {
        dap->console = alloc_zero(1, sizeof *dap->console);
        if (!dap->console)
            return NULL;
        debugging_init(dap->console);
        dap->console->holds = true;
    }
    dap->console->session = dap->session;
    dap->console->path = dap->path;
    text_clear(&dap->console->text);
    return dap->console;
}

static void drop_end_of_line(struct text *text)
{
    if (text->size && text->bytes[text->size - 1] == '\n')
        text->bytes[--text->size] = 0;
}

static void respond_text(struct dap *dap, const struct cJSON *request, struct text *text)
{
    dap_respond(dap, request);
    json_string(&dap->out, "result", text->bytes);
    json_number(&dap->out, "variablesReference", 0);
    dap_end(dap);
}

/* A process that ended meanwhile is no more. */
static void do_command(struct dap *dap, const struct cJSON *request, const struct terminal_row *row,
                       const char *rest)
{
    struct terminal *console = dap->console;
    const bool done = row->run(console, rest);
    const bool has_ended = !console->session;
    drop_end_of_line(&console->text);
    if (done)
        respond_text(dap, request, &console->text);
    else
        dap_refuse(dap, request, "%s", console->text.bytes);
    if (!has_ended)
        return;
    dap->session = NULL;
    dap_drop_process(dap);
    dap_event(dap, "terminated");
    dap_end(dap);
}

/* ---- words whose answers may take long ---- */

static void finish_who(struct dap *dap, const struct cJSON *request, const struct cJSON *answer)
{
    struct terminal *console = open_console(dap);
    if (!console) {
        dap_refuse(dap, request, "memory ran out");
        return;
    }
    struct origin origin = {.text = TEXT_INIT};
    if (dap_find_origin(dap, answer, &origin))
        dap_append_origin(&origin, &console->text);
    else
        (void)terminal_show_who(console, answer);
    origin_release(&origin);
    drop_end_of_line(&console->text);
    respond_text(dap, request, &console->text);
}

static void finish_going(struct dap *dap, const struct cJSON *request, const struct cJSON *answer)
{
    struct text text = TEXT_INIT;
    const struct cJSON *const stop = json_object_item(answer, "stop");
    const char *const position = json_object_text(stop, "position");
    text_append(&text, position ? position : "");
    respond_text(dap, request, &text);
    text_release(&text);
    dap_tell_moved(dap, stop);
}

static const struct long_word {
    const char *name;
    enum debug_request request;
    const char *member; /* that the rest of the line is; NULL = there is none */
    dap_finish *finish;
} long_words[] = {
    {"who", DEBUG_REQUEST_WHO, "expression", finish_who},
    {"go", DEBUG_REQUEST_GOTO, NULL, finish_going},
    {"goto", DEBUG_REQUEST_GOTO, "position", finish_going},
    {"other", DEBUG_REQUEST_OTHER, NULL, finish_going},
};
enum { LONG_WORD_COUNT = sizeof long_words / sizeof *long_words };

static void ask_long(struct dap *dap, const struct cJSON *request, const struct long_word *word,
                     const char *rest)
{
    const struct text *const written_at = &dap->console->written_at;
    const bool is_go = word->request == DEBUG_REQUEST_GOTO && !word->member;
    struct text asked = TEXT_INIT;
    if (is_go && !*written_at->bytes) {
        dap_refuse(dap, request, "`who` has found no write to go to");
        return;
    }
    if (is_go) {
        text_append(&asked, written_at->bytes);
    } else {
        debug_request_begin(&asked, word->request);
        if (word->member)
            json_string(&asked, word->member, rest);
    }
    dap_ask_later(dap, request, &asked, word->finish);
    text_release(&asked);
}

/* ---- a line ---- */

static bool is_expression(struct dap *dap, const char *line)
{
    struct text asked = TEXT_INIT;
    struct cJSON *answer = NULL;
    struct error error;
    debug_request_begin(&asked, DEBUG_REQUEST_EVALUATE);
    json_string(&asked, "expression", line);
    const bool is = dap_try(dap, &asked, &answer, &error) == STATUS_OK;
    json_object_release(answer);
    text_release(&asked);
    return is;
}

/* A line that is no expression, but a word of the terminal: it is answered, or will be. False: it
 * is none. */
static bool do_line(struct dap *dap, const struct cJSON *request, const char *line)
{
    if (dap->phase != DAP_STOPPED || is_expression(dap, line) || !open_console(dap))
        return false;
    line += strspn(line, " \t");
    const size_t length = strcspn(line, " \t/"); /* of "x/4xw" */
    const char *const rest = line + length + strspn(line + length, " \t");
    for (size_t i = 0; i < LONG_WORD_COUNT; ++i) {
        if (!terminal_word_is(line, length, long_words[i].name))
            continue;
        ask_long(dap, request, &long_words[i], rest);
        return true;
    }
    const struct terminal_row *row = terminal_find_look(line, length);
    if (row)
        do_command(dap, request, row, rest);
    return row != NULL;
}

static bool is_assignment(const char *text)
{
    struct arena arena = {0};
    const struct expression *expression;
    struct error error;
    const bool is =
        expression_parse(text, true, NULL, NULL, &arena, &expression, &error) == STATUS_OK &&
        expression->kind == EXPRESSION_ASSIGNMENT;
    arena_release(&arena);
    return is;
}

/* Whatever lies under the pointer, and what is watched, may have no value here. */
static bool is_quiet(const char *context)
{
    return context && (strcmp(context, "hover") == 0 || strcmp(context, "watch") == 0);
}

void dap_evaluate(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const given = json_object_text(arguments, "expression");
    const char *const expression = given ? given : "";
    const char *const context = json_object_text(arguments, "context");
    const bool is_console = context && strcmp(context, "repl") == 0;
    const bool assigns = is_console && is_assignment(expression);
    if (!dap_focus_on_frame(dap, request, arguments) ||
        (is_console && !assigns && do_line(dap, request, expression)))
        return;
    dap->is_quiet = is_quiet(context);
    dap_answer_value(dap, request, assigns ? DEBUG_REQUEST_SET : DEBUG_REQUEST_EVALUATE, expression,
                     assigns ? NULL : expression,
                     json_object_flag(json_object_item(arguments, "format"), "hex") ? "x" : NULL,
                     "result");
    dap->is_quiet = false;
}

/* ---- completions ---- */

struct completion {
    struct dap *dap;
    const char *word;
    size_t length, start;
};

static void offer(struct completion *completion, const char *label, const char *type)
{
    struct text *out = &completion->dap->out;
    if (!label || strncmp(label, completion->word, completion->length) != 0)
        return;
    dap_open(out);
    json_string(out, "label", label);
    json_string(out, "type", type);
    json_number(out, "start", completion->start);
    json_number(out, "length", completion->length);
    dap_close(out);
}

/* Elements of arrays are none. */
static void offer_values(struct completion *completion, uint64_t reference)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_VARIABLES);
    json_number(&asked, "reference", reference);
    struct cJSON *answer = dap_ask(completion->dap, NULL, &asked);
    const struct cJSON *at = json_array_first(json_object_item(answer, "values"));
    for (; at; at = json_array_next(at)) {
        const char *const name = json_object_text(at, "name");
        if (name && strcspn(name, "[*") == strlen(name))
            offer(completion, name, "variable");
    }
    json_object_release(answer);
    text_release(&asked);
}

static void offer_names(struct completion *completion)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_SCOPES);
    struct cJSON *answer = dap_ask(completion->dap, NULL, &asked);
    const struct cJSON *at = json_array_first(json_object_item(answer, "scopes"));
    for (; at; at = json_array_next(at)) {
        uint64_t reference;
        if (dap_scope_has_names(json_object_text(at, "name")) &&
            json_object_number(at, "reference", &reference))
            offer_values(completion, reference);
    }
    json_object_release(answer);
    text_release(&asked);
}

static void offer_words(struct completion *completion)
{
    for (size_t i = 0; i < LONG_WORD_COUNT; ++i)
        offer(completion, long_words[i].name, "keyword");
    const struct terminal_row *row = NULL;
    while ((row = terminal_next_look(row)))
        offer(completion, row->name, "keyword");
}

static void offer_members(struct completion *completion, const char *text,
                          const struct complete_place *place)
{
    struct text asked = TEXT_INIT;
    struct text parent = TEXT_INIT;
    uint64_t reference;
    text_append(&parent, place->is_pointed ? "*(" : "");
    text_append_n(&parent, text + place->parent, place->parent_length);
    text_append(&parent, place->is_pointed ? ")" : "");
    debug_request_begin(&asked, DEBUG_REQUEST_EVALUATE);
    json_string(&asked, "expression", parent.bytes);
    struct cJSON *answer = dap_ask(completion->dap, NULL, &asked);
    if (json_object_number(json_object_item(answer, "value"), "reference", &reference))
        offer_values(completion, reference);
    json_object_release(answer);
    text_release(&asked);
    text_release(&parent);
}

void dap_completions(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const given = json_object_text(arguments, "text");
    const char *const text = given ? given : "";
    const uint64_t first = dap->columns_start_at_0 ? 0 : 1;
    uint64_t column = first;
    json_object_number(arguments, "column", &column);
    const size_t size = strlen(text);
    const uint64_t before = column > first ? column - first : 0;
    const size_t cursor = before < size ? (size_t)before : size;
    const struct complete_place place = complete_find(text, cursor);
    if (!dap_focus_on_frame(dap, request, arguments))
        return;
    struct completion completion = {.dap = dap,
                                    .word = text + place.word,
                                    .length = cursor - place.word,
                                    .start = place.word + (size_t)first};
    dap_respond(dap, request);
    json_key(&dap->out, "targets");
    text_append_char(&dap->out, '[');
    if (place.is_member) {
        offer_members(&completion, text, &place);
    } else {
        offer_names(&completion);
        if (place.is_first)
            offer_words(&completion);
    }
    text_append_char(&dap->out, ']');
    dap_end(dap);
}
