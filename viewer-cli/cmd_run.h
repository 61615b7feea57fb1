/* Running a program under clerk, for other verbs. */
#ifndef VIEWER_CLI_CMD_RUN_H
#define VIEWER_CLI_CMD_RUN_H

/* Does what the verb does with these words of a command line, on the reference device, for a
 * debugger at the other end of the socket, which is handed to the first process of the program that
 * uses the device. Returns the exit status. */
int run_debug(int word_count, char **words, int socket);

#endif
