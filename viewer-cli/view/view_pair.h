/* Two runs side by side on the terminal, a pair of calls a line:
 *
 *     base.db | order.db  67 pairs of calls, 15 differ
 *        178 clSetKernelArg(kernel = k      178 clSetKernelArg(kernel = k
 *        179 clEnqueueNDRangeKernel(c !     179 clEnqueueNDRangeKernel(c
 *                                     >     180 clFlush(command_queue = q
 *     --- in what it left in memory ---
 *     how the chosen pair differs, and what both calls say
 *     keys */
#ifndef VIEWER_CLI_VIEW_VIEW_PAIR_H
#define VIEWER_CLI_VIEW_VIEW_PAIR_H

#include "trace/base/status.h"
#include "trace/reader.h"

/* Shows the runs until the user leaves; the traces and the titles are borrowed. */
enum status view_pair_show(struct trace *const traces[2], const char *const titles[2],
                           struct error *error);

#endif
