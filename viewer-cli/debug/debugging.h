/* A session on a terminal, whatever is debugged. */
#ifndef VIEWER_CLI_DEBUG_DEBUGGING_H
#define VIEWER_CLI_DEBUG_DEBUGGING_H

#include "viewer-cli/debug/terminal.h"
#include "viewer-cli/verb.h"

/* Fills in what every terminal has. */
void debugging_init(struct terminal *terminal);
/* Does the commands of the file `batch`, "-" = standard input; NULL: those of the terminal, which
 * is standard input, or where the debugged process has that, the controlling one. Ends the
 * terminal, and returns the verb's exit status. */
int debugging_run(const struct verb *verb, struct terminal *terminal, const char *batch);
/* clerk run --debug: a program, which `run` starts, as struct debug_start has it. */
int debugging_run_program(const struct verb *verb, const struct options *options,
                          int (*run)(int word_count, char **words, int socket));

#endif
