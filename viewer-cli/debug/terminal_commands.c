/* The table of the debugger's commands, and their help. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/options.h"

#include <ctype.h>
#include <string.h>

static terminal_command help;

/* In the order of `help`. */
/* clang-format off */
static const struct terminal_row rows[] = {
    {"Going on", "run", "r", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "",
     "run to the first stop, anew if it has run before",
     "In a new process where the old one has left its beginning; breakpoints stay.",
     "run", terminal_do_run},
    {NULL, "start", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "",
     "begin anew, and stand where the first launch begins",
     "",
     "start", terminal_do_start},
    {NULL, "continue", "c|fg", true, true, DEBUG_REQUEST_CONTINUE, TERMINAL_NOTHING, "[N]",
     "go on to the next stop",
     "With N to the N-th stop from here.",
     "continue 3", terminal_continue},
    {NULL, "step", "s", true, true, DEBUG_REQUEST_STEP, TERMINAL_STEP, "[N] | group [N] | column",
     "go to the next statement, also into calls",
     "It steps the work-item of the focus. `step group` goes on until each vector of the\n"
     "  group begins another statement, or waits; to `step column` another column of the\n"
     "  line is another statement.",
     "step 5", terminal_step},
    {NULL, "next", "n", true, true, DEBUG_REQUEST_NEXT, TERMINAL_NOTHING, "[N]",
     "go to the next statement, over calls",
     "",
     "next", terminal_next},
    {NULL, "stepi", "si", true, true, DEBUG_REQUEST_STEP, TERMINAL_NOTHING, "[N]",
     "go on by one instruction of lane code",
     "",
     "stepi 10", terminal_stepi},
    {NULL, "finish", "fin", true, true, DEBUG_REQUEST_FINISH, TERMINAL_NOTHING, "",
     "go on until the function returns",
     "",
     "finish", terminal_finish},
    {NULL, "until", "u|advance", false, true, DEBUG_REQUEST_UNTIL, TERMINAL_PLACE, "[LINE|FILE:LINE|FUNCTION]",
     "go on until the work-item comes to a line or function",
     "Without a place it is `next`. Other breakpoints stop on the way.",
     "until 24", terminal_until},
    {"Going back", "reverse-step", "rs", true, true, DEBUG_REQUEST_REVERSE_STEP, TERMINAL_NOTHING, "[N]",
     "go back by a statement, also into calls",
     "",
     "reverse-step", terminal_reverse_step},
    {NULL, "reverse-next", "rn", true, true, DEBUG_REQUEST_REVERSE_NEXT, TERMINAL_NOTHING, "[N]",
     "go back by a statement, over calls",
     "",
     "reverse-next 2", terminal_reverse_next},
    {NULL, "reverse-stepi", "rsi", true, true, DEBUG_REQUEST_REVERSE_STEP, TERMINAL_NOTHING, "[N]",
     "go back by one instruction of lane code",
     "",
     "reverse-stepi", terminal_reverse_stepi},
    {NULL, "reverse-finish", "", true, true, DEBUG_REQUEST_REVERSE_FINISH, TERMINAL_NOTHING, "",
     "go back to the call of the function",
     "",
     "reverse-finish", terminal_reverse_finish},
    {NULL, "reverse-continue", "rc", true, true, DEBUG_REQUEST_REVERSE_CONTINUE, TERMINAL_NOTHING, "",
     "go back to the stop before",
     "",
     "reverse-continue", terminal_reverse_continue},
    {NULL, "goto", "", false, true, DEBUG_REQUEST_GOTO, TERMINAL_NOTHING, "POSITION",
     "go to a position, as `when` shows them",
     "",
     "goto 1:25200", terminal_goto},
    {NULL, "when", "", false, true, DEBUG_REQUEST_POSITION, TERMINAL_NOTHING, "",
     "show the position: how much has been executed",
     "",
     "when", terminal_when},
    {NULL, "who", "", false, true, DEBUG_REQUEST_WHO, TERMINAL_EXPRESSION, "EXPR",
     "show who wrote a value",
     "The last write to these bytes before now, by any work-item; of a recorded run also\n"
     "  before the launch. `go` goes there.",
     "who out[3]", terminal_who},
    {NULL, "go", "", false, true, DEBUG_REQUEST_WHO, TERMINAL_NOTHING, "",
     "go to the write that `who` has found",
     "",
     "go", terminal_go},
    {NULL, "other", "", false, true, DEBUG_REQUEST_OTHER, TERMINAL_NOTHING, "",
     "at a race, go to the access that it clashes with",
     "",
     "other", terminal_other},
    {"Stopping", "break", "b|br", false, true, DEBUG_REQUEST_BREAK, TERMINAL_PLACE, "[FILE:]LINE|FUNCTION [item X,Y,Z] [hit N] [if COND]",
     "stop at a line or a function",
     "item: only for that work-item. hit: from the N-th time on. if: only where that holds\n"
     "  for an item, which then is the focus.",
     "break 24 item 3,0,0 if acc > 2", terminal_break},
    {NULL, "tbreak", "tb", false, true, DEBUG_REQUEST_BREAK, TERMINAL_PLACE, "as of break",
     "stop at a line or a function, once",
     "",
     "tbreak 24", terminal_tbreak},
    {NULL, "catch", "", false, true, DEBUG_REQUEST_CATCH, TERMINAL_CATCH, "finding [RULE] | nan | undefined | divergence [if COND] | barrier | launch | end [off]",
     "stop where something happens",
     "finding: where something is found wrong, or by one rule. nan: where a NaN is made of\n"
     "  numbers. undefined: where an undefined value decides. divergence: where work-items\n"
     "  part. barrier, launch and end: where these are reached. `catch WHAT off` ends it.",
     "catch finding race-local", terminal_catch},
    {NULL, "watch", "", false, true, DEBUG_REQUEST_WATCH, TERMINAL_EXPRESSION, "EXPR [if COND]",
     "stop where a value is written",
     "By any work-item; `watch out[2..9]` watches several elements. if: only where that holds\n"
     "  for the work-item that writes.",
     "watch out[2..9]", terminal_watch},
    {NULL, "rwatch", "", false, true, DEBUG_REQUEST_WATCH, TERMINAL_EXPRESSION, "EXPR [if COND]",
     "stop where a value is read",
     "",
     "rwatch in[3]", terminal_rwatch},
    {NULL, "awatch", "", false, true, DEBUG_REQUEST_WATCH, TERMINAL_EXPRESSION, "EXPR [if COND]",
     "stop where a value is read or written",
     "",
     "awatch partial[0]", terminal_awatch},
    {NULL, "condition", "cond", false, true, DEBUG_REQUEST_CHANGE, TERMINAL_EXPRESSION, "N [COND]",
     "let a breakpoint stop only where something holds",
     "Without COND it has no condition any more.",
     "condition 1 acc > 2", terminal_condition},
    {NULL, "ignore", "", false, true, DEBUG_REQUEST_CHANGE, TERMINAL_NOTHING, "N COUNT",
     "let a breakpoint pass its next hits",
     "",
     "ignore 1 20", terminal_ignore},
    {NULL, "commands", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "[N]",
     "do commands whenever a breakpoint stops",
     "Lines up to `end` are the commands, of the last breakpoint where N is missing.\n"
     "  `silent` as the first: nothing is said of the stop. They end where one of them goes\n"
     "  on.",
     "commands 1", terminal_commands},
    {NULL, "delete", "d", false, true, DEBUG_REQUEST_DELETE, TERMINAL_NOTHING, "[N ...]",
     "remove breakpoints and watches",
     "Without numbers all of them.",
     "delete 2", terminal_delete},
    {NULL, "clear", "", false, true, DEBUG_REQUEST_DELETE, TERMINAL_PLACE, "[[FILE:]LINE|FUNCTION]",
     "remove the breakpoints of a line or a function",
     "Without a place those of the line where the focus stands.",
     "clear 24", terminal_clear},
    {NULL, "enable", "en", false, true, DEBUG_REQUEST_ENABLE, TERMINAL_NOTHING, "[N ...]",
     "let breakpoints stop again",
     "Without numbers all of them.",
     "enable 1", terminal_enable},
    {NULL, "disable", "dis", false, true, DEBUG_REQUEST_DISABLE, TERMINAL_NOTHING, "[N ...]",
     "keep breakpoints, but let them not stop",
     "Without numbers all of them.",
     "disable 1 2", terminal_disable},
    {"Looking", "print", "p|pr|inspect", false, true, DEBUG_REQUEST_EVALUATE, TERMINAL_EXPRESSION, "[/x|/d|/u|/t|/f|/c] EXPR",
     "show a value of the work-item in the focus",
     "/x hexadecimal, /d and /u whole numbers, /t bits, /f a floating-point number, /c a\n"
     "  character.",
     "print/x out[3] + 1", terminal_print},
    {NULL, "display", "", false, true, DEBUG_REQUEST_EVALUATE, TERMINAL_EXPRESSION, "[[/x|/d|/u|/t|/f|/c] EXPR]",
     "show a value at each stop",
     "Where it is known. Without EXPR all that is displayed is shown now.",
     "display acc", terminal_display},
    {NULL, "undisplay", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "[N ...]",
     "show it no more",
     "Without numbers of all that is displayed.",
     "undisplay 1", terminal_undisplay},
    {NULL, "differ", "", false, true, DEBUG_REQUEST_DIFFER, TERMINAL_EXPRESSION, "EXPR",
     "show which values the work-items of the group have",
     "",
     "differ acc", terminal_differ},
    {NULL, "lanes", "", false, true, DEBUG_REQUEST_LANES, TERMINAL_NOTHING, "",
     "show where each work-item of the group stands",
     "The same letter for the same place, . ended, | at a barrier, - masked off, a capital\n"
     "  for the place of the focus.",
     "lanes", terminal_lanes},
    {NULL, "info", "i", false, false, DEBUG_REQUEST_POSITION, TERMINAL_INFO, "WHAT",
     "show what there is: `help info` says of what",
     "locals, args: variables. items, lanes: where work-items stand. breakpoints, display,\n"
     "  convenience: what you have asked for. source, sources, line, frame: where it stands.\n"
     "  kernels, launches, objects, findings: what runs.",
     "info locals", terminal_info},
    {NULL, "backtrace", "bt|where", false, true, DEBUG_REQUEST_STACK, TERMINAL_NOTHING, "[full]",
     "show the calls that lead to where it stands",
     "full: with the variables of each.",
     "backtrace", terminal_backtrace},
    {NULL, "list", "l", true, true, DEBUG_REQUEST_SOURCE, TERMINAL_PLACE, "[[FILE:]LINE[,LINE] | [FILE:]FUNCTION | -]",
     "show source text",
     "Around a line, between two, of a function; - for the lines before those that were\n"
     "  shown.",
     "list 3,20", terminal_list},
    {NULL, "x", "", true, true, DEBUG_REQUEST_MEMORY, TERMINAL_EXPRESSION, "[/COUNT FORMAT UNIT] EXPR",
     "show memory",
     "Formats: x d u o t f a c, s strings, i lane code. Units: b h w g, of 1, 2, 4 and 8\n"
     "  bytes. Without EXPR the next bytes.",
     "x/4xw out", terminal_examine},
    {NULL, "image", "", false, true, DEBUG_REQUEST_IMAGE, TERMINAL_EXPRESSION, "EXPR [slice N] [level N] [FILE.png|FILE.ppm]",
     "show an image as a picture, here or in a file",
     "",
     "image in out.png", terminal_image},
    {NULL, "dump", "", false, true, DEBUG_REQUEST_MEMORY, TERMINAL_EXPRESSION, "EXPR FILE",
     "write the bytes of a value into a file",
     "Of a pointer those that it leads to.",
     "dump out out.bin", terminal_dump},
    {NULL, "whatis", "", false, true, DEBUG_REQUEST_EVALUATE, TERMINAL_EXPRESSION, "EXPR",
     "show the type of a value",
     "",
     "whatis in[0]", terminal_whatis},
    {NULL, "ptype", "pt", false, true, DEBUG_REQUEST_EVALUATE, TERMINAL_EXPRESSION, "EXPR|TYPE",
     "show the type of a value, with the members of structs",
     "",
     "ptype in[0]", terminal_ptype},
    {NULL, "disassemble", "disas", false, true, DEBUG_REQUEST_DISASSEMBLE, TERMINAL_NOTHING, "[LINE]",
     "show lane code",
     "From where it stands, or of a line. * is where a statement begins.",
     "disassemble 24", terminal_disassemble},
    {NULL, "set", "", false, true, DEBUG_REQUEST_SET, TERMINAL_EXPRESSION, "[var] NAME = EXPR | $NAME = EXPR",
     "change a value, or keep one",
     "`set $base = 4 * item` keeps a number or a vector: expressions may have $base.",
     "set var acc = 0", terminal_set},
    {"The focus", "focus", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_FOCUS, "item|group X,Y,Z | lane|thread|launch|finding N",
     "choose the work-item that all is shown for",
     "One that does not run now is gone to. `focus launch` and `focus finding` open others\n"
     "  of a recorded run.",
     "focus item 3,0,0", terminal_focus},
    {NULL, "thread", "t", false, true, DEBUG_REQUEST_FOCUS, TERMINAL_NOTHING, "[N]",
     "choose one of the places that `info threads` shows",
     "",
     "thread 2", terminal_thread},
    {NULL, "frame", "f", false, true, DEBUG_REQUEST_STACK, TERMINAL_NOTHING, "[N]",
     "choose another call of the backtrace",
     "",
     "frame 1", terminal_frame},
    {NULL, "up", "", true, true, DEBUG_REQUEST_STACK, TERMINAL_NOTHING, "[N]",
     "choose the caller",
     "",
     "up", terminal_up},
    {NULL, "down", "", true, true, DEBUG_REQUEST_STACK, TERMINAL_NOTHING, "[N]",
     "choose the function that it called",
     "",
     "down", terminal_down},
    {NULL, "launches", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "",
     "list those of a recorded run",
     "`focus launch CALL` opens one.",
     "launches", terminal_launches},
    {NULL, "findings", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "",
     "list what was found in a recorded run",
     "`focus finding NUMBER` opens one.",
     "findings", terminal_findings},
    {"Scripts", "source", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_FILE, "FILE",
     "do the commands of a file",
     "",
     "source breaks.gdb", terminal_read_file},
    {NULL, "save", "", false, true, DEBUG_REQUEST_BREAKPOINTS, TERMINAL_SAVE, "breakpoints FILE",
     "keep the breakpoints in a file of commands",
     "With their conditions and commands, and what is caught; `source FILE` sets them\n"
     "  again.",
     "save breakpoints breaks.gdb", terminal_save},
    {NULL, "printf", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_EXPRESSION, "\"TEXT\", EXPR, ...",
     "print values within a text",
     "As C's printf has it: %d %u %x %o %c %f %e %g %s, with widths.",
     "printf \"item %d: %f\\n\", item, acc", terminal_printf},
    {NULL, "echo", "", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "TEXT",
     "print a text",
     "\\n"
     " ends the line.",
     "echo here\\n", terminal_echo},
    {NULL, "shell", "!", false, false, DEBUG_REQUEST_COUNT, TERMINAL_FILE, "COMMAND",
     "do a command of the shell",
     "",
     "shell ls", terminal_shell},
    {"The end", "detach", "", false, true, DEBUG_REQUEST_CONTINUE, TERMINAL_NOTHING, "",
     "let the process run to its end, without stops",
     "",
     "detach", terminal_detach},
    {NULL, "kill", "k", false, true, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "",
     "end the process",
     "",
     "kill", terminal_kill},
    {NULL, "quit", "q|exit", false, false, DEBUG_REQUEST_COUNT, TERMINAL_NOTHING, "",
     "end the process and the debugger",
     "",
     "quit", terminal_quit},
    {NULL, "help", "h", false, false, DEBUG_REQUEST_COUNT, TERMINAL_COMMAND, "[COMMAND]",
     "show this list, or how a command is written",
     "",
     "help break", help},
};
/* clang-format on */
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct terminal_row *terminal_row(size_t n)
{
    return n < ROW_COUNT ? &rows[n] : NULL;
}

