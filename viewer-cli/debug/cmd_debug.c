/* clerk debug: stops in a kernel that runs on the reference device, and shows what is there. */
#include "trace/api/settings.h"
#include "viewer-cli/debug/debugging.h"
#include "viewer-cli/kernel/cmd_kernel.h"
#include "viewer-cli/replay/cmd_replay.h"

#include <string.h>
#include <unistd.h>

static const struct option_row debug_options[] = {
#include "viewer-cli/kernel/kernel_options.def"
    {"schedule", 0, OPTION_TEXT, false, "asc|desc|seed:K",
     "the order of work-groups and work-items (asc)"},
    {"launch", 0, OPTION_NUMBER, false, "N",
     "of a recorded run: stand at the beginning of the launch of call N"},
    {"finding", 0, OPTION_NUMBER, false, "N",
     "of a recorded run: run to where finding N is made, as the list of findings numbers them"},
    {"variables", 0, OPTION_WORD, false, "values|memory",
     "where the kernel's variables are: held as values (values), or in memory, where they can be "
     "changed"},
    {"batch", 0, OPTION_TEXT, false, "FILE",
     "do the commands in FILE, or for - those on standard input, and print what a terminal would"},
};

/* What belongs to a recorded run alone. */
static const char *const of_runs[] = {"launch", "finding"};
/* What both have; */
static const char *const of_both[] = {"batch", "personality", "schedule", "checks", "variables"};
/* of these settings of the device, which a run is not recorded with. */
static const enum setting run_settings[] = {SETTING_SCHEDULE, SETTING_CHECKS};

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
#define IS_AMONG(name, names) is_among(name, names, sizeof(names) / sizeof *(names))

/* Not of the kernel, which clerk kernel knows. */
static const char *const of_debugger[] = {"batch", "variables", NULL};

static int debug_kernel(const struct options *options)
{
    struct kernel_words words = {0};
    struct terminal terminal;
    struct error error;
    const char *schedule = options_text(options, "schedule");
    if (schedule && strcmp(schedule, "both") == 0)
        return verb_usage(&verb_debug, "--schedule both: one run is debugged, so one order");
    if (kernel_words_of_options(&words, options, of_debugger, &error))
        return verb_fail(&verb_debug, &error);
    debugging_init(&terminal);
    terminal.start =
        (struct debug_start){.run = kernel_debug, .words = words.words, .word_count = words.count};
    terminal.path = options_operand(options, 0);
    const int status = debugging_run(&verb_debug, &terminal, options_text(options, "batch"));
    kernel_words_release(&words);
    return status;
}

static enum status choose_settings(const struct options *options, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < sizeof run_settings / sizeof *run_settings; ++i) {
        const char *value = options_text(options, setting_get(run_settings[i])->name);
        if (value)
            status = setting_put(run_settings[i], value, error);
    }
    return status;
}

static int debug_run(const struct options *options)
{
    struct terminal terminal;
    struct error error;
    const struct option_row *row;
    const char *value;
    for (size_t i = 0; options_given(options, i, &row, &value); ++i)
        if (!IS_AMONG(row->name, of_runs) && !IS_AMONG(row->name, of_both))
            return verb_usage(&verb_debug, "--%s is of a kernel's file: a recorded run has its own",
                              row->name);
    if (options_has(options, "launch") && options_has(options, "finding"))
        return verb_usage(&verb_debug, "--finding opens its launch: --launch is another one");
    if (choose_settings(options, &error))
        return verb_fail(&verb_debug, &error);
    debugging_init(&terminal);
    terminal.start.run = replay_debug;
    terminal.finds_path = true;
    terminal.trace = (struct terminal_trace){
        .path = options_operand(options, 0),
        .personality = options_text(options, "personality"),
        .launch = options_number(options, "launch", 0),
        .finding_number = options_number(options, "finding", 0),
    };
    return debugging_run(&verb_debug, &terminal, options_text(options, "batch"));
}

static int run(const struct options *options)
{
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_debug, "one file with a kernel, or one trace, is wanted");
    struct error error;
    if (access(options_operand(options, 0), R_OK) != 0) {
        error_set_errno(&error, "cannot read '%s'", options_operand(options, 0));
        return verb_fail(&verb_debug, &error);
    }
    const char *variables = options_text(options, "variables");
    if (variables && setting_put(SETTING_VARIABLES, variables, &error))
        return verb_fail(&verb_debug, &error);
    const bool is_run = recorded_is(options_operand(options, 0));
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; ++i)
        if (!is_run && options_has(options, of_runs[i]))
            return verb_usage(&verb_debug, "--%s: '%s' is no recorded run", of_runs[i],
                              options_operand(options, 0));
    return is_run ? debug_run(options) : debug_kernel(options);
}

const struct verb verb_debug = {
    .name = "debug",
    .synopsis = "FILE -g X[,Y[,Z]] [-k NAME] [-a ARG ...] [--batch FILE] [options]\n"
                "       clerk debug TRACE [--launch N | --finding N] [--batch FILE]",
    .summary = "stop in a kernel on the reference device, and look at its work-items",
    .options = debug_options,
    .option_count = sizeof debug_options / sizeof *debug_options,
    .help =
        "Runs the kernel as clerk kernel does, once, with its arguments, and stands at its\n"
        "beginning. Commands have gdb's names where gdb has them: break, run, continue, step, "
        "next,\n"
        "finish, print, info locals, backtrace, list; `help` shows all. What is shown is shown "
        "for\n"
        "the focus, a work-item: `focus item 3,0,0` moves it, `lanes` shows where the others "
        "stand,\n"
        "`differ EXPR` which values they have. A second Ctrl-C ends a kernel that runs.\n"
        "\n"
        "Of a recorded run any launch is opened, whatever driver it was recorded over: without\n"
        "--launch or --finding those that there are are listed. Launches that were recorded "
        "with\n"
        "--contents all begin with what they found in memory; others after the run's calls "
        "before\n"
        "them, without stops. `info objects` says which objects of the run it was given.\n"
        "A program is debugged while it runs by clerk run --debug.\n"
        "\n"
        "With --batch the exit status is 2 where a command could not be done.\n",
    .examples = "  clerk debug sum.cl -g 64 -a 'buf:float[64]=iota' -a 'buf:float[1]'\n"
                "  clerk debug sum.cl -g 64 -a 'buf:float[64]=iota' -a 'buf:float[1]' --batch "
                "commands\n"
                "  clerk debug app.db                    which launches and findings there are\n"
                "  clerk debug app.db --launch 117       one, as clerk show launches numbers them\n"
                "  clerk debug app.db --finding 3        where something wrong was found\n",
    .run = run,
};
