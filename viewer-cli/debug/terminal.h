/* The debugger on a terminal: lines to requests, answers to lines. Commands have gdb's names where
 * gdb has them. One terminal per process. */
#ifndef VIEWER_CLI_DEBUG_TERMINAL_H
#define VIEWER_CLI_DEBUG_TERMINAL_H

#include "trace/base/arena.h"
#include "trace/base/text.h"
#include "viewer-cli/debug/examine.h"
#include "viewer-cli/debug/journal.h"
#include "viewer-cli/debug/kernel_words.h"
#include "viewer-cli/debug/line_editor.h"
#include "viewer-cli/debug/recorded.h"
#include "viewer-cli/debug/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a source's text is called, and its text. */
struct terminal_source {
    struct terminal_source *next;
    const char *file;
    const char *text;
};

/* A recorded run, of which one launch after the other may be opened, each in a process of its own.
 */
struct terminal_trace {
    const char *path;                /* NULL = what is debugged is none */
    struct kernel_words words;       /* those of the process that is started next */
    const char *personality;         /* as asked for; or NULL */
    uint64_t launch;                 /* the call of the launch that is opened; 0 = the first */
    uint64_t finding_number;         /* the finding that is opened; 0 = none */
    struct recorded_finding finding; /* that is looked for in it; its launch 0 = none */
};

/* Where lines come from. */
struct terminal_lines {
    int input;
    struct line_editor *editor; /* NULL = lines are plain ones */
    bool ended;
    struct text read; /* what was read, from `at` on not given yet */
    size_t at;
    struct terminal_text *inserted; /* what commands have put in, to be done first */
    size_t inserted_count;
    bool is_inserted; /* the line that was given last is of these */
};

/* What `catch` stops at, in the order of terminal_caught. */
enum { TERMINAL_CAUGHT = 7 };
struct terminal_catch {
    bool on;
    char *option; /* "race-local", "if x > 2"; or NULL */
    uint64_t hits;
};

/* $name: a number, or a vector of numbers. */
struct terminal_variable {
    struct terminal_variable *next;
    char *name;  /* without its sign */
    char *value; /* an expression */
    char *shown; /* as `print` does */
};

struct terminal {
    struct debug_start start;
    struct terminal_trace trace;
    const char *path;   /* of the kernel's file: what a compiler was told was "<source>" */
    bool finds_path;    /* there is no such file: it is NULL, or one that has that text */
    bool batch;         /* commands come from a file, and are printed */
    bool holds;         /* what is printed stays in `text` */
    const char *breaks; /* what is to be done with `break` before the process first goes on; NULL */

    struct debug_session *session; /* NULL: no process */
    struct terminal_lines lines;
    struct terminal_catch catches[TERMINAL_CAUGHT];
    struct terminal_stop_commands *commands; /* of breakpoints */
    uint64_t last_breakpoint;                /* number of the one that was made last */
    struct terminal_display *displays;       /* the latest first */
    uint64_t display_number;
    struct terminal_variable *variables; /* $name */
    /* What `x` goes on with; address "" = nothing. */
    struct examine_format examined;
    char examined_address[24];
    struct debug_journal journal;
    struct text text; /* what is to be printed next */
    bool has_run;     /* the process has left the beginning of its first launch */
    bool has_failed;  /* a command could not be done */
    bool has_refused; /* the same of what resumes */
    bool ends;        /* `quit` */

    /* Where the focus was shown last: a step shows only what changed. */
    struct text shown_function, shown_item, shown_file;
    uint64_t shown_launch;
    struct text program; /* the name of that launch's, as "program#2"; "" = none is known */
    uint64_t shown_line;
    uint64_t listed_line;         /* `list` goes on from here; 0 = around the focus */
    uint64_t listed_from;         /* and "list -" before here */
    struct text written_at;       /* the request to go where `who` says */
    struct text written_position; /* the position there */

    struct arena arena; /* of the sources */
    struct terminal_source *sources;
    char *found_path; /* that `path` then is */
};

/* A command: `rest` is what stands behind its name, without spaces at its ends. Where it fails it
 * has said why. */