bool terminal_offers(const struct terminal *terminal, const struct terminal_row *row)
{
    return row->request == DEBUG_REQUEST_COUNT || !terminal->session ||
           debug_session_offers(terminal->session, row->request);
}

static const struct terminal_row *find_exactly(const char *word)
{
    for (size_t i = 0; i < ROW_COUNT; ++i)
        if (strcmp(rows[i].name, word) == 0 || word_within(word, rows[i].letters, '|'))
            return &rows[i];
    return NULL;
}

static bool only_looks(const struct terminal_row *row)
{
    static terminal_command *const looks[] = {
        terminal_print, terminal_whatis, terminal_ptype,     terminal_examine,     terminal_info,
        terminal_lanes, terminal_differ, terminal_backtrace, terminal_disassemble, terminal_when};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; ++i)
        if (looks[i] == row->run)
            return true;
    return false;
}

const struct terminal_row *terminal_find_look(const char *word, size_t length)
{
    struct text name = TEXT_INIT;
    text_append_n(&name, word, length);
    const struct terminal_row *found = find_exactly(name.bytes);
    text_release(&name);
    return found && only_looks(found) ? found : NULL;
}

const struct terminal_row *terminal_next_look(const struct terminal_row *row)
{
    for (row = row ? row + 1 : rows; row < rows + ROW_COUNT; ++row)
        if (only_looks(row))
            return row;
    return NULL;
}

