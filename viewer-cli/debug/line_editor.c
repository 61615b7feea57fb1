#include "viewer-cli/debug/line_editor.h"

#include "trace/base/alloc.h"
#include "trace/base/visible.h"
#include "viewer-cli/debug/line_history.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

struct line_editor {
    struct line_user user;
    EditLine *edit;
    History *history;
    FILE *input;
    const char *prompt;
    struct text typed; /* in this session, for the history */
    mbstate_t decoding;
    bool interrupted;
};

/* ---- signals ---- */

static volatile sig_atomic_t resized, continued;

static void note_signal(int signal_number)
{
    if (signal_number == SIGWINCH)
        resized = 1;
    else
        continued = 1;
}

static void take_signals(void)
{
    const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigaction(SIGWINCH, &action, NULL);
    sigaction(SIGCONT, &action, NULL);
}

/* The window has another size, or a shell has had the terminal meanwhile. */
static void follow_signals(struct line_editor *editor)
{
    if (resized) {
        resized = 0;
        el_resize(editor->edit);
    }
    if (continued) {
        continued = 0;
        el_set(editor->edit, EL_PREP_TERM, 0);
        el_set(editor->edit, EL_PREP_TERM, 1);
        el_set(editor->edit, EL_REFRESH);
    }
}

/* ---- characters ---- */

static bool is_readable(int input)
{
    struct pollfd polled = {.fd = input, .events = POLLIN};
    return poll(&polled, 1, 0) > 0;
}

/* False where Ctrl-C was pressed. */
static bool wait_for_byte(struct line_editor *editor, int input)
{
    do {
        follow_signals(editor);
        if (!editor->user.wait(input))
            return false;
    } while (!is_readable(input));
    return true;
}

/* el_rfunc_t: 1, 0 at the end, -1 where the line is given up. */
static int read_character(EditLine *edit, wchar_t *character)
{
    struct line_editor *editor;
    char byte;
    el_get(edit, EL_CLIENTDATA, &editor);
    const int input = fileno(editor->input);
    for (;;) {
        if (!wait_for_byte(editor, input)) {
            editor->interrupted = true;
            errno = EINTR;
            return -1;
        }
        const ssize_t count = read(input, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return 0;
        const size_t used = mbrtowc(character, &byte, 1, &editor->decoding);
        if (used == (size_t)-2)
            continue;
        if (used != (size_t)-1)
            return 1;
        memset(&editor->decoding, 0, sizeof editor->decoding); /* what no text has is dropped */
    }
}

static char *show_prompt(EditLine *edit)
{
    struct line_editor *editor;
    el_get(edit, EL_CLIENTDATA, &editor);
    return (char *)(uintptr_t)editor->prompt; /* which libedit only reads */
}

/* ---- completion ---- */

/* What all words have in common behind the first `skipped` bytes; they are lines. */
static size_t common_length(const struct text *words, size_t skipped)
{
    const char *const first = words->bytes;
    size_t length = strcspn(first, "\n");
    for (const char *at = first + length + 1; *at; at += strcspn(at, "\n") + 1) {
        size_t same = 0;
        while (same < length && at[same] == first[same])
            ++same;
        length = same;
    }
    return length > skipped ? length - skipped : 0;
}

static void list_words(const struct text *words)
{
    enum { WIDTH = 78 };
    size_t longest = 0;
    size_t column = 0;
    struct text text = TEXT_INIT;
    for (const char *at = words->bytes; *at; at += strcspn(at, "\n") + 1) {
        const size_t length = strcspn(at, "\n");
        longest = length > longest ? length : longest;
    }
    text_append_char(&text, '\n');
    for (const char *at = words->bytes; *at; at += strcspn(at, "\n") + 1) {
        const int length = (int)strcspn(at, "\n");
        const bool ends = column + 2 * (longest + 2) > WIDTH || !at[length + 1];
        text_format(&text, "%.*s%*s%s", length, at, ends ? 0 : (int)longest + 2 - length, "",
                    ends ? "\n" : "");
        column = ends ? 0 : column + longest + 2;
    }
    visible_print(stdout, text.bytes, text.size);
    fflush(stdout);
    text_release(&text);
}

/* Puts in what is certain, with a space behind the only word that it can be; or shows which there
 * are. */
static unsigned char complete_word(EditLine *edit, int key)
{
    struct line_editor *editor;
    struct text before = TEXT_INIT;
    struct text words = TEXT_INIT;
    unsigned char done = CC_ERROR;
    (void)key;
    el_get(edit, EL_CLIENTDATA, &editor);
    const LineInfo *line = el_line(edit);
    text_append_n(&before, line->buffer, (size_t)(line->cursor - line->buffer));
    const size_t begun = editor->user.complete(editor->user.user, before.bytes, &words);
    const size_t first = strcspn(words.bytes, "\n");
    const bool is_only = words.size && first + 1 == words.size;
    const size_t length = words.size ? common_length(&words, begun) : 0;
    struct text inserted = TEXT_INIT;
    text_append_n(&inserted, words.bytes + begun, length);
    if (is_only && words.bytes[first - 1] != '/')
        text_append_char(&inserted, ' ');
    if (inserted.size) {
        done = el_insertstr(edit, inserted.bytes) == 0 ? CC_REFRESH : CC_ERROR;
    } else if (words.size && !is_only) {
        list_words(&words);
        done = CC_REDISPLAY;
    }
    text_release(&inserted);
    text_release(&words);
    text_release(&before);
    return done;
}

/* ---- the editor ---- */

/* libedit shows what the locale can: where the user's has ASCII alone, UTF-8 all the same. */
static void choose_locale(void)
{
    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
}

static void remember(struct line_editor *editor, const char *line)
{
    HistEvent event;
    history(editor->history, &event, H_ENTER, line);
}

static void read_history(struct line_editor *editor)
{
    HistEvent event;
    struct text lines = TEXT_INIT;
    history(editor->history, &event, H_SETSIZE, (int)LINE_HISTORY_MAX);
    history(editor->history, &event, H_SETUNIQUE, 1);
    line_history_read(&lines);
    for (char *at = lines.bytes; *at;) {
        char *const end = at + strcspn(at, "\n");
        const bool is_last = !*end;
        *end = 0;
        remember(editor, at);
        at = is_last ? end : end + 1;
    }
    text_release(&lines);
}

static void set_up(struct line_editor *editor)
{
    EditLine *const edit = editor->edit;
    el_set(edit, EL_CLIENTDATA, editor);
    el_set(edit, EL_PROMPT, show_prompt);
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_HIST, history, editor->history);
    /* el_set would keep copies of both names that nobody frees. */
    el_wset(edit, EL_ADDFN, L"clerk-complete", L"completes a word", complete_word);
    el_set(edit, EL_BIND, "^I", "clerk-complete", NULL);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(edit, NULL); /* ~/.editrc: who wants vi's keys has them */
    el_set(edit, EL_GETCFN, read_character);
}

