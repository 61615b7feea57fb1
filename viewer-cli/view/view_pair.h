/* Two runs side by side on the terminal, a pair of calls a line:
 *
 *     usual.db and flush.db  52 pairs of calls  1 differs
 *         178 clSetKernelArg(kernel = ke |     178 clSetKernelArg(kernel = ke
 *         179 clEnqueueNDRangeKernel(com !     179 clEnqueueNDRangeKernel(com
 *                                        !     180 clFlush(command_queue = qu
 *     ---
 *     how the chosen pair differs, and what both calls say
 *     keys */
#ifndef VIEWER_CLI_VIEW_VIEW_PAIR_H
#define VIEWER_CLI_VIEW_VIEW_PAIR_H

#include "viewer-cli/diff/diff_lines.h"

/* Shows the lines until the user leaves; the titles are those of the runs. */
void view_pair_show(const struct diff_lines *lines, const char *const titles[2]);

#endif
