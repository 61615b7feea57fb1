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
        .program = TEXT_INIT,
        .written_at = TEXT_INIT,
        .written_position = TEXT_INIT,
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

/* Options of the verb that are the front end's alone. */
static bool is_ours(const char *name)
{
    return strcmp(name, "debug") == 0 || strcmp(name, "break") == 0 || strcmp(name, "batch") == 0;
}

/* Those of the command line, and that the device is ours. */
static enum status words_of_program(struct kernel_words *words, const struct options *options,
                                    struct error *error)
{
    const struct option_row *row;
    const char *value;
    enum status status = kernel_words_add_option(words, "device", "reference", error);
    for (size_t i = 0; !status && options_given(options, i, &row, &value); ++i)
        if (!is_ours(row->name))
            status = kernel_words_add_option(words, row->name, value, error);
    if (!status)
        status = kernel_words_add(words, "--", error);
    for (size_t i = 0; !status && i < options_operand_count(options); ++i)
        status = kernel_words_add(words, options_operand(options, i), error);
    return status;
}

int debugging_run_program(const struct verb *verb, const struct options *options,
                          int (*run)(int word_count, char **words, int socket))
{
    struct kernel_words words = {0};
    struct terminal terminal;
    struct error error;
    const char *device = options_text(options, "device");
    if (!options_operand_count(options))
        return verb_usage(verb, "which program?");
    if (device && strcmp(device, "reference") != 0)
        return verb_usage(verb, "--debug stops on the reference device, not on the system's");
    int status = VERB_FAILED;
    if (words_of_program(&words, options, &error)) {
        status = verb_fail(verb, &error);
    } else {
        debugging_init(&terminal);
        terminal.start = (struct debug_start){
            .run = run, .words = words.words, .word_count = words.count, .keeps_streams = true};
        terminal.finds_path = true;
        terminal.breaks = options_text(options, "break");
        status = debugging_run(verb, &terminal, options_text(options, "batch"));
    }
    kernel_words_release(&words);
    return status;
}
