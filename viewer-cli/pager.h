/* A pager between standard output and a terminal. */
#ifndef VIEWER_CLI_PAGER_H
#define VIEWER_CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* The columns of the terminal that the descriptor is; 0 = it is none, or does not say. */
size_t pager_terminal_width(int descriptor);

/* From now on what is printed goes through $PAGER, or less. Nothing happens if there is none, or it
 * is "cat". */
void pager_start(void);
/* Waits until its user has read all, or enough. */
void pager_finish(void);

#endif
