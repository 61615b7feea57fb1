/* Who wrote a value, in this launch or before it, and going there. */
#include "viewer-cli/debug/origin.h"
#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_position(struct terminal *terminal, const struct cJSON *writer)
{
    const char *const position = json_object_text(writer, "position");
    uint64_t number;
    text_append(&terminal->written_position, position ? position : "");
    debug_request_begin(&terminal->written_at, DEBUG_REQUEST_GOTO);
    json_string(&terminal->written_at, "position", position);
    if (json_object_number(writer, "vector", &number))
        json_number(&terminal->written_at, "vector", number);
    if (json_object_number(writer, "lane", &number))
        json_number(&terminal->written_at, "lane", number);
}

static void show_writer(struct terminal *terminal, const struct cJSON *writer)
{
    struct text *text = &terminal->text;
    const char *const position = json_object_text(writer, "position");
    const char *const before = json_object_text(writer, "before");
    const char *const after = json_object_text(writer, "after");
    uint64_t number;
    text_append(text, "written by item ");
    terminal_print_item(json_object_item(writer, "item"), text);
    if (json_object_number(writer, "count", &number) && number > 1)
        text_format(text, " and %" PRIu64 " more", number - 1);
    text_append(text, " in ");
    terminal_print_place(terminal, json_object_item(writer, "place"), text);
    text_format(text, ", position %s: ", position ? position : "?");
    text_format(text, "%s, was %s\n", after ? after : "?", before ? before : "?");
    keep_position(terminal, writer);
}

/* ---- before this launch ---- */

/* Whoever waits wants to know for what: a launch takes its time, and what is before it. */
static void tell_launch(void *user, uint64_t launch)
{
    (void)user;
    fprintf(stderr, "looking in launch %" PRIu64 " (Ctrl-C ends that) ...\n", launch);
}

/* Of a recorded run: the launches and calls before. `text`: what is said where the trace does not
 * know which memory it is. */
static bool show_origin(struct terminal *terminal, const struct cJSON *memory, const char *text)
{
    const struct origin_search search = {.path = terminal->trace.path,
                                         .personality = terminal->trace.personality,
                                         .memory = memory,
                                         .front = terminal_front(terminal),
                                         .begin = terminal->batch ? NULL : tell_launch};
    struct origin origin = {.text = TEXT_INIT};
    struct error error;
    const enum status status = origin_find(&search, &origin, &error);
    if (status == STATUS_NOT_FOUND)
        text_format(&terminal->text, "%s (%s)\n", text, error.text);
    else if (status)
        terminal_refuse(terminal, "%s", error.text);
    else
        text_format(&terminal->text, "not written in this launch before; earlier:\n%s",
                    origin.text.bytes);
    const struct cJSON *const writer = json_object_item(origin.answer, "writer");
    const char *const position = json_object_text(writer, "position");
    if (writer) { /* in a program of its own */
        terminal_name_program(terminal, position ? strtoull(position, NULL, 10) : 0);
        show_writer(terminal, writer);
        terminal_name_program(terminal, terminal->shown_launch);
    }
    origin_release(&origin);
    return !status || status == STATUS_NOT_FOUND;
}

/* The word of `-a` that gave the argument; NULL: not found. */
static const char *find_argument(const struct terminal *terminal, uint64_t index)
{
    static const char option[] = "--arg=";
    for (int i = 0; i < terminal->start.word_count; ++i) {
        const char *word = terminal->start.words[i];
        if (strncmp(word, option, sizeof option - 1) == 0 && index-- == 0)
            return word + sizeof option - 1;
    }
    return NULL;
}

/* Of a kernel's file: nothing else was there before. */
static void show_given(struct terminal *terminal, const struct cJSON *memory, const char *text)
{
    const char *state = json_object_text(memory, "state");
    uint64_t argument = UINT64_MAX;
    json_object_number(memory, "argument", &argument);
    const char *word = find_argument(terminal, argument);
    if (!word)
        text_format(&terminal->text, "%s\n", text);
    else if (state && strcmp(state, "undefined") == 0)
        text_format(&terminal->text, "never written, and -a '%s' gave it no value\n", word);
    else
        text_format(&terminal->text, "never written: it is what -a '%s' gave\n", word);
}

static bool show_nobody(struct terminal *terminal, const struct cJSON *answer)
{
    const char *text = json_object_text(answer, "text");
    const struct cJSON *memory = json_object_item(answer, "memory");
    if (memory && terminal->trace.path)
        return show_origin(terminal, memory, text);
    if (memory && !terminal->finds_path)
        show_given(terminal, memory, text);
    else
        text_format(&terminal->text, "%s\n", text);
    return true;
}

bool terminal_show_who(struct terminal *terminal, const struct cJSON *answer)
{
    const struct cJSON *const writer = json_object_item(answer, "writer");
    text_clear(&terminal->written_at);
    text_clear(&terminal->written_position);
    if (!writer)
        return show_nobody(terminal, answer);
    show_writer(terminal, writer);
    return true;
}

/* ---- commands ---- */

bool terminal_who(struct terminal *terminal, const char *rest)
{
    if (!*rest)
        return terminal_refuse(terminal, "Who wrote what? An expression that has an address.");
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_WHO);
    terminal_put_expression(terminal, &request, "expression", rest);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer && terminal_show_who(terminal, answer);
    json_object_release(answer);
    text_release(&request);
    return done;
}

bool terminal_go(struct terminal *terminal, const char *rest)
{
    (void)rest;
    if (!*terminal->written_at.bytes)
        return terminal_refuse(terminal, "`who` has found no write to go to.");
    if (!terminal_open_launch_of(terminal, terminal->written_position.bytes))
        return false;
    struct text text = TEXT_INIT;
    text_append(&text, terminal->written_at.bytes);
    return terminal_resume(terminal, &text);
}
