/* Commands out of files, those of breakpoints, and what leads to other programs. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the commands of breakpoints ---- */

struct terminal_stop_commands {
    struct terminal_stop_commands *next;
    uint64_t number;
    struct text lines;
};

static struct terminal_stop_commands *find(const struct terminal *terminal, uint64_t number)
{
    struct terminal_stop_commands *at = terminal->commands;
    while (at && at->number != number)
        at = at->next;
    return at;
}

const char *terminal_commands_of(const struct terminal *terminal, uint64_t number)
{
    const struct terminal_stop_commands *found = find(terminal, number);
    return found && found->lines.size ? found->lines.bytes : NULL;
}

static struct terminal_stop_commands *make(struct terminal *terminal, uint64_t number)
{
    struct terminal_stop_commands *made = find(terminal, number);
    if (made)
        return made;
    made = alloc_zero(1, sizeof *made);
    if (!made) {
        terminal_refuse(terminal, "Out of memory.");
        return NULL;
    }
    *made = (struct terminal_stop_commands){
        .next = terminal->commands, .number = number, .lines = TEXT_INIT};
    terminal->commands = made;
    return made;
}

/* Lines up to their `end`. Where they are given up, by Ctrl-C or the end of the input, nothing
 * changes. */
static bool read_commands(struct terminal *terminal, struct text *lines)
{
    struct text line = TEXT_INIT;
    size_t open = 1;
    while (open && terminal_read_line(terminal, ">", &line) == LINE_READ) {
        open += terminal_word_is(line.bytes, strcspn(line.bytes, " \t"), "commands");
        open -= strcmp(line.bytes, "end") == 0;
        if (open && line.size)
            text_format(lines, "%s\n", line.bytes);
    }
    text_release(&line);
    return !open;
}

static bool keep_commands(struct terminal *terminal, uint64_t number, const struct text *lines)
{
    struct terminal_stop_commands *made = make(terminal, number);
    if (made) {
        text_clear(&made->lines);
        text_append_n(&made->lines, lines->bytes, lines->size);
    }
    return made != NULL;
}

/* The numbers, or the last one's where there are none. */
static bool keep_commands_of(struct terminal *terminal, const char *numbers,
                             const struct text *lines)
{
    bool done = true;
    if (!*numbers)
        return keep_commands(terminal, terminal->last_breakpoint, lines);
    while (*numbers && done) {
        uint64_t number;
        done = terminal_take_number(terminal, &numbers, "breakpoint", &number);
        if (done && (!number || number > terminal->last_breakpoint))
            done = terminal_refuse(terminal, "There is no breakpoint %" PRIu64 ".", number);
        done = done && keep_commands(terminal, number, lines);
    }
    return done;
}

bool terminal_commands(struct terminal *terminal, const char *rest)
{
    struct text lines = TEXT_INIT;
    if (!*rest && !terminal->last_breakpoint)
        return terminal_refuse(terminal, "Of which breakpoint? There is none yet.");
    if (!terminal->batch && !terminal->lines.is_inserted)
        text_append(&terminal->text,
                    "What is to be done when it stops there, a command a line; then `end`:\n");
    /* The lines are its own, whatever is wrong with the numbers. */
    const bool done = read_commands(terminal, &lines)
                          ? keep_commands_of(terminal, rest, &lines)
                          : terminal_refuse(terminal, "`end` is missing: nothing was changed.");
    text_release(&lines);
    return done;
}

static void append_commands(const struct terminal *terminal, const struct cJSON *numbers,
                            struct text *lines)
{
    for (const struct cJSON *at = json_array_first(numbers); at; at = json_array_next(at)) {
        uint64_t number;
        const char *commands =
            json_item_number(at, &number) ? terminal_commands_of(terminal, number) : NULL;
        if (commands)
            text_append(lines, commands);
    }
}

