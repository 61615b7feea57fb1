/* clerk dap: a server of the Debug Adapter Protocol for editors, on standard input and output, or
 * for one client of a port. */
#include "viewer-cli/debug/dap.h"
#include "viewer-cli/debug/dap_port.h"
#include "viewer-cli/verb.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const struct option_row dap_options[] = {
    {"port", 0, OPTION_NUMBER, false, "N",
     "serve the first client of this port of the machine itself, and end with it; 0 takes a free "
     "port; the address is printed"},
};

static enum status serve(int input, int output, struct error *error)
{
    struct dap dap = {
        .wire = {.input = input, .output = output, .read = TEXT_INIT},
        .out = TEXT_INIT,
        .complaint = TEXT_INIT,
        .rule = TEXT_INIT,
        .report = TEXT_INIT,
    };
    signal(SIGPIPE, SIG_IGN);
    return dap_serve(&dap, error);
}

/* ---- standard input and output ---- */

static enum status serve_streams(struct error *error)
{
    /* Nothing else may be written where the messages are. */
    const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return error_set_errno(error, "cannot keep standard output for the editor");
    const enum status status = serve(STDIN_FILENO, output, error);
    close(output);
    return status;
}

/* ---- a port ---- */

static enum status serve_port(uint16_t port, struct error *error)
{
    int client;
    enum status status = dap_port_accept(port, &client, error);
    if (status)
        return status;
    status = serve(client, client, error);
    close(client);
    return status;
}

static int run(const struct options *options)
{
    struct error error;
    const uint64_t port = options_number(options, "port", 0);
    if (options_operand_count(options) != 0)
        return verb_usage(&verb_dap, "no operand is wanted: the editor says what is debugged");
    if (port > UINT16_MAX)
        return verb_usage(&verb_dap, "--port: ports are numbers up to 65535");
    const enum status status =
        options_has(options, "port") ? serve_port((uint16_t)port, &error) : serve_streams(&error);
    return status ? verb_fail(&verb_dap, &error) : VERB_OK;
}

const struct verb verb_dap = {
    .name = "dap",
    .synopsis = "[--port N]",
    .summary = "debug kernels from an editor: the Debug Adapter Protocol",
    .options = dap_options,
    .option_count = sizeof dap_options / sizeof *dap_options,
    .help =
        "Speaks the Debug Adapter Protocol on standard input and output: editors start it. With\n"
        "--port it waits for an editor that is told the port instead, as VS Code is by\n"
        "\"debugServer\": the first one of the same user is served.\n"
        "\n"
        "Its launch configuration names the kernel's \"file\" and, as the options of clerk debug,\n"
        "\"kernel\", \"global\", \"local\", \"arguments\" (an array), \"build\"; and\n"
        "\"stopOnEntry\", \"stopOnFinding\". For a recorded run it names \"trace\" and \"launch\"\n"
        "or \"finding\", for a program \"program\" and \"args\". docs/DEBUGGING.md has examples;\n"
        "viewer-cli/vscode of clerk's sources is an extension for VS Code.\n",
    .examples = "  clerk dap\n"
                "  clerk dap --port 4711\n",
    .run = run,
};