struct line_editor *line_editor_create(int input, const struct line_user *user)
{
    const char *const kind = getenv("TERM");
    if (!isatty(input) || !isatty(STDOUT_FILENO) || !kind || !*kind || strcmp(kind, "dumb") == 0)
        return NULL;
    struct line_editor *editor = alloc_zero(1, sizeof *editor);
    const int own = editor ? fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (own < 0) {
        alloc_free(editor);
        return NULL;
    }
    editor->user = *user;
    editor->prompt = "";
    editor->typed = (struct text)TEXT_INIT;
    choose_locale();
    editor->input = fdopen(own, "r");
    if (!editor->input)
        close(own);
    else
        editor->edit = el_init("clerk", editor->input, stdout, stderr);
    editor->history = history_init();
    if (!editor->edit || !editor->history) {
        line_editor_destroy(editor);
        return NULL;
    }
    read_history(editor);
    set_up(editor);
    take_signals();
    return editor;
}

/* What stands at the prompt is given up, and stays to be seen. */
static enum line_read give_up(struct line_editor *editor)
{
    editor->interrupted = false;
    fputs("^C\n", stdout);
    fflush(stdout);
    return LINE_INTERRUPTED;
}

enum line_read line_editor_read(struct line_editor *editor, const char *prompt, struct text *line)
{
    int count = 0;
    text_clear(line);
    editor->prompt = prompt;
    el_set(editor->edit, EL_PREP_TERM,
           1); /* or keys behind the prompt could still be the system's */
    const char *read = el_gets(editor->edit, &count);
    if (editor->interrupted)
        return give_up(editor);
    if (!read || count <= 0)
        return LINE_ENDED;
    size_t length = strcspn(read, "\r\n");
    while (length && read[length - 1] == ' ') /* completion leaves one */
        --length;
    text_append_n(line, read, length);
    if (line->bytes[strspn(line->bytes, " \t")]) {
        remember(editor, line->bytes);
        text_format(&editor->typed, "%s\n", line->bytes);
    }
    return LINE_READ;
}

void line_editor_destroy(struct line_editor *editor)
{
    if (!editor)
        return;
    line_history_add(&editor->typed);
    if (editor->edit)
        el_end(editor->edit);
    if (editor->history)
        history_end(editor->history);
    if (editor->input)
        fclose(editor->input);
    text_release(&editor->typed);
    alloc_free(editor);
}