bool terminal_begin_stop(struct terminal *terminal, const struct cJSON *stop)
{
    static const char silent[] = "silent\n";
    struct text lines = TEXT_INIT;
    append_commands(terminal, json_object_item(stop, "breakpoints"), &lines);
    append_commands(terminal, json_object_item(stop, "watches"), &lines);
    const bool is_silent = strncmp(lines.bytes, silent, sizeof silent - 1) == 0;
    if (lines.size)
        terminal_insert_lines(terminal, lines.bytes + (is_silent ? sizeof silent - 1 : 0), true);
    text_release(&lines);
    return is_silent;
}

void terminal_script_release(struct terminal *terminal)
{
    while (terminal->commands) {
        struct terminal_stop_commands *first = terminal->commands;
        terminal->commands = first->next;
        text_release(&first->lines);
        alloc_free(first);
    }
}

/* ---- files ---- */

bool terminal_read_file(struct terminal *terminal, const char *rest)
{
    enum { SIZE_LIMIT = 1 << 20 };
    struct error error;
    char *bytes = NULL;
    size_t size = 0;
    if (!*rest)
        return terminal_refuse(terminal, "Commands of which file? source FILE");
    if (file_read_text(rest, SIZE_LIMIT, &bytes, &size, &error))
        return terminal_refuse(terminal, "%s", error.text);
    const bool done = terminal_insert_lines(terminal, bytes, false);
    alloc_free(bytes);
    return done;
}

static void append_break(const struct terminal *terminal, const struct cJSON *breakpoint,
                         struct text *text)
{
    uint64_t number = 0;
    json_object_number(breakpoint, "number", &number);
    const char *commands = terminal_commands_of(terminal, number);
    if (!json_object_flag(breakpoint, "enabled"))
        text_append(text, "# disabled: ");
    terminal_print_break(terminal, breakpoint, text);
    text_append_char(text, '\n');
    if (commands && json_object_flag(breakpoint, "enabled"))
        text_format(text, "commands\n%send\n", commands);
}

bool terminal_save(struct terminal *terminal, const char *rest)
{
    const char *word;
    const size_t length = terminal_take_word(&rest, &word);
    if (!length || strncmp("breakpoints", word, length) != 0 || !*rest)
        return terminal_refuse(terminal, "Into which file? save breakpoints FILE; "
                                         "`source FILE` sets them again.");
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_BREAKPOINTS);
    struct text text = TEXT_INIT;
    struct error error;
    const struct cJSON *at = json_array_first(json_object_item(answer, "breakpoints"));
    for (; at; at = json_array_next(at))
        append_break(terminal, at, &text);
    terminal_print_catches(terminal, "", false, &text);
    bool done = answer != NULL;
    if (done && file_write(rest, text.bytes, text.size, &error))
        done = terminal_refuse(terminal, "%s", error.text);
    else if (done)
        text_format(&terminal->text, "Breakpoints are in %s: `source %s` sets them again.\n", rest,
                    rest);
    json_object_release(answer);
    text_release(&text);
    return done;
}

/* ---- other programs ---- */

extern char **environ;

/* With the signals as every program has them: ours wait for a prompt. */
static int spawn_shell(const char *command, pid_t *process)
{
    char shell[] = "sh";
    char option[] = "-c";
    char *copy = alloc_string(command);
    char *words[] = {shell, option, copy, NULL};
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t usual;
    if (!copy)
        return ENOMEM;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    const int failed = posix_spawn(process, "/bin/sh", NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    alloc_free(copy);
    return failed;
}

bool terminal_shell(struct terminal *terminal, const char *rest)
{
    pid_t process;
    int status = 0;
    if (!*rest)
        return terminal_refuse(terminal, "Which command of the shell? shell ls, or !ls");
    terminal_flush(terminal);
    const int failed = spawn_shell(rest, &process);
    if (failed)
        return terminal_refuse(terminal, "The shell cannot be started: %s.", strerror(failed));
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return WIFSIGNALED(status)
               ? terminal_refuse(terminal, "The command ended by signal %d (%s).", WTERMSIG(status),
                                 strsignal(WTERMSIG(status)))
               : terminal_refuse(terminal, "The command exited with %d.", WEXITSTATUS(status));
}
