/* clerk debug: stops in a kernel that runs on the reference device, and shows what is there. */
#include "viewer-cli/debug/kernel_words.h"
#include "viewer-cli/debug/terminal.h"
#include "viewer-cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct option_row debug_options[] = {
#include "viewer-cli/kernel/kernel_options.def"
    {"schedule", 0, OPTION_TEXT, false, "asc|desc|seed:K",
     "the order of work-groups and work-items (asc)"},
    {"batch", 0, OPTION_TEXT, false, "FILE",
     "do the commands in FILE, or for - those on standard input, and print what a terminal would"},
};

static enum status open_input(const char *batch, int *input, struct error *error)
{
    *input = !batch || strcmp(batch, "-") == 0 ? STDIN_FILENO : open(batch, O_RDONLY | O_CLOEXEC);
    return *input >= 0 ? STATUS_OK : error_set_errno(error, "cannot open %s", batch);
}

static int debug(const struct options *options, struct kernel_words *words)
{
    struct error error;
    struct terminal terminal = {
        .words = words->words,
        .word_count = words->count,
        .path = options_operand(options, 0),
        .batch = options_has(options, "batch"),
        .text = TEXT_INIT,
        .shown_function = TEXT_INIT,
        .shown_item = TEXT_INIT,
        .shown_file = TEXT_INIT,
        .written_at = TEXT_INIT,
    };
    int input;
    if (open_input(options_text(options, "batch"), &input, &error))
        return verb_fail(&verb_debug, &error);
    int status = VERB_FAILED;
    if (terminal_begin(&terminal) && terminal_run(&terminal, input))
        status = VERB_OK;
    terminal_end(&terminal);
    if (input != STDIN_FILENO)
        close(input);
    return verb_finish(&verb_debug, status);
}

static int run(const struct options *options)
{
    struct kernel_words words = {0};
    struct error error;
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_debug, "one file with a kernel is wanted");
    const char *schedule = options_text(options, "schedule");
    if (schedule && strcmp(schedule, "both") == 0)
        return verb_usage(&verb_debug, "--schedule both: one run is debugged, so one order");
    if (kernel_words_of_options(&words, options, "batch", &error))
        return verb_fail(&verb_debug, &error);
    const int status = debug(options, &words);
    kernel_words_release(&words);
    return status;
}

const struct verb verb_debug = {
    .name = "debug",
    .synopsis = "FILE -g X[,Y[,Z]] [-k NAME] [-a ARG ...] [--batch FILE] [options]",
    .summary = "stop in a kernel on the reference device, and look at its work-items",
    .options = debug_options,
    .option_count = sizeof debug_options / sizeof *debug_options,
    .help = "Runs the kernel as clerk kernel does, once, with its arguments, and stands at its\n"
            "beginning. Commands have gdb's names where gdb has them: break, run, continue, step, "
            "next,\n"
            "finish, print, info locals, backtrace, list; `help` shows all. What is shown is shown "
            "for\n"
            "the focus, a work-item: `focus item 3,0,0` moves it, `lanes` shows where the others "
            "stand,\n"
            "`differ EXPR` which values they have. A second Ctrl-C ends a kernel that runs.\n"
            "\n"
            "With --batch the exit status is 2 where a command could not be done.\n",
    .examples = "  clerk debug sum.cl -g 64 -a 'buf:float[64]=iota' -a 'buf:float[1]'\n"
                "  clerk debug sum.cl -g 64 -a 'buf:float[64]=iota' -a 'buf:float[1]' --batch "
                "commands\n",
    .run = run,
};