static const struct terminal_row *find_beginning(struct terminal *terminal, const char *word)
{
    const struct terminal_row *found = NULL;
    const size_t length = strlen(word);
    size_t count = 0;
    struct text names = TEXT_INIT;
    for (size_t i = 0; i < ROW_COUNT; ++i) {
        if (strncmp(rows[i].name, word, length) != 0)
            continue;
        text_format(&names, "%s%s", count++ ? ", " : "", rows[i].name);
        found = &rows[i];
    }
    if (count > 1)
        terminal_refuse(terminal, "'%s' may be %s.", word, names.bytes);
    text_release(&names);
    return count > 1 ? NULL : found;
}

/* gdb's commands that there are not, and what does their work. */
/* clang-format off */
static const struct {
    const char *words, *instead;
} elsewhere[] = {
    {"taas|tfaas|threads", "`info items` says where work-items stand, `differ EXPR` which values they have"},
    {"call|compile", "functions of the program cannot be called, and `print` knows built-in ones"},
    {"output|print-object|po", "`print`, or `printf` and `echo` for a text of your own"},
    {"nexti|ni", "`stepi` is one instruction, and calls are part of the kernel's code"},
    {"jump|return|signal|handle", "work-items go where the program says; `set` changes memory"},
    {"checkpoint|restart|record|bookmark|reverse-search", "any launch can be gone back in by reverse-next, goto and who"},
    {"hbreak|thbreak|rbreak|dprintf|tcatch", "`break`, `tbreak` and `catch`; `commands` with printf prints and goes on"},
    {"define|document|if|while|python|python-interactive|pi|guile|alias", "`source FILE` does the commands of a file, `commands` those of a breakpoint"},
    {"file|exec-file|symbol-file|load|target|attach|core-file|add-symbol-file", "what is debugged is named on the command line, clerk debug FILE, or clerk run --debug"},
    {"directory|cd|pwd|make|pipe|search|forward-search|edit", "`shell COMMAND` does it, and `list` knows the text that was compiled"},
    {"show|apropos|tui|layout|refresh|winheight", "`info WHAT` and `help` say what there is; `clerk dap` is for editors"},
    {"skip", "`next` goes over calls, and `finish` out of them"},
    {"inferior|info-threads|interrupt", "Ctrl-C stops a kernel that runs"},
    {"explore|macro|find|dump|restore|append", "`print`, `x` and `differ` show values and memory"},
};
/* clang-format on */

