/* The table of the debugger's commands, and their help. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/options.h"

#include <string.h>

static terminal_command help;

/* In the order of `help`. */
static const struct terminal_row rows[] = {
    {"run", "r", false, false, DEBUG_REQUEST_COUNT, "",
     "go on from the beginning of the first launch, in a new process if need be", terminal_do_run},
    {"start", "", false, false, DEBUG_REQUEST_COUNT, "",
     "start a process, and stand at the beginning of its first launch", terminal_do_start},
    {"continue", "c", true, true, DEBUG_REQUEST_CONTINUE, "[N]",
     "go on to the next stop, or the N-th", terminal_continue},
    {"step", "s", true, true, DEBUG_REQUEST_STEP, "[N] | group [N] | column",
     "until the focus item begins another statement; group: until each vector of the group does, "
     "or "
     "waits; column: another column counts",
     terminal_step},
    {"next", "n", true, true, DEBUG_REQUEST_NEXT, "[N]", "the same, over calls", terminal_next},
    {"stepi", "si", true, true, DEBUG_REQUEST_STEP, "[N]", "one instruction of lane code",
     terminal_stepi},
    {"finish", "fin", true, true, DEBUG_REQUEST_FINISH, "", "until the function returns",
     terminal_finish},
    {"until", "u|advance", false, true, DEBUG_REQUEST_UNTIL, "[LINE]",
     "until the focus item comes to the line; without one: next", terminal_until},
    {"reverse-step", "rs", true, true, DEBUG_REQUEST_REVERSE_STEP, "[N]", "step, backwards",
     terminal_reverse_step},
    {"reverse-next", "rn", true, true, DEBUG_REQUEST_REVERSE_NEXT, "[N]", "next, backwards",
     terminal_reverse_next},
    {"reverse-stepi", "rsi", true, true, DEBUG_REQUEST_REVERSE_STEP, "[N]",
     "one instruction of lane code, backwards", terminal_reverse_stepi},
    {"reverse-finish", "", true, true, DEBUG_REQUEST_REVERSE_FINISH, "",
     "back to the call of the function", terminal_reverse_finish},
    {"reverse-continue", "rc", true, true, DEBUG_REQUEST_REVERSE_CONTINUE, "",
     "back to the stop before", terminal_reverse_continue},
    {"goto", "", false, true, DEBUG_REQUEST_GOTO, "POSITION", "to a position, as `when` shows it",
     terminal_goto},
    {"when", "", false, true, DEBUG_REQUEST_POSITION, "", "the position", terminal_when},
    {"who", "", false, true, DEBUG_REQUEST_WHO, "EXPR",
     "the last write to these bytes, of a recorded run also before the launch; `go` goes there",
     terminal_who},
    {"go", "", false, true, DEBUG_REQUEST_WHO, "", "to the write that `who` found", terminal_go},
    {"other", "", false, true, DEBUG_REQUEST_OTHER, "",
     "from a race to the access that it clashes with", terminal_other},
    {"break", "b|br", false, true, DEBUG_REQUEST_BREAK,
     "[FILE:]LINE|FUNCTION [item X,Y,Z] [hit N] [if COND]", "stop there", terminal_break},
    {"tbreak", "tb", false, true, DEBUG_REQUEST_BREAK, "as of break", "stop there once",
     terminal_tbreak},
    {"delete", "d", false, true, DEBUG_REQUEST_DELETE, "[N ...]", "remove breakpoints; all",
     terminal_delete},
    {"enable", "en", false, true, DEBUG_REQUEST_ENABLE, "N ...", "let breakpoints stop again",
     terminal_enable},
    {"disable", "dis", false, true, DEBUG_REQUEST_DISABLE, "N ...",
     "keep breakpoints that do not stop", terminal_disable},
    {"catch", "", false, true, DEBUG_REQUEST_CATCH,
     "finding [RULE] | nan | undefined | divergence [if COND] | barrier | launch | end [off]",
     "stop where that happens: a NaN is made of numbers, an undefined value decides, items part",
     terminal_catch},
    {"watch", "", false, true, DEBUG_REQUEST_WATCH, "EXPR", "stop where these bytes are written",
     terminal_watch},
    {"rwatch", "", false, true, DEBUG_REQUEST_WATCH, "EXPR", "stop where they are read",
     terminal_rwatch},
    {"awatch", "", false, true, DEBUG_REQUEST_WATCH, "EXPR", "stop where they are read or written",
     terminal_awatch},
    {"print", "p|inspect", false, true, DEBUG_REQUEST_EVALUATE, "[/x|/d|/t|/f] EXPR",
     "the value for the focus item", terminal_print},
    {"whatis", "ptype", false, true, DEBUG_REQUEST_EVALUATE, "EXPR", "the type of a value",
     terminal_whatis},
    {"set", "", false, true, DEBUG_REQUEST_SET, "[var] NAME = EXPR", "change a value",
     terminal_set},
    {"x", "", false, true, DEBUG_REQUEST_MEMORY, "[/COUNT FORMAT UNIT] EXPR",
     "memory: x/4xw out; formats x d u f c, units b h w g", terminal_examine},
    {"info", "i", false, true, DEBUG_REQUEST_POSITION, "WHAT",
     "locals, args, items, lanes, objects, launches, kernels, breakpoints, findings or sources",
     terminal_info},
    {"lanes", "", false, true, DEBUG_REQUEST_LANES, "", "where each item of the group stands",
     terminal_lanes},
    {"differ", "", false, true, DEBUG_REQUEST_DIFFER, "EXPR",
     "the values that the items of the group have", terminal_differ},
    {"backtrace", "bt|where", false, true, DEBUG_REQUEST_STACK, "",
     "the calls that lead to the focus", terminal_backtrace},
    {"frame", "f", false, true, DEBUG_REQUEST_STACK, "[N]", "another frame of these",
     terminal_frame},
    {"up", "", true, true, DEBUG_REQUEST_STACK, "", "the frame of the caller", terminal_up},
    {"down", "", true, true, DEBUG_REQUEST_STACK, "", "the frame that it called", terminal_down},
    {"focus", "", false, false, DEBUG_REQUEST_COUNT,
     "item|group X,Y,Z | lane|thread|launch|finding N", "what all is shown for", terminal_focus},
    {"list", "l", true, true, DEBUG_REQUEST_SOURCE, "[[FILE:]LINE[,LINE]]", "source text",
     terminal_list},
    {"disassemble", "disas", false, true, DEBUG_REQUEST_DISASSEMBLE, "[LINE]", "lane code",
     terminal_disassemble},
    {"detach", "", false, true, DEBUG_REQUEST_CONTINUE, "",
     "let the process run to its end without stops", terminal_detach},
    {"launches", "", false, false, DEBUG_REQUEST_COUNT, "",
     "those of the recorded run; focus launch CALL opens one", terminal_launches},
    {"findings", "", false, false, DEBUG_REQUEST_COUNT, "",
     "what was found in the recorded run; focus finding NUMBER opens one", terminal_findings},
    {"kill", "k", false, true, DEBUG_REQUEST_COUNT, "", "end the process", terminal_kill},
    {"quit", "q", false, false, DEBUG_REQUEST_COUNT, "", "end the process and the debugger",
     terminal_quit},
    {"help", "h", false, false, DEBUG_REQUEST_COUNT, "[COMMAND]", "what commands do", help},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

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
        terminal_print,  terminal_whatis,    terminal_examine,     terminal_info, terminal_lanes,
        terminal_differ, terminal_backtrace, terminal_disassemble, terminal_when};
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
static const struct {
    const char *words, *instead;
} elsewhere[] = {
    {"thread", "`focus item 3,0,0` is another work-item, and `info items` says where they stand"},
    {"display|undisplay", "`watch EXPR` stops where it changes, and `print` shows it"},
    {"condition|cond|ignore", "say it with the breakpoint: break 9 hit 3 if acc > 2"},
    {"commands", "`--batch FILE` does the commands of a file"},
    {"source", "`--batch FILE` does the commands of a file"},
    {"clear", "`delete N` removes one, and `info breakpoints` has the numbers"},
    {"call", "functions of the program cannot be called: `print` knows built-in ones"},
    {"nexti|ni", "`stepi` is one instruction: calls are part of the kernel's code"},
    {"jump|return", "work-items go where the program says; `set` changes memory"},
    {"checkpoint|record", "any launch can be gone back in: reverse-next, goto, who"},
};

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
        for (size_t i = 0; i < ROW_COUNT; ++i)
            if (terminal_offers(terminal, &rows[i]))
                text_format(text, "%-16s  %s\n", rows[i].name, rows[i].help);
        text_append(text, "Names may be abbreviated; an empty line repeats a step.\n");
        return true;
    }
    const struct terminal_row *row = terminal_find(terminal, rest, strlen(rest));
    if (!row)
        return false;
    text_format(text, "%s%s%s\n  %s\n", row->name, *row->usage ? " " : "", row->usage, row->help);
    return true;
}
