/* Which launches are checked, where the settings KERNELS, LAUNCHES, SAMPLE and TIME_LIMIT leave
 * some out: those run as they are. */
#ifndef TRACE_API_SELECTION_H
#define TRACE_API_SELECTION_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct selection;

/* By the environment; values that are wrong are told on standard error, and leave nothing out. NULL
 * when memory is out. */
struct selection *selection_create(void);
void selection_destroy(struct selection *selection); /* NULL is fine */

/* Of the next launch, of this kernel: why it is left out, as the end of a sentence; NULL = it is to
 * be checked. Lives for ever. Any thread. */
const char *selection_leaves_out(struct selection *selection, const char *kernel);

/* "3 of 10 launches were not checked: --kernels leaves out 2, --sample 1". False, and nothing
 * appended, when none was left out. */
bool selection_describe(struct selection *selection, struct text *text);

#endif