static bool refuse_elsewhere(struct terminal *terminal, const char *word)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) {
        if (!word_within(word, elsewhere[i].words, '|'))
            continue;
        terminal_refuse(terminal, "There is no command '%s': %s.", word, elsewhere[i].instead);
        return true;
    }
    return false;
}

static void refuse_word(struct terminal *terminal, const char *word)
{
    if (refuse_elsewhere(terminal, word))
        return;
    const char *names[ROW_COUNT];
    for (size_t i = 0; i < ROW_COUNT; ++i)
        names[i] = rows[i].name;
    const char *near = nearest_word(word, names, ROW_COUNT);
    if (near)
        terminal_refuse(terminal, "There is no command '%s'; did you mean '%s'?", word, near);
    else
        terminal_refuse(terminal, "There is no command '%s' (see help).", word);
}

const struct terminal_row *terminal_find(struct terminal *terminal, const char *word, size_t length)
{
    struct text name = TEXT_INIT;
    text_append_n(&name, word, length);
    const struct terminal_row *found = find_exactly(name.bytes);
    const size_t size = terminal->text.size;
    if (!found)
        found = find_beginning(terminal, name.bytes);
    if (!found && terminal->text.size == size)
        refuse_word(terminal, name.bytes);
    text_release(&name);
    return found;
}