typedef bool terminal_command(struct terminal *terminal, const char *rest);

/* ---- terminal.c ---- */

/* Starts the process, and shows where it stands, or what there is to be opened. False where there
 * is none, which was said. */
bool terminal_begin(struct terminal *terminal);
void terminal_end(struct terminal *terminal);
/* Does the commands of the lines read from `input`, until it ends. False where one failed. */
bool terminal_run(struct terminal *terminal, int input);

/* ---- terminal_lines.c ---- */

/* `user`: for whom lines are edited. */
void terminal_lines_begin(struct terminal *terminal, int input, const struct line_user *user);
void terminal_lines_end(struct terminal *terminal);
/* The next line, without spaces at its ends; an empty one only where it was typed. */
enum line_read terminal_read_line(struct terminal *terminal, const char *prompt, struct text *line);
/* These lines are done before others; `of_stop`: until the process goes on. */
bool terminal_insert_lines(struct terminal *terminal, const char *text, bool of_stop);
void terminal_drop_stop_lines(struct terminal *terminal);

/* ---- terminal_complete.c ---- */

/* As struct line_user has it. */
size_t terminal_complete(void *user, const char *before, struct text *words);

/* ---- terminal_ask.c ---- */

/* Prints what was collected. */
void terminal_flush(struct terminal *terminal);
/* Says why something failed; returns false. */
bool terminal_refuse(struct terminal *terminal, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The word at *at as a number, which moves behind it; else false, having said that it is none of
 * such a thing. */
bool terminal_take_number(struct terminal *terminal, const char **at, const char *what,
                          uint64_t *number);
/* Sends the request, whose end is added, and waits for the answer. NULL where it failed, which was
 * said; a process that has ended is no more then. */
struct cJSON *terminal_ask(struct terminal *terminal, struct text *request);
/* The same of a request without members. */
struct cJSON *terminal_ask_plain(struct terminal *terminal, enum debug_request request);
/* How the terminal waits for a process, and takes what that writes. */
struct debug_front terminal_front(struct terminal *terminal);
/* Waits until a line may be read; false where Ctrl-C was pressed instead. */
bool terminal_wait_for_input(int input);
/* Appends what kernels printed meanwhile, of an answer or NULL, with the end of its last line. */
void terminal_show_output(struct terminal *terminal, const struct cJSON *answer);
/* The value of an expression, as `evaluate` answers; `format` may be NULL. NULL where there is
 * none: with `error` it has the reason, else that was said. */
struct cJSON *terminal_evaluate(struct terminal *terminal, const char *expression,
                                const char *format, struct error *error);
/* Asks for a stop where `what` happens, as the request `catch` has it, with its member `key`, if
 * `option` is not NULL. */
bool terminal_ask_catch(struct terminal *terminal, const char *what, const char *key,
                        const char *option, bool on);
/* Starts a process, of which there is none, and waits for the beginning of its first launch. */
bool terminal_start(struct terminal *terminal);

/* ---- terminal_commands.c ---- */

/* What the tab key offers behind a command. */
enum terminal_completion {
    TERMINAL_NOTHING,
    TERMINAL_EXPRESSION,
    TERMINAL_PLACE,
    TERMINAL_CATCH,
    TERMINAL_INFO,
    TERMINAL_COMMAND,
    TERMINAL_FOCUS,
    TERMINAL_STEP,
    TERMINAL_FILE,
    TERMINAL_SAVE,
};

struct terminal_row {
    const char *title; /* of a group of commands that begins here; else NULL */
    const char *name;
    const char *letters; /* abbreviations besides the beginnings of names: "b|br"; or "" */
    bool repeats;        /* by an empty line */
    bool needs_process;
    enum debug_request request; /* without which it cannot be done; DEBUG_REQUEST_COUNT = none */
    enum terminal_completion completion;
    const char *usage; /* behind the name */
    const char *help;  /* a short sentence, without capital and stop */
    const char *more;  /* lines behind that, indented by two; "" = none */
    const char *example;
    terminal_command *run;
};
/* The command of exactly that name or abbreviation, if it only shows something that stands still;
 * else NULL. And those, one after the other: NULL is before the first and behind the last. */
const struct terminal_row *terminal_find_look(const char *word, size_t length);
const struct terminal_row *terminal_next_look(const struct terminal_row *row);
/* Does the debugged process do what it needs? Unknown where there is none. */
bool terminal_offers(const struct terminal *terminal, const struct terminal_row *row);
/* The command of that name or abbreviation; NULL, having said why, where there is none. */
const struct terminal_row *terminal_find(struct terminal *terminal, const char *word,
                                         size_t length);

/* The n-th command; NULL behind the last. */
const struct terminal_row *terminal_row(size_t n);

/* ---- terminal_move.c ---- */

terminal_command terminal_do_run, terminal_do_start, terminal_continue, terminal_step,
    terminal_next, terminal_stepi, terminal_finish, terminal_until, terminal_reverse_step,
    terminal_reverse_next, terminal_reverse_stepi, terminal_reverse_finish,
    terminal_reverse_continue, terminal_goto, terminal_other, terminal_kill, terminal_detach,
    terminal_quit, terminal_focus, terminal_thread, terminal_frame, terminal_up, terminal_down;

/* Sends what resumes, which it releases, and shows where it stops. */
bool terminal_resume(struct terminal *terminal, struct text *request);
/* A position of another launch of the recorded run is gone to in a process of its own, which is
 * started here. */
bool terminal_open_launch_of(struct terminal *terminal, const char *position);
/* Opens a launch of the recorded run, or a finding: runs until it is made. */
bool terminal_open_launch(struct terminal *terminal, uint64_t launch);
bool terminal_open_finding(struct terminal *terminal, uint64_t number);

/* Appends where the process stands; `all` even where that was shown before. */
void terminal_show_focus(struct terminal *terminal, const struct cJSON *focus, bool all);

/* ---- terminal_break.c ---- */

terminal_command terminal_break, terminal_tbreak, terminal_delete, terminal_enable,
    terminal_disable, terminal_catch, terminal_watch, terminal_rwatch, terminal_awatch,
    terminal_condition, terminal_ignore, terminal_clear;

/* No breakpoint and no catch is left, in this process. */
bool terminal_stop_nowhere(struct terminal *terminal);
/* The names of what can be caught, and what is: */
extern const char *const terminal_caught[TERMINAL_CAUGHT];
void terminal_note_catch(struct terminal *terminal, const char *what, const char *option, bool on);
void terminal_catches_release(struct terminal *terminal);
/* What is caught, as `catch` would be typed, lines behind `before`; counts: how often it was hit.
 */
void terminal_print_catches(const struct terminal *terminal, const char *before, bool counts,
                            struct text *text);
/* Where a breakpoint is: "k.cl:9", "program#2:9". */
void terminal_print_break_place(const struct terminal *terminal, const struct cJSON *breakpoint,
                                struct text *text);
/* How a breakpoint would be typed: "break k.cl:9 if x > 2". */
void terminal_print_break(const struct terminal *terminal, const struct cJSON *breakpoint,
                          struct text *text);

/* ---- terminal_show.c ---- */

terminal_command terminal_print, terminal_whatis, terminal_ptype, terminal_set, terminal_backtrace,
    terminal_lanes, terminal_differ, terminal_when, terminal_disassemble;

/* What an answer, which is released, has under a key, line by line; `empty` where there is nothing.
 * False where there is no answer. */
typedef void terminal_show_item(struct terminal *terminal, const struct cJSON *item);
bool terminal_show_items(struct terminal *terminal, struct cJSON *answer, const char *key,
                         terminal_show_item *show, const char *empty);
/* A VALUE and the end of its line. */
void terminal_print_value(const struct cJSON *value, struct text *text);
/* One of the instructions that `disassemble` answers. */
terminal_show_item terminal_show_instruction;

/* The format before an expression, as "/x ", of which *rest moves behind it; "" = none. False,
 * which was said, where there is no such format. */
bool terminal_take_format(struct terminal *terminal, const char **rest, char format[2]);

/* ---- terminal_info.c ---- */

terminal_command terminal_info, terminal_launches, terminal_findings;
/* The n-th word that may stand behind `info`; NULL behind the last. */
const char *terminal_info_word(size_t n);

/* ---- terminal_examine.c ---- */

terminal_command terminal_examine;

/* ---- terminal_display.c ---- */

terminal_command terminal_display, terminal_undisplay, terminal_printf, terminal_echo;
/* What is displayed, as far as it is known here. */
void terminal_show_displays(struct terminal *terminal);
/* What `display` has, whether known or not. */
bool terminal_list_displays(struct terminal *terminal);
void terminal_display_release(struct terminal *terminal);

/* ---- terminal_expand.c ---- */

/* Of "$name" the name's length; 0 = the text begins with none. */
size_t terminal_variable_length(const char *at);
/* NULL where there is none. */
struct terminal_variable *terminal_find_variable(const struct terminal *terminal, const char *name,
                                                 size_t length);
/* Appends the text with the values of variables in the place of their names. */
void terminal_expand(const struct terminal *terminal, const char *expression, struct text *text);
/* The same as a member of a request; nothing where the expression is NULL. */
void terminal_put_expression(const struct terminal *terminal, struct text *request, const char *key,
                             const char *expression);

/* ---- terminal_variables.c ---- */

/* `set $x = 3`, or with an operator before the sign. */
bool terminal_set_variable(struct terminal *terminal, const char *rest);
bool terminal_list_variables(struct terminal *terminal);
void terminal_variables_release(struct terminal *terminal);

/* ---- terminal_script.c ---- */

terminal_command terminal_commands, terminal_read_file, terminal_save, terminal_shell;
/* At a stop: puts in the commands of its breakpoints. Are they to be silent about it? */
bool terminal_begin_stop(struct terminal *terminal, const struct cJSON *stop);
/* The commands of a breakpoint, lines; NULL = none. */
const char *terminal_commands_of(const struct terminal *terminal, uint64_t number);
void terminal_script_release(struct terminal *terminal);

/* ---- terminal_who.c ---- */

terminal_command terminal_who, terminal_go;

/* Appends the answer to `who`, and keeps where `go` goes. False where it failed. */
bool terminal_show_who(struct terminal *terminal, const struct cJSON *answer);

/* ---- terminal_image.c ---- */

terminal_command terminal_image, terminal_dump;

/* ---- terminal_source.c ---- */

terminal_command terminal_list, terminal_info_line, terminal_info_source;

/* What a compiler that was given a string calls it. */
extern const char terminal_compiled_string[];
/* The name of a source as people know it, and back: "<source>" is the kernel's file, or the
 * program, as "program#2". */
const char *terminal_file_name(const struct terminal *terminal, const char *file);
const char *terminal_compiled_name(struct terminal *terminal, const char *name);
/* What is printed next is of the program of this launch; 0 = not known. */
void terminal_name_program(struct terminal *terminal, uint64_t launch);
/* Another launch runs, perhaps of another program: its texts are its own. */
void terminal_forget_sources(struct terminal *terminal);
/* Appends "9\ttext of line 9\n"; false, and nothing, where the source is not known. */
bool terminal_show_line(struct terminal *terminal, const char *file, uint64_t line);

/* ---- terminal_words.c ---- */

/* The word at *at, which moves behind it and the spaces there; its length. */
size_t terminal_take_word(const char **at, const char **word);
/* Is it this word, in a text that may go on behind it? */
bool terminal_word_is(const char *at, size_t length, const char *word);
/* A number that is all of the text; else false. */
bool terminal_number(const char *text, uint64_t *number);
/* "3", "3,0" or "(3,0,0)" as a member of a request; false where it is no such list. */
bool terminal_put_numbers(struct text *request, const char *key, const char *text);
/* "function at k.cl:9" */
void terminal_print_place(const struct terminal *terminal, const struct cJSON *place,
                          struct text *text);
/* "(3,0,0)" of an array of numbers. */
void terminal_print_item(const struct cJSON *item, struct text *text);

#endif
