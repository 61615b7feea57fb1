/* What the OpenCL loader of this machine offers. */
#ifndef VIEWER_CLI_DRIVERS_H
#define VIEWER_CLI_DRIVERS_H

#include "trace/base/status.h"

#include <stdbool.h>

/* How many platforms a program with this environment finds; -1 when it cannot be known: there is no
 * loader, or a driver ends or stops whoever loads it. Drivers are loaded in a child process; takes
 * as long as they do, and ten seconds at most. The calling process must have one thread. */
int drivers_count_platforms(char **environment);

/* Is there a loader that does not look at OPENCL_LAYERS, such as that of the CUDA toolkit, or a
 * driver in its place? Asked in the same way. */
bool drivers_know_no_layers(char **environment);

/* Sets a variable of some environment; a NULL value removes it. */
typedef enum status drivers_set_variable(void *context, const char *name, const char *value,
                                         struct error *error);

/* Sets those by which a loader sees the reference device of this installation, wherever it was
 * moved to, and nothing else. */
enum status drivers_choose_reference(drivers_set_variable *set, void *context, struct error *error);

/* Sets those by which a program with this environment has the table of malloc's blocks, which the
 * reference device and recordings look at (trace/base/heap.h). Nothing is set where the library is
 * missing, or LD_PRELOAD cannot name it: it divides its list at blanks and colons. */
enum status drivers_add_heap(char **environment, drivers_set_variable *set, void *context,
                             struct error *error);

/* For drivers_choose_reference: in the environment of this process, which needs no context. */
enum status drivers_set_own(void *context, const char *name, const char *value,
                            struct error *error);

#endif