static bool help(struct terminal *terminal, const char *rest)
{
    struct text *text = &terminal->text;
    if (!*rest) {
        for (size_t i = 0; i < ROW_COUNT; ++i) {
            if (rows[i].title)
                text_format(text, "%s%s:\n", i ? "\n" : "", rows[i].title);
            if (terminal_offers(terminal, &rows[i]))
                text_format(text, "  %-16s  %s\n", rows[i].name, rows[i].help);
        }
        text_append(text,
                    "\nhelp COMMAND shows how it is written. Names may be abbreviated, and an "
                    "empty line repeats\na step. Words in capitals are yours: EXPR is an "
                    "expression of OpenCL C, LINE a number.\n");
        return true;
    }
    const struct terminal_row *row = terminal_find(terminal, rest, strlen(rest));
    if (!row)
        return false;
    text_format(text, "%s%s%s\n  %c%s.\n", row->name, *row->usage ? " " : "", row->usage,
                toupper((unsigned char)*row->help), row->help + 1);
    if (*row->more)
        text_format(text, "  %s\n", row->more);
    if (*row->letters)
        text_append(text, "  Also: ");
    for (const char *at = row->letters; *at; ++at)
        text_append_n(text, *at == '|' ? ", " : at, *at == '|' ? 2 : 1);
    text_append(text, *row->letters ? "\n" : "");
    text_format(text, "  Example: %s\n", row->example);
    return true;
}
