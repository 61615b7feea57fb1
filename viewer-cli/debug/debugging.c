#include "viewer-cli/debug/debugging.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void debugging_init(struct terminal *terminal)
{
    *terminal = (struct terminal){
        .text = TEXT_INIT,
        .shown_function = TEXT_INIT,
        .shown_item = TEXT_INIT,
        .shown_file = TEXT_INIT,
        .written_at = TEXT_INIT,
    };
}

static enum status open_input(const struct terminal *terminal, const char *batch, int *input,
                              struct error *error)
{
    if (batch && strcmp(batch, "-") != 0)
        *input = open(batch, O_RDONLY | O_CLOEXEC);
    else if (!batch && terminal->start.keeps_streams)
        *input = open("/dev/tty", O_RDONLY | O_CLOEXEC);
    else
        *input = STDIN_FILENO;
    if (*input >= 0)
        return STATUS_OK;
    return batch ? error_set_errno(error, "cannot open %s", batch)
                 : error_set_errno(error, "there is no terminal for commands (--batch FILE)");
}

int debugging_run(const struct verb *verb, struct terminal *terminal, const char *batch)
{
    struct error error;
    int input = -1;
    int status = VERB_FAILED;
    terminal->batch = batch != NULL;
    terminal->start.reads_commands = batch && strcmp(batch, "-") == 0;
    const enum status opened = open_input(terminal, batch, &input, &error);
    if (opened)
        status = verb_fail(verb, &error);
    else if (terminal_begin(terminal) && terminal_run(terminal, input))
        status = VERB_OK;
    terminal_end(terminal);
    if (input > STDIN_FILENO)
        close(input);
    return verb_finish(verb, status);
}
