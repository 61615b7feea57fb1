/* All rows of a comparison, to be shown side by side: numbers of calls, and words for how a pair
 * differs. What the calls say is read when it is shown. */
#ifndef VIEWER_CLI_DIFF_DIFF_LINES_H
#define VIEWER_CLI_DIFF_DIFF_LINES_H

#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/reader.h"
#include "viewer-cli/diff/diff_compare.h"

struct diff_line {
    uint64_t ids[2];   /* 0: the run has no such call there */
    const char *words; /* how they differ; NULL: they do not */
};

struct diff_lines {
    struct trace *traces[2];
    struct diff_line *lines;
    size_t count, capacity;
    uint64_t different;
    struct arena arena; /* the words */
};

/* `options` may have --no-queries, --ulp and --relative. Fills *lines, zero-initialised but for the
 * traces, which are borrowed; release it also after a failure. */
enum status diff_lines_load(struct diff_lines *lines, const struct options *options,
                            struct error *error);
/* Adds what one row says; the walk may be another one's. */
enum status diff_lines_add(struct diff_lines *lines, const struct diff_row *row,
                           struct error *error);
void diff_lines_release(struct diff_lines *lines);

/* Appends the call of one run: the name of the kernel that it launches, if any, and then what it
 * says. Appends nothing where the run has no such call. */
enum status diff_lines_print(const struct diff_lines *lines, size_t line, int side,
                             struct text *text, struct error *error);

/* ---- diff_page.c ---- */

/* Writes the lines, under what clerk diff tells of them, as a page for browsers. */
enum status diff_page_write(const struct diff_lines *lines, const char *const titles[2],
                            const struct text *summary, const char *path, struct error *error);

#endif
