/* clerk dap: a server of the Debug Adapter Protocol on standard input and output, for editors. */
#include "viewer-cli/debug/dap.h"
#include "viewer-cli/verb.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int run(const struct options *options)
{
    struct error error;
    if (options_operand_count(options) != 0)
        return verb_usage(&verb_dap, "no operand is wanted: the editor says what is debugged");
    /* Nothing else may be written where the messages are. */
    const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        error_set_errno(&error, "cannot keep standard output for the editor");
        return verb_fail(&verb_dap, &error);
    }
    signal(SIGPIPE, SIG_IGN);
    struct dap dap = {
        .wire = {.input = STDIN_FILENO, .output = output, .read = TEXT_INIT},
        .out = TEXT_INIT,
        .complaint = TEXT_INIT,
        .rule = TEXT_INIT,
        .report = TEXT_INIT,
    };
    const enum status status = dap_serve(&dap, &error);
    close(output);
    return status ? verb_fail(&verb_dap, &error) : VERB_OK;
}

const struct verb verb_dap = {
    .name = "dap",
    .synopsis = "",
    .summary = "debug kernels from an editor: the Debug Adapter Protocol",
    .help =
        "Speaks the Debug Adapter Protocol on standard input and output: editors start it. Its\n"
        "launch configuration names the kernel's \"file\" and, as the options of clerk debug,\n"
        "\"kernel\", \"global\", \"local\", \"arguments\" (an array), \"build\"; and "
        "\"stopOnEntry\",\n"
        "\"stopOnFinding\". For a recorded run it names \"trace\" and \"launch\" or \"finding\", "
        "for\n"
        "a program \"program\" and \"args\". docs/DEBUGGING.md has examples; viewer-cli/vscode of "
        "clerk's sources "
        "is\n"
        "an extension for VS Code.\n",
    .examples = "  clerk dap\n",
    .run = run,
};
