#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"
#include "trace/base/visible.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- printing ---- */

void terminal_flush(struct terminal *terminal)
{
    if (terminal->holds)
        return;
    visible_print(stdout, terminal->text.bytes, terminal->text.size);
    text_clear(&terminal->text);
    fflush(stdout);
}

bool terminal_refuse(struct terminal *terminal, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_format_v(&terminal->text, format, list);
    va_end(list);
    text_append_char(&terminal->text, '\n');
    terminal->has_failed = terminal->has_refused = true;
    return false;
}

bool terminal_take_number(struct terminal *terminal, const char **at, const char *what,
                          uint64_t *number)
{
    const char *word;
    const size_t length = terminal_take_word(at, &word);
    struct text digits = TEXT_INIT;
    text_append_n(&digits, word, length);
    const bool good = terminal_number(digits.bytes, number) ||
                      terminal_refuse(terminal, "'%s' is no number of a %s.", digits.bytes, what);
    text_release(&digits);
    return good;
}

/* What kernels print may end amid a line. */
void terminal_show_output(struct terminal *terminal, const struct cJSON *answer)
{
    const char *output = json_object_text(answer, "output");
    if (!output || !*output)
        return;
    text_append(&terminal->text, output);
    if (terminal->text.bytes[terminal->text.size - 1] != '\n')
        text_append_char(&terminal->text, '\n');
}

static void take_output(void *user, bool is_error, const char *bytes, size_t size)
{
    struct terminal *terminal = user;
    terminal_flush(terminal);
    FILE *stream = is_error ? stderr : stdout;
    visible_print(stream, bytes, size);
    fflush(stream);
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static bool is_interrupted(void *user)
{
    (void)user;
    const bool was = interrupted;
    interrupted = 0;
    return was;
}

/* It comes only while we wait, so that none is missed. */
static const sigset_t *prepare_interrupts(void)
{
    static sigset_t waiting;
    static bool prepared;
    if (!prepared) {
        sigset_t blocked;
        const struct sigaction action = {.sa_handler = note_interrupt};
        sigaction(SIGINT, &action, NULL);
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGINT);
        sigprocmask(SIG_BLOCK, &blocked, &waiting);
        sigdelset(&waiting, SIGINT);
        prepared = true;
    }
    return &waiting;
}

bool terminal_wait_for_input(int input)
{
    struct pollfd polled = {.fd = input, .events = POLLIN};
    return ppoll(&polled, 1, NULL, prepare_interrupts()) > 0 || !is_interrupted(NULL);
}

/* ---- the process ---- */

/* It has ended, or can go no further: what it still writes, and how it ended. */
static void end_process(struct terminal *terminal)
{
    const int result = debug_session_finish(terminal->session);
    debug_session_destroy(terminal->session);
    terminal->session = NULL;
    terminal_flush(terminal);
    if (result < 0)
        text_format(&terminal->text, "The process ended by signal %d (%s).\n", -result,
                    strsignal(-result));
    else
        text_format(&terminal->text, "The process has ended, with status %d.\n", result);
}

static struct cJSON *ask(struct terminal *terminal, const struct text *request)
{
    struct cJSON *answer = NULL;
    struct error error;
    terminal_flush(terminal);
    const enum status status = debug_session_ask(terminal->session, request, &answer, &error);
    if (!status && !debug_answer_is_exit(answer))
        return answer;
    if (status == STATUS_INVALID) {
        terminal_refuse(terminal, "%s", error.text);
        return NULL;
    }
    if (status && status != STATUS_NOT_FOUND)
        terminal_refuse(terminal, "%s", error.text);
    terminal_show_output(terminal, answer);
    json_object_release(answer);
    end_process(terminal);
    return NULL;
}

struct cJSON *terminal_ask(struct terminal *terminal, struct text *request)
{
    debug_request_end(request);
    return terminal->session ? ask(terminal, request) : NULL;
}

struct cJSON *terminal_ask_plain(struct terminal *terminal, enum debug_request request)
{
    struct text text = TEXT_INIT;
    debug_request_begin(&text, request);
    struct cJSON *answer = terminal_ask(terminal, &text);
    text_release(&text);
    return answer;
}

struct cJSON *terminal_evaluate(struct terminal *terminal, const char *expression,
                                const char *format, struct error *error)
{
    struct text request = TEXT_INIT;
    struct cJSON *answer = NULL;
    if (!terminal->session) {
        if (!error)
            terminal_refuse(terminal, "There is no process: `run` or `start` starts one.");
        return NULL;
    }
    debug_request_begin(&request, DEBUG_REQUEST_EVALUATE);
    terminal_put_expression(terminal, &request, "expression", expression);
    json_string(&request, "format", format);
    if (error) {
        debug_request_end(&request);
        if (debug_session_ask(terminal->session, &request, &answer, error)) {
            json_object_release(answer);
            answer = NULL;
        }
    } else {
        answer = terminal_ask(terminal, &request);
    }
    text_release(&request);
    return answer;
}

bool terminal_ask_catch(struct terminal *terminal, const char *what, const char *key,
                        const char *option, bool on)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_CATCH);
    json_string(&request, "what", what);
    if (key && strcmp(key, "condition") == 0)
        terminal_put_expression(terminal, &request, key, option);
    else
        json_string(&request, key, option);
    json_key(&request, "on");
    text_append(&request, on ? "true" : "false");
    struct cJSON *answer = terminal_ask(terminal, &request);
    /* The end of launches is told to each process anyway. */
    if (answer && strcmp(what, "end") != 0)
        debug_journal_keep(&terminal->journal, &request, 0);
    json_object_release(answer);
    text_release(&request);
    return answer != NULL;
}

struct debug_front terminal_front(struct terminal *terminal)
{
    return (struct debug_front){
        .take_output = take_output,
        .is_interrupted = is_interrupted,
        .waiting = prepare_interrupts(),
        .user = terminal,
    };
}

bool terminal_start(struct terminal *terminal)
{
    const struct debug_front front = terminal_front(terminal);
    struct error error;
    terminal_flush(terminal);
    if (debug_session_start(&terminal->start, &front, &terminal->session, &error))
        return terminal_refuse(terminal, "%s", error.text);
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_HELLO);
    json_number(&request, "version", DEBUG_VERSION);
    struct cJSON *answer = terminal_ask(terminal, &request);
    text_release(&request);
    if (!answer) {
        terminal->has_failed = true;
        return false;
    }
    debug_session_learn(terminal->session, answer);
    json_object_release(answer);
    terminal->has_run = false;
    const enum status status = debug_journal_tell(&terminal->journal, terminal->session, &error);
    if (status) {
        end_process(terminal);
        terminal->has_failed = true;
        return false;
    }
    /* What kernels print last comes with a stop at the end of their launch. */
    return terminal_ask_catch(terminal, "end", NULL, NULL, true);
}
